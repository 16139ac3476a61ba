"""A model of a person: task, prior, planner and choice rule as functions of named parameters.

The names of a function's arguments are the names of its parameters. Those of the choice rule change no plan, so that planning
is done once for all of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np

from bamdp import _validation
from bamdp._validation import one_of, positive_integer, real, suggestion
from bamdp.agent import Agent
from bamdp.choice_rule import ChoiceRule
from bamdp.domain import Domain
from bamdp.prior import Prior, checked_prior

GIVEN = ("domain", "prior")  # to the function that makes the agent, beside its parameters
SCALES: dict[str, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "linear": (float, float),
    "log": (lambda x: float(np.log(x)), lambda z: float(np.exp(z))),
    "logit": (lambda x: float(np.log(x / (1 - x))), lambda z: float(1 / (1 + np.exp(-z)))),
}


@dataclass(frozen=True)
class Parameter:
    """Bounds of a parameter and the scale it is searched on.

    Args:
        low: lower bound.
        high: upper bound.
        scale: "linear", "log" for a positive parameter, or "logit" for one between 0 and 1.
        log_prior: logarithm of its prior density, up to a constant, for a maximum a posteriori; flat if not given.

    Example:
        >>> round(Parameter(0.01, 1.0, "log").middle, 6)
        0.1
    """

    low: float
    high: float
    scale: str = "linear"
    log_prior: Callable[[float], float] | None = None

    def __post_init__(self) -> None:
        low, high = real("low", self.low), real("high", self.high)
        if not low < high:
            raise ValueError(f"high must be above low, got low={low:g} and high={high:g}")
        one_of("scale", self.scale, tuple(SCALES))
        if (self.scale != "linear" and low <= 0) or (self.scale == "logit" and high >= 1):
            inside = "above 0" if self.scale == "log" else "between 0 and 1"
            raise ValueError(f"low and high must be {inside} with scale={self.scale!r}, got {low:g} and {high:g}")
        if self.log_prior is not None:
            _validation.function("log_prior", self.log_prior)

    def scaled(self, value: float) -> float:
        """The value on the scale."""
        return SCALES[self.scale][0](value)

    def value(self, scaled: float) -> float:
        """The value at a place on the scale, within the bounds."""
        return min(max(SCALES[self.scale][1](scaled), self.low), self.high)

    @property
    def ends(self) -> tuple[float, float]:
        """The bounds on the scale."""
        return self.scaled(self.low), self.scaled(self.high)

    @property
    def middle(self) -> float:
        """The value in the middle of the scale."""
        return self.value(sum(self.ends) / 2)


@dataclass(frozen=True)
class Exact:
    """Exact Bayes-optimal values in place of an agent: no simulations, no noise; for problems small enough.

    Args:
        depth: steps that the person looks ahead, no more than are left; to the deadline if not given.

    Example:
        >>> Exact(depth=2)
        Exact(depth=2)
    """

    depth: int | None = None

    def __post_init__(self) -> None:
        if self.depth is not None:
            object.__setattr__(self, "depth", positive_integer("depth", self.depth))


@dataclass(frozen=True)
class Thompson:
    """Posterior sampling in place of an agent: values in models drawn from the belief, over which choices are averaged.

    Args:
        draws: number of models drawn for each choice.

    Example:
        >>> Thompson()
        Thompson(draws=100)
    """

    draws: int = 100

    def __post_init__(self) -> None:
        object.__setattr__(self, "draws", positive_integer("draws", self.draws, 10**6))


@dataclass(frozen=True, eq=False)
class Model:
    """A model of a person. Each part is fixed, or a function whose arguments are parameters.

    Args:
        domain: the task as the person knows it: rewards, discount, terminal states, deadline. Its transitions aren't used.
        prior: the person's prior over the transitions, in each game anew; that of the domain if not given.
        agent: `Exact()`, `Thompson()`, or a function that makes the agent who plans; its arguments `domain` and `prior` are
            these parts.
        rule: the choice rule.
        parameters: bounds of each parameter: `Parameter`, or a pair of numbers.
        draws: searches for each choice, over which choice probabilities are averaged: the more, the nearer to the likelihood of
            a person who plans with so many simulations, or who chooses by Thompson sampling.
        seed: seed of the searches; that of a choice depends on it and on subject, game and step, never on the parameters.
        name: name of the model in tables.

    Example:
        >>> import bamdp
        >>> model = Model(
        ...     domain=bamdp.domains.Bandit([0.5, 0.5], 1.0, deadline=10),
        ...     prior=lambda optimism: bamdp.priors.BetaArms(2 * optimism, 2 * (1 - optimism)),
        ...     agent=Exact(),
        ...     rule=lambda temperature: ChoiceRule(temperature),
        ...     parameters={"optimism": (0.05, 0.95), "temperature": Parameter(0.02, 2, "log")},
        ... )
        >>> model.planning, model.choosing
        (('optimism',), ('temperature',))
    """

    domain: Domain | Callable[..., Domain]
    prior: Prior | Callable[..., Prior] | None = None
    agent: Exact | Thompson | Callable[..., Agent | Exact | Thompson] = field(default_factory=Exact)
    rule: ChoiceRule | Callable[..., ChoiceRule] = field(default_factory=ChoiceRule)
    parameters: Mapping[str, Parameter | tuple[float, float]] = field(default_factory=dict)
    draws: int = 1
    seed: int = 0
    name: str = "model"

    def __post_init__(self) -> None:
        given = _validation.mapping("parameters", self.parameters)
        made = {name: p if isinstance(p, Parameter) else Parameter(*p) for name, p in given.items()}
        object.__setattr__(self, "parameters", made)
        if not isinstance(self.agent, Exact | Thompson) and not _is_function(self.agent):
            raise TypeError(f"agent must be Exact(), Thompson() or a function that makes an agent, got {self.agent!r}")
        positive_integer("draws", self.draws, 10**6)
        _validation.seed(self.seed)
        used = {*self.planning, *self.choosing}
        if unknown := sorted(used - made.keys()):
            raise ValueError(f"parameters must have bounds for {', '.join(unknown)}, an argument of a part of the model")
        if unused := sorted(made.keys() - used):
            raise ValueError(f"parameters must be arguments of a part of the model, and no part takes {', '.join(unused)}")
        if both := sorted({*self.planning} & {*self.choosing}):
            raise ValueError(f"{', '.join(both)} must be a parameter of the choice rule or of the other parts, not of both")

    @cached_property
    def planning(self) -> tuple[str, ...]:
        """Parameters that the values depend on."""
        names = [*_names(self.domain), *_names(self.prior), *(n for n in _names(self.agent) if n not in GIVEN)]
        return tuple(dict.fromkeys(names))

    @cached_property
    def choosing(self) -> tuple[str, ...]:
        """Parameters of the choice rule."""
        return _names(self.rule)

    def bounds(self, name: str) -> Parameter:
        """Bounds and scale of a parameter."""
        found = self.parameters[name]
        assert isinstance(found, Parameter)
        return found

    def checked(self, parameters: Mapping[str, float]) -> dict[str, float]:
        """A value for each parameter, within its bounds."""
        given = _validation.mapping("parameters", parameters)
        if given.keys() != self.parameters.keys():
            unknown = [str(name) for name in given if name not in self.parameters]
            hint = next(filter(None, (suggestion(name, self.parameters) for name in unknown)), "")
            known = ", ".join(self.parameters) or "nothing"
            raise ValueError(f"parameters must be values of {known}, got {', '.join(map(str, given)) or 'none'}{hint}")
        return {
            name: real(f"parameter {name}", given[name], self.bounds(name).low, self.bounds(name).high)
            for name in self.parameters
        }

    def task(self, parameters: Mapping[str, float]) -> tuple[Domain, Prior]:
        """The task and the prior."""
        domain, prior = self.domain_of(parameters), _part(self.prior, parameters)
        return domain, domain.prior() if prior is None else domain.complete(checked_prior(prior))

    def domain_of(self, parameters: Mapping[str, float]) -> Domain:
        """The task."""
        domain = _part(self.domain, parameters)
        if not isinstance(domain, Domain):
            raise TypeError(f"domain must be a domain, or a function that makes one, got {domain!r}")
        return domain

    def planner(self, parameters: Mapping[str, float]) -> Agent | Exact | Thompson:
        """The agent, or what stands for it."""
        if isinstance(self.agent, Exact | Thompson):
            return self.agent
        domain, prior = self.task(parameters)
        made = _part(self.agent, {**parameters, "domain": domain, "prior": prior})
        if not isinstance(made, Agent | Exact | Thompson):
            raise TypeError(f"agent must be Exact(), Thompson() or a function that makes an agent, got {made!r}")
        return made

    def choice_rule(self, parameters: Mapping[str, float]) -> ChoiceRule:
        """The choice rule."""
        made = _part(self.rule, parameters)
        if not isinstance(made, ChoiceRule):
            raise TypeError(f"rule must be a ChoiceRule, or a function that makes one, got {made!r}")
        return made


def _is_function(part: Any) -> bool:
    return callable(part) and not isinstance(part, Domain | Prior | ChoiceRule | Exact | Thompson)


@cache
def _arguments(part: Any) -> tuple[str, ...]:
    parameters = inspect.signature(part).parameters.values()
    return tuple(p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))


def _names(part: Any) -> tuple[str, ...]:
    return _arguments(part) if _is_function(part) else ()


def _part(part: Any, parameters: Mapping[str, Any]) -> Any:
    return part(**{name: parameters[name] for name in _names(part)}) if _is_function(part) else part
