"""Exact Bayes-optimal values from the probabilities of whole histories: no belief, no predictive
probabilities, no counts shared between histories.

With m(h) the probability of everything observed in h, integrated over the prior, and W(h) = m(h)
V(h),

    W(h) = max_a Σ_o m(h a o) r(h a o) + γ W(h a o)

over the outcomes o of an action: next state, reward, and whether the world ends the episode.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, lgamma
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Seen(NamedTuple):
    """One step as an agent sees it."""

    state: int
    action: int
    next_state: int
    reward: float
    ends: bool


History = tuple[Seen, ...]


@dataclass
class Truth:
    """A problem as the probability of its histories.

    Attributes:
        probability: m(h).
        outcomes: everything that may be seen after an action in a state, in some world.
        num_actions: number of actions.
        discount: discount factor.
        restart: state in which the next episode starts; None if nothing follows an episode.
        time_limit: number of steps of an episode.
    """

    probability: Callable[[History], float]
    outcomes: Callable[[int, int], Iterable[Seen]]
    num_actions: int
    discount: float
    restart: int | None = None
    time_limit: int | None = None

    def q_values(self, state: int, steps: int, history: History = (), elapsed: int = 0) -> Array:
        """The Bayes-optimal value of each action with `steps` steps left, `elapsed` steps into an
        episode. [A]
        """
        joint = [self._joint(state, a, steps, history, elapsed) for a in range(self.num_actions)]
        return np.array(joint) / self.probability(history)

    def _joint(self, state: int, action: int, steps: int, history: History, elapsed: int) -> float:
        total = 0.0
        for seen in self.outcomes(state, action):
            after = (*history, seen)
            probability = self.probability(after)
            if probability == 0:
                continue
            total += probability * seen.reward
            over = seen.ends or elapsed + 1 == self.time_limit
            if steps == 1 or (seen.ends and self.restart is None):
                continue
            if over and self.restart is not None:
                place, elapsed_then = self.restart, 0
            else:
                place, elapsed_then = seen.next_state, elapsed + 1
            total += self.discount * max(
                self._joint(place, a, steps - 1, after, elapsed_then)
                for a in range(self.num_actions)
            )
        return total


def dirichlet_row(counts: Sequence[int], alpha: Sequence[float]) -> float:
    """The probability of a sequence of outcomes with these counts, from a Dirichlet row."""
    if any(n > 0 and a == 0 for n, a in zip(counts, alpha, strict=True)):
        return 0.0
    log = lgamma(sum(alpha)) - lgamma(sum(alpha) + sum(counts))
    log += sum(lgamma(a + n) - lgamma(a) for n, a in zip(counts, alpha, strict=True) if a > 0)
    return float(np.exp(log))


def sparse_row(counts: Sequence[int], alpha: float, exponent: float) -> float:
    """The probability from a sparse Dirichlet row: a sum over all sets of possible next states."""
    S, total = len(counts), 0.0
    norm = sum(k**-exponent for k in range(1, S + 1))
    for k in range(1, S + 1):
        for support in combinations(range(S), k):
            row = [alpha if s in support else 0.0 for s in range(S)]
            total += k**-exponent / norm / comb(S, k) * dirichlet_row(counts, row)
    return total


def of_rows(
    row: Callable[[Sequence[int], int, int], float], tied: bool, S: int
) -> Callable[[History], float]:
    """m(h) for independent rows, from the probability of the outcomes of one; with `tied` a row is
    shared by all states.
    """

    def probability(history: History) -> float:
        counts: dict[tuple[int, int], list[int]] = {}
        for seen in history:
            pair = (0 if tied else seen.state, seen.action)
            counts.setdefault(pair, [0] * S)[seen.next_state] += 1
        return float(np.prod([row(n, *pair) for pair, n in counts.items()]))

    return probability


def of_worlds(
    weights: Array, tables: Array, rewards: Array | None, terminal: NDArray[np.bool_]
) -> Callable[[History], float]:
    """m(h) for finitely many worlds: tables [M, S, A, S], rewards [M, S, A] and terminal [M, S]."""

    def probability(history: History) -> float:
        total = 0.0
        for k, weight in enumerate(weights / weights.sum()):
            likelihood = weight
            for state, a, s_next, reward, ends in history:
                agrees = ends == terminal[k, s_next]
                if rewards is not None:
                    agrees &= reward == rewards[k, state, a]
                likelihood *= tables[k, state, a, s_next] * agrees
            total += likelihood
        return float(total)

    return probability
