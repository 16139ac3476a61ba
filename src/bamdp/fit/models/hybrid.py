"""Directed and random exploration in two arms, with Thompson's rule and that of UCB as special
cases (Gershman 2018).

    P(first arm) = Φ(value · V + relative · RU + total · V / TU)

V is the difference of posterior means, RU that of their standard deviations, TU² the sum of the
variances. UCB is total = 0; Thompson sampling, which takes an arm as often as it is the better one,
is total = 1 and the others 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bamdp.fit.arms import posteriors
from bamdp.fit.parameters import FreeParameter
from bamdp.fit.valuation import Game, Valuation
from bamdp.problem import BAMDP
from bamdp.validation import real, require


@dataclass(frozen=True)
class Hybrid(Valuation):
    """Probit of value, relative and total uncertainty; for two arms, Beta or normal.

    Args:
        value: weight of the difference of means.
        relative: weight of the difference of standard deviations: directed exploration.
        total: weight of the difference of means over the total uncertainty: random exploration.

    Example:
        >>> Hybrid(value=0.0, total=1.0)  # Thompson's rule
        Hybrid(value=0.0, relative=0.0, total=1.0)
    """

    free = dict.fromkeys(("value", "relative", "total"), FreeParameter(-5.0, 5.0))
    rule = ()  # the probit is the rule

    value: float = 0.0
    relative: float = 0.0
    total: float = 1.0

    def __post_init__(self) -> None:
        for name in ("value", "relative", "total"):
            real(name, getattr(self, name))

    def values(self, problem: BAMDP, game: Game) -> NDArray[np.float64]:
        if problem.num_actions != 2:
            raise ValueError(f"Hybrid takes two arms, got {problem.num_actions}")
        means, deviations = posteriors(problem, game)
        difference, total = means[:, 0] - means[:, 1], np.sqrt((deviations**2).sum(axis=1))
        certain = np.sign(difference) * 1e3  # where nothing is uncertain
        ratio = np.divide(difference, total, out=certain, where=total > 0)
        x = (
            self.value * difference
            + self.relative * (deviations[:, 0] - deviations[:, 1])
            + self.total * ratio
        )
        log_ndtr = require("scipy.special", "fitting needs SciPy", "fit").log_ndtr
        return np.stack([log_ndtr(x), log_ndtr(-x)], axis=1)
