"""Dearden's chain: small rewards at once, or a large one after four steps that can each slip back.

| executed | from s < 4         | from 4             |
|----------|--------------------|--------------------|
| forward  | to s + 1, reward 0 | to 4, reward 10    |
| back     | to 0, reward 2     | to 0, reward 2     |

Action 0 means forward and action 1 back; with probability `slip` the other one is executed. The
next state shows which one it was, so the reward is R(s, a, s'): 2 if s' = 0, 10 if s = s' = 4, else
0.

Always forward is optimal and pays 3677 per 1000 steps in the long run.
Source: Dearden, Friedman, Russell, "Bayesian Q-learning", 1998.
"""

from __future__ import annotations

import numpy as np

from bamdp.domains.tabular import Tabular
from bamdp.mdp import MDP
from bamdp.validation import real


class Chain(Tabular):
    """Dearden's chain: five states, two actions.

    Args:
        slip: probability that the other action is executed, in [0, 1].
        discount: discount factor, in [0, 1); 1 with a horizon.
        horizon: number of steps of a run that count, which agents are given; none if not given.
        episode_length: number of steps of each episode, which agents are given; goes with a
            horizon.

    Example:
        >>> Chain(slip=0).step(4, 0, np.random.default_rng(0))
        (4, 10.0)
    """

    action_names = ("forward", "back")

    def __init__(
        self,
        *,
        slip: float = 0.2,
        discount: float = 0.95,
        horizon: int | None = None,
        episode_length: int | None = None,
    ) -> None:
        slip = real("slip", slip, 0, 1)
        forward = np.minimum(np.arange(5) + 1, 4)
        successors = np.zeros((5, 2, 2), dtype=np.int64)  # the last axis: forward, back
        successors[:, :, 0] = forward[:, None]
        probabilities = np.broadcast_to([[1 - slip, slip], [slip, 1 - slip]], (5, 2, 2))
        rewards = np.zeros((5, 2, 5))
        rewards[:, :, 0] = 2
        rewards[4, :, 4] = 10
        mdp = MDP(probabilities, rewards, successors=successors)
        super().__init__(mdp, discount, horizon=horizon, episode_length=episode_length)
