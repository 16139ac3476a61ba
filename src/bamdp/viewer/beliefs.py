"""A belief as data for the page: transitions row by row, or the columns and rows of an infinite grid."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from bamdp.domain import Domain
from bamdp.domains import InfiniteGrid
from bamdp.prior import Belief
from bamdp.priors.grid_rewards import GridBelief, GridRewards
from bamdp.problem import BAMDP
from bamdp.runs.loop import Step

DRAWS = 400  # from the posterior, for the intervals of columns and rows: 10 ms after 200 steps
TABLES = 200  # from the posterior, for the intervals of transitions: 15 ms
INTERVAL = (0.05, 0.95)
SHOWN = 6  # next states of one row, at most; the others are summed up
LEAST = 0.02  # probability of a next state that is shown
LARGEST_DRAWN = 1000  # S·A·S of worlds whose tables are drawn for intervals


class Rows:
    """The posterior mean of the transitions, if the belief has one."""

    def __init__(self, belief: Belief | None, domain: Domain, label: Callable[[int], str]) -> None:
        self._belief, self._domain, self._label = belief, domain, label
        self.counts: Counter[tuple[int, int]] = Counter()  # how often each state and action was observed
        self.known = self._tells()

    def _tells(self) -> bool:
        try:
            return self._belief is not None and self._belief.predictive(0, 0) is not None
        except TypeError:
            return False

    def observe(self, state: int, action: int) -> None:
        self.counts[state, action] += 1

    def mean(self, state: int, action: int) -> NDArray[np.float64]:
        """The probability of each next state. [S]"""
        assert self._belief is not None
        return self._belief.predictive(state, action)

    def truth(self, state: int, action: int) -> NDArray[np.float64] | None:
        """The true probability of each next state, if the world is a table. [S]"""
        mdp = self._domain.mdp
        if mdp is None or mdp.successors is None:
            return None if mdp is None else mdp.probabilities[state, action]
        row = np.bincount(mdp.successors[state, action], mdp.probabilities[state, action], mdp.num_states)
        return np.asarray(row, dtype=np.float64)

    def intervals(self, state: int) -> NDArray[np.float64] | None:
        """Where nine tenths of the posterior are, for each action and next state; None if that takes too long. [2, A, S]"""
        S, A = self._domain.num_states, self._domain.num_actions
        if self._belief is None or not self.known or S * A * S > LARGEST_DRAWN:
            return None
        over_transitions: Belief = getattr(self._belief, "transitions", self._belief)  # without a draw of rewards
        try:  # with the picture's own random generator: the agent's isn't touched
            draws = over_transitions.sample(TABLES, np.random.default_rng(0)).transitions[:, state]
        except TypeError:
            return None
        return np.asarray(np.quantile(draws, INTERVAL, axis=0))

    def _mean_rewards(self, state: int) -> list[float | None]:
        """Of each action in `state`; None if rewards are no part of the belief. [A]"""
        actions, belief = range(self._domain.num_actions), self._belief
        if belief is None or not belief.has_rewards:
            return [None for _ in actions]
        if hasattr(belief, "mean_reward"):  # without those of all states
            return [float(belief.mean_reward(state, action)) for action in actions]
        return list(belief.mean().expected_rewards[state].tolist())

    def from_state(self, state: int) -> list[dict[str, Any]]:
        """For each action: how often it was taken here, and where it leads, the most probable first."""
        if not self.known:
            return []
        intervals = self.intervals(state)
        return [self._row(state, action, intervals, paid) for action, paid in enumerate(self._mean_rewards(state))]

    def _row(self, state: int, action: int, intervals: NDArray[np.float64] | None, reward: float | None) -> dict[str, Any]:
        mean, truth = self.mean(state, action), self.truth(state, action)
        even = len(mean) > SHOWN and np.ptp(mean) < 1e-12  # nothing is known: no state is worth naming
        first = [] if even else [int(s) for s in np.argsort(-mean, kind="stable")[:SHOWN] if mean[s] >= LEAST]
        entries = [
            {
                "state": self._label(s),
                "mean": float(mean[s]),
                "low": None if intervals is None else float(intervals[0, action, s]),
                "high": None if intervals is None else float(intervals[1, action, s]),
                "truth": None if truth is None else float(truth[s]),
            }
            for s in first
        ]
        others = len(mean) - len(first)
        rest = {"states": others, "mean": max(0.0, float(1 - mean[first].sum()))} if others else None
        return {"count": self.counts[state, action], "next": entries, "rest": rest, "reward": reward}


def grid_belief(problem: BAMDP) -> GridBelief:
    """A belief like that of an agent with the prior `GridRewards`, by the chain that mixes best (docs/infinite_grid.md)."""
    return replace(cast(GridRewards, problem.prior), proposal="gibbs").belief(problem)


class Lines:
    """The posterior of the columns and rows of an infinite grid: the agent's, but drawn by a chain of its own."""

    def __init__(self, problem: BAMDP, domain: InfiniteGrid) -> None:
        self._belief, self._domain = grid_belief(problem), domain

    def observe(self, step: Step) -> None:
        self._belief.observe(step.state, step.action, step.reward, step.next_state)

    def around(self, columns: Iterable[int], rows: Iterable[int]) -> dict[str, list[dict[str, Any]]]:
        """Mean, interval and truth of each of these columns and rows; those that cross no cell seen are the prior's."""
        p, q = {}, {}
        if self._belief.cells():
            draws = self._belief.sample_parameters(DRAWS, np.random.default_rng(0), thin=50, burn_in=5000)
            p, q = _summary(draws.column_coordinates, draws.columns), _summary(draws.row_coordinates, draws.rows)
        world, prior = self._domain, self._belief.prior
        return {
            "columns": [_line(x, p.get(x), prior.columns, world.column(x)) for x in columns],
            "rows": [_line(y, q.get(y), prior.rows, world.row(y)) for y in rows],
        }


def _summary(coordinates: NDArray[np.int64], draws: NDArray[np.float64]) -> dict[int, tuple[float, float, float]]:
    table = np.vstack([draws.mean(axis=0), *np.quantile(draws, INTERVAL, axis=0)]).T
    return {int(at): (float(m), float(low), float(high)) for at, (m, low, high) in zip(coordinates, table, strict=True)}


def _line(at: int, found: tuple[float, float, float] | None, prior: tuple[float, float], truth: float) -> dict[str, Any]:
    mean, low, high = (prior[0] / sum(prior), None, None) if found is None else found
    return {"at": at, "mean": mean, "low": low, "high": high, "seen": found is not None, "truth": truth}
