"""A name with settings, as `bamcp:simulations=300,exploration=10`: checked, then made.

The only place where such a text is read. A value is written as Python or people write it: `300`,
`1e4`, `auto`, `None`, `yes`; two numbers as `columns=1,2`. `a_b` and `a-b` are the same setting.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from bamdp import validation
from bamdp.agent import Agent
from bamdp.config import parameters
from bamdp.config.names import DOMAINS, agent_parameters, find_among
from bamdp.config.parameters import Parameter
from bamdp.config.registry import Entry, Registry
from bamdp.domain import Domain
from bamdp.prior import Prior
from bamdp.priors.world_domain import WorldDomain
from bamdp.validation import nearest, suggestion

_WITH_SETTINGS = re.compile(r"(.+?):([\w-]+=.*)", re.DOTALL)
_NEXT_SETTING = re.compile(r",\s*(?=[\w-]+=)")
OF_PROBLEM = ("discount", "horizon", "episode_length")  # settings of a domain, never of an agent
_SEVERAL = "/"  # between the values of a grid: no shell takes it for something else


@dataclass(frozen=True)
class Spec:
    """One entry of a registry, with those of its settings that differ from the defaults.

    Attributes:
        registry: where the name was looked up.
        entry: what it stands for.
        settings: values by setting.

    Example:
        >>> from bamdp.config.names import AGENTS
        >>> spec = parse_spec(AGENTS, "bamcp:simulations=300,variant=program")
        >>> spec.settings
        {'simulations': 300, 'variant': 'program'}
        >>> str(spec)
        'bamcp:simulations=300,variant=program'
    """

    registry: Registry
    entry: Entry
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        settings = ",".join(f"{name}={_text(value)}" for name, value in self.settings.items())
        return f"{self.name}:{settings}" if settings else self.name

    @property
    def name(self) -> str:
        """Its name without the settings."""
        return self.entry.name

    @property
    def parameters(self) -> list[Parameter]:
        """All settings that may follow its name."""
        return self.registry.parameters(self.entry)

    def takes(self, setting: str) -> bool:
        """Whether there is such a setting."""
        return any(parameter.name == setting for parameter in self.parameters)

    def with_settings(self, settings: Mapping[str, Any], *, texts: bool = False) -> Spec:
        """With further settings, as values or as `texts` that stand for them.

        Raises:
            ValueError: there is no such setting, or its value isn't one that it can have.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        accepts_any = self.registry.accepts_any(self.entry)
        values = dict(self.settings)
        for setting, value in settings.items():
            if setting in known:
                values[setting] = (known[setting].read if texts else known[setting].convert)(value)
            elif accepts_any:
                values[setting] = parameters.plain(value) if texts else value
            else:
                raise ValueError(self._unknown(str(setting), known))
        return replace(self, settings=values)

    def _unknown(self, setting: str, known: Mapping[str, Parameter]) -> str:
        hint = suggestion(setting, known)
        if not hint and self.registry is not DOMAINS and (near := nearest(setting, OF_PROBLEM)):
            hint = f": it is one of the domain, DOMAIN:{near}=VALUE."
        see = self.registry.see(self.name).replace("; see", ". See")
        return (
            f"unknown setting '{setting}' of {self.name}{hint or '.'} "
            f"Known: {', '.join(known) or 'none'}{see}"
        )

    def make(self) -> Any:
        """The domain, prior or whatever it is; an agent is made by `make_agent`."""
        return self.registry.make(self.entry, self.settings)

    def make_agent(self, domain: Domain, prior: Prior, seed: int, **defaults: Any) -> Agent:
        """The agent; `defaults` are values of settings that the text leaves out."""
        return make_agent(self.entry.target, domain, prior, seed, {**defaults, **self.settings})


