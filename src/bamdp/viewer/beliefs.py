"""A belief as data for the page: transitions row by row, or the columns and rows of an infinite grid."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.domain import Domain
from bamdp.domains import InfiniteGrid
from bamdp.prior import Belief
from bamdp.priors.grid_rewards import GridBelief
from bamdp.priors.unknown_rewards import UnknownRewardsBelief

DRAWS = 400  # from the posterior, for the intervals of columns and rows: 10 ms after 200 steps
TABLES = 200  # from the posterior, for the intervals of transitions: 15 ms
INTERVAL = (0.05, 0.95)
SHOWN = 6  # next states of one row, at most; the others are summed up
LEAST = 0.02  # probability of a next state that is shown
LARGEST_DRAWN = 1000  # S·A·S of worlds whose tables are drawn for intervals


class Rows:
    """The posterior mean of the transitions, if the belief has one."""

    def __init__(self, belief: Belief | None, domain: Domain, label: Callable[[int], str]) -> None:
        # A belief over rewards has the one over transitions inside.
        self._belief: Belief | None = getattr(belief, "transitions", belief)
        self._with_rewards = belief
        self._domain, self._label = domain, label
        self.counts: Counter[tuple[int, int]] = Counter()  # how often each state and action was observed
        self.known = self._tells()
        self._rewards: NDArray[np.float64] | None = None

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
        successors, probabilities = (getattr(self._domain, name, None) for name in ("successors", "probabilities"))
        if successors is None or probabilities is None:
            return None
        row = np.zeros(self._domain.num_states)
        np.add.at(row, successors[state, action], probabilities[state, action])
        return row

    def intervals(self, state: int) -> NDArray[np.float64] | None:
        """Where nine tenths of the posterior are, for each action and next state; None if that takes too long. [2, A, S]"""
        S, A = self._domain.num_states, self._domain.num_actions
        if self._belief is None or not self.known or S * A * S > LARGEST_DRAWN:
            return None
        rng = np.random.default_rng(0)  # the picture's own: the agent's random generator isn't touched
        try:
            draws = np.stack([self._belief.sample_mdp(rng)[state] for _ in range(TABLES)])
        except TypeError:
            return None
        return np.asarray(np.quantile(draws, INTERVAL, axis=0))

    def _mean_rewards(self, state: int) -> NDArray[np.float64] | None:
        """Of each action in `state`, if rewards are part of the belief. [A]"""
        belief = self._with_rewards
        if isinstance(belief, UnknownRewardsBelief):
            return np.array([belief.mean_reward(state, action) for action in range(self._domain.num_actions)])
        try:
            return belief.mean_rewards()[state] if belief is not None and belief.has_rewards else None
        except TypeError:
            return None

    def from_state(self, state: int) -> list[dict[str, Any]]:
        """For each action: how often it was taken here, and where it leads, the most probable first."""
        if not self.known:
            return []
        intervals = self.intervals(state)
        self._rewards = self._mean_rewards(state)
        return [self._row(state, action, intervals) for action in range(self._domain.num_actions)]

    def _row(self, state: int, action: int, intervals: NDArray[np.float64] | None) -> dict[str, Any]:
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
        reward = None if self._rewards is None else float(self._rewards[action])
        return {"count": self.counts[state, action], "next": entries, "rest": rest, "reward": reward}


class Lines:
    """The posterior of the columns and rows of an infinite grid.

    A chain of its own draws it, the one that mixes best (docs/infinite_grid.md); the posterior is the agent's.
    """

    def __init__(self, belief: GridBelief, domain: InfiniteGrid) -> None:
        self._prior, self._domain = belief.prior, domain
        self._belief = replace(belief.prior, proposal="gibbs").belief(belief.num_states, belief.num_actions)

    def observe(self, state: int, action: int, next_state: int) -> None:
        self._belief.observe(state, action, next_state)

    def around(self, columns: Iterable[int], rows: Iterable[int]) -> dict[str, list[dict[str, Any]]]:
        """Mean, interval and truth of each of these columns and rows; those that cross no cell seen are the prior's."""
        p, q = {}, {}
        if self._belief.cells():
            draws = self._belief.sample_parameters(DRAWS, np.random.default_rng(0), thin=50, burn_in=5000)
            p, q = _summary(draws.column_coordinates, draws.columns), _summary(draws.row_coordinates, draws.rows)
        world, prior = self._domain, self._prior
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
