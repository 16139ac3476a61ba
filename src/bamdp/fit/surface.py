"""The log-likelihood of one person, and its maximum over the choice rule for any planning
parameters.

Planning is slow and choice rules are fast: values are computed once for each set of planning
parameters, and the parameters of the rule are then fitted to them, on the scale of each parameter
and within its bounds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bamdp.choice_rule import ChoiceRule
from bamdp.fit.likelihood import Planned, planned, valued
from bamdp.fit.model import Model
from bamdp.fit.profiles import Best, Ends, Point, maximum
from bamdp.fit.valuation import Game


class Surface:
    """The log-likelihood of some games plus the log-densities of the priors, as a function of
    places on the scales.

    Args:
        model: the model.
        games: games of one person, or of all.
        repeat: number of the set of seeds.
    """

    def __init__(self, model: Model, games: Sequence[Game], repeat: int = 0) -> None:
        self.model, self.games, self.repeat = model, games, repeat
        self._planned: dict[Point, Planned] = {}
        self._best: dict[Point, Best] = {}
        self._last: Best | None = None  # where the next search for a rule starts
        self._whole: tuple[Surface, NDArray[np.bool_]] | None = None

    def part(self, kept: NDArray[np.bool_]) -> Surface:
        """The surface of some of the free choices, which shares the values."""
        part = Surface(self.model, self.games, self.repeat)
        part._whole = self, kept
        return part

    def planned(self, plan: Point) -> Planned:
        """The values for these planning parameters."""
        if plan not in self._planned:
            if self._whole is not None:
                whole, kept = self._whole
                self._planned[plan] = whole.planned(plan).part(kept)
            else:
                value = valued(self.model, self._values(self.model.planning, plan), self.repeat)
                self._planned[plan] = planned(self.games, map(value, self.games))
        return self._planned[plan]

    @property
    def planning_ends(self) -> list[Ends]:
        """The ends of the scale of each planning parameter."""
        return [self.model.bounds(name).ends for name in self.model.planning]

    @property
    def choosing_ends(self) -> list[Ends]:
        """The ends of the scale of each parameter of the choice rule."""
        return [self.model.bounds(name).ends for name in self.model.choosing]

    @property
    def choices(self) -> int:
        """Number of free choices."""
        return sum(int(game.counted.sum()) for game in self.games)

    def split(self, z: Sequence[float] | NDArray[np.float64]) -> tuple[Point, Point]:
        """Planning parameters and those of the rule, from all in the order of the model."""
        places = dict(zip(self.model.parameters, map(float, z), strict=True))
        plan = tuple(places[name] for name in self.model.planning)
        return plan, tuple(places[name] for name in self.model.choosing)

    def logs(self, plan: Point, rule: Point) -> NDArray[np.float64]:
        """The log-probability of each free choice. [n]"""
        return self.planned(plan).logs(self._rule(rule))

    def log_likelihood(self, plan: Point, rule: Point) -> float:
        """The log-likelihood, without priors."""
        return float(self.logs(plan, rule).sum())

    def noise(self, plan: Point, rule: Point) -> float:
        """The standard deviation of the log-likelihood over the seeds of the searches."""
        return float(np.sqrt(self.planned(plan).variances(self._rule(rule)).sum()))

    def score(self, plan: Point, rule: Point) -> float:
        """The log-likelihood plus the log-densities of the priors."""
        values = self._values(self.model.planning, plan) | self._values(self.model.choosing, rule)
        priors = ((self.model.bounds(name).log_prior, value) for name, value in values.items())
        densities = (float(density(value)) for density, value in priors if density is not None)
        return self.log_likelihood(plan, rule) + sum(densities)

    def best(self, plan: Point) -> Best:
        """The best choice rule for these planning parameters."""
        if plan not in self._best:
            self._best[plan] = self._last = self.profile(plan, None, 0.0)
        return self._best[plan]

    def profile(self, plan: Point, index: int | None, value: float) -> Best:
        """The best choice rule with a value of one of its parameters, or of none."""
        names = self.model.choosing
        free = [i for i in range(len(names)) if i != index]

        def filled(x: Sequence[float] | NDArray[np.float64]) -> Point:
            rule = [value] * len(names)
            for i, z in zip(free, x, strict=True):
                rule[i] = float(z)
            return tuple(rule)

        ends = [self.choosing_ends[i] for i in free]
        near = self._best.get(plan) or self._last
        starts = [[near.rule[i] for i in free]] if near is not None and len(ends) > 1 else []
        x, score = maximum(lambda x: self.score(plan, filled(x)), ends, starts)
        return Best(score, filled(x))

    def _rule(self, rule: Point) -> ChoiceRule:
        return self.model.choice_rule(self._values(self.model.choosing, rule))

    def _values(self, names: Sequence[str], places: Point) -> dict[str, float]:
        return {
            name: self.model.bounds(name).value(z) for name, z in zip(names, places, strict=True)
        }
