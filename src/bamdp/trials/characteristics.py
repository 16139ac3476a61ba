"""Operating characteristics of a design: what a trial with it does on average, for its patients and
for its conclusion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import statistics, validation
from bamdp.statistics import Mean
from bamdp.trials.conditional import ConditionalTest
from bamdp.trials.counts import Array
from bamdp.trials.design import Design, Rule
from bamdp.trials.distributions import binomial
from bamdp.trials.fisher import FisherTest
from bamdp.trials.recursion import end_counts, feasible
from bamdp.trials.rerandomisation import RerandomisationTest
from bamdp.trials.simulation import from_prior, simulate_trials
from bamdp.trials.trial import Trial, success_probabilities
from bamdp.validation import positive_integer

RUNS = 10_000  # simulated trials at most
PATIENTS = 10**7  # of all simulated trials together, if there are more than FEWEST
FEWEST = 1000
# success probabilities at which the largest type I error is looked for, and again around the
# largest
NULLS = 1001

Test = ConditionalTest | FisherTest


@dataclass(frozen=True)
class OperatingCharacteristics:
    """Operating characteristics of one design in one trial. Exact values have no interval,
    simulated ones that of 95 %.

    Attributes:
        design: name of the design.
        successes: expected number of successes at the trial's success probabilities.
        successes_sd: standard deviation of the number of successes.
        share_best: expected share of the patients on the best arm; None if all arms are equally
            good.
        share_best_sd: its standard deviation.
        worse: expected number of patients on worse arms; None if all arms are equally good.
        patients: expected number of patients: all, unless the trial may stop.
        power: probability that the test rejects, at the trial's success probabilities.
        type_1_error: probability that it rejects under the null hypothesis.
        type_1_max: the largest type I error of all success probabilities that all arms may have;
            None if simulated.
        prior_successes: expected number of successes if the success probabilities are drawn from
            the prior.
        exact: whether the values are exact, up to rounding.
        runs: number of simulated trials for each value; None if exact.
        test: name of the test.
    """

    design: str
    successes: Mean
    successes_sd: float
    share_best: Mean | None
    share_best_sd: float | None
    worse: Mean | None
    patients: Mean
    power: Mean
    type_1_error: Mean
    type_1_max: float | None
    prior_successes: Mean
    exact: bool
    runs: int | None
    test: str


class Evaluation:
    """A design in a trial, evaluated exactly: its characteristics at any success probabilities,
    from one recursion.

    Args:
        design: the design.
        trial: the trial.
        test: the test; the conditional exact test if not given.
        rule: the design's rule for the trial, if it is there already.

    Attributes:
        end: the probabilities of the counts at the end.
        rejects: the probability with which the test rejects, at each of them.

    Example:
        >>> from bamdp.trials.designs import BayesOptimalDesign
        >>> evaluation = Evaluation(BayesOptimalDesign(), Trial([0.3, 0.5], patients=30))
        >>> evaluation.rejection([[0.3, 0.5], [0.1, 0.9]]).round(3).tolist()
        [0.063, 0.097]
        >>> largest, at = evaluation.largest_type_1_error()
        >>> f"{largest:.4f}"
        '0.0407'
    """

    def __init__(
        self, design: Design, trial: Trial, test: Test | None = None, *, rule: Rule | None = None
    ) -> None:
        rule = design.rule(trial) if rule is None else rule
        if not (rule.exact and feasible(design, trial)):
            raise ValueError(
                f"{design.label(trial)} has no exact values in this trial, which are needed here; "
                "bamdp trial, or operating_characteristics, simulates it"
            )
        self.design, self.trial, self.test = design, trial, checked_test(test)
        self.end = end_counts(design, trial, rule)
        self.rejects = self.test.rejects(self.end)
        self._by_total = self.end.rejected_by_total(self.rejects)

    def rejection(self, arms: ArrayLike) -> Array:
        """The probability that the test rejects, at each of many success probabilities. [P, A] →
        [P]
        """
        return self.end.rejected(np.atleast_2d(np.asarray(arms, dtype=np.float64)), self.rejects)

    def type_1_error(self, nulls: ArrayLike) -> Array:
        """The probability that the test rejects if all arms have the same success probability, at
        each of many. [P] → [P]
        """
        p = np.atleast_1d(np.asarray(nulls, dtype=np.float64))
        return np.asarray(sum(binomial(n, p) @ rejected for n, rejected in self._by_total.items()))

    def largest_type_1_error(self) -> tuple[float, float]:
        """The largest type I error of all nulls, and the success probability that has it."""
        angles = np.linspace(0, np.pi / 2, NULLS)
        for _ in range(2):
            errors = self.type_1_error(np.sin(angles) ** 2)
            best = int(errors.argmax())
            largest, at = float(errors[best]), float(np.sin(angles[best]) ** 2)
            low, high = angles[max(best - 1, 0)], angles[min(best + 1, len(angles) - 1)]
            angles = np.linspace(low, high, NULLS)
        return largest, at

    def on_arms(self, arms: ArrayLike) -> Array:
        """The expected number of patients on each arm, at each of many success probabilities. [P,
        A] → [P, A]
        """
        masses = self.end.masses(np.atleast_2d(np.asarray(arms, dtype=np.float64)))
        return np.asarray(sum(mass[:, None] * np.array(pulls) for pulls, mass in masses.items()))

    def row(self, null: tuple[float, ...]) -> OperatingCharacteristics:
        """The characteristics at the trial's success probabilities."""
        trial = self.trial
        masses = self.end.masses(np.array([trial.arms])).items()
        ends = [(sum(n), sum(n[arm] for arm in trial.best), float(mass[0])) for n, mass in masses]
        patients = sum(mass * total for total, _, mass in ends)
        on_best = sum(mass * best for _, best, mass in ends)
        share = sum(mass * (best / max(1, total)) for total, best, mass in ends)
        square = sum(mass * (best / max(1, total)) ** 2 for total, best, mass in ends)
        differ = len(trial.best) < trial.num_arms
        mean, deviation = self.end.successes(trial.arms)
        power, error = self.rejection([trial.arms, null]).tolist()
        return OperatingCharacteristics(
            design=self.design.label(trial),
            successes=_certain(mean),
            successes_sd=deviation,
            share_best=_certain(share) if differ else None,
            share_best_sd=max(0.0, square - share**2) ** 0.5 if differ else None,
            worse=_certain(patients - on_best) if differ else None,
            patients=_certain(patients),
            power=_certain(power),
            type_1_error=_certain(error),
            type_1_max=self.largest_type_1_error()[0],
            prior_successes=_certain(self.end.prior_successes(trial.pseudo_counts)),
            exact=True,
            runs=None,
            test=self.test.name,
        )


