"""Agents in files: the class name, the problem, the settings, and the state of an agent.

`bamdp.load` makes a new agent from the first three and restores the state; the agent continues bit
for bit. No code in a file is run or imported: classes are those of `bamdp.agents` and
`bamdp.priors`; your own classes, and priors made of your own code, are given when loading. Of
`bamdp.priors.Worlds` a file has the names of the functions, and the states by number.
"""

from __future__ import annotations

import dataclasses
import inspect
from functools import partial
from typing import Any, cast

from bamdp import agents, priors, validation
from bamdp.agent import Agent, restored, settings_of
from bamdp.mdp import MDP, Outcomes
from bamdp.prior import Prior, checked_prior
from bamdp.priors._worlds_saved import restore_numbers, saved_worlds
from bamdp.priors._worlds_states import StartNumber
from bamdp.problem import BAMDP
from bamdp.saving import archive
from bamdp.saving.archive import FilePath, SavedFileError, understood
from bamdp.search.planner import Planner
from bamdp.state import Arrays, capture, decode, encode, storable

# Priors of the user's functions, which a file can't hold.
OWN_CODE = priors.Compiled, priors.Lazy, priors.Parametric, priors.Sampled
_BUILT_IN = "bamdp.agents."  # module of the classes that a file may name


def save(agent: Agent, path: FilePath) -> None:
    """Save `agent` to a file; see `Agent.save`."""
    path = validation.path("path", path)
    arrays: Arrays = {}
    arguments = {"problem": agent.problem, **settings_of(agent)}
    header = {
        "class": type(agent).__name__,
        "own_class": not type(agent).__module__.startswith(_BUILT_IN),
        "arguments": {name: _out(value, arrays) for name, value in arguments.items()},
        "learned": storable(capture(agent, arrays), arrays),
    }
    archive.write(path, header, arrays)


Agent._write = save


def load(
    path: FilePath, *, prior: Prior | None = None, agent_class: type[Agent] | None = None
) -> Agent:
    """Load a saved agent, which continues exactly as the original would.

    Args:
        path: the file.
        prior: the agent's prior, if it is your own code (`Sampled`, `Parametric`, … or your own
            class): code is never saved in a file.
        agent_class: the agent's class, if not in `bamdp.agents`.

    Raises:
        SavedFileError: the file is damaged, not a saved agent, or of another version; or a prior or
            class is missing.
        OSError: there is no such file, or it can't be read.

    Example:
        >>> import tempfile, bamdp
        >>> domain = bamdp.domains.DoubleLoop()
        >>> agent = bamdp.agents.BAMCP(domain.problem(), simulations=100)
        >>> record = bamdp.run(agent, domain, steps=20)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     agent.save(f"{folder}/agent.bamdp")
        ...     twin = bamdp.load(f"{folder}/agent.bamdp")
        >>> twin.act(state=3) == agent.act(state=3)
        True
    """
    path = validation.path("path", path)
    if prior is not None:
        checked_prior(prior)
    if agent_class is not None and not (
        inspect.isclass(agent_class) and issubclass(agent_class, Agent)
    ):
        raise TypeError(f"agent_class must be a class of agents or None, got {agent_class!r}")
    header, arrays = archive.read(path)
    cls = _class(path, header, agent_class)
    stored: Any = header.get("arguments")
    described = understood(path, lambda: _described(stored["problem"]["problem"]["prior"]))
    if described is not None and prior is None:
        raise SavedFileError(
            f"{path} has an agent whose prior is the user's own code, {described}: pass it, "
            "load(path, prior=...)"
        )
    if prior is not None and described is None:
        raise SavedFileError(f"{path} contains its prior: load(path), without prior={prior!r}")
    return cast(Agent, understood(path, partial(_made, cls, prior, header, arrays)))


def _described(prior: dict[str, Any]) -> str | None:
    """A prior that must be passed; None if the file has it."""
    return prior["worlds"]["name"] if "worlds" in prior else prior.get("given")


