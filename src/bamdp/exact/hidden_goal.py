"""The exact Bayes-optimal value of looking for a goal: known deterministic moves, an unknown goal, as in GridNavi.

World m pays `found` for each arrival in its goal g_m and `step`, which is less, for any other move. All that is learned on the
way, until it is found, is that a state is not the goal, always the same answer: so the best policy is one path, followed up to
the goal, and then the best way to come back to it. With τ_m the step at which a path first arrives in g_m, its value is

    step Σ_t γᵗ + (found − step) Σ_m w_m N_m(τ_m),   N_m(τ) = γ^τ + most discounted arrivals in g_m after step τ

The path is found by dynamic programming over steps: of all paths to the same state with the same goals left, the best is kept,
and those are dropped whose upper bound, every goal left found at the best step that is possible, is below the value of a path
that is known (from a beam search). VariBAD's GridNavi (25 cells, 4 episodes of 15 steps) has 600,000 such states.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bamdp.prior import Belief

Array = NDArray[np.float64]
Index = NDArray[np.int64]

BEAM = 2000  # paths of the search for a good one
MOST_BITS = 62  # of an integer, for the goals left and a state
SLACK = 1e-9  # relative, for rounding


class TooManyPathsError(MemoryError):
    """More states and goals left are to be distinguished than there is room for."""


class HiddenGoal:
    """Worlds that differ in their goal, in a run of some steps.

    Args:
        arrivals: the next state of each action. [S, A]
        goals: the goal of each world, all different. [M]
        weights: the probability of each world. [M]
        rewards: reward of a move, and of an arrival in the goal.
        discount: discount factor, in [0, 1].
        start: state that the run starts in.
        horizon: number of steps.
        restart: state that later episodes start in.
        length: number of steps of an episode.
    """

    def __init__(
        self,
        arrivals: Index,
        goals: Index,
        weights: Array,
        rewards: tuple[float, float],
        discount: float,
        *,
        start: int,
        horizon: int,
        restart: int,
        length: int,
    ) -> None:
        self._arrivals, self._goals, self._rewards, self._discount = arrivals, goals, rewards, discount
        self._start, self._horizon, self._restart, self._length = start, horizon, restart, length
        self._bit = np.full(len(arrivals), -1)
        self._bit[goals] = np.arange(len(goals))
        self._worth = weights * self._counts()  # of finding each goal at each step [T, M]
        possible = np.where(self._possible(), self._worth, 0.0)
        self._most = np.vstack([np.maximum.accumulate(possible[::-1], axis=0)[::-1], np.zeros(len(goals))])  # from a step on

    def values(self, limit: int) -> tuple[Array, int]:
        """The Bayes-optimal value of each action, [A], and the number of states, with goals left, that were compared.

        Raises:
            TooManyPathsError: more than `limit` have to be compared.
        """
        best, compared = {}, 0
        for arrived in np.unique(self._arrivals[self._start]).tolist():
            known, _ = self._best(arrived, -np.inf, BEAM, limit)
            best[arrived], states = self._best(arrived, known - SLACK * max(1.0, abs(known)), None, limit - compared)
            compared += states
        step, found = self._rewards
        paid = step * float(np.sum(self._discount ** np.arange(self._horizon)))
        values = np.array([best[arrived] for arrived in self._arrivals[self._start].tolist()])
        return paid + (found - step) * values, compared

    def _best(self, at_first: int, known: float, beam: int | None, limit: int) -> tuple[float, int]:
        """The largest Σ w N of the paths whose first step leads to a state, and how many were compared."""
        M, (S, A) = len(self._goals), self._arrivals.shape
        at, left, score = np.array([at_first]), np.array([(1 << M) - 1]), np.zeros(1)
        compared = 0
        for t in range(self._horizon):
            if t > 0:
                at, left, score = self._arrivals[at].ravel(), np.repeat(left, A), np.repeat(score, A)
            bit = np.maximum(self._bit[at], 0)
            found = (self._bit[at] >= 0) & ((left >> bit) & 1 == 1)
            score = score + np.where(found, self._worth[t][bit], 0.0)
            left = np.where(found, left & ~(1 << bit), left)
            if (t + 1) % self._length == 0:
                at = np.full_like(at, self._restart)
            key = left * S + at
            order = np.lexsort((-score, key))
            kept = order[np.concatenate([[True], np.diff(key[order]) != 0])]  # the best of those with the same key
            bound = score[kept] + (left[kept, None] >> np.arange(M) & 1) @ self._most[t + 1]
            kept = kept[bound >= known] if beam is None else kept[np.argsort(-bound, kind="stable")[:beam]]
            at, left, score = at[kept], left[kept], score[kept]
            compared += len(kept)
            if compared > limit:
                raise TooManyPathsError(f"looking for the goal takes more than {limit} paths")
        return float(score.max()), compared

    def _counts(self) -> Array:
        """N: the discounted arrivals in each goal, if it is found at each step. [T, M]"""
        counts, later = np.zeros((self._horizon, len(self._goals))), np.zeros((len(self._goals), len(self._arrivals)))
        hits = self._arrivals == self._goals[:, None, None]  # [M, S, A]
        for t in range(self._horizon - 1, -1, -1):
            if (t + 1) % self._length == 0:
                later[:] = later[:, [self._restart]]
            counts[t] = self._discount**t + later[np.arange(len(self._goals)), self._goals]
            later = (hits * self._discount**t + later[:, self._arrivals]).max(axis=2)
        return counts

    def _possible(self) -> NDArray[np.bool_]:
        """Whether a goal can be found at a step at all. [T, M]"""
        possible, reached = [], np.array([self._start])
        for t in range(self._horizon):
            reached = np.unique(self._arrivals[[self._restart] if t and t % self._length == 0 else reached])
            possible.append(np.isin(self._goals, reached))
        return np.array(possible)


def solved(
    belief: Belief,
    discount: float,
    state: int,
    horizon: int,
    restart: int | None,
    time_limit: int | None,
    limit: int,
) -> tuple[Array, int] | None:
    """`HiddenGoal.values` for a belief over worlds that differ in their goal; None if they are not of this kind.

    Args:
        belief: the belief.
        discount: discount factor, in [0, 1].
        state: the current state.
        horizon: number of steps.
        restart: state in which later episodes start.
        time_limit: number of steps of an episode, with `restart`.
        limit: maximum number of paths that are compared.
    """
    known = belief.particles
    if known is None or known.weights is None or not belief.unknown_rewards or belief.unknown_terminal:
        return None
    worlds = np.flatnonzero(known.weights)
    table, paid = known.transitions[worlds[0]], known.rewards[worlds]
    if len(worlds) + np.log2(belief.num_states) > MOST_BITS:
        return None
    if (table.max(axis=2) < 1).any() or (known.transitions[worlds] != table).any():
        return None
    arrivals = table.argmax(axis=2)
    if paid.ndim == 4:
        paid = np.take_along_axis(paid, arrivals[None, :, :, None], axis=3)[..., 0]
    rewards = np.unique(paid)
    if len(rewards) != 2:
        return None
    pays = paid == rewards[1]  # [M, S, A]
    goals = arrivals.ravel()[pays.reshape(len(worlds), -1).argmax(axis=1)]
    if (pays != (arrivals == goals[:, None, None])).any() or len(np.unique(goals)) < len(goals):
        return None
    length = horizon if time_limit is None or restart is None else time_limit
    run = {"start": state, "horizon": horizon, "restart": state if restart is None else restart, "length": length}
    step, found = rewards.tolist()
    return HiddenGoal(arrivals, goals, known.weights[worlds], (step, found), discount, **run).values(limit)
