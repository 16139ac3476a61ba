"""Exact operating characteristics, by recursion over the counts.

With π_k the allocation probabilities of a design at the counts (n, s), n patients and s successes on each arm, the probability
of the counts at the end is

    P(n, s) = w(n, s) Π_k p_k^{s_k} (1 − p_k)^{n_k − s_k}

where w sums, over all ways that lead there, the products of the π along the way. w does not depend on the success
probabilities: one recursion gives the characteristics for all of them, and averages over a Beta prior too, with
B(a + s, b + n − s)/B(a, b) in place of the powers. To stay in the range of floating-point numbers, w/2^t is kept after t
patients.

In a block of b patients, allocated with the same probabilities before any has responded, b_k are allocated to arm k with
probability b!/Π b_k! Π π_k^{b_k}.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from math import comb, factorial, prod

import numpy as np

from bamdp.trials.design import Array, Design, Pulls, Rule, grid
from bamdp.trials.fisher import FisherTest
from bamdp.trials.trial import Trial

STATES = 4 * 10**8  # that a recursion may go through, and
LAYER = 2 * 10**7  # at the end: about half a gigabyte

Layer = dict[Pulls, Array]


@dataclass(frozen=True)
class Moments:
    """Means, and standard deviations, of what counts at the end of a trial."""

    successes: float
    successes_sd: float
    share: float  # of the patients on one of some arms
    share_sd: float
    rejected: float  # probability that the test rejects


def possible(design: Design, trial: Trial) -> bool:
    """Whether a recursion is feasible: responses known at the next decision, and not too many counts."""
    states = 2 * trial.num_arms - 1
    few = comb(trial.patients + states, states) <= LAYER and comb(trial.patients + states, states + 1) <= STATES
    return few and (trial.delay == 0 or not design.adaptive)


class EndCounts:
    """The weights w/2^N of all counts at the end of a trial, for one design."""

    def __init__(self, design: Design, rule: Rule, trial: Trial, tick: Callable[[int], None] | None = None) -> None:
        block, self._patients = design.block_of(trial), trial.patients
        floor = trial.floor if design.adaptive else 0.0
        layer: Layer = {(0,) * trial.num_arms: np.ones((1,) * trial.num_arms)}
        for patient in range(0, trial.patients, block):
            layer = _next_layer(layer, rule, patient, min(block, trial.patients - patient), floor)
            if tick is not None:
                tick(patient + 1)
        self.layer = layer

    def at(self, arms: Sequence[float], best: tuple[int, ...], test: FisherTest) -> Moments:
        """Characteristics at given success probabilities; `best` are the arms whose share of the patients is asked for."""

        def factor(arm: int, n: int) -> Array:
            s = np.arange(n + 1)
            return np.asarray((2 * arms[arm]) ** s * (2 * (1 - arms[arm])) ** (n - s))

        return self._moments(factor, best, test)

    def on_average(self, prior: Array, best: tuple[int, ...], test: FisherTest) -> Moments:
        """Characteristics averaged over independent Beta priors, [A, 2]."""

        def factor(arm: int, n: int) -> Array:
            a, b = prior[arm]
            i = np.arange(n)
            with np.errstate(divide="ignore"):  # a count of 0: impossible
                logs = [np.concatenate([[0.0], np.cumsum(np.log(count + i))]) for count in (a, b, a + b)]
            return np.asarray(np.exp(logs[0] + logs[1][::-1] - logs[2][-1] + n * np.log(2)))

        return self._moments(factor, best, test)

    def _moments(self, factor: Callable[[int, int], Array], best: tuple[int, ...], test: FisherTest) -> Moments:
        sums = np.zeros(5)
        for pulls, weights in self.layer.items():
            successes = grid(pulls)[0]
            axes = [factor(arm, n).reshape(s.shape) for (arm, n), s in zip(enumerate(pulls), successes, strict=True)]
            chances = reduce(np.multiply, axes, weights)
            total, share = sum(successes), sum(pulls[arm] for arm in best) / self._patients
            mass = float(chances.sum())
            mean = float((chances * total).sum())
            rejected = float((chances * test.rejects(pulls)).sum())
            sums += mean, float((chances * total**2).sum()), share * mass, share**2 * mass, rejected
        mean, square, share, share_square, rejected = sums.tolist()
        return Moments(mean, max(0.0, square - mean**2) ** 0.5, share, max(0.0, share_square - share**2) ** 0.5, rejected)


def _next_layer(layer: Layer, rule: Rule, patient: int, block: int, floor: float) -> Layer:
    following: Layer = {}
    for pulls, weights in layer.items():
        chances = rule.probabilities(*grid(pulls), patient)
        if floor:
            chances = floor + (1 - len(pulls) * floor) * chances
        for numbers in _compositions(block, len(pulls)):
            ways = factorial(block) // prod(map(factorial, numbers))
            part = reduce(np.multiply, [chances[arm] ** n for arm, n in enumerate(numbers) if n], ways * weights)
            if not part.any():
                continue
            for arm, n in enumerate(numbers):
                for _ in range(n):
                    part = _responses(part, arm)
            after = tuple(n + more for n, more in zip(pulls, numbers, strict=True))
            following[after] = following[after] + part if after in following else part
    return following


def _responses(weights: Array, arm: int) -> Array:
    """One more patient on an arm, with a success or a failure."""
    shape = list(weights.shape)
    shape[arm] += 1
    after = np.zeros(shape)
    before = (slice(None),) * arm
    half = 0.5 * weights
    after[(*before, slice(1, None))] += half
    after[(*before, slice(None, -1))] += half
    return after


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as a sum of non-negative ones.

    Example:
        >>> list(_compositions(2, 2))
        [(2, 0), (1, 1), (0, 2)]
    """
    if parts == 1:
        yield (total,)
        return
    for first in range(total, -1, -1):
        for others in _compositions(total - first, parts - 1):
            yield (first, *others)
