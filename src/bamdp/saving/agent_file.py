"""Saving and copying an agent: its class name, its problem, its settings, and its state.

`bamdp.load` makes a new agent from the first three and restores the state; the agent continues bit for bit. No code in a file
is run or imported: classes are those of `bamdp.agents` and `bamdp.priors`; your own classes, and priors made of your own code,
are given when loading.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from bamdp import priors, validation
from bamdp.mdp import MDP, Outcomes
from bamdp.prior import Prior
from bamdp.problem import BAMDP
from bamdp.saving import archive
from bamdp.saving import state as states
from bamdp.saving.archive import Arrays, FilePath

if TYPE_CHECKING:
    from bamdp.agent import Agent

_BUILT_IN = "bamdp.agents."  # module of the classes that a file may name


def save(agent: Agent, path: FilePath) -> None:
    """Save `agent` to a file; see `Agent.save`."""
    path = validation.path("path", path)
    arrays: Arrays = {}
    header = {
        "class": type(agent).__name__,
        "own_class": not type(agent).__module__.startswith(_BUILT_IN),
        "arguments": {name: _out(value, arrays) for name, value in _arguments(agent).items()},
        "learned": states.state_of(agent, arrays),
    }
    archive.write(path, header, arrays)


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
    return type(agent), _arguments(agent), state, own


def remade(cls: type[Agent], arguments: dict[str, Any], state: Any, arrays: Arrays) -> Agent:
    """An agent with these arguments and this state."""
    agent = cls(**arguments)
    states.restore(agent, state, arrays)
    return agent


def _arguments(agent: Agent) -> dict[str, Any]:
    """The constructor arguments by name."""
    try:
        return {"problem": agent.problem, **agent.settings}
    except AttributeError as error:
        raise TypeError(f"each argument of {type(agent).__name__} must be kept in an attribute of its name: {error}") from None


def arguments(stored: dict[str, Any], prior: Prior | None, arrays: Arrays) -> dict[str, Any]:
    """The constructor arguments from a file; `prior` replaces the one that must be given."""
    return {name: _in(value, arrays, prior) for name, value in stored.items()}


def _out(value: Any, arrays: Arrays) -> Any:
    """An argument as JSON."""
    if isinstance(value, BAMDP):
        return {"problem": {name: _out(part, arrays) for name, part in _fields(value).items()}}
    if isinstance(value, Prior | priors.Normal):
        return {"prior": _prior_out(value, arrays)} if _is_built_in(value) else {"given": repr(value)}
    if isinstance(value, MDP):
        if value.ends is not None:
            raise TypeError(f"the mean of MDPs with different terminal states can't be saved, got {value!r}")
        return {"world": states.encode(tuple(_fields(value).values()), arrays)}
    return {"value": states.encode(value, arrays)}


def _in(stored: dict[str, Any], arrays: Arrays, prior: Prior | None = None) -> Any:
    ((kind, value),) = stored.items()
    if kind == "given":
        return prior
    if kind == "problem":
        return BAMDP(**{name: _in(part, arrays, prior) for name, part in value.items()})
    read = {"prior": _prior_in, "world": _world_in, "value": states.decode}[kind]
    return read(value, arrays)


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}


def _is_built_in(prior: Prior | priors.Normal) -> bool:
    known = getattr(priors, type(prior).__name__, None) is type(prior) and not getattr(prior, "own_code", False)
    return known and all(_is_built_in(value) for value in _fields(prior).values() if isinstance(value, Prior))


def _prior_out(prior: Prior | priors.Normal, arrays: Arrays) -> dict[str, Any]:
    return {"class": type(prior).__name__, "fields": {name: _out(value, arrays) for name, value in _fields(prior).items()}}


def _prior_in(stored: dict[str, Any], arrays: Arrays) -> Prior:
    found = getattr(priors, stored["class"]) if stored["class"] in priors.__all__ else None
    if found is None or getattr(found, "own_code", False):
        raise ValueError(f"bamdp.priors has no {stored['class']!r} that can be stored in a file")
    prior: Prior = found(**{name: _in(value, arrays) for name, value in stored["fields"].items()})
    return prior


def _world_in(stored: Any, arrays: Arrays) -> MDP:
    probabilities, rewards, terminal, successors, weights, outcomes, _ = states.decode(stored, arrays)
    noise = None if outcomes is None else Outcomes(*outcomes)
    return MDP(probabilities, rewards, terminal=terminal, successors=successors, weights=weights, outcomes=noise)