def parse_spec(
    registries: Registry | tuple[Registry, ...],
    text: str,
    settings: Mapping[str, Any] | None = None,
) -> Spec:
    """Read a name with settings, and check both.

    Args:
        registries: where to look the name up; the first that has it.
        text: "NAME:SETTING=VALUE,SETTING=VALUE".
        settings: further settings, as values.

    Raises:
        UnknownNameError: there is nothing of this name.
        ValueError: there is no such setting, or its value isn't one that it can have.
    """
    several = (registries,) if isinstance(registries, Registry) else registries
    name, texts = _split(several[0].kind, text)
    spec = Spec(*find_among(several, name)).with_settings(texts, texts=True)
    return spec.with_settings(validation.mapping("settings", settings or {}))


def parse_grid(registry: Registry, text: str) -> tuple[Spec, dict[str, tuple[Any, ...]]]:
    """Read a name with settings of which some have several values; they are returned apart.

    Example:
        >>> from bamdp.config.names import AGENTS
        >>> spec, grid = parse_grid(AGENTS, "bamcp:exploration=0.3/1/3,simulations=100")
        >>> str(spec), grid
        ('bamcp:simulations=100', {'exploration': (0.3, 1.0, 3.0)})
    """
    name, texts = _split(registry.kind, text)
    fixed = {setting: value for setting, value in texts.items() if _SEVERAL not in value}
    try:
        spec = Spec(registry, registry.find(name)).with_settings(fixed, texts=True)
    except ValueError as error:
        commas = any("," in value for value in fixed.values())
        hint = "; values to try are separated by slashes, as 0.3/1/3" if commas else ""
        raise ValueError(f"{error}{hint}") from None
    grid = {}
    for setting, value in texts.items():
        if setting not in fixed:
            points = [
                spec.with_settings({setting: one}, texts=True) for one in value.split(_SEVERAL)
            ]
            grid[setting] = tuple(point.settings[setting] for point in points)
    return spec, grid


def command_line(command: str, *specs: Spec, **flags: Any) -> str:
    """A command for the shell; a flag that is None is left out.

    Example:
        >>> from bamdp.config.names import AGENTS, DOMAINS
        >>> names = parse_spec(DOMAINS, "grid5"), parse_spec(AGENTS, "bamcp:exploration=auto")
        >>> command_line("play", *names, runs=4, prior=None)
        'bamdp play grid5 bamcp:exploration=auto --runs 4'
    """
    words = ["bamdp", command, *map(str, specs)]
    for flag, value in flags.items():
        if value is not None:
            words += [f"--{flag}", str(value)]
    return shlex.join(words)


def make_agent(
    target: Any, domain: Domain, prior: Prior, seed: int, settings: Mapping[str, Any]
) -> Agent:
    """An agent.

    Args:
        target: its class, or a function that makes one.
        domain: the domain; the agent is given its rewards, discount and terminal states.
        prior: its prior.
        seed: seed of the agent's random generator.
        settings: further settings, by parameter.
    """
    takes_seed = any(parameter.name == "seed" for parameter in agent_parameters(target))
    arguments = {**settings, "seed": seed} if takes_seed else dict(settings)
    is_class = isinstance(target, type) and issubclass(target, Agent)
    make = partial(target, domain.problem(prior)) if is_class else target
    if getattr(target, "uses_true_model", False):
        arguments["world"] = domain if isinstance(domain, WorldDomain) else domain.mdp
    agent: Agent = make(**arguments)
    if not takes_seed:
        agent.reset(seed)
    return agent


def _split(kind: str, text: str) -> tuple[str, dict[str, str]]:
    """The name, and the settings as strings."""
    match = _WITH_SETTINGS.fullmatch(validation.text(kind, text))
    if match is None:
        return text, {}
    texts: dict[str, str] = {}
    for word in _NEXT_SETTING.split(match[2]):
        written, _, value = word.partition("=")
        setting = written.replace("-", "_")
        if setting in texts:
            raise ValueError(f"{setting} must be given once, got '{text}'")
        texts[setting] = value
    return match[1], texts


def _text(value: Any) -> str:
    """A value as it is written in a command."""
    if isinstance(value, list | tuple):
        return ",".join(map(_text, value))
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
