"""Epsilon-greedy on the posterior-mean model: certainty equivalence with undirected exploration
(Sutton, Barto 1998, 2.2).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp.agent import Grid
from bamdp.agents._model_based import annealed
from bamdp.agents.posterior_mean import PosteriorMean
from bamdp.problem import BAMDP
from bamdp.validation import half_life_or_none, real


class EpsilonGreedy(PosteriorMean):
    """Acts at random with probability epsilon, else greedily in the posterior-mean model.

    Args:
        problem: the problem.
        epsilon: initial probability of a random action.
        half_life: number of steps that halves epsilon; constant if not given.
        settings: `tolerance`, `ties` and `seed` as in `PosteriorMean`.

    Example:
        >>> import bamdp
        >>> agent = EpsilonGreedy(bamdp.domains.Chain().problem(), epsilon=1.0, seed=0)
        >>> {agent.act(0) for _ in range(20)}
        {0, 1}
    """

    grid: ClassVar[Grid] = ({"epsilon": (0.01, 0.05, 0.1, 0.2, 0.5), "half_life": (None, 100.0)},)

    def __init__(
        self,
        problem: BAMDP,
        *,
        epsilon: float = 0.1,
        half_life: float | None = None,
        **settings: Any,
    ) -> None:
        self.epsilon, self.half_life = real("epsilon", epsilon, 0, 1), half_life_or_none(half_life)
        super().__init__(problem, **settings)

    def _choose(self, values: NDArray[np.float64]) -> int:
        if self._rng.random() < annealed(self.epsilon, self.steps_done, self.half_life):
            considered = np.flatnonzero(values > -np.inf)
            return int(considered[self._rng.integers(len(considered))])
        return super()._choose(values)
