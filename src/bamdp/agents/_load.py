"""`bamdp.load`: load a saved agent."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any, cast

from bamdp import agents, validation
from bamdp.agent import Agent
from bamdp.prior import Prior, checked_prior
from bamdp.saving import archive
from bamdp.saving.agent_file import arguments, remade
from bamdp.saving.archive import Arrays, FilePath, SavedFileError, understood
from bamdp.search.planner import Planner


def load(path: FilePath, *, prior: Prior | None = None, agent_class: type[Agent] | None = None) -> Agent:
    """Load a saved agent, which continues exactly as the original would.

    Args:
        path: the file.
        prior: the agent's prior, if it is your own code (`Sampled`, `Parametric`, … or your own class): code is never saved
            in a file.
        agent_class: the agent's class, if not in `bamdp.agents`.

    Raises:
        SavedFileError: the file is damaged, not a saved agent, or of another version; or a prior or class is missing.
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
    if agent_class is not None and not (inspect.isclass(agent_class) and issubclass(agent_class, Agent)):
        raise TypeError(f"agent_class must be a class of agents or None, got {agent_class!r}")
    header, arrays = archive.read(path)
    cls = _class(path, header, agent_class)
    stored: Any = header.get("arguments")
    described = understood(path, lambda: stored["problem"]["problem"]["prior"].get("given"))
    if described is not None and prior is None:
        raise SavedFileError(
            f"{path} has an agent whose prior is the user's own code, {described}: pass it, load(path, prior=...)"
        )
    if prior is not None and described is None:
        raise SavedFileError(f"{path} contains its prior: load(path), without prior={prior!r}")
    return cast(Agent, understood(path, partial(_made, cls, prior, header, arrays)))


def _made(cls: type[Agent], prior: Prior | None, header: dict[str, Any], arrays: Arrays) -> Agent:
    found = arguments(header["arguments"], prior, arrays)
    if issubclass(cls, Planner) and found.get("workers") is not None:  # such agents are never saved
        raise ValueError(f"workers must be None in a file: no cluster is joined for it, got {found['workers']!r}")
    return remade(cls, found, header["learned"], arrays)


def _class(path: FilePath, header: dict[str, Any], own: type[Agent] | None) -> type[Agent]:
    name = header.get("class")
    if header.get("own_class"):
        if own is None or own.__name__ != name:
            raise SavedFileError(f"{path} has an agent that is not in bamdp.agents: pass its class {name}, agent_class=...")
        return own
    found = getattr(agents, name) if name in agents.__all__ else None
    if own is not None or found is None:
        raise SavedFileError(f"{path} has an agent {name!r}, which bamdp.agents {'has' if found else 'does not have'}")
    return cast(type[Agent], found)
