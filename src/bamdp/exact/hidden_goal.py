"""The exact Bayes-optimal value of looking for a goal: known deterministic moves, an unknown goal, as in GridNavi.

World m pays `found` for each arrival in its goal g_m and `step`, which is less, for any other move. All that is learned on the
way, until it is found, is that a state is not the goal, always the same answer: so the best policy is one path, followed up to
the goal, and then the best way to come back to it. With τ_m the step at which a path first arrives in g_m, its value is

    step Σ_t γᵗ + (found − step) Σ_m w_m N_m(τ_m),   N_m(τ) = γ^τ + most discounted arrivals in g_m after step τ

The path is found by dynamic programming over steps: of all paths to the same state with the same goals left, the best is kept,
and those are dropped whose upper bound is below the value of a path that is known (a beam search). N_m falls with τ, and two
goals are not found in the same step, so what is still to be had is at most

    Σ_m N_m(t) − Σ_i ℓ_i,   ℓ_i = min_m N_m(t) − N_m(i-th step from t on at which any goal can be found)

over the goals left. For VariBAD's GridNavi (25 cells, 4 episodes of 15 steps) 200,000 such states take half a second.
"""

from __future__ import annotations

from typing import NamedTuple

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


class HiddenGoal(NamedTuple):
    """The solution.

    Attributes:
        values: the Bayes-optimal value of each action. [A]
        path: the best actions as long as the goal is not found.
        states: number of states, with goals left, that were compared.
    """

    values: Array
    path: list[int]
    states: int


class _Paths(NamedTuple):
    """Paths of the same length, each to another state or with other goals left."""

    at: Index  # state that each has led to
    left: Index  # goals left, as bits
    score: Array  # Σ w N of those found
    parents: Index  # path that each goes on from
    actions: Index  # by which action

    def of(self, kept: Index) -> _Paths:
        """Some of them."""
        return _Paths(self.at[kept], self.left[kept], self.score[kept], self.parents[kept], self.actions[kept])


