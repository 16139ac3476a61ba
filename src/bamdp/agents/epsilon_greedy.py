"""Epsilon-greedy on the posterior-mean model: certainty equivalence with undirected exploration (Sutton, Barto 1998, 2.2)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp.agent import Grid
from bamdp.agents.posterior_mean import PosteriorMean
from bamdp.prior import Prior
from bamdp.validation import real


class EpsilonGreedy(PosteriorMean):
    """Acts at random with probability epsilon, else greedily in the posterior-mean model.

    Args:
        prior: what is known of the transitions beforehand.
        rewards: the reward of each state and action [S, A], or of each transition [S, A, S].
        discount: what a reward is worth one step later, in [0, 1).
        epsilon: the probability of a random action in the first step.
        half_life: steps after which epsilon is half as large; it stays as it is if not given.
        settings: `terminal`, `tolerance`, `ties` and `seed` as in `PosteriorMean`.

    Example:
        >>> import bamdp
        >>> agent = EpsilonGreedy.for_domain(bamdp.domains.Chain(), epsilon=1.0, seed=0)
        >>> {agent.act(0) for _ in range(20)}
        {0, 1}
    """

    grid: ClassVar[Grid] = ({"epsilon": (0.01, 0.05, 0.1, 0.2, 0.5), "half_life": (None, 100.0)},)

    def __init__(
        self,
        prior: Prior,
        rewards: ArrayLike,
        discount: float,
        *,
        epsilon: float = 0.1,
        half_life: float | None = None,
        **settings: Any,
    ) -> None:
        self.epsilon = real("epsilon", epsilon, 0, 1)
        self.half_life = None if half_life is None else real("half_life", half_life, 0, open_low=True)
        super().__init__(prior, rewards, discount, **settings)

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self._steps = 0

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        super().observe(state, action, reward, next_state)
        self._steps += 1

    def _choose(self, values: NDArray[np.float64]) -> int:
        epsilon = self.epsilon if self.half_life is None else self.epsilon * 0.5 ** (self._steps / self.half_life)
        if self._rng.random() < epsilon:
            return int(self._rng.integers(self.num_actions))
        return super()._choose(values)
