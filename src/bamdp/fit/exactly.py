"""Exact Bayes-optimal values along games: one solution for all of them, or one for each belief, some steps ahead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import copy
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.exact import BayesOptimal, bayes_optimal
from bamdp.exact.bayes_optimal import LIMIT
from bamdp.fit.data import Game, arms, seen
from bamdp.problem import BAMDP
from bamdp.runs.loop import Step

Found = list[NDArray[np.float64]]


def exactly(problem: BAMDP, depth: int | None) -> Callable[[Game], tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """A function of a game: the values at its free choices [1, n, A], and zeros for their standard errors [n, A]."""
    solve, lock = _to_horizon(problem) if depth is None else _to_depth(problem, depth), Lock()

    def values(game: Game) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        with lock:  # what is solved for one game serves the others
            found = np.array(solve(game)).reshape(-1, problem.num_actions)
        return found[None], np.zeros_like(found)

    return values


def _to_horizon(problem: BAMDP) -> Callable[[Game], Found]:
    """One solution for all games that start in a state, up to the horizon."""
    if problem.horizon is None:
        raise ValueError("Exact() needs a problem with a horizon; Exact(depth=...) looks so many steps ahead")
    tied, solved = arms(problem), dict[int, BayesOptimal]()

    def solve(game: Game) -> Found:
        first = 0 if tied else game.rows[0].state
        if first not in solved:
            solved[first] = bayes_optimal(problem, first, limit=LIMIT)
        walk, found = solved[first].walk(), []
        for index, row in enumerate(game.rows):
            if game.counted[index]:
                found.append(walk.values)
            if index + 1 < len(game.rows):
                if not tied and problem.episode_length is None and (row.terminated or row.truncated):
                    what = "Exact() takes games of one episode, or of episodes of one length; Exact(depth=...) takes others"
                    raise ValueError(f"{game.where(index + 1)}: an episode ended before, and {what}")
                walk.step(row.action, *_learned(row))
        return found

    return solve


def _to_depth(problem: BAMDP, depth: int) -> Callable[[Game], Found]:
    """A solution for each belief, some steps ahead; beyond the end of an episode, one from its start, followed from there."""
    tied, solved, length = arms(problem), dict[Any, NDArray[np.float64]](), problem.episode_length

    def solve(game: Game) -> Found:
        belief, found = problem.belief(), []
        counts: Counter[tuple[Any, ...]] = Counter()
        since, at_start = list[Step](), copy(belief)  # the steps of this episode, and the belief before them
        for index, row in enumerate(game.rows):
            horizon = depth if problem.horizon is None else min(depth, problem.horizon - index)
            if game.counted[index]:
                key = frozenset(counts.items()), 0 if tied else row.state, horizon, len(since)
                if key not in solved:
                    beyond = length is not None and len(since) + horizon > length
                    past, before = (since, at_start) if beyond else ([], belief)
                    first = past[0].state if past else row.state
                    optimum = bayes_optimal(problem, first, horizon=len(past) + horizon, belief=before)
                    solved[key] = _followed(optimum, past) if past else optimum.values
                found.append(solved[key])
            if index + 1 < len(game.rows):
                belief.observe(*seen(row))
                learned = row.reward if belief.has_rewards else None, row[4:] if belief.has_ends else None
                counts[0 if tied else row.state, row.action, row.next_state, learned] += 1
                since.append(row)
                if row.terminated or row.truncated:
                    since, at_start = [], copy(belief)
        return found

    return solve


def _followed(optimum: BayesOptimal, past: list[Step]) -> NDArray[np.float64]:
    """The values after some steps. [A]"""
    walk = optimum.walk()
    for row in past:
        walk.step(row.action, *_learned(row))
    return walk.values


def _learned(row: Step) -> tuple[Any, ...]:
    """What a walk follows of a trial: next state, reward, and whether it terminated, where the data tell."""
    _, _, reward, next_state, terminated = seen(row)
    return next_state, reward, terminated
