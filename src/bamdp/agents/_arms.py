"""Indices of Bernoulli arms, computed when they are needed and no sooner.

The index of an arm rises with the steps left (`bamdp.exact.finite_gittins_index`): one computed
earlier in a run is an upper bound of that of now, as long as the arm was not pulled. To find the
best arm, indices are computed from the highest bound downwards until one of them is the highest:
one or two of ten arms for each decision.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from bamdp.exact.gittins import finite_gittins_index, gittins_index

Array = NDArray[np.float64]


class ArmIndices:
    """The indices of the arms of a bandit.

    Args:
        payoffs: what a failure and a success of each arm pay. [A, 2]
        discount: the discount factor.
        tolerance: maximum error of an index of an arm that pays 0 or 1.

    Example:
        >>> indices = ArmIndices(np.array([[0.0, 1.0], [0.0, 1.0]]), discount=1.0, tolerance=1e-9)
        >>> indices.best(np.array([[1.0, 1.0], [9.0, 1.0]]), left=10)
        [0]
    """

    def __init__(self, payoffs: Array, discount: float, tolerance: float) -> None:
        self._payoffs, self._discount, self._tolerance = payoffs, discount, tolerance
        self._bounds: list[tuple[float, float, float]] = []  # by arm: failures, successes, bound

    def all(self, counts: Array, left: int | None) -> Array:
        """The index of each arm by its counts of failures and successes, [A, 2]; `left` steps are
        left, None without an end. [A]
        """
        return np.array([self._index(arm, counts[arm], left) for arm in range(len(counts))])

    def best(self, counts: Array, left: int | None, slack: float = 0.0) -> list[int]:
        """The arms whose index is at most `slack` below the highest."""
        bounds = np.full(len(counts), np.inf)
        for arm, (failures, successes, bound) in enumerate(self._bounds):
            if (failures, successes) == tuple(counts[arm]):
                bounds[arm] = bound
        indices = np.full(len(counts), -np.inf)
        error = 2 * self._tolerance * float(np.ptp(self._payoffs, axis=1).max())
        while (unknown := np.where(np.isneginf(indices), bounds, -np.inf)).max() > -np.inf:
            arm = int(unknown.argmax())
            if unknown[arm] < indices.max() - slack - error:
                break
            indices[arm] = bounds[arm] = self._index(arm, counts[arm], left)
        known = np.column_stack([counts, bounds])
        self._bounds = [(float(f), float(s), float(bound)) for f, s, bound in known]
        return [int(arm) for arm in np.flatnonzero(indices >= indices.max() - slack)]

    def _index(self, arm: int, counts: Array, left: int | None) -> float:
        unit: Callable[[float, float], float]
        if left is None:
            unit = partial(_unit_index, discount=self._discount, tolerance=self._tolerance)
        else:
            unit = partial(
                _finite_index, steps=left, discount=self._discount, tolerance=self._tolerance
            )
        return scaled_index(counts, self._payoffs[arm], unit)


def scaled_index(
    counts: Array, payoff: Array, unit_index: Callable[[float, float], float]
) -> float:
    """The index of an arm from that of one that pays 1 for a success and 0 for a failure."""
    (failures, successes), (low, high) = counts, payoff
    if low > high:  # then a failure is the better outcome
        failures, successes, low, high = successes, failures, high, low
    return float(low + (high - low) * unit_index(successes, failures))


@lru_cache(maxsize=2**17)
def _unit_index(successes: float, failures: float, discount: float, tolerance: float) -> float:
    """Cached for all agents: runs of one bandit have many posteriors in common."""
    return float(gittins_index(successes, failures, discount, tolerance))


@lru_cache(maxsize=2**17)
def _finite_index(
    successes: float, failures: float, steps: int, discount: float, tolerance: float
) -> float:
    return float(finite_gittins_index(successes, failures, steps, discount, tolerance))


def arm_payoffs(rewards: Array) -> Array:
    """The reward of a failure and of a success of each arm. [A, 2]"""
    S, A = rewards.shape[:2]
    if S != 2:
        raise ValueError(
            f"rewards must be those of a bandit, with 2 states (failure, success), got {S} states"
        )
    failure, success = np.broadcast_to(
        rewards[:, :, None] if rewards.ndim == 2 else rewards, (2, A, 2)
    )
    if not np.array_equal(failure, success):
        raise ValueError(
            "rewards must not depend on the state, the last outcome: there is no index policy for "
            "that"
        )
    return np.array(success)
