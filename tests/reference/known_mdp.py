"""Exact expected totals of policies in a known world; a terminal state is followed by the start
state, as in `bamdp.run`.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp.domains import Tabular

Array = NDArray[np.float64]


def policy_rewards(world: Tabular, policy: ArrayLike, steps: int) -> float:
    """Of a stationary policy: the action of each state, [S], or the probability of each action, [S,
    A].
    """
    array = np.asarray(policy)
    choice = array if array.ndim == 2 else np.eye(world.num_actions)[array]
    return _total(world, steps, lambda q_values: (choice * q_values).sum(axis=1))


def optimal_total(world: Tabular, steps: int) -> float:
    """The most that any policy can expect."""
    return _total(world, steps, lambda q_values: q_values.max(axis=1))


def _total(world: Tabular, steps: int, chosen: Callable[[Array], Array]) -> float:
    mdp, values = world.mdp, np.zeros(world.num_states)
    for _ in range(steps):
        values[mdp.terminal] = values[world.start]
        known = mdp.successors
        ahead = (
            mdp.probabilities @ values
            if known is None
            else np.vecdot(mdp.probabilities, values[known])
        )
        values = chosen(mdp.expected_rewards + ahead)
    return float(values[world.start])
