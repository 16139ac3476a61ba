"""Posterior means: the person learns like a Bayesian and takes what looks best now, without looking
ahead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bamdp.fit.arms import posteriors
from bamdp.fit.valuation import Game, Valuation
from bamdp.problem import BAMDP


@dataclass(frozen=True)
class PosteriorMeans(Valuation):
    """The posterior mean of the reward of each arm; for arms, Beta or normal.

    Example:
        >>> import bamdp
        >>> task = bamdp.domains.Bandit([0.5, 0.5], 1.0, horizon=10).problem()
        >>> bamdp.fit.Model.of(PosteriorMeans, task).choosing
        ('temperature',)
    """

    def values(self, problem: BAMDP, game: Game) -> NDArray[np.float64]:
        return posteriors(problem, game)[0]