def operating_characteristics(
    design: Design,
    trial: Trial,
    *,
    null: ArrayLike | None = None,
    test: Test | None = None,
    runs: int | None = None,
    seed: int = 0,
) -> OperatingCharacteristics:
    """Expected successes, share on the best arm, type I error and power of a design.

    They are exact, by recursion over the counts, where the trial is small enough (about 1000
    patients on two arms, 90 on three); otherwise simulated, and tested by Fisher's test.

    Args:
        design: the design; see `bamdp.trials.designs`.
        trial: the trial.
        null: success probabilities under the null hypothesis; that of the control for all arms, if
            not given.
        test: a `ConditionalTest`, the exact test that knows the design, which is the default, or a
            `FisherTest`.
        runs: simulate so many trials; if not given, 10,000, or 5,000 of 2,000 patients, and only
            where there are no exact values.
        seed: seed of the simulations.

    Example:
        >>> from bamdp.trials import Trial
        >>> from bamdp.trials.designs import ThompsonDesign
        >>> row = operating_characteristics(ThompsonDesign(), Trial([0.3, 0.5], patients=60))
        >>> print(f"{row.successes.value:.2f} successes, power {row.power.value:.3f}")
        26.90 successes, power 0.143
        >>> print(f"{row.share_best.value:.1%} of the patients are on the better arm")
        74.2% of the patients are on the better arm
    """
    if not isinstance(design, Design):
        raise TypeError(
            f"design must be one of bamdp.trials.designs, or a Design of your own, got {design!r}"
        )
    if not isinstance(trial, Trial):
        raise TypeError(f"trial must be a Trial, got {trial!r}")
    under, chosen = null_hypothesis(trial, null), checked_test(test)
    seed = validation.seed(seed)
    runs = None if runs is None else positive_integer("runs", runs, 10**7)
    rule = design.rule(trial)
    if runs is None and rule.exact and feasible(design, trial):
        return Evaluation(design, trial, chosen, rule=rule).row(under)
    again = trial.stopping is not None and isinstance(chosen, ConditionalTest)
    used = chosen if again else FisherTest(chosen.alpha, chosen.alternative)
    return _simulated(design, trial, under, used, rule, runs or usual_runs(trial), seed)


