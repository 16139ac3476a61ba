"""A table whose rewards are random: a world drawn from a prior over rewards."""

from __future__ import annotations

from typing import Any

import numpy as np

from bamdp.domains.tabular import Tabular
from bamdp.prior import World


class RandomRewards(Tabular):
    """A world with random rewards.

    Args:
        world: the world, with its `outcomes`.
        discount: discount factor, in [0, 1); 1 with a deadline.
        settings: as in `Tabular`.
    """

    random_rewards = True

    def __init__(self, world: World, discount: float, **settings: Any) -> None:
        assert world.rewards is not None
        assert world.outcomes is not None
        super().__init__(world.transitions, world.rewards, discount, **settings)
        self._outcomes = world.outcomes
        if world.outcomes.probabilities is not None:
            self._cumulative = np.cumsum(world.outcomes.probabilities, axis=2)

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        next_state, mean = super().step(state, action, rng)
        values, _, deviations = self._outcomes
        if state in self.terminal:
            return next_state, 0.0
        if values is None:
            assert deviations is not None
            return next_state, mean + float(deviations[state, action] * rng.standard_normal())
        cumulative = self._cumulative[state, action]
        drawn = cumulative.searchsorted(rng.random() * cumulative[-1], side="right")
        return next_state, float(values[drawn])
