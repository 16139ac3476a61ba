"""RiverSwim, in episodes of 20 steps: small rewards downstream at once, a large one at the far end of the river.

| from      | left, 0 | right, 1                          |
|-----------|---------|-----------------------------------|
| 0         | 0       | 0.6 to 1, 0.4 stay                |
| 1 … 4     | x − 1   | 0.35 to x + 1, 0.6 stay, 0.05 back |
| 5         | 4       | 0.6 stay, 0.4 back                |

Left in state 0 pays 0.005 and right in state 5 pays 1. The labels of the actions are permuted in each state and run.

Source: Strehl, Littman 2008; the probabilities of TabulaRL (Osband, github.com/iosband/TabulaRL), 100 episodes here.
"""

from __future__ import annotations

import numpy as np

from bamdp.domains.tabular import Tabular
from bamdp.mdp import MDP
from bamdp.problems.problem import Problem

S = 6
LEFT, RIGHT = range(2)
EPISODE = 20


class RiverSwim(Problem):
    """RiverSwim: 6 states, 2 actions, episodes of 20 steps; labels permuted.

    Args:
        discount: discount factor, in [0, 1).
        episodes: number of episodes.

    Example:
        >>> RiverSwim().steps
        2000
    """

    def __init__(self, *, discount: float = 0.95, episodes: int = 100) -> None:
        transitions, rewards = np.zeros((S, 2, S)), np.zeros((S, 2))
        for x in range(S):
            transitions[x, LEFT, max(x - 1, 0)] = 1
        for x in range(1, S - 1):
            transitions[x, RIGHT, [x + 1, x, x - 1]] = [0.35, 0.6, 0.05]
        transitions[0, RIGHT, [1, 0]] = transitions[S - 1, RIGHT, [S - 1, S - 2]] = [0.6, 0.4]
        rewards[0, LEFT], rewards[S - 1, RIGHT] = 0.005, 1
        river = Tabular(MDP(transitions, rewards), discount, time_limit=EPISODE)
        super().__init__(river, draw="permuted", steps=EPISODE * episodes)
