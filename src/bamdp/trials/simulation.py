"""Simulated trials, all at once: one array has an entry for each of many trials."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp.progress import progress
from bamdp.trials.counts import Array

if TYPE_CHECKING:
    from bamdp.trials.design import Design, Rule
    from bamdp.trials.trial import Trial

# Whether a patient, from 0, responds in each trial, given the arm of each. [R], [R] → [R]
Respond = Callable[[int, NDArray[np.int64]], NDArray[np.bool_]]


class Counts(NamedTuple):
    """Successes and patients with a response, by arm, in many trials. [A, R] each"""

    successes: NDArray[np.int64]
    pulls: NDArray[np.int64]


class TrialHistories(NamedTuple):
    """Many simulated trials, patient by patient.

    Attributes:
        arms: the arm of each patient. [N, R]
        responses: whether they respond. [N, R]
        num_arms: number of arms.
        missing: numbers of the patients whose responses are never known.
    """

    arms: NDArray[np.int8]
    responses: NDArray[np.bool_]
    num_arms: int
    missing: frozenset[int] = frozenset()

    def split(self, parts: int) -> list[TrialHistories]:
        """Equal parts of the trials, in order."""
        each = self.arms.shape[1] // parts
        columns = [slice(part * each, (part + 1) * each) for part in range(parts)]
        return [
            TrialHistories(self.arms[:, some], self.responses[:, some], self.num_arms, self.missing)
            for some in columns
        ]

    def counts(self, patients: int | None = None) -> Counts:
        """The counts of the first patients, or of all patients by default."""
        last = len(self.arms) if patients is None else patients
        known = [patient for patient in range(last) if patient not in self.missing]
        rows = slice(0, last) if len(known) == last else known
        arms, responses = self.arms[rows], self.responses[rows]
        on_arm = [arms == arm for arm in range(self.num_arms)]
        return Counts(
            np.stack([np.count_nonzero(responses & here, axis=0) for here in on_arm]),
            np.stack([np.count_nonzero(here, axis=0) for here in on_arm]),
        )


def simulate_histories(
    design: Design,
    rule: Rule,
    trial: Trial,
    respond: Respond,
    runs: int,
    rng: np.random.Generator,
    *,
    patients: int | None = None,
    missing: Collection[int] = (),
) -> TrialHistories:
    """Many trials, none of which ends early.

    A patient allocated at the decision for patient t, the first of the block, is allocated on the
    responses of patients i with i + delay < t.

    Args:
        design: the design.
        rule: its rule for the trial.
        trial: the trial.
        respond: who responds.
        runs: number of trials.
        rng: the random generator.
        patients: the first so many patients; all if not given.
        missing: numbers of the patients, from 0, whose responses are never known.
    """
    A, block, every = trial.num_arms, design.block_of(trial), np.arange(runs)
    last = trial.patients if patients is None else patients
    delay, floor = (trial.delay, trial.floor * A) if design.adaptive else (0, 0.0)
    arms = np.zeros((last, runs), dtype=np.int8)
    responses = np.zeros((last, runs), dtype=bool)
    counts = np.zeros((2, A, runs), dtype=np.int64)  # failures and successes that are known
    allocated = np.zeros((A, runs), dtype=np.int64)
    nothing = list(np.zeros((A, runs), dtype=np.int64))
    known = 0  # patients
    with progress("patients", first_line=1.0) as show:
        for first in range(0, last, block):
            show(f"{runs} simulated trials", first, last)
            while known + delay < first:
                if known not in missing:
                    counts[responses[known].astype(int), arms[known], every] += 1
                known += 1
            for patient in range(first, min(first + block, last)):
                successes, failures = list(counts[1]), list(counts[0])
                if design.balances:
                    successes, failures = list(allocated), nothing
                chosen = rule.draw(successes, failures, first, rng)
                if floor:
                    chosen = np.where(rng.random(runs) < floor, rng.integers(A, size=runs), chosen)
                arms[patient] = chosen
                if design.balances:
                    allocated[chosen, every] += 1
                responses[patient] = respond(patient, chosen)
    return TrialHistories(arms, responses, A, frozenset(missing))


def simulate_trials(
    design: Design, rule: Rule, trial: Trial, success: Array, rng: np.random.Generator
) -> TrialHistories:
    """Simulated trials with success probabilities of their own. [R, A]"""
    every = np.arange(len(success))

    def respond(patient: int, arms: NDArray[np.int64]) -> NDArray[np.bool_]:
        return rng.random(len(every)) < success[every, arms]

    return simulate_histories(design, rule, trial, respond, len(success), rng)


def from_prior(trial: Trial, runs: int, rng: np.random.Generator) -> Array:
    """Success probabilities drawn from the prior; an arm with a count of 0 is known. [runs, A]"""
    a, b = trial.pseudo_counts.T
    known = (a == 0) | (b == 0)
    drawn = rng.beta(np.where(known, 1, a), np.where(known, 1, b), size=(runs, trial.num_arms))
    return np.where(known, a / (a + b), drawn)
