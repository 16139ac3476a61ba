"""A name with settings, as `bamcp:simulations=300,exploration=10`: an agent, problem or domain, checked before it is made."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bamdp import validation
from bamdp.agent import Agent
from bamdp.config import parameters
from bamdp.config.names import Found, Kind, find
from bamdp.config.setup import agent_parameters, make_agent
from bamdp.domain import Domain
from bamdp.prior import Prior
from bamdp.validation import suggestion

_WITH_SETTINGS = re.compile(r"(.+?):([\w-]+=.*)", re.DOTALL)
_NEXT_SETTING = re.compile(r",(?=[\w-]+=)")


@dataclass(frozen=True)
class Choice:
    """An agent, a problem or a domain by name, with those of its settings that were given.

    Example:
        >>> choice = choose("agent", "bamcp:simulations=300,variant=program")
        >>> choice.settings
        {'simulations': 300, 'variant': 'program'}
        >>> str(choice)
        'bamcp:simulations=300,variant=program'
    """

    found: Found
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        given = ",".join(f"{name}={value}" for name, value in self.settings.items())
        return f"{self.found.name}:{given}" if given else self.found.name

    def make(self) -> Any:
        """The problem or domain."""
        return self.found.factory(**self.settings)

    def make_agent(self, domain: Domain, prior: Prior, seed: int, **defaults: Any) -> Agent:
        """The agent; `defaults` are settings of it, unless given."""
        return make_agent(self.found.target, domain, prior, seed, {**defaults, **self.settings})

    def takes(self, setting: str) -> bool:
        """Whether there is such a setting of the agent."""
        return any(parameter.name == setting for parameter in agent_parameters(self.found.target))


def choose(kind: Kind, name: str, settings: Mapping[str, Any] | None = None) -> Choice:
    """Find what `name` stands for and check its settings.

    Args:
        kind: what to look for.
        name: a name of `bamdp list`, perhaps with settings, "NAME:SETTING=VALUE,SETTING=VALUE".
        settings: further settings.

    Raises:
        UnknownNameError: there is nothing of this name.
        ValueError: there is no such setting, or its value isn't one that it can have.
    """
    given = dict(validation.mapping("settings", settings or {}))
    texts: dict[str, str] = {}
    if match := _WITH_SETTINGS.fullmatch(validation.text(kind, name)):
        name = match[1]
        pairs = (word.partition("=") for word in _NEXT_SETTING.split(match[2]))
        texts = {setting.replace("-", "_"): value for setting, _, value in pairs}
    found = find(kind, name)
    known = {parameter.name: parameter for parameter in settable(kind, found)}
    for setting in (*texts, *given):
        if setting not in known:
            hint = suggestion(str(setting), known) or "."
            raise ValueError(f"unknown setting '{setting}' of {name}{hint} Known: {', '.join(known)}")
    read = {setting: known[setting].read(text) for setting, text in texts.items()}
    return Choice(found, read | {setting: known[setting].convert(value) for setting, value in given.items()})


def settable(kind: Kind, found: Found) -> list[parameters.Parameter]:
    """The settings that may follow its name."""
    if kind == "agent":
        return [parameter for parameter in agent_parameters(found.target) if parameter.name != "seed"]
    every = parameters.of_constructor(found.target) if callable(found.target) else []
    return [parameter for parameter in every if parameter.name not in found.given]
