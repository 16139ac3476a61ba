"""Exact Bayes-optimal values by recursion over any hashable belief: the truth for priors that are not tables of counts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import cache

import numpy as np
from numpy.typing import NDArray

Outcome = tuple[float, int, float, bool, Hashable]  # probability, next state, reward, whether the world ends, next belief
Outcomes = Callable[[Hashable, int, int], Iterable[Outcome]]  # of belief, state and action


def action_values(
    outcomes: Outcomes, belief: Hashable, state: int, steps: int, num_actions: int, discount: float
) -> NDArray[np.float64]:
    """Q*(<state, belief>, a) with `steps` steps to go. [A]"""

    @cache
    def best(belief: Hashable, state: int, steps: int) -> float:
        return max(value(belief, state, a, steps) for a in range(num_actions)) if steps else 0.0

    def value(belief: Hashable, state: int, a: int, steps: int) -> float:
        return sum(
            p * (reward + (0.0 if ends else discount * best(after, next_state, steps - 1)))
            for p, next_state, reward, ends, after in outcomes(belief, state, a)
        )

    return np.array([value(belief, state, a, steps) for a in range(num_actions)])
