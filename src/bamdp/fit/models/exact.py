"""Exact Bayes-optimal values along games: one solution for all of them, or one for each belief,
some steps ahead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.exact.bayes_optimal import bayes_optimal
from bamdp.exact.belief_states import LIMIT
from bamdp.exact.normal_arms import two_normal_arms
from bamdp.exact.solution import BayesOptimal
from bamdp.fit.arms import beta_arms, posteriors
from bamdp.fit.valuation import Game, Seed, Valuation, Values
from bamdp.priors.normal_arms import normal_outcomes
from bamdp.problem import BAMDP
from bamdp.steps import Step
from bamdp.validation import positive_integer

Array = NDArray[np.float64]
Rows = list[Array] | Array  # the values of each free choice [A]


@dataclass(frozen=True)
class Exact(Valuation):
    """Exact Bayes-optimal values in place of an agent: no simulations, no noise; for problems small
    enough.

    Args:
        depth: steps that the person looks ahead, no more than are left; to the horizon if not
            given.

    Example:
        >>> Exact(depth=2)
        Exact(depth=2)
    """

    depth: int | None = None

    def __post_init__(self) -> None:
        if self.depth is not None:
            object.__setattr__(self, "depth", positive_integer("depth", self.depth))

    def evaluator(self, problem: BAMDP) -> Callable[[Game, Seed], Values]:
        if problem.horizon is None and self.depth is None:
            raise ValueError(
                "Exact() needs a problem with a horizon; Exact(depth=...) looks so many steps ahead"
            )
        solve, lock = self._solver(problem), Lock()

        def value(game: Game, seed: Seed) -> Values:
            with lock:  # what is solved for one game serves the others
                values = np.array(solve(game)).reshape(-1, problem.num_actions)
            return values[None], np.zeros_like(values)

        return value

    def _solver(self, problem: BAMDP) -> Callable[[Game], Rows]:
        if normal_outcomes(problem.prior) is not None:
            return _two_arms(problem, self.depth)
        from_each = _to_depth(problem, self.depth or problem.horizon or 0)
        if self.depth is not None:
            return from_each
        along_all = _to_horizon(problem)
        return lambda game: (from_each if game.has_timeouts else along_all)(game)


def _two_arms(problem: BAMDP, depth: int | None) -> Callable[[Game], Rows]:
    """Two normal arms: all choices of a game at once."""
    solution, _ = two_normal_arms(problem)

    def solve(game: Game) -> Rows:
        free = np.flatnonzero(game.counted)
        left = np.full(len(free), depth or 0)
        if problem.horizon is not None:
            left = problem.horizon - game.elapsed[free]
            left = left if depth is None else np.minimum(left, depth)
        pulls = game.before(np.ones(len(game.rows)), 2)
        return solution.q_values(posteriors(problem, game)[0][free], pulls[free], left)

    return solve


def _to_horizon(problem: BAMDP) -> Callable[[Game], Rows]:
    """One solution for all games that start in a state, up to the horizon."""
    tied, solved = beta_arms(problem), dict[int, BayesOptimal]()

    def solve(game: Game) -> Rows:
        first = 0 if tied else game.rows[0].state
        if first not in solved:
            solved[first] = bayes_optimal(problem, first, limit=LIMIT)
        walk, values = solved[first].walk(), []
        one_episode = not tied and problem.episode_length is None
        for index, row in enumerate(game.rows):
            if game.counted[index]:
                values.append(walk.q_values)
            if index + 1 < len(game.rows):
                if one_episode and game.ends[index]:
                    raise ValueError(
                        f"{game.where(index + 1)}: an episode ended before, and Exact() takes "
                        "games of one episode, or of episodes of one length; Exact(depth=...) "
                        "takes others"
                    )
                walk.step(row.action, row.next_state, row.reward, row.terminated)
        return values

    return solve


def _to_depth(problem: BAMDP, depth: int) -> Callable[[Game], Rows]:
    """A solution for each belief, some steps ahead; beyond the end of an episode, one from its
    start, followed from there.
    """
    tied, length = beta_arms(problem), problem.episode_length
    solved: dict[Any, Array] = {}

    def solve(game: Game) -> Rows:
        values: list[Array] = []
        belief = problem.belief()
        counts: Counter[tuple[Any, ...]] = Counter()
        since: list[Step] = []  # the steps of this episode
        at_start = copy(belief)  # the belief before them
        for index, row in enumerate(game.rows):
            horizon = depth
            if problem.horizon is not None:
                horizon = min(depth, problem.horizon - int(game.elapsed[index]))
            if game.counted[index]:
                key = frozenset(counts.items()), 0 if tied else row.state, horizon, len(since)
                if key not in solved:
                    beyond = length is not None and len(since) + horizon > length
                    past, before = (since, at_start) if beyond else ([], belief)
                    first, ahead = past[0].state if past else row.state, len(past) + horizon
                    optimum = bayes_optimal(problem, first, horizon=ahead, belief=before)
                    solved[key] = _followed(optimum, past) if past else optimum.q_values
                values.append(solved[key])
            if index + 1 < len(game.rows):
                belief.observe(*row)
                learned = (
                    row.reward if belief.problem.prior.unknown_rewards else None,
                    row.terminated if belief.problem.prior.unknown_terminal else None,
                )
                counts[0 if tied else row.state, row.action, row.next_state, learned] += 1
                since.append(row)
                if game.ends[index]:
                    since, at_start = [], copy(belief)
        return values

    return solve


def _followed(optimum: BayesOptimal, past: list[Step]) -> Array:
    """The values after some steps. [A]"""
    walk = optimum.walk()
    for row in past:
        walk.step(row.action, row.next_state, row.reward, row.terminated)
    return walk.q_values