class Search:
    """The problem of a finite set of worlds that differ in their goal.

    Args:
        arrivals: the next state of each action. [S, A]
        goals: the goal of each world, all different. [M]
        weights: the probability of each world. [M]
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
        discount: float,
        *,
        start: int,
        horizon: int,
        restart: int,
        length: int,
    ) -> None:
        self._arrivals, self._weights, self._horizon, self._length = arrivals, weights, horizon, length
        self._start, self._restart = start, restart
        self._bit = np.full(len(arrivals), -1)
        self._bit[goals] = np.arange(len(goals))
        self._worth = weights * self._counts(goals, discount)  # [T, M] of finding each goal at each step
        possible = self._possible(goals)
        self._bound = self._envelope(possible)
        self._losses = self._slots(possible)
        self.compared = 0

    def best(self, first: int, limit: int) -> tuple[float, list[int]]:
        """The largest Σ w N of the paths that begin with the action `first`, and its path.

        Raises:
            TooManyPathsError: more than `limit` have to be compared.
        """
        known = self._run(first, -np.inf, BEAM, limit)[0]
        return self._run(first, known - SLACK * max(1.0, abs(known)), None, limit)

    def _run(self, first: int, known: float, beam: int | None, limit: int) -> tuple[float, list[int]]:
        everything = (1 << len(self._weights)) - 1
        none = np.zeros(1, np.int64)
        paths = [_Paths(np.array([self._start]), np.array([everything]), np.zeros(1), none, none)]
        for t in range(self._horizon):
            made = self._extended(paths[-1], t, np.arange(self._arrivals.shape[1]) if t > 0 else np.array([first]))
            bound = made.score + self._rest(made.left, t + 1)
            if beam is None:
                kept = np.flatnonzero(bound >= known)
            else:
                kept = np.argpartition(-bound, beam)[:beam] if len(bound) > beam else np.arange(len(bound))
            paths.append(made.of(kept))
            self.compared += len(kept)
            if self.compared > limit:
                raise TooManyPathsError(f"looking for the goal takes more than {limit} paths")
        return self._traced(paths)

    def _extended(self, paths: _Paths, t: int, choice: Index) -> _Paths:
        """Every path by every action of `choice`, the best of those that lead to the same state with the same goals left."""
        at = np.full_like(paths.at, self._restart) if t % self._length == 0 and t > 0 else paths.at
        arrived = self._arrivals[at][:, choice].ravel()
        parents, actions = np.repeat(np.arange(len(at)), len(choice)), np.tile(choice, len(at))
        left, score = paths.left[parents], paths.score[parents]
        bit = np.maximum(self._bit[arrived], 0)
        found = (self._bit[arrived] >= 0) & ((left >> bit) & 1 == 1)
        score = score + np.where(found, self._worth[t][bit], 0.0)
        left = np.where(found, left & ~(1 << bit), left)
        if (t + 1) % self._length == 0:
            arrived = np.full_like(arrived, self._restart)  # where it goes on
        key = left * len(self._arrivals) + arrived
        order = np.lexsort((-score, key))
        first = order[np.concatenate([[True], np.diff(key[order]) != 0])]
        return _Paths(arrived[first], left[first], score[first], parents[first], actions[first])

    def _rest(self, left: Index, t: int) -> Array:
        """At most what is still to be had, from step t on."""
        bits = (left[:, None] >> np.arange(len(self._weights)) & 1).astype(np.float64)
        number = bits.sum(axis=1).astype(np.int64)
        return np.asarray(bits @ self._bound[t] - self._losses[t][number])

    def _traced(self, paths: list[_Paths]) -> tuple[float, list[int]]:
        index = int(paths[-1].score.argmax())
        score, actions = float(paths[-1].score[index]), []
        for layer in paths[:0:-1]:
            actions.append(int(layer.actions[index]))
            index = int(layer.parents[index])
        return score, actions[::-1]

    def _counts(self, goals: Index, discount: float) -> Array:
        """N: the discounted arrivals in each goal, if it is found at each step. [T, M]"""
        S = len(self._arrivals)
        counts, later = np.zeros((self._horizon, len(goals))), np.zeros((len(goals), S))  # later: from each state on
        hits = self._arrivals[None] == goals[:, None, None]  # [M, S, A]
        for t in range(self._horizon - 1, -1, -1):
            if (t + 1) % self._length == 0:
                later = np.repeat(later[:, [self._restart]], S, axis=1)
            counts[t] = discount**t + later[np.arange(len(goals)), goals]
            later = (hits * discount**t + later[:, self._arrivals]).max(axis=2)
        return counts

    def _possible(self, goals: Index) -> NDArray[np.bool_]:
        """Whether a goal can be found at a step at all. [T, M]"""
        possible = np.zeros((self._horizon, len(goals)), bool)
        reached = np.zeros(len(self._arrivals), bool)
        for t in range(self._horizon):
            if t % self._length == 0:
                reached[:] = False
                reached[self._restart if t > 0 else self._start] = True
            going = np.zeros_like(reached)
            going[self._arrivals[reached]] = True
            reached = going
            possible[t] = reached[goals]
        return possible

    def _envelope(self, possible: NDArray[np.bool_]) -> Array:
        """The most that finding each goal is worth from a step on. [T + 1, M]"""
        worth = np.vstack([np.where(possible, self._worth, 0.0), np.zeros(len(self._weights))])
        return np.asarray(np.maximum.accumulate(worth[::-1], axis=0)[::-1])

    def _slots(self, possible: NDArray[np.bool_]) -> list[Array]:
        """The sums of the losses of the first 0, 1, 2, … goals found, for each step. [T + 1][M + 1]"""
        T, M = possible.shape
        any_possible = np.flatnonzero(possible.any(axis=1))
        sums = []
        for t in range(T + 1):
            slots = any_possible[any_possible >= t][:M]
            slots = np.concatenate([slots, np.full(M - len(slots), T)]).astype(np.int64)
            losses = (self._bound[t] - self._bound[slots]).min(axis=1)
            sums.append(np.concatenate([[0.0], np.cumsum(losses)]))
        return sums


def solved(
    belief: Belief,
    discount: float,
    state: int,
    horizon: int,
    restart: int | None,
    time_limit: int | None,
    limit: int,
) -> HiddenGoal | None:
    """The solution for a belief over worlds that differ in their goal; None if they are not of this kind.

    Args:
        belief: the belief.
        discount: discount factor, in [0, 1].
        state: the current state.
        horizon: number of steps.
        restart: state in which later episodes start.
        time_limit: number of steps of an episode, with `restart`.
        limit: maximum number of paths that are compared.
    """
    read = _read(belief)
    if read is None:
        return None
    arrivals, goals, weights, (step, found) = read
    length = horizon if time_limit is None or restart is None else time_limit
    settings = {"start": state, "restart": state if restart is None else restart}
    search = Search(arrivals, goals, weights, discount, horizon=horizon, length=length, **settings)
    _, first = np.unique(arrivals[state], return_index=True)  # actions that lead to the same state are worth the same
    best = {int(arrivals[state, action]): search.best(int(action), limit) for action in first}
    values = np.array([best[arrived][0] for arrived in arrivals[state].tolist()])
    paid = step * float(np.sum(discount ** np.arange(horizon)))
    path = best[int(arrivals[state, values.argmax()])][1]
    return HiddenGoal(paid + (found - step) * values, path, search.compared)


def _read(belief: Belief) -> tuple[Index, Index, Array, tuple[float, float]] | None:
    """Moves [S, A], goals [M] and weights [M] of the worlds, and the two rewards; None if they are not of this kind."""
    known = belief.particles
    if known is None or known.weights is None:
        return None
    weights = known.weights
    worlds = np.flatnonzero(weights)
    if not belief.has_rewards or belief.has_ends or len(worlds) + np.log2(belief.num_states) > MOST_BITS:
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
    pays = paid == rewards[1]  # [M, S, A]
    goals = arrivals.ravel()[pays.reshape(len(worlds), -1).argmax(axis=1)]
    if (pays != (arrivals == goals[:, None, None])).any() or len(np.unique(goals)) < len(goals):
        return None
    return arrivals, goals, weights[worlds], (float(rewards[0]), float(rewards[1]))
