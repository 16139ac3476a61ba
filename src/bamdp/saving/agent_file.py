"""Saving and copying an agent: its class name, its constructor arguments, and its state.

`bamdp.load` makes a new agent from the first two and restores the state; the agent continues bit for bit. No code in a file is
run or imported: classes are those of `bamdp.agents` and `bamdp.priors`; your own classes, and priors made of your own code, are
given when loading.
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from bamdp import _validation, priors
from bamdp.domain import Domain
from bamdp.domains.tabular import Tabular
from bamdp.prior import Prior
from bamdp.saving import archive
from bamdp.saving import state as states
from bamdp.saving.archive import Arrays, FilePath

if TYPE_CHECKING:
    from bamdp.agent import Agent

_OWN_CODE = (priors.Sampled, priors.Lazy, priors.Compiled, priors.Parametric)
_BUILT_IN = "bamdp.agents."  # module of the classes that a file may name


def save(agent: Agent, path: FilePath) -> None:
    """Save `agent` to a file; see `Agent.save`."""
    path = _validation.path("path", path)
    arrays: Arrays = {}
    header = {
        "class": type(agent).__name__,
        "own_class": not type(agent).__module__.startswith(_BUILT_IN),
        "arguments": {name: _out(value, arrays) for name, value in _arguments(agent).items()},
        "learned": states.state_of(agent, arrays),
        "in_episode": agent._in_episode,
    }
    archive.write(path, "agent", header, arrays)


def parts(agent: Agent) -> tuple[Any, ...]:
    """The arguments from which `remade` makes a copy of the agent.

    Raises:
        TypeError: the agent can't be saved, and so can't be copied.
    """
    arrays: Arrays = {}
    try:
        state = states.state_of(agent, arrays)
    except TypeError as error:
        raise TypeError(f"an agent is copied as by agent.save and bamdp.load, and {error}") from error
    own = {name: array.copy() for name, array in arrays.items()}
    return type(agent), _arguments(agent), state, agent._in_episode, own


def remade(cls: type[Agent], arguments: dict[str, Any], state: Any, in_episode: bool, arrays: Arrays) -> Agent:
    """An agent with these arguments and this state."""
    agent = cls(**arguments)
    states.restore(agent, state, arrays)
    agent._in_episode = in_episode
    return agent


def _arguments(agent: Agent) -> dict[str, Any]:
    """The constructor arguments by name; arrays as the agent keeps them, as the caller's may have changed since."""
    positional, named = agent._made_with
    signature = inspect.signature(type(agent))
    found: dict[str, Any] = {}
    for name, value in signature.bind(*positional, **named).arguments.items():
        found |= value if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD else {name: value}
    return {name: own if isinstance(own := vars(agent).get(name), np.ndarray) else value for name, value in found.items()}


def is_given(value: Any) -> bool:
    """Whether a stored argument must be given when loading."""
    return isinstance(value, dict) and "given" in value


def arguments(stored: dict[str, Any], prior: Prior | None, arrays: Arrays) -> dict[str, Any]:
    """The constructor arguments from a file; `prior` replaces the one that must be given."""
    return {name: prior if is_given(value) else _in(value, arrays) for name, value in stored.items()}


def _out(value: Any, arrays: Arrays) -> Any:
    """An argument as JSON."""
    if isinstance(value, Prior | priors.Normal):
        return {"prior": _prior_out(value, arrays)} if _is_built_in(value) else {"given": repr(value)}
    if isinstance(value, Domain):
        return {"world": _domain_out(value, arrays)}
    return {"value": states.encode(value, arrays)}


def _in(stored: dict[str, Any], arrays: Arrays) -> Any:
    ((kind, value),) = stored.items()
    read = {"prior": _prior_in, "world": _domain_in, "value": states.decode}[kind]
    return read(value, arrays)


def _fields(prior: Any) -> dict[str, Any]:
    return {field.name: getattr(prior, field.name) for field in dataclasses.fields(prior) if field.init}


def _is_built_in(prior: Prior | priors.Normal) -> bool:
    known = getattr(priors, type(prior).__name__, None) is type(prior) and not isinstance(prior, _OWN_CODE)
    return known and all(_is_built_in(value) for value in _fields(prior).values() if isinstance(value, Prior))


def _prior_out(prior: Prior | priors.Normal, arrays: Arrays) -> dict[str, Any]:
    return {"class": type(prior).__name__, "fields": {name: _out(value, arrays) for name, value in _fields(prior).items()}}


def _prior_in(stored: dict[str, Any], arrays: Arrays) -> Prior:
    found = getattr(priors, stored["class"]) if stored["class"] in priors.__all__ else None
    if found is None or issubclass(found, _OWN_CODE):
        raise ValueError(f"bamdp.priors has no {stored['class']!r} that can be stored in a file")
    prior: Prior = found(**{name: _in(value, arrays) for name, value in stored["fields"].items()})
    return prior


def _domain_out(domain: Any, arrays: Arrays) -> Any:
    """What an oracle needs of a domain: its tables and, where they don't say how long a run is, more."""
    tables = (domain.successors, domain.probabilities, domain.rewards, domain.discount)
    more = {"start": getattr(domain, "start", 0), "terminal": domain.terminal, "deadline": domain.deadline}
    if domain.episode_length is not None:
        more["episode_length"] = domain.episode_length
    return states.encode(tables if domain.deadline is None and domain.discount < 1 else (*tables, more), arrays)


def _domain_in(stored: Any, arrays: Arrays) -> Domain:
    successors, probabilities, rewards, discount, *more = states.decode(stored, arrays)
    return Tabular.from_successors(successors, probabilities, rewards, discount, **(more[0] if more else {}))
