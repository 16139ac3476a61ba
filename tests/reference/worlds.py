"""Bayes-optimal values for a set of worlds that differ in rewards and ends: a slow recursion over
all that can be seen.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class OneWorld(NamedTuple):
    """A world; the probabilities are few and exact."""

    transitions: NDArray[np.float64]  # [S, A, S]
    rewards: NDArray[np.float64]  # [S, A, S]
    terminal: frozenset[int]


Weights = tuple[Fraction, ...]


def optimal_values(
    worlds: list[OneWorld],
    weights: list[Fraction],
    discount: float,
    state: int,
    horizon: int,
    restart: int | None = None,
) -> list[float]:
    """The value of each action, `horizon` steps ahead; after the end of an episode nothing, or the
    next one from `restart`.
    """
    num_states, num_actions, _ = worlds[0].transitions.shape
    known: dict[tuple[int, Weights, int], list[float]] = {}

    def values(state: int, weights: Weights, steps: int) -> list[float]:
        key = (state, weights, steps)
        if key not in known:
            known[key] = [value(state, weights, action, steps) for action in range(num_actions)]
        return known[key]

    def value(state: int, weights: Weights, action: int, steps: int) -> float:
        seen: dict[tuple[int, float, bool], dict[int, Fraction]] = defaultdict(dict)
        for m, (world, weight) in enumerate(zip(worlds, weights, strict=True)):
            for next_state in range(num_states):
                probability = weight * Fraction(float(world.transitions[state, action, next_state]))
                if probability > 0:
                    reward = float(world.rewards[state, action, next_state])
                    seen[next_state, reward, next_state in world.terminal][m] = probability
        total = 0.0
        for (next_state, reward, ended), left in seen.items():
            probability = sum(left.values(), Fraction(0))
            after = tuple(left.get(m, Fraction(0)) / probability for m in range(len(worlds)))
            arrived = restart if ended else next_state
            later = 0.0 if arrived is None or steps == 1 else max(values(arrived, after, steps - 1))
            total += float(probability) * (reward + discount * later)
        return total

    return values(state, tuple(weights), horizon)
