"""Simulated trials: for those too large for the recursion.

A patient allocated at the decision for patient t, the first of the block, is allocated on the responses of patients i with
i + delay < t. All responses are known at the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp.trials.design import Array, Design, Rule
from bamdp.trials.trial import Trial


class Simulated(NamedTuple):
    """The counts at the end of many simulated trials."""

    successes: NDArray[np.int64]  # [A, N]
    pulls: NDArray[np.int64]  # [A, N]


def simulate(design: Design, rule: Rule, trial: Trial, chances: Array, rng: np.random.Generator) -> Simulated:
    """Trials with the success probabilities of each, [N, A], all at once."""
    runs, A, block = len(chances), trial.num_arms, design.block_of(trial)
    every = np.arange(runs)
    arms, responses = (np.zeros((trial.patients, runs), dtype=kind) for kind in (np.int64, bool))
    counts = np.zeros((2, A, runs), dtype=np.int64)  # failures and successes that are known
    known = 0  # patients
    floor = trial.floor * A if design.adaptive else 0.0
    for first in range(0, trial.patients, block):
        while known + trial.delay < first:
            np.add.at(counts, (responses[known].astype(int), arms[known], every), 1)
            known += 1
        for patient in range(first, min(first + block, trial.patients)):
            chosen = rule.draw(list(counts[1]), list(counts[0]), first, rng)
            if floor:
                chosen = np.where(rng.random(runs) < floor, rng.integers(A, size=runs), chosen)
            arms[patient] = chosen
            responses[patient] = rng.random(runs) < chances[every, chosen]
    on = [arms == arm for arm in range(A)]
    return Simulated(np.stack([(responses & here).sum(axis=0) for here in on]), np.stack([here.sum(axis=0) for here in on]))


def from_prior(trial: Trial, runs: int, rng: np.random.Generator) -> Array:
    """Success probabilities drawn from the prior; an arm with a count of 0 is known. [runs, A]"""
    a, b = trial.pseudo_counts.T
    known = (a == 0) | (b == 0)
    drawn = rng.beta(np.where(known, 1, a), np.where(known, 1, b), size=(runs, trial.num_arms))
    return np.where(known, a / (a + b), drawn)
