"""Two Bernoulli arms with Beta priors and a horizon, by plain recursion: values and the
log-likelihood of choices.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Counts = tuple[tuple[float, float], tuple[float, float]]  # successes and failures of each arm


def values(counts: Counts, left: int) -> list[float]:
    """The expected sum of rewards after each arm, with `left` steps."""
    found = []
    for arm, (a, b) in enumerate(counts):
        p = a / (a + b)
        win, lose = after(counts, arm, 1), after(counts, arm, 0)
        rest = (
            p * max(values(win, left - 1)) + (1 - p) * max(values(lose, left - 1))
            if left > 1
            else 0.0
        )
        found.append(p + rest)
    return found


def after(counts: Counts, arm: int, success: int) -> Counts:
    """The counts after one outcome."""
    a, b = counts[arm]
    new = (a + success, b + 1 - success)
    return (new, counts[1]) if arm == 0 else (counts[0], new)


def log_likelihood(
    counts: Counts, choices: Sequence[tuple[int, int]], temperature: float, free: Sequence[bool]
) -> float:
    """The log-likelihood of the free ones of some choices, each an arm and its
    outcome, by softmax.
    """
    total = 0.0
    for step, ((arm, success), is_free) in enumerate(zip(choices, free, strict=True)):
        if is_free:
            weights = [
                math.exp(value / temperature) for value in values(counts, len(choices) - step)
            ]
            total += math.log(weights[arm] / sum(weights))
        counts = after(counts, arm, success)
    return total
