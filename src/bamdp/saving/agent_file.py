"""Saving an agent in a file, and loading it elsewhere: it goes on bit for bit as if nothing had been.

A file holds what the agent was made from (its class by name, its settings, the prior) and what it has learned
(`bamdp.saving.state`). To load it is to make a new agent from the former and to put the latter in. Nothing in a file is run or
imported: classes are those of `bamdp.agents` and `bamdp.priors`. Classes of one's own, and priors that are the user's own
code, are given when loading.
"""

from __future__ import annotations

import dataclasses
import inspect
from functools import partial
from typing import Any

import numpy as np

from bamdp import _validation, agents, priors
from bamdp.agent import Agent
from bamdp.domain import Domain
from bamdp.domains.tabular import Tabular
from bamdp.prior import Prior, checked_prior
from bamdp.saving import archive
from bamdp.saving import state as learned
from bamdp.saving.archive import Arrays, Place, SavedFileError, understood
from bamdp.search.planner import Planner

_OWN_CODE = (priors.Sampled, priors.Lazy, priors.Compiled)


def save(agent: Agent, path: Place) -> None:
    """Write `agent` to a file, as it is now; see `Agent.save`."""
    path = _validation.path("path", path)
    arrays: Arrays = {}
    header = {
        "class": type(agent).__name__,
        "own_class": _named(agents, type(agent).__name__) is not type(agent),
        "arguments": {name: _out(value, arrays) for name, value in _arguments(agent).items()},
        "learned": learned.state_of(agent, arrays),
        "in_episode": agent._in_episode,
    }
    archive.write(path, "agent", header, arrays)


def load(path: Place, *, prior: Prior | None = None, agent_class: type[Agent] | None = None) -> Agent:
    """The agent that was saved in a file; it goes on as if nothing had been.

    Args:
        path: the file.
        prior: the prior that the agent was made with, if that is the user's own code (`Sampled`, `Lazy`, `Compiled` or a class
            of one's own): code is never in a file.
        agent_class: the agent's class, if it isn't one of `bamdp.agents`.

    Raises:
        SavedFileError: the file is damaged, something else, or of another version; or a prior or class is missing.
        OSError: there is no such file, or it can't be read.

    Example:
        >>> import tempfile, bamdp
        >>> world = bamdp.domains.DoubleLoop()
        >>> agent = bamdp.agents.BAMCP.for_domain(world, simulations=100)
        >>> record = bamdp.run(agent, world, steps=20)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     agent.save(f"{folder}/agent.bamdp")
        ...     twin = bamdp.load(f"{folder}/agent.bamdp")
        >>> twin.act(state=3) == agent.act(state=3)
        True
    """
    path = _validation.path("path", path)
    if prior is not None:
        checked_prior(prior)
    if agent_class is not None and not (inspect.isclass(agent_class) and issubclass(agent_class, Agent)):
        raise TypeError(f"agent_class must be a class of agents or None, got {agent_class!r}")
    header, arrays = archive.read(path, "agent")
    cls = _class(path, header, agent_class)
    stored: Any = header.get("arguments")
    given = understood(path, lambda: {name for name, value in stored.items() if _is_given(value)})
    if given and prior is None:
        described = understood(path, lambda: stored[min(given)]["given"])
        raise SavedFileError(
            f"{path} is of an agent whose prior is code of the user's own, {described}: give it, load(path, prior=...)"
        )
    if prior is not None and not given:
        raise SavedFileError(f"{path} has its prior in it: load(path), without prior={prior!r}")
    agent: Agent = understood(path, partial(_made, cls, prior, header, arrays))
    return agent


def parts(agent: Agent) -> tuple[Any, ...]:
    """What `remade` makes a copy of the agent from.

    Raises:
        TypeError: it can't be saved, and so not be copied either.
    """
    arrays: Arrays = {}
    try:
        state = learned.state_of(agent, arrays)
    except TypeError as error:
        raise TypeError(f"an agent is copied as agent.save and bamdp.load would do it, and {error}") from error
    own = {name: array.copy() for name, array in arrays.items()}
    return type(agent), _arguments(agent), state, agent._in_episode, own


