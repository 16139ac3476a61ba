"""A model of a person: problem, planner and choice rule as functions of named parameters.

The names of a function's arguments are the names of its parameters; those with a default are
parameters only if the model says so. Parameters of the choice rule change no values, so that
planning is done once for all of them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache, partial
from typing import Any

from bamdp import validation
from bamdp.agent import Agent
from bamdp.choice_rule import ChoiceRule
from bamdp.config.parameters import Parameter, of_constructor
from bamdp.config.registry import Entry, Registry
from bamdp.fit.parameters import RULES, FreeParameter
from bamdp.fit.valuation import Valuation
from bamdp.problem import BAMDP, checked_problem
from bamdp.validation import boolean, positive_integer, real, suggestion

PROBLEM = "problem"  # argument of the function that makes the agent, beside its parameters
PLANNERS = "agent must be Exact(), another of bamdp.fit.models, or a function that makes an agent"


class ModelRegistry(Registry):
    """Models of choices; settings are those of the valuation and of the choice rule."""

    def parameters(self, entry: Entry) -> list[Parameter]:
        return [*super().parameters(entry), *of_constructor(ChoiceRule)]


MODELS = ModelRegistry("model", "bamdp.fit.models", "bamdp.fit.valuation:Valuation")


def _exact() -> Valuation:
    """The usual valuation, by its name: a model knows the contract alone."""
    valuation: Valuation = MODELS.find("exact").target()
    return valuation


@dataclass(frozen=True, eq=False)
class Model:
    """A model of a person. Each part is fixed, or a function whose arguments are parameters.

    Args:
        problem: the task as the person knows it: the prior, in each game again, rewards, discount,
            terminal states, horizon.
        agent: `Exact()` or another of `bamdp.fit.models`, or a function of the problem that makes
            the agent who plans, such as its class.
        rule: the choice rule; also the class `ChoiceRule`, with its arguments among the parameters.
        parameters: bounds of each parameter: `FreeParameter`, or a pair of numbers.
        draws: searches for each choice, over which choice probabilities are averaged: the more, the
            nearer to the likelihood of a person who plans with so many simulations, or who chooses
            by Thompson sampling.
        seed: seed of the searches. The seed of a choice depends on it and on subject, game and
            step, never on the parameters.
        name: name of the model in tables.
        time_limit: number of steps after which an episode is truncated, which the person isn't
            told; never if not given.
        random_rewards: whether rewards are random, with those of the problem their means; then data
            are not compared with them.
        conditions: columns of the data, constant in a game, that the functions take beside
            parameters: `("horizon",)`.

    Example:
        >>> import bamdp
        >>> from bamdp.fit import Exact
        >>> bandit = bamdp.domains.Bandit([0.5, 0.5], 1.0, horizon=10)
        >>> def problem(optimism):
        ...     return bandit.problem(bamdp.priors.BetaArms(2 * optimism, 2 * (1 - optimism)))
        >>> model = Model(
        ...     problem,
        ...     agent=Exact(),
        ...     rule=ChoiceRule,
        ...     parameters={"optimism": (0.05, 0.95), "temperature": FreeParameter(0.02, 2, "log")},
        ... )
        >>> model.planning, model.choosing
        (('optimism',), ('temperature',))
    """

    problem: BAMDP | Callable[..., BAMDP]
    agent: Valuation | Callable[..., Agent | Valuation] = field(default_factory=_exact)
    rule: ChoiceRule | Callable[..., ChoiceRule] = field(default_factory=ChoiceRule)
    parameters: Mapping[str, FreeParameter | tuple[float, float]] = field(default_factory=dict)
    draws: int = 1
    seed: int = 0
    name: str = "model"
    time_limit: int | None = field(default=None, kw_only=True)
    random_rewards: bool = field(default=False, kw_only=True)
    conditions: Sequence[str] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        parameters = _free(validation.mapping("parameters", self.parameters))
        object.__setattr__(self, "parameters", parameters)
        if not callable(self.problem):
            checked_problem(self.problem)
        if not isinstance(self.agent, Valuation) and not callable(self.agent):
            raise TypeError(f"{PLANNERS}, got {self.agent!r}")
        positive_integer("draws", self.draws, 10**6)
        validation.seed(self.seed)
        boolean("random_rewards", self.random_rewards)
        if self.time_limit is not None:
            positive_integer("time_limit", self.time_limit)
        conditions = tuple(validation.listed("conditions", self.conditions, str))
        object.__setattr__(self, "conditions", conditions)
        used = {*self.planning, *self.choosing}
        if unknown := sorted(used - parameters.keys()):
            raise ValueError(
                f"parameters must have bounds for {', '.join(unknown)}, an argument of a part of "
                "the model; a column of the data is named in conditions instead"
            )
        if unused := sorted(parameters.keys() - used):
            raise ValueError(
                "parameters must be arguments of a part of the model, and no part takes "
                f"{', '.join(unused)}"
            )
        if read := sorted({*self.choosing} & {*self.conditions}):
            raise ValueError(
                "conditions are read by problem and agent, and the choice rule takes "
                f"{', '.join(read)}"
            )
        if both := sorted({*self.planning} & {*self.choosing}):
            raise ValueError(
                f"{', '.join(both)} must be a parameter of the choice rule or of the other parts, "
                "not of both"
            )

    @classmethod
    def of(
        cls,
        valuation: type[Valuation] | str,
        problem: BAMDP | Callable[..., BAMDP],
        *,
        name: str | None = None,
        **settings: Any,
    ) -> Model:
        """The usual model of a valuation: all that it calls free, and what it takes of the choice
        rule, are parameters.

        Args:
            valuation: one of `bamdp.fit.models`, or its name: "rescorla-wagner".
            problem: the task, or a function of parameters that makes it.
            name: name of the model in tables.
            settings: a number fixes a parameter, a `FreeParameter` or a pair of numbers gives it
                other bounds; those of the choice rule and of `problem` too. `time_limit`,
                `random_rewards` and `conditions` are the model's.

        Example:
            >>> import bamdp
            >>> task = bamdp.domains.Bandit([0.5, 0.5], 1.0, horizon=10).problem()
            >>> list(Model.of("rescorla-wagner", task, stickiness=0).parameters)
            ['learning_rate', 'temperature']
        """
        kind: Any = MODELS.find(valuation).target if isinstance(valuation, str) else valuation
        facts = {
            key: settings.pop(key)
            for key in ("time_limit", "random_rewards", "conditions")
            if key in settings
        }
        own = [name for name, _ in _signature(kind)]
        of_rule = [name for name, _ in _signature(ChoiceRule)]
        of_problem = [name for name, _ in _signature(problem)] if callable(problem) else []
        known = [*own, *of_rule, *of_problem]
        if unknown := [key for key in settings if key not in known]:
            hint = suggestion(unknown[0], known) or f": {', '.join(known)}"
            raise ValueError(f"{kind.__name__} has no {unknown[0]!r}{hint}")
        fixed, bounds = dict[str, Any](), dict[str, Any]()
        for key, value in settings.items():
            is_free = isinstance(value, FreeParameter | tuple | list)
            (bounds if is_free else fixed)[key] = value
        free = _free(bounds)
        scale = _reward_scale(problem, {key: p.middle for key, p in free.items()} | fixed)
        usual = {**kind.free, **{key: RULES[key](scale) for key in kind.rule}}
        return cls(
            partial(problem, **_some(fixed, of_problem)) if callable(problem) else problem,
            partial(kind, **_some(fixed, own)),
            partial(ChoiceRule, **_some(fixed, of_rule)),
            {key: p for key, p in {**usual, **free}.items() if key not in fixed},
            name=name or dashed(kind.__name__),
            **facts,
        )

    @cached_property
    def planning(self) -> tuple[str, ...]:
        """Parameters that the values depend on."""
        others = (PROBLEM, *self.conditions)
        names = dict.fromkeys([*self._names(self.problem), *self._names(self.agent)])
        return tuple(name for name in names if name not in others)

    @cached_property
    def choosing(self) -> tuple[str, ...]:
        """Parameters of the choice rule."""
        return self._names(self.rule)

    @property
    def middle(self) -> dict[str, float]:
        """The value in the middle of the scale of each parameter."""
        return {name: self.bounds(name).middle for name in self.parameters}

    def bounds(self, name: str) -> FreeParameter:
        """Bounds and scale of a parameter."""
        parameter = self.parameters[name]
        assert isinstance(parameter, FreeParameter)
        return parameter

    def checked(self, parameters: Mapping[str, float]) -> dict[str, float]:
        """A value for each parameter, within its bounds."""
        values = validation.mapping("parameters", parameters)
        if values.keys() != self.parameters.keys():
            unknown = [str(name) for name in values if name not in self.parameters]
            hint = next(filter(None, (suggestion(name, self.parameters) for name in unknown)), "")
            known = ", ".join(self.parameters) or "nothing"
            got = ", ".join(map(str, values)) or "none"
            raise ValueError(f"parameters must be values of {known}, got {got}{hint}")
        bounds = {name: self.bounds(name) for name in self.parameters}
        return {
            name: real(f"parameter {name}", values[name], each.low, each.high)
            for name, each in bounds.items()
        }

    def problem_of(self, parameters: Mapping[str, float]) -> BAMDP:
        """The problem as the person knows it, with rewards that may differ from the data's."""
        return _misspecified(checked_problem(self._part(self.problem, parameters)))

    def planner(self, parameters: Mapping[str, float], problem: BAMDP) -> Agent | Valuation:
        """The agent for a problem, or what stands for it."""
        made = self._part(self.agent, {**parameters, PROBLEM: problem})
        if not isinstance(made, Agent | Valuation):
            raise TypeError(f"{PLANNERS}, got {made!r}")
        return made

    def choice_rule(self, parameters: Mapping[str, float]) -> ChoiceRule:
        """The choice rule."""
        made = self._part(self.rule, parameters)
        if not isinstance(made, ChoiceRule):
            raise TypeError(
                f"rule must be a ChoiceRule, or a function that makes one, got {made!r}"
            )
        return made

    def _names(self, part: Any) -> tuple[str, ...]:
        if not callable(part):
            return ()
        known = {*self.parameters, *self.conditions}
        return tuple(name for name, needed in _signature(part) if needed or name in known)

    def _part(self, part: Any, parameters: Mapping[str, Any]) -> Any:
        if not callable(part):
            return part
        return part(**{name: parameters[name] for name in self._names(part)})


