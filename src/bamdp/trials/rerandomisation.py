"""The conditional exact test where its probabilities are out of reach: patients allocated again.

What `bamdp.trials.conditional` sums over all outcomes, given the total S of successes, is estimated
by trials in which the design allocates the patients again and the S successes come in random order.
Of R such trials, c have a statistic as large or larger than the one observed (or have rejected at
an earlier look): the p-value is (1 + c)/(R + 1), which keeps the level for every R, as the trial
observed is one more of the same (Besag and Clifford 1989, Biometrika 76, 633-642). Where a trial
ends at a look is decided in the same way, by the responses that are known there.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp import statistics
from bamdp.progress import progress
from bamdp.statistics import Mean
from bamdp.trials.conditional import ConditionalTest
from bamdp.trials.counts import Array, Pulls
from bamdp.trials.fisher import ROUNDING, FisherTest
from bamdp.trials.simulation import Counts, TrialHistories, simulate_histories

if TYPE_CHECKING:
    from bamdp.trials.design import Design, Rule
    from bamdp.trials.trial import Trial

AGAIN = 1000  # trials for each total of successes that may occur; fewer of long ones
OF_OBSERVED = 5000  # the same in the analysis of one trial
OBSERVED = 20_000  # trials for the total that was observed
PATIENTS = 10**6, 2 * 10**8  # of such trials together, from which on there are fewer


def pool_size(patients: int, most: int) -> int:
    """Trials for each total of successes that may occur."""
    return min(most, max(most // 10, PATIENTS[0] // patients))


def observed_runs(patients: int) -> int:
    """Trials for the total of successes that was observed."""
    return min(OBSERVED, PATIENTS[1] // patients)


class Ends(NamedTuple):
    """Where many trials end.

    Attributes:
        patients: number of patients. [R]
        counts: successes and patients with a response.
        rejects: whether the test rejects. [R]
    """

    patients: NDArray[np.int64]
    counts: Counts
    rejects: NDArray[np.bool_]


class RerandomisationTest:
    """The conditional test of a design in a trial, by simulated trials.

    Args:
        design: the design.
        rule: its rule for the trial.
        trial: the trial.
        test: the level, the alternative, the statistic and how the level is spent on looks.
        again: number of trials for each total of successes that may occur at a look, or at the end
            of other trials than the one observed; fewer of long ones.
        seed: seed of the simulated trials; the same seed and `again` have the same looks.
        missing: numbers of the patients, from 0, whose responses are never known.

    Example:
        >>> from bamdp.trials import Trial, designs
        >>> trial, design = Trial([0.5, 0.5], patients=12), designs.EqualDesign()
        >>> again = RerandomisationTest(design, design.rule(trial), trial, ConditionalTest())
        >>> p = again.p_value(12, successes=(1, 5), pulls=(6, 6))  # 72/924 by the exact test
        >>> bool(p.low < 72 / 924 < p.high)
        True
    """

    name = "re-randomisation test"

    def __init__(
        self,
        design: Design,
        rule: Rule,
        trial: Trial,
        test: ConditionalTest,
        *,
        again: int = AGAIN,
        seed: int = 0,
        missing: Collection[int] = (),
    ) -> None:
        self._again, self._seed = pool_size(trial.patients, again), seed
        self._design, self._rule, self._trial, self._test = design, rule, trial, test
        self._missing = frozenset(missing)
        self._looks = () if trial.stopping is None else trial.stopping.looks
        # Scores in ascending order, for each total of successes: of the known responses of a look,
        # and of the analysis after so many patients.
        self._known: dict[int, dict[int, Array]] = {look: {} for look in self._looks}
        self._analysed: dict[int, dict[int, Array]] = {
            n: {} for n in (*self._looks, trial.patients)
        }

    def p_value(self, patients: int, successes: Pulls, pulls: Pulls) -> Mean:
        """The p-value of an outcome, after a look or all patients, with the 95 % interval of what
        it would be with infinitely many simulated trials.
        """
        observed = Counts(np.array(successes)[:, None], np.array(pulls)[:, None])
        statistic = self._test.statistics_at(*observed)[0]
        runs = observed_runs(patients)
        scores = self._scores(patients, sum(successes), runs)
        count = runs - int(np.searchsorted(scores, statistic))
        share = self._test.share(patients, self._trial.patients)
        p = statistics.proportion(count, runs)
        low, high = (None if end is None else min(1.0, end / share) for end in (p.low, p.high))
        return Mean(min(1.0, (1 + count) / (runs + 1) / share), low, high)

    def stops(self, look: int, counts: Counts) -> NDArray[np.bool_]:
        """Whether trials end at a look, by the counts of the responses that are known there. [R]"""
        stopping = self._trial.stopping
        assert stopping is not None
        if stopping.test is None:
            failures = counts.pulls - counts.successes
            return stopping.stops_at(list(counts.successes), list(failures), self._trial)
        known = look - self._trial.delay
        level = stopping.test.alpha * stopping.test.share(known, self._trial.patients)
        totals = counts.successes.sum(axis=0)
        self._prepare_known(look, np.unique(totals).tolist())
        statistic = stopping.test.statistics_at(*counts)
        return self._probabilities(self._known[look], totals, statistic) <= level * ROUNDING

    def ends(self, histories: TrialHistories, fisher: FisherTest | None = None) -> Ends:
        """Where trials end, and whether the test, or Fisher's test instead, rejects there."""
        runs = histories.arms.shape[1]
        patients = np.full(runs, self._trial.patients)
        going = np.ones(runs, dtype=bool)
        for look in self._looks:
            stops = going & self._stops(look, histories)
            patients[stops], going = look, going & ~stops
        counts = Counts(*np.zeros((2, histories.num_arms, runs), dtype=np.int64))
        rejects = np.zeros(runs, dtype=bool)
        for n in self._analysed:
            here = np.flatnonzero(patients == n)
            at = Counts(*(each[:, here] for each in histories.counts(n)))
            counts.successes[:, here], counts.pulls[:, here] = at
            rejects[here] = self._rejects(n, at) if fisher is None else fisher.rejects_at(*at)
        return Ends(patients, counts, rejects)

    def _rejects(self, patients: int, counts: Counts) -> NDArray[np.bool_]:
        """Whether the test rejects at the end of trials that are analysed. [R]"""
        totals = counts.successes.sum(axis=0)
        self._prepare_analysed(patients, np.unique(totals).tolist())
        statistic = self._test.statistics_at(*counts)
        probabilities = self._probabilities(self._analysed[patients], totals, statistic)
        level = self._test.alpha * self._test.share(patients, self._trial.patients)
        return probabilities <= level * ROUNDING

    def _stops(self, look: int, histories: TrialHistories) -> NDArray[np.bool_]:
        return self.stops(look, histories.counts(look - self._trial.delay))

    def _probabilities(
        self, scores: dict[int, Array], totals: NDArray[np.int64], statistic: Array
    ) -> Array:
        """Of a statistic as large or larger, given the total of successes, in each trial. [R]"""
        result = np.ones(len(totals))
        for total in np.unique(totals).tolist():
            here = totals == total
            larger = self._again - np.searchsorted(scores[total], statistic[here])
            result[here] = (1 + larger) / (self._again + 1)
        return result

    def _prepare_known(self, look: int, totals: list[int]) -> None:
        """Simulate the responses known at a look; trials that have ended before count as larger."""
        stopping, known = self._trial.stopping, look - self._trial.delay
        assert stopping is not None
        assert stopping.test is not None
        new = [total for total in totals if total not in self._known[look]]
        with progress("totals of successes", first_line=1.0) as show:
            for number, total in enumerate(new):
                show(f"allocated again, look after {look} patients", number, len(new))
                histories = self._allocated_again(known, total, self._again)
                scores = stopping.test.statistics_at(*histories.counts(known))
                for earlier in self._looks:
                    if earlier < look:
                        scores[self._stops(earlier, histories)] = np.inf
                self._known[look][total] = np.sort(scores)

    def _prepare_analysed(self, patients: int, totals: list[int]) -> None:
        new = [total for total in totals if total not in self._analysed[patients]]
        with progress("totals of successes", first_line=1.0) as show:
            for number, total in enumerate(new):
                show("allocated again", number, len(new))
                self._analysed[patients][total] = self._scores(patients, total, self._again)

    def _scores(self, patients: int, total: int, runs: int) -> Array:
        """Statistics after so many patients, in ascending order: infinite in trials that have
        rejected before, minus infinite in others that have ended before.
        """
        histories = self._allocated_again(patients, total, runs)
        scores = self._test.statistics_at(*histories.counts(patients))
        going = np.ones(len(scores), dtype=bool)
        for look in self._looks:
            if look < patients:
                stops = np.flatnonzero(going & self._stops(look, histories))
                going[stops] = False
                at = Counts(*(each[:, stops] for each in histories.counts(look)))
                scores[stops] = np.where(self._rejects(look, at), np.inf, -np.inf)
        return np.sort(scores)

    def _allocated_again(self, patients: int, total: int, runs: int) -> TrialHistories:
        """The first patients allocated again, with so many successes in random order."""
        rng = np.random.default_rng([self._seed, patients, total, runs])
        known = [patient for patient in range(patients) if patient not in self._missing]
        ordered = np.broadcast_to(np.arange(len(known))[:, None] < total, (len(known), runs))
        rows = dict(zip(known, rng.permuted(ordered, axis=0), strict=True))
        never = np.zeros(runs, dtype=bool)
        return simulate_histories(
            self._design,
            self._rule,
            self._trial,
            lambda patient, arms: rows.get(patient, never),
            runs,
            rng,
            patients=patients,
            missing=self._missing,
        )
