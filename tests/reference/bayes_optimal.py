"""The exact Bayes-optimal values of a tiny Bayes-adaptive MDP, by recursion over states and counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reference.rows import Rows


def action_values(rows: Rows, state: int, steps: int, rewards: NDArray[np.float64], discount: float) -> NDArray[np.float64]:
    """Q*(<state, counts>, a) with `steps` steps to go. [A]"""
    return _Solver(rewards, discount).values(rows, state, steps)


class _Solver:
    def __init__(self, rewards: NDArray[np.float64], discount: float) -> None:
        self.rewards, self.discount = rewards, discount
        self.known: dict[tuple[int, int, bytes], NDArray[np.float64]] = {}

    def values(self, rows: Rows, state: int, steps: int) -> NDArray[np.float64]:
        if steps == 0:
            return np.zeros(rows.num_actions)
        key = (steps, state, rows.n.tobytes())
        if key not in self.known:
            self.known[key] = np.array([self._value(rows, state, a, steps) for a in range(rows.num_actions)])
        return self.known[key]

    def _value(self, rows: Rows, state: int, action: int, steps: int) -> float:
        total = 0.0
        for next_state, chance in enumerate(rows.predictive(state, action)):
            if chance > 0:
                reward = self.rewards[state, action]
                later = self.values(rows.after(state, action, next_state), next_state, steps - 1).max()
                total += chance * (reward + self.discount * later)
        return total