@lru_cache(maxsize=4096)  # the same object for the same problem, as posteriors are kept for each
def _misspecified(problem: BAMDP) -> BAMDP:
    return replace(problem, misspecified=True)


@cache
def _signature(part: Any) -> tuple[tuple[str, bool], ...]:
    """The arguments of a function, and whether each must be given."""
    parameters = inspect.signature(part).parameters.values()
    return tuple(
        (p.name, p.default is p.empty)
        for p in parameters
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    )


def _some(values: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}


def _free(bounds: Mapping[str, Any]) -> dict[str, FreeParameter]:
    """Parameters from their bounds, which may be a pair of numbers."""
    return {
        name: each if isinstance(each, FreeParameter) else FreeParameter(*each)
        for name, each in bounds.items()
    }


def _reward_scale(problem: Any, middles: Mapping[str, Any]) -> float:
    """Range of the rewards, the unit of temperature."""
    if callable(problem):
        needed = [name for name, is_needed in _signature(problem) if is_needed]
        if not set(needed) <= middles.keys():
            return 1.0
        problem = problem(**_some(middles, needed))
    return checked_problem(problem).prior.reward_scale(problem.rewards) or 1.0


def dashed(name: str) -> str:
    """`RescorlaWagner` as rescorla-wagner."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()
