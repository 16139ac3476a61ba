"""Analysis of an observed trial: p-value, estimate and confidence interval that know the design.

The p-value is that of `bamdp.trials.conditional`. The interval is for the difference δ = p_2 − p_1
of the success probabilities of two arms. With T the test's statistic, one-sided, t its value, and
m(δ) the maximum over p_1 of P(T ≥ t; p_1, p_1 + δ), it has all δ with

    m(δ) > α min(1/2, max m)

and the same of T ≤ t, so that it covers the true difference with probability 1 − α at least, for
every design (Buehler 1957, with 1/2 alone). max m is below 1/2 where an outcome is improbable
whatever the difference is, such as many patients on an arm that the design should have left: with
1/2 alone the interval would be too short there, or empty (the CL_s of Read 2002 is a similar
remedy). It does not condition on the total of successes, which would say nothing about p_1 if the
arms differ: it may have 0 inside where the test rejects, or the other way round, when it is close.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bamdp.statistics import Mean
from bamdp.trials.catalogue import get_design
from bamdp.trials.conditional import ConditionalTest
from bamdp.trials.counts import Array, Layer, Pulls, observed
from bamdp.trials.design import Design
from bamdp.trials.fisher import FisherTest
from bamdp.trials.log import TrialLog
from bamdp.trials.looks import look_of_end
from bamdp.trials.outcomes import EndCounts
from bamdp.trials.recursion import end_counts, feasible
from bamdp.trials.rerandomisation import OF_OBSERVED, RerandomisationTest, observed_runs
from bamdp.trials.trial import Trial

# success probabilities of the first arm at which the maximum is looked for, and again around the
# largest
NUISANCE = 129
CLOSE = 1e-4  # error of the ends of an interval, outwards


@dataclass(frozen=True)
class TrialAnalysis:
    """The analysis of an observed trial.

    Attributes:
        p_value: of the conditional exact test; at most its level where it rejects, early stopping
            included.
        fisher_p_value: of Fisher's exact test, which ignores the design; the smallest of the
            comparisons times their number.
        estimate: difference of the shares of successes of the second and first arm; None with more
            than two arms.
        interval: confidence interval of the difference; None with more than two arms.
        test: the test.
        names: names of the arms; all others are compared with the first.
        simulated: the p-value with its 95 % interval, if it is that of the re-randomisation test.
        missing: number of patients without a response, who are left out.
        runs: number of simulated trials; None if the p-value is exact.
    """

    p_value: float
    fisher_p_value: float
    estimate: float | None
    interval: tuple[float, float] | None
    test: ConditionalTest
    names: tuple[str, ...]
    simulated: Mean | None = None
    missing: int = 0
    runs: int | None = None

    def __str__(self) -> str:
        control, *others = self.names
        corrected = f"; Bonferroni-corrected for {len(others)} comparisons with the control"
        many = corrected if len(others) > 1 else ""
        lines = [
            f"p = {self.p_value:.4g}   {self._how()}",
            f"p = {self.fisher_p_value:.4g}   Fisher's exact test, which ignores the design{many}",
        ]
        if self.interval is not None:
            low, high = self.interval
            share = "—" if self.estimate is None else f"{self.estimate:.3f}"
            interval = f"{100 - 100 * self.test.alpha:g} % interval {low:.3f} … {high:.3f}"
            lines.append(f"difference {others[0]} − {control}: {share}, {interval}")
        elif self.estimate is not None:
            difference = f"difference {others[0]} − {control}: {self.estimate:.3f}"
            lines.append(f"{difference}, without an interval, which needs exact probabilities")
        if self.missing:
            lines.append(
                f"{self.missing} patients without a response are left out, as if responses were "
                "missing by chance, whatever the arm and the response"
            )
        return "\n".join(lines)

    def _how(self) -> str:
        """The test, and how exact its p-value is."""
        if self.simulated is None:
            return str(self.test)
        low, high = self.simulated.low, self.simulated.high
        return (
            f"({low:.4g} … {high:.4g} by {self.runs:,} simulated trials)   "
            f"{str(self.test).replace(self.test.name, RerandomisationTest.name)}"
        )


def analyse(
    design: str | Design,
    *,
    successes: Sequence[int] | None = None,
    failures: Sequence[int] | None = None,
    log: TrialLog | None = None,
    trial: Trial | None = None,
    test: ConditionalTest | None = None,
    interval: bool = True,
    seed: int = 0,
) -> TrialAnalysis:
    """Analyse an observed trial: p-value of the conditional exact test, and confidence interval of
    the difference.

    Where the exact probabilities are out of reach, the p-value is that of the re-randomisation
    test, with an interval for what it would be with infinitely many simulated trials; there is no
    interval of the difference then.

    Args:
        design: a name, or the design that allocated the patients.
        successes: number of successes on each arm; the first arm is the control.
        failures: number of failures on each arm.
        log: the log of the trial, instead of both; patients without a response are left out, and
            the design is that in which their responses were missing.
        trial: the trial as it was planned, with its number of patients, prior, block, delay, floor
            and stopping; its success probabilities are not used. If not given, one with as many
            patients, uniform priors and none of the others.
        test: the exact test; two-sided at 0.05 with Wald's statistic if not given. The interval is
            at 1 − its level.
        interval: whether to compute the interval, which takes longer than the rest.
        seed: seed of the re-randomisation test; `AllocationPolicy` has 0 at looks.

    Example:
        >>> print(analyse("bayes-optimal", successes=[1, 19], failures=[4, 6]))
        p = 0.003734   conditional exact test (Wald statistic), two-sided, at level 0.05
        p = 0.03124   Fisher's exact test, which ignores the design
        difference B − A: 0.560, 95 % interval 0.046 … 1.000
    """
    if (log is None) != (successes is not None and failures is not None):
        raise TypeError("successes and failures must be given, or a log, and not both")
    missing: tuple[int, ...] = ()
    if log is not None:
        arms = trial.num_arms if trial is not None else max(2, max(log.arms, default=0) + 1)
        successes, failures = log.counts(arms)
        missing = log.missing()
    assert successes is not None
    assert failures is not None
    s, f = observed(successes, failures)
    pulls = tuple(x + y for x, y in zip(s, f, strict=True))
    allocated = sum(pulls) + len(missing)
    trial = Trial([0.5] * len(s), max(1, allocated)) if trial is None else trial
    if len(s) != trial.num_arms:
        raise ValueError(
            f"successes and failures must be for the {trial.num_arms} arms of the trial, got "
            f"{len(s)}"
        )
    ends = (*(trial.stopping.looks if trial.stopping is not None else ()), trial.patients)
    if allocated not in ends:
        observed_by = "successes and failures are" if log is None else "log is"
        raise ValueError(
            f"{observed_by} of {allocated} patients, and the trial may end after "
            f"{', '.join(map(str, ends))}"
        )
    if not sum(pulls):
        raise ValueError("there must be a response, got none")
    used = ConditionalTest() if test is None else test
    design = get_design(design)
    rule = design.rule(trial)
    exact = rule.exact and feasible(design, trial, missing)
    if log is not None:
        look = look_of_end(design, rule, trial, log)
        if look is not None and look < allocated:
            raise ValueError(
                f"log must end with patient {look}, as the trial ends at the look after {look} "
                f"patients, got {allocated}"
            )
        if look is None and allocated < trial.patients:
            raise ValueError(
                f"log must be of {trial.patients} patients, as the trial continues after the look "
                f"after {allocated} patients"
            )
    fisher = FisherTest(alternative=used.alternative)
    others = zip(pulls[1:], s[1:], strict=True)
    each = [float(fisher.p_values(pulls[0], n)[s[0], x]) for n, x in others]
    two = len(s) == 2
    estimate = s[1] / pulls[1] - s[0] / pulls[0] if two and min(pulls) > 0 else None
    limits = simulated = None
    if exact:
        end = end_counts(design, trial, rule, missing=missing)
        if pulls not in end.counts or end.counts[pulls][s] <= 0:
            more = "it continues after this look, or " if allocated < trial.patients else ""
            raise ValueError(
                f"the trial can't end with successes {s} and failures {f}: {more}"
                f"{design.label(trial)} never has them"
            )
        p_value = used.p_value(end, pulls, s)
        limits = _difference_interval(end, used, pulls, s) if two and interval else None
    else:
        again = RerandomisationTest(
            design, rule, trial, used, again=OF_OBSERVED, seed=seed, missing=missing
        )
        simulated = again.p_value(allocated, s, pulls)
        p_value = simulated.value
    return TrialAnalysis(
        p_value,
        min(1.0, min(each) * len(each)),
        estimate,
        limits,
        used,
        tuple(trial.names),
        simulated,
        len(missing),
        None if exact else observed_runs(allocated),
    )


def _difference_interval(
    end: EndCounts, test: ConditionalTest, pulls: Pulls, successes: Pulls
) -> tuple[float, float]:
    """The differences that are not rejected, in either direction."""
    order = ConditionalTest(test.alpha, "greater", test.statistic)
    value = order.statistics(pulls)[successes]
    values = {n: order.statistics(n) for n in end.counts}
    above: Layer = {n: (t >= value).astype(float) for n, t in values.items()}
    below: Layer = {n: (t <= value).astype(float) for n, t in values.items()}
    low = _smallest_difference(end, above, test.alpha)
    return low, -_smallest_difference(end, below, test.alpha, sign=-1)


def _smallest_difference(end: EndCounts, region: Layer, alpha: float, sign: int = 1) -> float:
    """The smallest of sign × difference at which the region is probable enough, from below."""
    differences = np.linspace(-1, 1, 41).tolist()
    probabilities: list[float] = []
    for difference in differences:
        probabilities.append(_largest_probability(end, region, sign * difference))
        if probabilities[-1] >= 0.5:
            break
    tail = alpha * min(0.5, max(probabilities))
    first = next(index for index, probability in enumerate(probabilities) if probability > tail)
    if first == 0:
        return -1.0
    low, high = differences[first - 1], differences[first]
    while high - low > CLOSE:
        middle = (low + high) / 2
        if _largest_probability(end, region, sign * middle) > tail:
            high = middle
        else:
            low = middle
    return float(low)


def _largest_probability(end: EndCounts, region: Layer, difference: float) -> float:
    """The largest probability of a region over all p_1, given the difference p_2 − p_1."""
    low, high = max(0.0, -difference), min(1.0, 1.0 - difference)
    angles = np.linspace(0, np.pi, NUISANCE)
    largest = 0.0
    for _ in range(2):
        p: Array = np.clip(low + (high - low) * (1 - np.cos(angles)) / 2, 0, 1)
        other = np.clip(p + difference, 0, 1)
        probabilities = end.rejected(np.stack([p, other], axis=1), region)
        best = int(probabilities.argmax())
        largest = max(largest, float(probabilities[best]))
        left, right = angles[max(best - 1, 0)], angles[min(best + 1, len(angles) - 1)]
        angles = np.linspace(left, right, NUISANCE // 8)
    return largest
