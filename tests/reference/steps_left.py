"""Backward induction on dense tables: the twin of all agents that plan until a horizon."""

import numpy as np
from numpy.typing import NDArray

from reference.policy_iteration import expected


def q_by_steps(
    transitions: NDArray[np.float64],
    rewards: NDArray[np.float64],
    discount: float,
    steps: int,
    episode_length: int | None = None,
    start: int = 0,
) -> NDArray[np.float64]:
    """Q with 1, 2, … `steps` steps left, of a run of `steps`, perhaps in episodes. [steps, S, A]"""
    means = expected(transitions, rewards)
    values, result = np.zeros(len(means)), np.zeros((steps, *means.shape))
    for k in range(steps):
        result[k] = means + discount * transitions @ values
        values = result[k].max(axis=1)
        if (
            episode_length is not None and (steps - (k + 1)) % episode_length == 0
        ):  # an episode ends before these k + 1 steps
            values = np.full(len(means), values[start])
    return result
