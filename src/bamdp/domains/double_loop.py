"""The double loop: two loops of five steps that share their first state; one pays twice as much but
is easy to leave.

| from    | action 0 | action 1 | reward, any action |
|---------|----------|----------|--------------------|
| 0       | 1        | 5        | 0                  |
| 1, 2, 3 | s + 1    | s + 1    | 0                  |
| 4       | 0        | 0        | 1                  |
| 5, 6, 7 | 0        | s + 1    | 0                  |
| 8       | 0        | 0        | 2                  |

The optimum is 400 per 1000 steps. Source: Dearden, Friedman, Russell, "Bayesian Q-learning", 1998.
"""

from __future__ import annotations

import numpy as np

from bamdp.domains.tabular import Tabular
from bamdp.mdp import MDP


class DoubleLoop(Tabular):
    """The double loop: nine states, two actions, deterministic.

    Args:
        discount: discount factor, in [0, 1); 1 with a horizon.
        horizon: number of steps of a run that count, which agents are given; none if not given.
        episode_length: number of steps of each episode, which agents are given; goes with a
            horizon.

    Example:
        >>> DoubleLoop().step(8, 0, np.random.default_rng(0))
        (0, 2.0)
    """

    def __init__(
        self,
        *,
        discount: float = 0.95,
        horizon: int | None = None,
        episode_length: int | None = None,
    ) -> None:
        successors = np.array(
            [[1, 5], [2, 2], [3, 3], [4, 4], [0, 0], [0, 6], [0, 7], [0, 8], [0, 0]], dtype=np.int64
        )
        rewards = np.zeros((9, 2))
        rewards[4] = 1
        rewards[8] = 2
        mdp = MDP(np.ones((9, 2, 1)), rewards, successors=successors[:, :, None])
        super().__init__(mdp, discount, horizon=horizon, episode_length=episode_length)
