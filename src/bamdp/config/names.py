"""Domains, priors, agents and benchmarks by name: the kinds of `bamdp list`.

Digits at the end of a domain's or benchmark's name are the first argument of its constructor:
`grid5` is `Grid(5)`. `gym:ID` is the Gymnasium environment of that id, as a domain:
`gym:FrozenLake-v1`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, cast

from bamdp.config import parameters
from bamdp.config.parameters import Parameter
from bamdp.config.registry import (
    Entry,
    Registry,
    UnknownNameError,
    plain_arguments,
    search_current_folder,
)
from bamdp.prior import Prior
from bamdp.priors.unknown_rewards import transition_prior, with_transition_prior
from bamdp.validation import nearest, suggestion

GYMNASIUM = "gym:"  # before the id of a Gymnasium environment


class ListedRegistry(Registry):
    """A kind of `bamdp list`."""

    def find_all(self) -> list[Entry]:
        """An entry for each that can be made by name alone; a name that must end in a number ends
        in 5.
        """
        shown = [name for name in self.listing() if not name.startswith(GYMNASIUM)]
        return [self.find(name.removesuffix("[N]").replace("<N>", "5")) for name in shown]

    def hint(self, name: str) -> str:
        stem, digits = _split_digits(name)
        return self._near(stem, digits) or self._elsewhere(name, stem)

    def see(self, name: str) -> str:
        return f"; see bamdp list {name}"

    def unknown(self, name: str) -> str:
        return f"{super().unknown(name)}. See bamdp list"

    def _near(self, stem: str, digits: str) -> str:
        """The nearest name, with the digits if it may have some."""
        number = {"[N]": digits, "<N>": digits or "5"}
        examples = [
            re.sub(r"[<[]N[]>]$", lambda match: number[match[0]], shown)
            for shown in (*self.listing(), *self.python_only())
        ]
        return suggestion(stem + digits, examples) or suggestion(stem, examples)

    def _elsewhere(self, name: str, stem: str) -> str:
        """The other kind that has this name."""
        for other in REGISTRIES:
            if other is not self and {stem, name} & other.classes.keys():
                article, use = (
                    "an" if other is AGENTS else "a",
                    ", for bamdp compare" if other is BENCHMARKS else "",
                )
                return f": it is {article} {other.kind}{use}."
        return ""


class NumberedRegistry(ListedRegistry):
    """A kind whose names may end in a number, the first argument: `grid[N]`, or `<N>` where there
    must be one.
    """

    def written(self, name: str) -> str | None:
        required, takes_number = (
            self.required(self.classes[name]),
            _takes_number(self.classes[name]),
        )
        if required and not (takes_number and len(required) == 1):
            return None
        return name + ("<N>" if required else "[N]" if takes_number else "")

    def knows(self, name: str) -> bool:
        return name in self.classes or _split_digits(name)[0] in self.classes

    def find(self, name: str) -> Entry:
        stem, digits = _split_digits(name)
        cls = self.classes.get(stem)
        if cls is not None and _takes_number(cls):
            if digits:
                return Entry(name, cls, (int(digits),))
            if self.required(cls):
                raise UnknownNameError(self.unknown(name))
        return super().find(name)


class DomainRegistry(NumberedRegistry):
    """Domains, those of Gymnasium's ids too."""

    def written(self, name: str) -> str | None:
        return f"{GYMNASIUM}<ID>" if name == "gymnasium" else super().written(name)

    def find(self, name: str) -> Entry:
        if name.startswith(GYMNASIUM):
            id = name.removeprefix(GYMNASIUM)
            if ":" in id:
                search_current_folder()  # gymnasium.make imports the module
            return Entry(name, self.classes["gymnasium"], (id,))
        if spelt := re.match("gym(nasium)?(:|$)", name, re.IGNORECASE):
            id = name[spelt.end() :] or "FrozenLake-v1"
            raise UnknownNameError(f"unknown domain '{name}'; did you mean '{GYMNASIUM}{id}'?")
        return super().find(name)

    def hint(self, name: str) -> str:
        stem, digits = _split_digits(name)
        if near := self._near(stem, digits):
            return near
        id = nearest(name.rpartition(":")[2], import_module("gymnasium").registry)
        return f"; did you mean '{GYMNASIUM}{id}'?" if id else self._elsewhere(name, stem)

    def accepts_any(self, entry: Entry) -> bool:
        """Whether it takes settings of any name, as those of `gymnasium.make`."""
        return callable(entry.target) and parameters.takes_any(entry.target)


