"""A name with settings, as `bamcp:simulations=300,exploration=10`: a domain, prior, agent or problem, checked, then made.

The only place where such a text is read. A value is written as Python or people write it: `300`, `1e4`, `auto`, `None`, `yes`;
two numbers as `columns=1,2`. `a_b` and `a-b` are the same setting.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

from bamdp import validation
from bamdp.agent import Agent
from bamdp.config import parameters
from bamdp.config.names import Found, Kind, find_among
from bamdp.config.parameters import Parameter
from bamdp.domain import Domain
from bamdp.prior import Prior
from bamdp.validation import nearest, suggestion

_WITH_SETTINGS = re.compile(r"(.+?):([\w-]+=.*)", re.DOTALL)
_NEXT_SETTING = re.compile(r",\s*(?=[\w-]+=)")
OF_PROBLEM = ("discount", "horizon", "episode_length")  # what agents are told, and have no setting for
_SEVERAL = "/"  # between the values of a grid: no shell takes it for something else


@dataclass(frozen=True)
class Choice:
    """A domain, a prior, an agent or a problem by name, with those of its settings that were given.

    Example:
        >>> choice = choose("agent", "bamcp:simulations=300,variant=program")
        >>> choice.settings
        {'simulations': 300, 'variant': 'program'}
        >>> str(choice)
        'bamcp:simulations=300,variant=program'
    """

    kind: Kind
    found: Found
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        given = ",".join(f"{name}={_text(value)}" for name, value in self.settings.items())
        return f"{self.found.name}:{given}" if given else self.found.name

    @property
    def parameters(self) -> list[Parameter]:
        """All settings that may follow its name."""
        if self.kind == "agent":
            return [parameter for parameter in agent_parameters(self.found.target) if parameter.name != "seed"]
        if self.kind == "prior":
            return parameters.of_object(self.found.factory().of_transitions)
        every = parameters.of_constructor(self.found.target) if callable(self.found.target) else []
        return [parameter for parameter in every if parameter.name not in self.found.given]

    def takes(self, setting: str) -> bool:
        """Whether there is such a setting."""
        return any(parameter.name == setting for parameter in self.parameters)

    def with_settings(self, settings: Mapping[str, Any], *, texts: bool = False) -> Choice:
        """With further settings, as values or as `texts` that stand for them; a `ValueError` if there is no such setting."""
        known, name = {parameter.name: parameter for parameter in self.parameters}, self.found.name
        takes_any = self.kind == "domain" and callable(self.found.target) and parameters.takes_any(self.found.target)
        read = dict(self.settings)
        for setting, value in settings.items():
            if setting in known:
                read[setting] = known[setting].read(value) if texts else known[setting].convert(value)
            elif takes_any:
                read[setting] = parameters.plain(value) if texts else value
            else:
                hint, listed = suggestion(str(setting), known) or ".", ", ".join(known) or "none"
                if hint == "." and self.kind != "domain" and (near := nearest(str(setting), OF_PROBLEM)):
                    hint = f": it is one of the domain, DOMAIN:{near}=VALUE."
                raise ValueError(f"unknown setting '{setting}' of {name}{hint} Known: {listed}. See bamdp list {name}")
        return replace(self, settings=read)

    def make(self) -> Any:
        """The domain, prior or problem."""
        if self.kind != "prior" or not self.settings:
            return self.found.factory(**self.settings)
        prior: Prior = self.found.factory()
        return prior.with_transitions(replace(cast(Any, prior.of_transitions), **self.settings))

    def make_agent(self, domain: Domain, prior: Prior, seed: int, **defaults: Any) -> Agent:
        """The agent; `defaults` are settings of it, unless given."""
        return make_agent(self.found.target, domain, prior, seed, {**defaults, **self.settings})


def choose(kinds: Kind | Sequence[Kind], text: str, settings: Mapping[str, Any] | None = None) -> Choice:
    """Find what `text` names and check its settings.

    Args:
        kinds: what to look for; of several kinds, the first that has the name.
        text: a name of `bamdp list`, perhaps with settings, "NAME:SETTING=VALUE,SETTING=VALUE".
        settings: further settings.

    Raises:
        UnknownNameError: there is nothing of this name.
        ValueError: there is no such setting, or its value isn't one that it can have.
    """
    name, given = _split(kinds, text)
    choice = Choice(*find_among(kinds, name)).with_settings(given, texts=True)
    return choice.with_settings(validation.mapping("settings", settings or {}))


def choose_grid(kind: Kind, text: str) -> tuple[Choice, dict[str, tuple[Any, ...]]]:
    """What `text` names with its settings of one value, and the values of the others.

    Example:
        >>> choice, grid = choose_grid("agent", "bamcp:exploration=0.3/1/3,simulations=100")
        >>> str(choice), grid
        ('bamcp:simulations=100', {'exploration': (0.3, 1.0, 3.0)})
    """
    name, given = _split(kind, text)
    several = {setting: value.split(_SEVERAL) for setting, value in given.items() if _SEVERAL in value}
    fixed = {setting: value for setting, value in given.items() if setting not in several}
    found = Choice(*find_among(kind, name))
    try:
        choice = found.with_settings(fixed, texts=True)
    except ValueError as error:
        hint = "; values to try are separated by slashes, as 0.3/1/3" if any("," in value for value in fixed.values()) else ""
        raise ValueError(f"{error}{hint}") from None
    return choice, {
        setting: tuple(choice.with_settings({setting: value}, texts=True).settings[setting] for value in values)
        for setting, values in several.items()
    }


def command_line(command: str, *names: Choice, **flags: Any) -> str:
    """A command for the shell; a flag that is None is not given.

    Example:
        >>> command_line("play", choose("domain", "grid5"), choose("agent", "bamcp:exploration=auto"), runs=4, prior=None)
        'bamdp play grid5 bamcp:exploration=auto --runs 4'
    """
    given = [word for flag, value in flags.items() if value is not None for word in (f"--{flag}", str(value))]
    return shlex.join(["bamdp", command, *map(str, names), *given])


def make_agent(target: Any, domain: Domain, prior: Prior, seed: int, settings: Mapping[str, Any]) -> Agent:
    """An agent.

    Args:
        target: its class, or a function that makes one.
        domain: the domain; the agent is given its rewards, discount and terminal states.
        prior: its prior.
        seed: seed of the agent's random generator.
        settings: further settings, by parameter.
    """
    takes_seed = any(parameter.name == "seed" for parameter in agent_parameters(target))
    given = {**settings, "seed": seed} if takes_seed else dict(settings)
    make = partial(target, domain.problem(prior)) if isinstance(target, type) and issubclass(target, Agent) else target
    if getattr(target, "uses_true_model", False):
        given["world"] = domain.mdp
    agent: Agent = make(**given)
    if not takes_seed:
        agent.reset(seed)
    return agent


def agent_parameters(target: Any) -> list[Parameter]:
    """The settings of a class of agents, or of a function that makes one, without the world that an oracle is given."""
    given = ("world",) if getattr(target, "uses_true_model", False) else ()
    return [p for p in parameters.of_constructor(target, keyword_only=True) if p.name not in given]


def _split(kinds: Kind | Sequence[Kind], text: str) -> tuple[str, dict[str, str]]:
    """The name, and the settings as strings."""
    match = _WITH_SETTINGS.fullmatch(validation.text(kinds if isinstance(kinds, str) else kinds[0], text))
    if match is None:
        return text, {}
    found: dict[str, str] = {}
    for word in _NEXT_SETTING.split(match[2]):
        spelt, _, value = word.partition("=")
        setting = spelt.replace("-", "_")
        if setting in found:
            raise ValueError(f"{setting} must be given once, got '{text}'")
        found[setting] = value
    return match[1], found


def _text(value: Any) -> str:
    """A value as it is written in a command."""
    if isinstance(value, list | tuple):
        return ",".join(map(_text, value))
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)
