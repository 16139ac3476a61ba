"""The uniformly random agent: the baseline that every learner should beat."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from bamdp import validation
from bamdp.agent import Agent


class Random(Agent):
    """Acts uniformly at random and learns nothing.

    Args:
        problem: the problem.
        seed: seed of the agent's random generator.

    Example:
        >>> import bamdp
        >>> Random(bamdp.domains.Grid(5).problem(), seed=0).act(0) in range(4)
        True
    """

    state_attributes: ClassVar[tuple[str, ...]] = ()

    def reset(self, seed: int) -> None:
        self._rng = np.random.default_rng(validation.seed(seed))
        self.belief, self.steps_done = None, 0

    def act(self, state: int) -> int:
        self._check_state(state)
        return int(self._rng.integers(self.problem.num_actions))