def remade(cls: type[Agent], arguments: dict[str, Any], state: Any, in_episode: bool, arrays: Arrays) -> Agent:
    """The agent that was made with these arguments, and has learned this since."""
    agent = cls(**arguments)
    learned.restore(agent, state, arrays)
    agent._in_episode = in_episode
    return agent


def _made(cls: type[Agent], prior: Prior | None, header: dict[str, Any], arrays: Arrays) -> Agent:
    stored = header["arguments"]
    arguments = {name: prior if _is_given(value) else _in(value, arrays) for name, value in stored.items()}
    if issubclass(cls, Planner) and arguments.get("workers") is not None:  # such agents are never saved
        raise ValueError(f"workers must be None in a file: no cluster is joined for it, got {arguments['workers']!r}")
    return remade(cls, arguments, header["learned"], _validation.boolean("in_episode", header.get("in_episode", False)), arrays)


def _class(path: Place, header: dict[str, Any], own: type[Agent] | None) -> type[Agent]:
    name = header.get("class")
    if header.get("own_class"):
        if own is None or own.__name__ != name:
            raise SavedFileError(f"{path} is of an agent that is not in bamdp.agents: give its class {name}, agent_class=...")
        return own
    found = _named(agents, name)
    if own is not None or found is None:
        raise SavedFileError(f"{path} is of the agent {name!r}, which bamdp.agents {'has' if found else 'does not have'}")
    cls: type[Agent] = found
    return cls


def _named(module: Any, name: Any) -> Any:
    return getattr(module, name) if name in module.__all__ else None


def _arguments(agent: Agent) -> dict[str, Any]:
    """What the agent was made with, by name; arrays as it has kept them, as the caller's own may have changed since."""
    positional, named = agent._made_with
    signature = inspect.signature(type(agent))
    found: dict[str, Any] = {}
    for name, value in signature.bind(*positional, **named).arguments.items():
        found |= value if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD else {name: value}
    return {name: own if isinstance(own := vars(agent).get(name), np.ndarray) else value for name, value in found.items()}


def _is_given(value: Any) -> bool:
    return isinstance(value, dict) and "given" in value


def _out(value: Any, arrays: Arrays) -> Any:
    """An argument as JSON."""
    if isinstance(value, Prior):
        return {"prior": _prior_out(value, arrays)} if _is_built_in(value) else {"given": repr(value)}
    if isinstance(value, Domain):
        return {"world": _world_out(value, arrays)}
    return {"value": learned.encode(value, arrays)}


def _in(stored: dict[str, Any], arrays: Arrays) -> Any:
    ((kind, value),) = stored.items()
    read = {"prior": _prior_in, "world": _world_in, "value": learned.decode}[kind]
    return read(value, arrays)


def _fields(prior: Any) -> dict[str, Any]:
    return {field.name: getattr(prior, field.name) for field in dataclasses.fields(prior) if field.init}


def _is_built_in(prior: Prior) -> bool:
    known = _named(priors, type(prior).__name__) is type(prior) and not isinstance(prior, _OWN_CODE)
    return known and all(_is_built_in(value) for value in _fields(prior).values() if isinstance(value, Prior))


def _prior_out(prior: Prior, arrays: Arrays) -> dict[str, Any]:
    return {"class": type(prior).__name__, "fields": {name: _out(value, arrays) for name, value in _fields(prior).items()}}


def _prior_in(stored: dict[str, Any], arrays: Arrays) -> Prior:
    found = _named(priors, stored["class"])
    if found is None or issubclass(found, _OWN_CODE):
        raise ValueError(f"bamdp.priors has no {stored['class']!r} that could be in a file")
    prior: Prior = found(**{name: _in(value, arrays) for name, value in stored["fields"].items()})
    return prior


def _world_out(world: Any, arrays: Arrays) -> Any:
    """What an oracle knows of a world."""
    tables = (world.successors, world.probabilities, world.rewards, world.discount)
    return learned.encode(tables, arrays)


def _world_in(stored: Any, arrays: Arrays) -> Domain:
    return Tabular.from_successors(*learned.decode(stored, arrays))
