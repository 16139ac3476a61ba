"""The grid of the BBRL library: each move succeeds or not, with an unknown probability.

    state = 5 · row + column,   start 0

| action | 0    | 1     | 2  | 3    |
|--------|------|-------|----|------|
| move   | left | right | up | down |

A move leads to the next cell or stays, count 1 each; towards a wall it stays. The moves into the corner, right from 23 and down
from 19, lead to 0 or stay, and reaching 0 by them pays 10. Discount 0.95, 250 steps. Over worlds drawn from the prior, random
actions earn 0.20 (discounted) and knowing the world 10.8.

Source: Castronovo, Ernst, Couëtoux, Fonteneau 2016, PLoS ONE 11(6) e0157088.
"""

from __future__ import annotations

import numpy as np

from bamdp.problems._counts import CountsProblem

SIDE, A = 5, 4
S = SIDE**2
LEFT, RIGHT, UP, DOWN = range(A)
GOAL = {(23, RIGHT): 0, (19, DOWN): 0}  # where the moves into the corner lead


class BBRLGrid(CountsProblem):
    """BBRL's 5 × 5 grid: moves that succeed with unknown probabilities, and a goal far from the start.

    Args:
        accurate: whether agents have the prior that worlds are drawn from; if not, count 1 on all states.
        discount: discount factor, in [0, 1).

    Example:
        >>> BBRLGrid().world(seed=0).transitions[23, 1].nonzero()[0].tolist()
        [0, 23]
    """

    def __init__(self, *, accurate: bool = True, discount: float = 0.95) -> None:
        counts, rewards = np.zeros((S, A, S)), np.zeros((S, A, S))
        for state in range(S):
            row, column = divmod(state, SIDE)
            inside = {LEFT: column > 0, RIGHT: column < SIDE - 1, UP: row > 0, DOWN: row < SIDE - 1}
            ahead = {LEFT: state - 1, RIGHT: state + 1, UP: state - SIDE, DOWN: state + SIDE}
            for move in range(A):
                counts[state, move, state] = 1
                if inside[move]:
                    counts[state, move, GOAL.get((state, move), ahead[move])] = 1
        for state, move in GOAL:
            rewards[state, move, 0] = 10
        super().__init__(counts, rewards, discount, accurate=accurate)