class PriorRegistry(ListedRegistry):
    """Priors; settings are those of the prior over transitions."""

    def parameters(self, entry: Entry) -> list[Parameter]:
        return parameters.of_object(transition_prior(entry.factory()))

    def make(self, entry: Entry, settings: Mapping[str, Any]) -> Any:
        prior: Prior = entry.factory()
        if not settings:
            return prior
        return with_transition_prior(prior, replace(cast(Any, transition_prior(prior)), **settings))


class AgentRegistry(ListedRegistry):
    """Agents; the problem, the seed and the world of an oracle are given to them."""

    def required(self, target: Callable[..., Any]) -> list[str]:
        return []

    def parameters(self, entry: Entry) -> list[Parameter]:
        return [p for p in agent_parameters(entry.target) if p.name != "seed"]

    def entry_of_object(self, name: str, target: Any) -> Entry:
        raise UnknownNameError(
            f"agent '{name}' is one object, but each run needs its own: name its class instead"
        )


DOMAINS = DomainRegistry("domain", "bamdp.domains", "bamdp.domain:Domain")
PRIORS = PriorRegistry("prior", "bamdp.priors", "bamdp.prior:Prior")
AGENTS = AgentRegistry("agent", "bamdp.agents", "bamdp.agent:Agent")
BENCHMARKS = NumberedRegistry(
    "benchmark", "bamdp.suite", "bamdp.suite.benchmark:Benchmark", named_by="name"
)
REGISTRIES: tuple[ListedRegistry, ...] = (DOMAINS, PRIORS, AGENTS, BENCHMARKS)


def find_among(registries: Sequence[Registry], name: str) -> tuple[Registry, Entry]:
    """What `name` stands for, in the first registry that has it; the error is that of the registry
    with the nearest name.

    Example:
        >>> from bamdp.config.names import BENCHMARKS, DOMAINS
        >>> registry, entry = find_among((DOMAINS, BENCHMARKS), "bbrl-gc")
        >>> registry.kind, entry.target.__name__
        ('benchmark', 'BBRLGC')
    """
    errors = []
    for registry in registries:
        try:
            return registry, registry.find(name)
        except UnknownNameError as error:
            errors.append(error)
    owners = {
        known: i for i, registry in reversed([*enumerate(registries)]) for known in registry.classes
    }
    near = nearest(name.partition(":")[0], owners)
    raise errors[0 if near is None else owners[near]]


def agent_parameters(target: Any) -> list[Parameter]:
    """The settings of a class of agents, or of a function that makes one, without the world of an
    oracle.
    """
    hidden = ("world",) if getattr(target, "uses_true_model", False) else ()
    settings = parameters.of_constructor(target, keyword_only=True)
    return [p for p in settings if p.name not in hidden]


def _takes_number(cls: Callable[..., Any]) -> bool:
    """Whether its first argument is a number that needs no name, and no other is needed."""
    arguments = plain_arguments(cls)
    first = next((p for p in arguments if p.kind is not p.KEYWORD_ONLY), None)
    if first is None or first.annotation not in (int, "int"):
        return False
    return all(p is first or p.default is not p.empty for p in arguments)


def _split_digits(name: str) -> tuple[str, str]:
    stem = name.rstrip("0123456789")
    return stem, name[len(stem) :]