def usual_runs(trial: Trial) -> int:
    """The number of simulated trials if none is given: fewer of long ones."""
    return min(RUNS, max(FEWEST, PATIENTS // trial.patients))


def null_hypothesis(trial: Trial, null: ArrayLike | None) -> tuple[float, ...]:
    """The success probabilities under the null hypothesis, checked."""
    if null is None:
        return (trial.arms[0],) * trial.num_arms
    under = success_probabilities("null", null)
    if len(under) != trial.num_arms:
        raise ValueError(
            f"null must be for the {trial.num_arms} arms of the trial, got {len(under)}"
        )
    return under


def checked_test(test: Any) -> Test:
    """A test; the conditional exact one if None."""
    if test is not None and not isinstance(test, ConditionalTest | FisherTest):
        raise TypeError(f"test must be a ConditionalTest or a FisherTest, got {test!r}")
    return test or ConditionalTest()


def _simulated(
    design: Design,
    trial: Trial,
    null: tuple[float, ...],
    test: Test,
    rule: Rule,
    runs: int,
    seed: int,
) -> OperatingCharacteristics:
    rng = np.random.default_rng(seed)
    drawn = from_prior(trial, runs, rng)
    worlds: list[Array] = [
        np.broadcast_to(trial.arms, drawn.shape),
        np.broadcast_to(null, drawn.shape),
        drawn,
    ]
    fisher = test if isinstance(test, FisherTest) else None
    exact = test if isinstance(test, ConditionalTest) else ConditionalTest()
    again = RerandomisationTest(design, rule, trial, exact, seed=seed)
    every = simulate_trials(design, rule, trial, np.concatenate(worlds), rng)
    at, under, averaged = (again.ends(some, fisher) for some in every.split(len(worlds)))
    totals, best = at.counts.successes.sum(axis=0), at.counts.pulls[list(trial.best)].sum(axis=0)
    shares = best / at.patients
    differ = len(trial.best) < trial.num_arms
    patients = _certain(float(trial.patients))
    return OperatingCharacteristics(
        design=design.label(trial),
        successes=_simulated_mean(totals),
        successes_sd=float(totals.std()),
        share_best=_simulated_mean(shares) if differ else None,
        share_best_sd=float(shares.std()) if differ else None,
        worse=_simulated_mean(at.patients - best) if differ else None,
        patients=patients if trial.stopping is None else _simulated_mean(at.patients),
        power=_share(at.rejects),
        type_1_error=_share(under.rejects),
        type_1_max=None,
        prior_successes=_simulated_mean(averaged.counts.successes.sum(axis=0)),
        exact=False,
        runs=runs,
        test=again.name if fisher is None else fisher.name,
    )


def _certain(value: float) -> Mean:
    return Mean(value, None, None)


def _simulated_mean(values: NDArray[np.int64] | Array) -> Mean:
    return statistics.mean(values.tolist())


def _share(rejected: NDArray[np.bool_]) -> Mean:
    return statistics.proportion(int(rejected.sum()), len(rejected))
