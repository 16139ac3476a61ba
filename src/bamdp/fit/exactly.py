"""Exact Bayes-optimal values along games: one solution for all of them, or one for each belief, some steps ahead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.domain import Domain
from bamdp.exact import BayesOptimal, bayes_optimal
from bamdp.exact.arms import arms_table, outcome_rewards
from bamdp.exact.bayes_optimal import LIMIT
from bamdp.fit.data import Game
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
    tied, solved = _arms(domain, prior), dict[int, BayesOptimal]()

    def solve(game: Game) -> Found:
        start = 0 if tied else int(game.states[0])
        if start not in solved:
            task = (prior, domain.rewards, domain.discount, start, domain.deadline)
            solved[start] = bayes_optimal(*task, terminal=domain.terminal, limit=LIMIT)
        walk, found = solved[start].walk(), []
        for index, (state, action, _, next_state) in enumerate(game.rows()):
            if not tied and index and state != game.next_states[index - 1]:
                raise ValueError(
                    f"{game.where(index)}: state is {state}, and the step before led to {game.next_states[index - 1]}; "
                    "Exact() takes games of one episode"
                )
            if game.counted[index]:
                found.append(walk.values)
            if index + 1 < len(game.actions):
                walk.step(action, next_state)
        return found

    return solve


def _to_depth(domain: Domain, prior: Prior, depth: int) -> Callable[[Game], Found]:
    """A solution for each belief, some steps ahead."""
    tied, solved = _arms(domain, prior), dict[Any, NDArray[np.float64]]()

    def solve(game: Game) -> Found:
        belief, found = prior.belief(domain.num_states, domain.num_actions), []
        seen: Counter[tuple[int, int, int]] = Counter()
        for index, (state, action, reward, next_state) in enumerate(game.rows()):
            horizon = depth if domain.deadline is None else min(depth, domain.deadline - index)
            if game.counted[index]:
                key = frozenset(seen.items()), 0 if tied else state, horizon
                if key not in solved and tied and horizon == 1:
                    solved[key] = _next_reward(belief, domain, state)  # a tenth of the time
                elif key not in solved:
                    task = (belief, domain.rewards, domain.discount, state, horizon)
                    solved[key] = bayes_optimal(*task, terminal=domain.terminal).values
                found.append(solved[key])
            if index + 1 < len(game.actions):
                belief.observe_step(state, action, reward, next_state)
                seen[0 if tied else state, action, next_state] += 1
        return found

    return solve


def _next_reward(belief: Belief, domain: Domain, state: int) -> NDArray[np.float64]:
    """The expected reward of each arm: values for one step. [A]"""
    return np.array([belief.predictive(state, arm) @ domain.rewards[state, arm] for arm in range(domain.num_actions)])


def _arms(domain: Domain, prior: Prior) -> bool:
    """Whether these are arms: the state, the last outcome, says nothing."""
    is_bandit = domain.num_states == 2 and outcome_rewards(domain.rewards) is not None
    return is_bandit and arms_table(prior, domain.rewards) is not None