def _made(cls: type[Agent], prior: Prior | None, header: dict[str, Any], arrays: Arrays) -> Agent:
    arguments = {name: _in(value, arrays, prior) for name, value in header["arguments"].items()}
    if (
        issubclass(cls, Planner) and arguments.get("workers") is not None
    ):  # such agents are never saved
        raise ValueError(
            "workers must be None in a file: no cluster is joined for it, got "
            f"{arguments['workers']!r}"
        )
    return restored(cls, arguments, header["learned"], arrays)


def _class(path: FilePath, header: dict[str, Any], own: type[Agent] | None) -> type[Agent]:
    name = header.get("class")
    if header.get("own_class"):
        if own is None or own.__name__ != name:
            raise SavedFileError(
                f"{path} has an agent that is not in bamdp.agents: pass its class {name}, "
                "agent_class=..."
            )
        return own
    known = getattr(agents, name) if name in agents.__all__ else None
    if own is not None or known is None:
        raise SavedFileError(
            f"{path} has an agent {name!r}, which bamdp.agents "
            f"{'has' if known else 'does not have'}"
        )
    return cast(type[Agent], known)


def _out(value: Any, arrays: Arrays) -> Any:
    """An argument as JSON."""
    if isinstance(value, BAMDP):
        return {"problem": {name: _out(part, arrays) for name, part in _fields(value).items()}}
    if isinstance(value, priors.Worlds):
        return {"worlds": {"name": value.code, **saved_worlds(value, arrays)}}
    if isinstance(value, Prior | priors.Normal):
        return (
            {"prior": _prior_out(value, arrays)} if _is_built_in(value) else {"given": repr(value)}
        )
    if isinstance(value, MDP):
        if _fields(value)["_termination"] is not None:
            raise TypeError(
                f"the mean of MDPs with different terminal states can't be saved, got {value!r}"
            )
        return {"world": encode(tuple(_fields(value).values()), arrays)}
    return {"value": encode(value, arrays)}


def _in(stored: dict[str, Any], arrays: Arrays, prior: Prior | None = None) -> Any:
    ((kind, value),) = stored.items()
    if kind == "given":
        return prior
    if kind == "worlds":
        if not isinstance(prior, priors.Worlds):
            raise ValueError(f"prior must be a bamdp.priors.Worlds, got {prior!r}")
        restore_numbers(prior, value, arrays)
        return prior
    if kind == "problem":
        if "worlds" in value["prior"]:
            value = {**value, "start": {"start": value["start"]["value"]}}
        return BAMDP(**{name: _in(part, arrays, prior) for name, part in value.items()})
    if kind == "start":  # a number, not a state itself
        return None if value is None else StartNumber(value)
    read = {"prior": _prior_in, "world": _world_in, "value": decode}[kind]
    return read(value, arrays)


def _fields(value: Any) -> dict[str, Any]:
    return {
        field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init
    }


def _is_built_in(prior: Prior | priors.Normal) -> bool:
    known = getattr(priors, type(prior).__name__, None) is type(prior)
    known = known and not isinstance(prior, OWN_CODE)
    return known and all(
        _is_built_in(value) for value in _fields(prior).values() if isinstance(value, Prior)
    )


def _prior_out(prior: Prior | priors.Normal, arrays: Arrays) -> dict[str, Any]:
    return {
        "class": type(prior).__name__,
        "fields": {name: _out(value, arrays) for name, value in _fields(prior).items()},
    }


def _prior_in(stored: dict[str, Any], arrays: Arrays) -> Prior:
    known = getattr(priors, stored["class"]) if stored["class"] in priors.__all__ else None
    if known is None or known in OWN_CODE:
        raise ValueError(f"bamdp.priors has no {stored['class']!r} that can be stored in a file")
    prior: Prior = known(**{name: _in(value, arrays) for name, value in stored["fields"].items()})
    return prior


def _world_in(stored: Any, arrays: Arrays) -> MDP:
    probabilities, rewards, terminal, successors, weights, outcomes, _ = decode(stored, arrays)
    noise = None if outcomes is None else Outcomes(*outcomes)
    return MDP(
        probabilities,
        rewards,
        terminal=terminal,
        successors=successors,
        weights=weights,
        outcomes=noise,
    )
