"""A problem small enough to be solved exactly: a chain of three states on which each action leads on or back to the start.

| from  | to, count 1 each |
|-------|------------------|
| 0     | 0, 1             |
| 1     | 0, 2             |
| 2     | 0, 2             |

Reaching state 0 pays 0.2 and reaching state 2 pays 1: `bamdp.problems.bbrl_gc` with three states and two actions. Discount 0.6;
what comes after 20 steps is worth less than 1e-4.
"""

from __future__ import annotations

import numpy as np

from bamdp.problems._counts import CountsProblem

S, A = 3, 2


class SmallChain(CountsProblem):
    """A chain of three states, two actions, known next states: small enough for the exact solution.

    Args:
        discount: discount factor, in [0, 1).

    Example:
        >>> SmallChain().world(seed=0).transitions[2, 1].nonzero()[0].tolist()
        [0, 2]
    """

    def __init__(self, *, discount: float = 0.6) -> None:
        counts, rewards = np.zeros((S, A, S)), np.zeros((S, A, S))
        counts[:, :, 0] = 1
        for x in range(S):
            counts[x, :, min(x + 1, S - 1)] = 1
        rewards[:, :, 0], rewards[:, :, S - 1] = 0.2, 1
        super().__init__(counts, rewards, discount, steps=20)
