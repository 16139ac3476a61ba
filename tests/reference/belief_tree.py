"""Exact Bayes-optimal values by recursion over any hashable belief: the truth for priors that are
not tables of counts.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp import Prior
from reference.problems import belief_of

Outcome = tuple[
    float, int, float, bool, Hashable
]  # probability, next state, reward, whether the world ends, next belief
Outcomes = Callable[[Hashable, int, int], Iterable[Outcome]]  # of belief, state and action


def action_values(
    outcomes: Outcomes, belief: Hashable, state: int, steps: int, num_actions: int, discount: float
) -> NDArray[np.float64]:
    """Q*(<state, belief>, a) with `steps` steps to go. [A]"""

    @cache
    def best(belief: Hashable, state: int, steps: int) -> float:
        return max(value(belief, state, a, steps) for a in range(num_actions)) if steps else 0.0

    def value(belief: Hashable, state: int, a: int, steps: int) -> float:
        return sum(
            p * (reward + (0.0 if ends else discount * best(after, next_state, steps - 1)))
            for p, next_state, reward, ends, after in outcomes(belief, state, a)
        )

    return np.array([value(belief, state, a, steps) for a in range(num_actions)])


def bayes_optimal_values(
    prior: Prior,
    rewards: NDArray[np.float64],
    discount: float,
    state: int,
    steps: int,
    seen: Iterable[tuple[int, int, int]] = (),
    terminal: Collection[int] = (),
    restart: int | None = None,
    time_limit: int | None = None,
) -> NDArray[np.float64]:
    """The same of a prior, after the transitions `seen`: every belief is made again from all of
    them. [A]

    With `restart` a run goes on there after each episode, at the latest after `time_limit` steps.
    """

    def outcomes(known: Any, s: int, a: int) -> Iterator[Outcome]:
        (seen, in_episode), belief = known, belief_of(prior, *rewards.shape[:2])
        for before, action, then in seen:
            belief.observe(before, action, None, then)
        for s_next, p in enumerate(belief.predictive(s, a)):
            after, ends = tuple(sorted((*seen, (s, a, s_next)))), s_next in terminal
            if p > 0 and restart is not None and (ends or in_episode + 1 == time_limit):
                yield p, restart, rewards[s, a, s_next], False, (after, 0)
            elif p > 0:
                yield p, s_next, rewards[s, a, s_next], ends, (after, in_episode + 1)

    return action_values(outcomes, (tuple(seen), 0), state, steps, rewards.shape[1], discount)
