"""Rescorla and Wagner (1972): the value of an arm moves towards what it paid, by a constant share
of the surprise.

V_a ← V_a + learning_rate (r − V_a)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bamdp.fit.arms import posteriors
from bamdp.fit.parameters import FreeParameter
from bamdp.fit.valuation import Game, Valuation
from bamdp.problem import BAMDP
from bamdp.validation import real


@dataclass(frozen=True)
class RescorlaWagner(Valuation):
    """Values learned from surprises, of the arms that were chosen; its usual model has stickiness
    too.

    Args:
        learning_rate: share of a surprise that is learned, in [0, 1].
        initial: value of each arm before a game; the mean reward under the prior if not given.

    Example:
        >>> RescorlaWagner(learning_rate=0.1)
        RescorlaWagner(learning_rate=0.1, initial=None)
    """

    free = {"learning_rate": FreeParameter(0.005, 0.995, "logit")}  # noqa: RUF012 - of the class
    rule = ("temperature", "stickiness")

    learning_rate: float = 0.3
    initial: float | None = None

    def __post_init__(self) -> None:
        real("learning_rate", self.learning_rate, 0, 1)

    def values(self, problem: BAMDP, game: Game) -> NDArray[np.float64]:
        if self.initial is None:
            first = posteriors(problem, game)[0][0]
        else:
            first = np.full(problem.num_actions, self.initial)
        now, values = first.tolist(), []
        for row in game.rows:
            values.append(tuple(now))
            now[row.action] += self.learning_rate * (row.reward - now[row.action])
        return np.array(values)
