"""What observations say of the worlds, one table each: for many copies of an environment at once, [N, …].

| part         | shape of a copy      | content                                                                           |
|--------------|----------------------|-----------------------------------------------------------------------------------|
| `Counts`     | [S, A, S], or [A, S] | how often each transition was observed; [A, S] if rows are the same in all states |
| `Slips`      | [2]                  | slips observed, and steps that went as intended                                   |
| `Means`      | [S, A, S], or [A, S] | posterior mean of the transition probabilities, by a belief for each copy         |
| `OwnRewards` | [S, A]               | posterior mean of the rewards, by the same beliefs                                |

Those of finite sets of worlds are in `_world_parts`, those of rewards in `_reward_parts`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp._validation import fits_memory
from bamdp.prior import Belief, Prior
from bamdp.priors._conjugate import ConjugateBelief
from bamdp.priors.shared_slip import SharedSlipBelief

Array = NDArray[np.float64]
Index = NDArray[np.int64]
LARGEST = float(np.finfo(np.float32).max)  # of an observation


class Seen(NamedTuple):
    """One step of some of the copies.

    Attributes:
        at: those copies. [K]
        states: states before. [K]
        actions: actions. [K]
        rewards: rewards. [K]
        next_states: states after. [K]
        ended: whether the episode was terminated. [K]
    """

    at: Index
    states: Index
    actions: Index
    rewards: Array
    next_states: Index
    ended: NDArray[np.bool_]


class Part(ABC):
    """A table in the observation.

    Attributes:
        shape: its shape for one copy.
        low: lower bound of its numbers, or of each.
        high: upper bound; None for the number of steps.
    """

    shape: tuple[int, ...]
    low: float | Array = 0.0
    high: float | Array | None = 1.0

    @abstractmethod
    def start(self, copies: int) -> None:
        """Make the tables of so many copies."""

    @abstractmethod
    def reset(self, at: Index) -> None:
        """Forget everything, in some copies."""

    @abstractmethod
    def observe(self, seen: Seen) -> None:
        """Learn from a step."""

    @abstractmethod
    def table(self) -> NDArray[np.float32]:
        """The table, a new array. [N, …]"""


class Kept(Part):
    """A table that is kept as it is observed."""

    def start(self, copies: int) -> None:
        fits_memory(f"num_envs={copies}", copies * int(np.prod(self.shape)))
        self._table = np.zeros((copies, *self.shape), np.float32)

    def reset(self, at: Index) -> None:
        self._table[at] = 0

    def table(self) -> NDArray[np.float32]:
        return self._table.copy()


class Counts(Kept):
    """Transitions observed."""

    high = None

    def __init__(self, belief: ConjugateBelief) -> None:
        S, A = belief.num_states, belief.num_actions
        self.shape = (A, S) if belief.tied else (S, A, S)

    def observe(self, seen: Seen) -> None:
        pair = (seen.actions,) if len(self.shape) == 2 else (seen.states, seen.actions)
        self._table[(seen.at, *pair, seen.next_states)] += 1


class Slips(Kept):
    """Slips observed, and steps as intended; a step that doesn't show which it was counts as neither."""

    high, shape = None, (2,)

    def __init__(self, belief: SharedSlipBelief) -> None:
        rows = (belief._row(s, a, 1.0) for s, a in np.ndindex(belief.num_states, belief.num_actions))
        self._slips = np.array(list(rows)).reshape(belief.num_states, belief.num_actions, -1) > 0  # [S, A, S]
        self._tells = ~np.take_along_axis(self._slips, belief._intended[..., None], axis=2)[..., 0]  # [S, A]

    def observe(self, seen: Seen) -> None:
        slipped = self._slips[seen.states, seen.actions, seen.next_states]
        self._table[seen.at, np.where(slipped, 0, 1)] += self._tells[seen.states, seen.actions]


class Means(Part):
    """The posterior mean of the transitions, by a belief for each copy."""

    def __init__(self, prior: Prior, belief: Belief) -> None:
        self._prior, self._sizes = prior, (belief.num_states, belief.num_actions)
        self._alone = isinstance(belief, ConjugateBelief)  # rows are independent: others don't change
        self._tied = isinstance(belief, ConjugateBelief) and belief.tied
        self._start = self._whole(belief)
        self.shape = self._start.shape

    def start(self, copies: int) -> None:
        fits_memory(f"num_envs={copies}", copies * int(np.prod(self.shape)))
        self._table = np.tile(self._start, (copies, *(1 for _ in self.shape)))
        self.beliefs = [self._prior.belief(*self._sizes) for _ in range(copies)]

    def reset(self, at: Index) -> None:
        self._table[at] = self._start
        for i in at.tolist():
            self.beliefs[i] = self._prior.belief(*self._sizes)

    def observe(self, seen: Seen) -> None:
        for i, state, action, reward, next_state, ended in zip(*(column.tolist() for column in seen), strict=True):
            belief = self.beliefs[i]
            belief.observe_step(state, action, reward, next_state)
            belief.observe_end(next_state, ended)
            if self._alone:
                self._table[i][(state, action)[-len(self.shape) + 1 :]] = belief.predictive(state, action)
            else:
                self._table[i] = self._whole(belief)

    def table(self) -> NDArray[np.float32]:
        return self._table.copy()

    def _whole(self, belief: Belief) -> NDArray[np.float32]:
        mean = belief.mean()
        return (mean[0] if self._tied else mean).astype(np.float32)


class OwnRewards(Part):
    """The posterior mean of the rewards, by the beliefs of another part."""

    low, high = -LARGEST, LARGEST

    def __init__(self, means: Means, belief: Belief) -> None:
        self._means, self.shape = means, (belief.num_states, belief.num_actions)

    def start(self, copies: int) -> None:
        """Nothing to do: the beliefs are those of the other part."""

    def reset(self, at: Index) -> None:
        """Nothing to do."""

    def observe(self, seen: Seen) -> None:
        """Nothing to do."""

    def table(self) -> NDArray[np.float32]:
        return np.clip([belief.mean_rewards() for belief in self._means.beliefs], self.low, self.high).astype(np.float32)
