"""The generalised double loop of the BBRL library: two loops that share their first state.

| from    | to, count 1 each |
|---------|------------------|
| 0       | 1, 5             |
| 1, 2, 3 | x + 1            |
| 4       | 0                |
| 5, 6, 7 | 0, x + 1         |
| 8       | 0                |

From 4 to 0 pays 1 and from 8 to 0 pays 2. Start 0, discount 0.95, 250 steps. Over worlds drawn from the prior, random actions
earn 2.76 (discounted) and knowing the world 3.55.

Source: Castronovo, Ernst, Couëtoux, Fonteneau 2016, PLoS ONE 11(6) e0157088.
"""

from __future__ import annotations

import numpy as np

from bamdp.problems._counts import CountsProblem

S, A = 9, 2
NEXT = [[1, 5], [2], [3], [4], [0], [0, 6], [0, 7], [0, 8], [0]]  # possible next states


class BBRLGDL(CountsProblem):
    """BBRL's generalised double loop: 9 states, 2 actions; the better loop is easy to leave.

    Args:
        accurate: whether agents have the prior that worlds are drawn from; if not, count 1 on all states.
        discount: discount factor, in [0, 1).

    Example:
        >>> BBRLGDL().world(seed=0).transitions[0, 1].nonzero()[0].tolist()
        [1, 5]
    """

    def __init__(self, *, accurate: bool = True, discount: float = 0.95) -> None:
        counts, rewards = np.zeros((S, A, S)), np.zeros((S, A, S))
        for state, following in enumerate(NEXT):
            counts[state, :, following] = 1
        rewards[4, :, 0], rewards[8, :, 0] = 1, 2
        super().__init__(counts, rewards, discount, accurate=accurate)
