"""A model of a person: problem, planner and choice rule as functions of named parameters.

The names of a function's arguments are the names of its parameters; those with a default are parameters only if the model says
so. Those of the choice rule change no plan, so that planning is done once for all of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np

from bamdp import validation
from bamdp.agent import Agent
from bamdp.choice_rule import ChoiceRule
from bamdp.problem import BAMDP, checked_problem
from bamdp.validation import boolean, one_of, positive_integer, real, suggestion

GIVEN = "problem"  # to the function that makes the agent, beside its parameters
PLANNERS = "agent must be Exact(), Thompson() or a function that makes an agent"
SCALES: dict[str, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "linear": (float, float),
    "log": (lambda x: float(np.log(x)), lambda z: float(np.exp(z))),
    "logit": (lambda x: float(np.log(x / (1 - x))), lambda z: float(1 / (1 + np.exp(-z)))),
}


@dataclass(frozen=True)
class FreeParameter:
    """Bounds of a parameter and the scale it is searched on.

    Args:
        low: lower bound.
        high: upper bound.
        scale: "linear", "log" for a positive parameter, or "logit" for one between 0 and 1.
        log_prior: logarithm of its prior density, up to a constant, for a maximum a posteriori; flat if not given.

    Example:
        >>> round(FreeParameter(0.01, 1.0, "log").middle, 6)
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
            validation.function("log_prior", self.log_prior)

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
        depth: steps that the person looks ahead, no more than are left; to the horizon if not given.

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
        problem: the task as the person knows it: the prior, in each game anew, rewards, discount, terminal states, horizon.
        agent: `Exact()`, `Thompson()`, or a function of the problem that makes the agent who plans, such as its class.
        rule: the choice rule; also the class `ChoiceRule`, with its arguments among the parameters.
        parameters: bounds of each parameter: `FreeParameter`, or a pair of numbers.
        draws: searches for each choice, over which choice probabilities are averaged: the more, the nearer to the likelihood of
            a person who plans with so many simulations, or who chooses by Thompson sampling.
        seed: seed of the searches; that of a choice depends on it and on subject, game and step, never on the parameters.
        name: name of the model in tables.
        time_limit: number of steps after which an episode is truncated, which the person isn't told; never if not given.
        random_rewards: whether rewards are random, with those of the problem their means; then data are not compared with them.

    Example:
        >>> import bamdp
        >>> bandit = bamdp.domains.Bandit([0.5, 0.5], 1.0, horizon=10)
        >>> model = Model(
        ...     problem=lambda optimism: bandit.problem(bamdp.priors.BetaArms(2 * optimism, 2 * (1 - optimism))),
        ...     agent=Exact(),
        ...     rule=ChoiceRule,
        ...     parameters={"optimism": (0.05, 0.95), "temperature": FreeParameter(0.02, 2, "log")},
        ... )
        >>> model.planning, model.choosing
        (('optimism',), ('temperature',))
    """

    problem: BAMDP | Callable[..., BAMDP]
    agent: Exact | Thompson | Callable[..., Agent | Exact | Thompson] = field(default_factory=Exact)
    rule: ChoiceRule | Callable[..., ChoiceRule] = field(default_factory=ChoiceRule)
    parameters: Mapping[str, FreeParameter | tuple[float, float]] = field(default_factory=dict)
    draws: int = 1
    seed: int = 0
    name: str = "model"
    time_limit: int | None = field(default=None, kw_only=True)
    random_rewards: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        given = validation.mapping("parameters", self.parameters)
        made = {name: p if isinstance(p, FreeParameter) else FreeParameter(*p) for name, p in given.items()}
        object.__setattr__(self, "parameters", made)
        if not callable(self.problem):
            checked_problem(self.problem)
        if not isinstance(self.agent, Exact | Thompson) and not callable(self.agent):
            raise TypeError(f"{PLANNERS}, got {self.agent!r}")
        positive_integer("draws", self.draws, 10**6)
        validation.seed(self.seed)
        boolean("random_rewards", self.random_rewards)
        if self.time_limit is not None:
            positive_integer("time_limit", self.time_limit)
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
        names = [*self._names(self.problem), *(name for name in self._names(self.agent) if name != GIVEN)]
        return tuple(dict.fromkeys(names))

    @cached_property
    def choosing(self) -> tuple[str, ...]:
        """Parameters of the choice rule."""
        return self._names(self.rule)

    def bounds(self, name: str) -> FreeParameter:
        """Bounds and scale of a parameter."""
        found = self.parameters[name]
        assert isinstance(found, FreeParameter)
        return found

    def checked(self, parameters: Mapping[str, float]) -> dict[str, float]:
        """A value for each parameter, within its bounds."""
        given = validation.mapping("parameters", parameters)
        if given.keys() != self.parameters.keys():
            unknown = [str(name) for name in given if name not in self.parameters]
            hint = next(filter(None, (suggestion(name, self.parameters) for name in unknown)), "")
            known = ", ".join(self.parameters) or "nothing"
            raise ValueError(f"parameters must be values of {known}, got {', '.join(map(str, given)) or 'none'}{hint}")
        return {
            name: real(f"parameter {name}", given[name], self.bounds(name).low, self.bounds(name).high)
            for name in self.parameters
        }

    def problem_of(self, parameters: Mapping[str, float]) -> BAMDP:
        """The problem."""
        return checked_problem(self._part(self.problem, parameters))

    def planner(self, parameters: Mapping[str, float], problem: BAMDP) -> Agent | Exact | Thompson:
        """The agent for a problem, or what stands for it."""
        made = self._part(self.agent, {**parameters, GIVEN: problem})
        if not isinstance(made, Agent | Exact | Thompson):
            raise TypeError(f"{PLANNERS}, got {made!r}")
        return made

    def choice_rule(self, parameters: Mapping[str, float]) -> ChoiceRule:
        """The choice rule."""
        made = self._part(self.rule, parameters)
        if not isinstance(made, ChoiceRule):
            raise TypeError(f"rule must be a ChoiceRule, or a function that makes one, got {made!r}")
        return made

    def _names(self, part: Any) -> tuple[str, ...]:
        return tuple(name for name, needed in _arguments(part) if needed or name in self.parameters) if callable(part) else ()

    def _part(self, part: Any, parameters: Mapping[str, Any]) -> Any:
        return part(**{name: parameters[name] for name in self._names(part)}) if callable(part) else part


@cache
def _arguments(part: Any) -> tuple[tuple[str, bool], ...]:
    """The arguments of a function, and whether each must be given."""
    parameters = inspect.signature(part).parameters.values()
    return tuple((p.name, p.default is p.empty) for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))
