"""The exact Bayes-optimal value of looking for a goal: known deterministic moves, an unknown goal,
as in GridNavi.

World m pays r⁺ for each arrival in its goal g_m and r⁻ < r⁺ for any other move. All that is learned
on the way to the goal is that a state is not the goal, always the same answer: so the best policy
is one path, followed up to the goal, and then the best way to come back to it. With τ_m the step at
which a path first arrives in g_m, its value is

    r⁻ Σ_t γᵗ + (r⁺ − r⁻) Σ_m w_m N_m(τ_m)
    N_m(τ) = γ^τ + most discounted arrivals in g_m after step τ

The path is found by dynamic programming over steps: of all paths to the same state with the same
goals left, the best is kept, and those are dropped whose upper bound, every goal left found at the
best step that is possible, is below the value of a path that is known (from a beam search).
VariBAD's GridNavi (25 cells, 4 episodes of 15 steps) has 600,000 such states.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bamdp.exact.solution import BayesOptimal, LaterValues, Question
from bamdp.prior import Belief

Array = NDArray[np.float64]
Index = NDArray[np.int64]

BEAM = 2000  # paths of the search for a good one
MOST_BITS = 62  # of an integer, for the goals left and a state
SLACK = 1e-9  # relative, for rounding
MOST_PATHS = 5_000_000  # compared by `bayes_optimal`


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
        self._arrivals, self._goals, self._rewards, self._discount = (
            arrivals,
            goals,
            rewards,
            discount,
        )
        self._start, self._horizon, self._restart, self._length = start, horizon, restart, length
        self._bit = np.full(len(arrivals), -1)
        self._bit[goals] = np.arange(len(goals))
        self._worth = weights * self._counts()  # of finding each goal at each step [T, M]
        possible = np.where(self._possible(), self._worth, 0.0)
        self._most = np.vstack(
            [np.maximum.accumulate(possible[::-1], axis=0)[::-1], np.zeros(len(goals))]
        )  # from a step on

    @classmethod
    def of(
        cls,
        belief: Belief,
        *,
        start: int,
        horizon: int,
        restart: int | None = None,
        length: int | None = None,
    ) -> HiddenGoal | None:
        """The worlds of a belief, if they differ in their goal alone; None if not.

        Args:
            belief: the belief.
            start: state that the run starts in.
            horizon: number of steps.
            restart: state that later episodes start in.
            length: number of steps of an episode, with `restart`.
        """
        known = belief.particles
        if (
            known is None
            or known.weights is None
            or not belief.problem.prior.unknown_rewards
            or belief.problem.prior.unknown_terminal
        ):
            return None
        worlds = np.flatnonzero(known.weights)
        if len(worlds) + np.log2(belief.problem.num_states) > MOST_BITS:
            return None
        table, paid = known.transitions[worlds[0]], known.rewards[worlds]
        if (table.max(axis=2) < 1).any() or (known.transitions[worlds] != table).any():
            return None
        arrivals = table.argmax(axis=2)
        if paid.ndim == 4:
            paid = np.take_along_axis(paid, arrivals[None, :, :, None], axis=3)[..., 0]
        rewards = np.unique(paid)
        if len(rewards) != 2:
            return None
        at_goal = paid == rewards[1]  # [M, S, A]
        goals = arrivals.ravel()[at_goal.reshape(len(worlds), -1).argmax(axis=1)]
        if (at_goal != (arrivals == goals[:, None, None])).any():
            return None
        if len(np.unique(goals)) < len(goals):
            return None
        return cls(
            arrivals,
            goals,
            known.weights[worlds],
            (float(rewards[0]), float(rewards[1])),
            belief.problem.discount,
            start=start,
            horizon=horizon,
            restart=start if restart is None else restart,
            length=horizon if length is None or restart is None else length,
        )

    def q_values(self, limit: int) -> tuple[Array, int] | None:
        """The Bayes-optimal value of each action, [A], and the number of states, with goals left,
        that were compared; None if more than `limit` have to be.
        """
        best, compared = {}, 0
        for arrived in np.unique(self._arrivals[self._start]).tolist():
            beam = self._best(arrived, -np.inf, BEAM, limit)
            if beam is None:
                return None
            known = beam[0]
            path = self._best(arrived, known - SLACK * max(1.0, abs(known)), None, limit - compared)
            if path is None:
                return None
            best[arrived], states = path
            compared += states
        step, goal = self._rewards
        paid = step * float(np.sum(self._discount ** np.arange(self._horizon)))
        values = np.array([best[arrived] for arrived in self._arrivals[self._start].tolist()])
        return paid + (goal - step) * values, compared

    def _best(
        self, at_first: int, known: float, beam: int | None, limit: int
    ) -> tuple[float, int] | None:
        """The largest Σ w N of the paths whose first step leads to a state, and how many were
        compared; None if these are more than `limit`.
        """
        M, (S, A) = len(self._goals), self._arrivals.shape
        at, left, score = np.array([at_first]), np.array([(1 << M) - 1]), np.zeros(1)
        compared = 0
        for t in range(self._horizon):
            if t > 0:
                at, left, score = (
                    self._arrivals[at].ravel(),
                    np.repeat(left, A),
                    np.repeat(score, A),
                )
            bit = np.maximum(self._bit[at], 0)
            at_goal = (self._bit[at] >= 0) & ((left >> bit) & 1 == 1)
            score = score + np.where(at_goal, self._worth[t][bit], 0.0)
            left = np.where(at_goal, left & ~(1 << bit), left)
            if (t + 1) % self._length == 0:
                at = np.full_like(at, self._restart)
            key = left * S + at
            order = np.lexsort((-score, key))
            kept = order[
                np.concatenate([[True], np.diff(key[order]) != 0])
            ]  # the best of those with the same key
            bound = score[kept] + (left[kept, None] >> np.arange(M) & 1) @ self._most[t + 1]
            kept = (
                kept[bound >= known]
                if beam is None
                else kept[np.argsort(-bound, kind="stable")[:beam]]
            )
            at, left, score = at[kept], left[kept], score[kept]
            compared += len(kept)
            if compared > limit:
                return None
        return float(score.max()), compared

    def _counts(self) -> Array:
        """N: the discounted arrivals in each goal, if it is found at each step. [T, M]"""
        counts, later = (
            np.zeros((self._horizon, len(self._goals))),
            np.zeros((len(self._goals), len(self._arrivals))),
        )
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
            reached = np.unique(
                self._arrivals[[self._restart] if t and t % self._length == 0 else reached]
            )
            possible.append(np.isin(self._goals, reached))
        return np.array(possible)


def solve_hidden_goal(question: Question, later: LaterValues) -> BayesOptimal | None:
    """The solution by the best path; None for other worlds, without a horizon, or if there are too
    many paths.
    """
    if question.limit is not None or not question.is_finite or question.problem.terminal:
        return None
    goal = HiddenGoal.of(
        question.belief,
        start=question.state,
        horizon=question.horizon,
        restart=question.restart,
        length=question.time_limit,
    )
    solved = None if goal is None else goal.q_values(MOST_PATHS)
    if solved is None:
        return None
    q_values, paths = solved
    return BayesOptimal(
        q_values, question.error_bound, question.horizon, question.leaf, paths, later
    )
