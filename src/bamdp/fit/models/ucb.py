"""Upper confidence bounds: a bonus for what is uncertain (Auer et al. 2002; in people Wilson et al.
2014, Gershman 2018).
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
class UCB(Valuation):
    """The posterior mean of each arm plus a bonus in standard deviations of it; for arms, Beta or
    normal.

    Args:
        bonus: the bonus, in posterior standard deviations of the mean reward; negative for those
            who avoid uncertainty.

    Example:
        >>> UCB(bonus=1.0)
        UCB(bonus=1.0)
    """

    free = {"bonus": FreeParameter(-3.0, 5.0)}  # noqa: RUF012 - of the class

    bonus: float = 1.0

    def __post_init__(self) -> None:
        real("bonus", self.bonus)

    def values(self, problem: BAMDP, game: Game) -> NDArray[np.float64]:
        means, deviations = posteriors(problem, game)
        return means + self.bonus * deviations
