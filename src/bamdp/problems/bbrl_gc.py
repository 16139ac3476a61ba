"""The generalised chain of the BBRL library: every action leads on along the chain, or back to its start.

| from       | to, count 1 each |
|------------|------------------|
| x = 0 … 3  | 0, x + 1         |
| 4          | 0, 4             |

Reaching state 0 pays 2 and reaching state 4 pays 10. Start 0, discount 0.95, 250 steps. Over worlds drawn from the prior,
random actions earn 31.7 (discounted) and knowing the world 74.7.

Source: Castronovo, Ernst, Couëtoux, Fonteneau 2016, PLoS ONE 11(6) e0157088.
"""

from __future__ import annotations

import numpy as np

from bamdp.problems._counts import CountsProblem

S, A = 5, 3


class BBRLGC(CountsProblem):
    """BBRL's generalised chain: 5 states, 3 actions; each leads on or back to the start.

    Args:
        accurate: whether agents have the prior that worlds are drawn from; if not, count 1 on all states.
        discount: discount factor, in [0, 1).

    Example:
        >>> BBRLGC().world(seed=0).transitions[1, 0].nonzero()[0].tolist()
        [0, 2]
    """

    def __init__(self, *, accurate: bool = True, discount: float = 0.95) -> None:
        counts, rewards = np.zeros((S, A, S)), np.zeros((S, A, S))
        counts[:, :, 0] = 1
        for x in range(S):
            counts[x, :, min(x + 1, S - 1)] = 1
        rewards[:, :, 0], rewards[:, :, S - 1] = 2, 10
        super().__init__(counts, rewards, discount, accurate=accurate)
