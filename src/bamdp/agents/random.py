"""The uniformly random agent: the baseline that every learner should beat."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from bamdp._validation import actions
from bamdp._validation import seed as valid_seed
from bamdp.agent import Agent
from bamdp.domain import Domain
from bamdp.prior import Prior


class Random(Agent):
    """Acts uniformly at random and learns nothing.

    Args:
        num_actions: number of actions.
        seed: seed of the agent's random generator.

    Example:
        >>> Random(4, seed=0).act(0) in range(4)
        True
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_rng",)

    def __init__(self, num_actions: int, *, seed: int = 0) -> None:
        self.num_actions = actions(num_actions)
        self.reset(seed)

    @classmethod
    def for_domain(cls, domain: Domain, prior: Prior | None = None, **settings: Any) -> Self:
        return cls(domain.num_actions, **settings)

    def act(self, state: int) -> int:
        return int(self._rng.integers(self.num_actions))

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        pass

    def reset(self, seed: int) -> None:
        self._rng = np.random.default_rng(valid_seed(seed))
