"""Probabilities of future histories by the chain rule: each step from the predictive given all
steps before it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference.rows import Rows

History = tuple[tuple[int, int], ...]  # of (action, next_state)
Policy = Callable[[int], NDArray[np.float64]]  # state → probability of each action


def only_action(state: int) -> NDArray[np.float64]:
    return np.ones(1)


def histories(
    rows: Rows, state: int, steps: int, policy: Policy = only_action
) -> dict[History, float]:
    """The probability of every history of `steps` steps; those that can't happen are left out."""
    if steps == 0:
        return {(): 1.0}
    found: dict[History, float] = {}
    for action, choice in enumerate(policy(state)):
        for next_state, chance in enumerate(rows.predictive(state, action)):
            if choice * chance > 0:
                later = histories(
                    rows.after(state, action, next_state), next_state, steps - 1, policy
                )
                found |= {
                    ((action, next_state), *rest): choice * chance * p for rest, p in later.items()
                }
    return found


def discounted_return(
    history: History, state: int, rewards: NDArray[Any], discount: float
) -> float:
    total, weight = 0.0, 1.0
    for action, next_state in history:
        reward = rewards[state, action] if rewards.ndim == 2 else rewards[state, action, next_state]
        total += weight * float(reward)
        weight *= discount
        state = next_state
    return total


def expected_return(
    rows: Rows,
    state: int,
    steps: int,
    rewards: NDArray[Any],
    discount: float,
    policy: Policy = only_action,
) -> float:
    every = histories(rows, state, steps, policy)
    return sum(p * discounted_return(h, state, rewards, discount) for h, p in every.items())
