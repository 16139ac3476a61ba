"""Exact Bayes-optimal values along games: one solution for all of them, or one for each belief, some steps ahead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.domain import Domain
from bamdp.episode import Step
from bamdp.exact import BayesOptimal, bayes_optimal
from bamdp.exact.bayes_optimal import LIMIT, Walk
from bamdp.fit.data import Game, arms, observe, start
from bamdp.prior import Belief, Prior

Found = list[NDArray[np.float64]]


def exactly(
    domain: Domain, prior: Prior, depth: int | None
) -> Callable[[Game], tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """A function of a game: the values at its free choices [1, n, A], and zeros for their standard errors [n, A]."""
    solve = _to_deadline(domain, prior) if depth is None else _to_depth(domain, prior, depth)

    def values(game: Game) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        found = np.array(solve(game)).reshape(-1, domain.num_actions)
        return found[None], np.zeros_like(found)

    return values


def _to_deadline(domain: Domain, prior: Prior) -> Callable[[Game], Found]:
    """One solution for all games that start in a state, up to the deadline."""
    if domain.deadline is None:
        raise ValueError("Exact() needs a domain with a deadline; Exact(depth=...) looks so many steps ahead")
    tied, solved = arms(domain, prior), dict[int, BayesOptimal]()
    again: dict[str, Any] = {}
    if domain.episode_length is not None:
        again = {"restart": start(domain), "time_limit": domain.episode_length}

    def solve(game: Game) -> Found:
        first = 0 if tied else game.rows[0].state
        if first not in solved:
            task = (prior, domain.rewards, domain.discount, first, domain.deadline)
            solved[first] = bayes_optimal(*task, terminal=_terminal(domain, prior), **again, limit=LIMIT)
        walk, found = solved[first].walk(), []
        for index, row in enumerate(game.rows):
            if game.counted[index]:
                found.append(walk.values)
            if index + 1 < len(game.rows):
                if not tied and domain.episode_length is None and (row.terminated or row.truncated):
                    what = "Exact() takes games of one episode, or of episodes of one length; Exact(depth=...) takes others"
                    raise ValueError(f"{game.where(index + 1)}: an episode ended before, and {what}")
                _step(walk, row)
        return found

    return solve


def _to_depth(domain: Domain, prior: Prior, depth: int) -> Callable[[Game], Found]:
    """A solution for each belief, some steps ahead."""
    tied, solved = arms(domain, prior), dict[Any, NDArray[np.float64]]()

    def solve(game: Game) -> Found:
        belief, found = prior.belief(domain.num_states, domain.num_actions), []
        seen: Counter[tuple[Any, ...]] = Counter()
        since, at_start = list[Step](), copy(belief)  # the steps of this episode, and the belief before them
        for index, row in enumerate(game.rows):
            horizon = depth if domain.deadline is None else min(depth, domain.deadline - index)
            if game.counted[index]:
                key = frozenset(seen.items()), 0 if tied else row.state, horizon, len(since)
                if key not in solved and tied and horizon == 1:
                    solved[key] = _next_reward(belief, domain, row.state)  # a tenth of the time
                elif key not in solved and domain.episode_length is not None and len(since) + horizon > domain.episode_length:
                    solved[key] = _beyond(at_start, since, domain, row.state, horizon)
                elif key not in solved:
                    task = (belief, domain.rewards, domain.discount, row.state, horizon)
                    solved[key] = bayes_optimal(*task, terminal=_terminal(domain, prior)).values
                found.append(solved[key])
            if index + 1 < len(game.rows):
                observe(belief, row)
                learned = row.reward if prior.has_rewards else None, row[4:] if prior.has_ends else None
                seen[0 if tied else row.state, row.action, row.next_state, learned] += 1
                since.append(row)
                if row.terminated or row.truncated:
                    since, at_start = [], copy(belief)
        return found

    return solve


def _beyond(at_start: Belief, since: list[Step], domain: Domain, state: int, horizon: int) -> NDArray[np.float64]:
    """Values that look beyond the end of an episode: one solution from its start, followed to the present."""
    first = since[0].state if since else state
    task = (at_start, domain.rewards, domain.discount, first, len(since) + horizon)
    walk = bayes_optimal(*task, restart=start(domain), time_limit=domain.episode_length).walk()
    for row in since:
        _step(walk, row)
    return walk.values


def _step(walk: Walk, row: Step) -> None:
    """Follow a trial; at the end of an episode of fixed length the data don't tell whether it was terminated."""
    walk.step(row.action, row.next_state, row.reward, None if row.truncated else row.terminated)


def _terminal(domain: Domain, prior: Prior) -> frozenset[int]:
    return frozenset() if prior.has_ends else domain.terminal  # else those of one world


def _next_reward(belief: Belief, domain: Domain, state: int) -> NDArray[np.float64]:
    """The expected reward of each arm: values for one step. [A]"""
    return np.array([belief.predictive(state, arm) @ domain.rewards[state, arm] for arm in range(domain.num_actions)])
