"""The forward-looking Gittins index for blocks of patients (Villar, Wason and Bowden 2015,
Biometrics).

All patients of a block are allocated at random, with the same probabilities: the expected share of
each arm if the block were allocated one by one by the Gittins index, with responses drawn from the
posterior. With g_k the Gittins rule, p_k the posterior mean and j patients to go, the expected
numbers are

    E_0 = 0
    E_j(n, s) = Σ_k g_k (1_k + p_k E_{j−1}(n + 1_k, s + 1_k) + (1 − p_k) E_{j−1}(n + 1_k, s))

and the probabilities E_b/b. A draw needs no expectation: one simulated block, and a patient of it
at random.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bamdp.trials.counts import Array, Counts, Pulls, grid
from bamdp.trials.design import Design, Rule, at_counts, is_small
from bamdp.trials.designs.index import GittinsDesign
from bamdp.trials.trial import Trial
from bamdp.validation import positive_integer

BLOCK = 9  # patients, by default: Villar, Wason and Bowden


class ForwardGittinsDesign(Design):
    """Blocks of patients, each arm with the share that the Gittins index would give it in the block
    (FLGI).

    Args:
        block: number of patients in a block; if not given, that of the trial if it has blocks, else
            9.
        discount: weight of a patient relative to the one before, in [0, 1).
    """

    name, key = "forward-looking Gittins", "forward-gittins"

    def __init__(self, block: int | None = None, discount: float = 0.99) -> None:
        self.block = None if block is None else positive_integer("block", block)
        self._gittins = GittinsDesign(discount)
        self.discount = self._gittins.discount

    def block_of(self, trial: Trial) -> int:
        if self.block is None and trial.block == 1:
            return min(BLOCK, trial.patients)
        return super().block_of(trial)

    def possible(self, trial: Trial) -> bool:
        looks = () if trial.stopping is None else trial.stopping.looks
        return not any(look % self.block_of(trial) for look in looks)

    def quick(self, trial: Trial) -> bool:
        return False

    def label(self, trial: Trial) -> str:
        block = self.block_of(trial)
        how = f"blocks of {block}" if block > 1 else "one by one"
        return f"{self.name}, {how}"

    def rule(self, trial: Trial) -> Rule:
        return _ForwardRule(trial, self._gittins.rule(trial), self.block_of(trial))


class _ForwardRule(Rule):
    def __init__(self, trial: Trial, gittins: Rule, block: int) -> None:
        self._patients, self._prior = trial.patients, trial.pseudo_counts
        self._gittins, self._block = gittins, block
        self.exact = gittins.exact and is_small(trial)
        self._patient = -1  # whose expectations are kept
        self._expected: dict[tuple[Pulls, int], Array] = {}

    def probabilities(self, successes: Counts, failures: Counts, patient: int) -> Array:
        if patient != self._patient:
            self._patient, self._expected = patient, {}
        steps = min(self._block, self._patients - patient)
        return at_counts(lambda pulls: self._numbers(pulls, steps), successes, failures) / steps

    def draw(
        self, successes: Counts, failures: Counts, patient: int, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        s, f = np.stack(successes), np.stack(failures)
        steps = min(self._block, self._patients - patient)
        trials, chosen = np.arange(s.shape[1]), rng.integers(steps, size=s.shape[1])
        result = np.zeros(s.shape[1], dtype=np.int64)
        for step in range(steps):
            arms = self._gittins.draw(list(s), list(f), patient, rng)
            result = np.where(chosen == step, arms, result)
            total = self._prior[arms].sum(axis=1) + s[arms, trials] + f[arms, trials]
            mean = (self._prior[arms, 0] + s[arms, trials]) / total
            success = rng.random(len(trials)) < mean
            s[arms, trials] += success
            f[arms, trials] += ~success
        return result

    def _numbers(self, pulls: Pulls, steps: int) -> Array:
        """Expected number of the next patients on each arm. [A, n_1 + 1, …, n_A + 1]"""
        if (pulls, steps) in self._expected:
            return self._expected[pulls, steps]
        successes, failures = grid(pulls)
        chosen = self._gittins.probabilities(successes, failures, 0)
        numbers = chosen.copy()
        for arm in range(len(pulls)):
            if steps == 1 or not chosen[arm].any():
                continue
            one_more = tuple(n + (other == arm) for other, n in enumerate(pulls))
            later = self._numbers(one_more, steps - 1)
            a, b = self._prior[arm]
            mean = (a + successes[arm]) / (a + b + pulls[arm])
            after_success = np.take(later, np.arange(1, pulls[arm] + 2), arm + 1)
            after_failure = np.take(later, np.arange(pulls[arm] + 1), arm + 1)
            numbers += chosen[arm] * (mean * after_success + (1 - mean) * after_failure)
        self._expected[pulls, steps] = numbers
        return numbers
