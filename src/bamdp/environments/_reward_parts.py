"""What observations say of unknown rewards; see `_parts`.

| part            | shape of a copy | content                                                            |
|-----------------|-----------------|--------------------------------------------------------------------|
| `RewardCounts`  | [S, A, V]       | how often each value was observed                                  |
| `RewardMoments` | [S, A, 3]       | number, mean and variance of the rewards observed, for normal ones |
| `RewardMeans`   | [S, A]          | posterior mean of the rewards, from one of the two                 |
| `Arms`          | [A, …]          | one of these in a domain of one state                              |
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bamdp._validation import fits_memory
from bamdp.environments._parts import LARGEST, Array, Index, Kept, Part, Seen
from bamdp.priors.unknown_rewards import UnknownRewards


class RewardCounts(Kept):
    """Rewards observed, of some values."""

    high = None

    def __init__(self, prior: UnknownRewards, sizes: tuple[int, int]) -> None:
        self._values, self._prior = np.asarray(prior.values), prior
        self._order = np.argsort(self._values)
        self.shape = (*sizes, len(self._values))

    def observe(self, seen: Seen) -> None:
        value = self._order[np.searchsorted(self._values, seen.rewards, sorter=self._order)]
        self._table[seen.at, seen.states, seen.actions, value] += 1

    def mean(self) -> Array:
        """The posterior mean of the rewards. [N, S, A]"""
        weights = np.asarray(self._prior.alpha) + self._table
        if self._prior.deterministic:
            weights = np.where(self._table.any(axis=3, keepdims=True), self._table, weights)
        return np.asarray(weights @ self._values / weights.sum(axis=3))

    @property
    def extremes(self) -> tuple[float, float]:
        """The smallest and the largest mean."""
        return float(self._values.min()), float(self._values.max())


class RewardMoments(Part):
    """Number, mean and variance of the rewards observed."""

    def __init__(self, prior: UnknownRewards, sizes: tuple[int, int], steps: int) -> None:
        assert prior.outcomes is not None
        table = prior.outcomes.table(*sizes)
        self._mean, self._strength = np.broadcast_to(table, (sizes[0] * sizes[1], 4)).T[:2].reshape(2, *sizes)
        self.shape = (*sizes, 3)
        self.low, self.high = np.array([0.0, -LARGEST, 0.0]), np.array([steps, LARGEST, LARGEST])

    def start(self, copies: int) -> None:
        fits_memory(f"num_envs={copies}", copies * int(np.prod(self.shape)))
        self._moments = np.zeros((copies, *self.shape))  # number, mean, and sum of squared distances from it

    def reset(self, at: Index) -> None:
        self._moments[at] = 0

    def observe(self, seen: Seen) -> None:
        n, mean, squares = self._moments[seen.at, seen.states, seen.actions].T
        away = seen.rewards - mean
        n = n + 1
        mean = mean + away / n
        squares = squares + away * (seen.rewards - mean)
        self._moments[seen.at, seen.states, seen.actions] = np.stack([n, mean, squares], axis=1)

    def table(self) -> NDArray[np.float32]:
        shown = self._moments.copy()
        shown[..., 2] /= np.maximum(shown[..., 0], 1)
        return np.clip(shown, self.low, self.high).astype(np.float32)

    def mean(self) -> Array:
        """The posterior mean of the rewards. [N, S, A]"""
        n, seen = self._moments[..., 0], self._moments[..., 1]
        share = n / (n + self._strength)  # 0 where the mean is known
        return np.asarray(self._mean + share * (seen - self._mean))

    @property
    def extremes(self) -> tuple[float, float]:
        """The smallest and the largest mean."""
        return -LARGEST, LARGEST


class RewardMeans(Part):
    """The posterior mean of the rewards."""

    def __init__(self, seen: RewardCounts | RewardMoments) -> None:
        self._seen, self.shape = seen, seen.shape[:2]
        self.low, self.high = seen.extremes

    def start(self, copies: int) -> None:
        self._seen.start(copies)

    def reset(self, at: Index) -> None:
        self._seen.reset(at)

    def observe(self, seen: Seen) -> None:
        self._seen.observe(seen)

    def table(self) -> NDArray[np.float32]:
        return np.clip(self._seen.mean(), self.low, self.high).astype(np.float32)


class Arms(Part):
    """A part of a domain with one state, without the axis of states."""

    def __init__(self, part: Part) -> None:
        self._part, self.shape, self.low, self.high = part, part.shape[1:], part.low, part.high

    def start(self, copies: int) -> None:
        self._part.start(copies)

    def reset(self, at: Index) -> None:
        self._part.reset(at)

    def observe(self, seen: Seen) -> None:
        self._part.observe(seen)

    def table(self) -> NDArray[np.float32]:
        return np.ascontiguousarray(self._part.table()[:, 0])
