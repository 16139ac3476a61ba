"""Conditional exact tests that know the design (Baas, Jacko and Villar 2024, arXiv 2407.01055).

If all arms have the same success probability, the probabilities of the counts at the end, given the
total S of successes, are w(n, s)/C(N, S): they don't depend on it (`bamdp.trials.recursion`). The
p-value of an outcome is the probability, given its S, of all outcomes whose statistic is as large
or larger. Its type I error is at most the level for every success probability, every design and
every statistic; Fisher's test conditions on the numbers of patients too, and has fewer outcomes to
order.

A trial that may stop at looks spends its level on them, α_n by the look after n patients. If it
ends there, the patients whose responses are not known yet are followed up, and all n responses are
analysed. The outcome is compared with those of all trials that have not ended at an earlier look,
whether they end at this one or not: with S successes, the test rejects those with the largest
statistics, as long as Σ w/C(n, S) + a(S) ≤ α_n, where a(S) is the probability, given S, that it has
rejected before. S is binomial, so the test has rejected by then with probability α_n at most,
whatever p is, and whatever makes the trial stop. Given S, the number of successes at an earlier
look is hypergeometric, and what was not spent there is left for later. The p-value after looks is
the smallest α for which the sum is at most α_n, with a(S) at the level of the test: it is a p-value
at every level up to that one.

Randomised tests also reject with some probability where the level is crossed, and have it exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from bamdp.trials.counts import Array, Layer, Pulls, grid
from bamdp.trials.distributions import by_total, hypergeometric, null_weights, success_totals
from bamdp.trials.fisher import ALTERNATIVES, ROUNDING, FisherTest
from bamdp.trials.outcomes import EndCounts
from bamdp.validation import boolean, one_of, real

DIGITS = 9  # statistics that differ by less are equal, up to rounding

Successes = NDArray[np.int64]
Patients = int | NDArray[np.int64]


def mean_difference(s0: Successes, n0: Patients, s1: Successes, n1: Patients) -> Array:
    """Difference of (s + 1)/(n + 2), the posterior means of uniform priors; 0 unless the shares s/n
    differ in its direction.

    The means of 5 of 5 and 20 of 20 differ, and those of 1 of 1 and 19 of 20 in the direction of
    the prior, not of the data.
    """
    apart = (s1 + 1) / (n1 + 2) - (s0 + 1) / (n0 + 2)
    return np.where(apart * (s1 * n0 - s0 * n1) > 0, apart, 0.0)


def wald(s0: Successes, n0: Patients, s1: Successes, n1: Patients) -> Array:
    """`mean_difference` over its standard error, with variances p (1 − p)/(n + 2),
    p = (s + 1)/(n + 2) (Agresti and Caffo 2000).
    """
    p0, p1 = (s0 + 1) / (n0 + 2), (s1 + 1) / (n1 + 2)
    variance = p0 * (1 - p0) / (n0 + 2) + p1 * (1 - p1) / (n1 + 2)
    return np.asarray(mean_difference(s0, n0, s1, n1) / np.sqrt(variance))


def score(s0: Successes, n0: Patients, s1: Successes, n1: Patients) -> Array:
    """Difference of the shares s/n over its standard error if both are equal, that of the pooled
    share; 0 without patients.
    """
    some_0, some_1 = np.maximum(n0, 1), np.maximum(n1, 1)
    pooled = (s0 + s1) / np.maximum(n0 + n1, 1)
    apart = s1 / some_1 - s0 / some_0
    error = np.sqrt(pooled * (1 - pooled) * (1 / some_0 + 1 / some_1))
    comparable = (error > 0) & (np.minimum(n0, n1) > 0)
    return np.divide(apart, error, out=np.zeros(apart.shape), where=comparable)


def likelihood_ratio(s0: Successes, n0: Patients, s1: Successes, n1: Patients) -> Array:
    """Square root of twice the log-likelihood ratio of two success probabilities to one, with the
    sign of the difference.
    """
    ratio = _log_likelihood(s0, n0) + _log_likelihood(s1, n1) - _log_likelihood(s0 + s1, n0 + n1)
    return np.asarray(np.sign(s1 * n0 - s0 * n1) * np.sqrt(2 * np.maximum(ratio, 0)))


def _log_likelihood(s: Successes, n: Patients) -> Array:
    """The largest log-likelihood of s successes of n patients."""
    return np.asarray(sum(k * np.log(np.maximum(k, 1) / np.maximum(n, 1)) for k in (s, n - s)))


STATISTICS: dict[str, Callable[[Successes, Patients, Successes, Patients], Array]] = {
    "wald": wald,
    "difference": mean_difference,
    "score": score,
    "likelihood-ratio": likelihood_ratio,
}
NAMES = {**{name: name for name in STATISTICS}, "wald": "Wald", "fisher": "Fisher's"}


class ConditionalTest:
    """Exact test that all arms have the success probability of the first, given the total of
    successes, for any design.

    Args:
        alpha: level of significance.
        alternative: "two-sided", or "greater" if only an arm better than the first counts.
        statistic: "wald", "difference", "score", "likelihood-ratio", or "fisher", which orders
            outcomes by the p-value of Fisher's test and rejects wherever that one does if it keeps
            the level (as Boschloo's test). With more than two arms, the largest of the comparisons
            with the first.
        randomised: whether it rejects with some probability where the level is crossed, so that its
            type I error is the level.
        spending: how a trial that may stop spends the level, as (n/N)^spending: 1 evenly, 3 little
            at first.

    Example:
        >>> from bamdp.trials import Trial, end_counts
        >>> from bamdp.trials.designs import BayesOptimalDesign
        >>> end = end_counts(BayesOptimalDesign(), Trial([0.3, 0.5], patients=30))
        >>> rejects = ConditionalTest().rejects(end)
        >>> power, error = end.rejected(np.array([[0.3, 0.5], [0.3, 0.3]]), rejects)
        >>> print(f"power {power:.3f}, type I error {error:.3f}")
        power 0.063, type I error 0.039
    """

    name = "conditional exact test"

    def __init__(
        self,
        alpha: float = 0.05,
        alternative: str = "two-sided",
        statistic: str = "wald",
        *,
        randomised: bool = False,
        spending: float = 1.0,
    ) -> None:
        self.alpha = real("alpha", alpha, 0, 1, open_low=True, open_high=True)
        self.alternative = one_of("alternative", alternative, ALTERNATIVES)
        self.statistic = one_of("statistic", statistic, tuple(NAMES))
        self._fisher = FisherTest(self.alpha, self.alternative)
        self.randomised = boolean("randomised", randomised)
        self.spending = real("spending", spending, 0, 100)

    def statistics(self, pulls: Pulls) -> Array:
        """The statistic of all outcomes with so many patients on each arm: the larger, the more it
        speaks for rejection.
        """
        control, *others = grid(pulls)[0]
        if self.statistic == "fisher":
            each = [-np.log(self._fisher.p_values_of(pulls, arm)) for arm in range(1, len(pulls))]
        else:
            statistic, arms = STATISTICS[self.statistic], zip(others, pulls[1:], strict=True)
            each = [statistic(control, pulls[0], s, n) for s, n in arms]
            if self.alternative == "two-sided":
                each = [np.abs(one) for one in each]
        largest = np.broadcast_to(reduce(np.maximum, each), [n + 1 for n in pulls])
        return np.asarray(np.round(largest, DIGITS))

    def statistics_at(self, successes: NDArray[np.int64], pulls: NDArray[np.int64]) -> Array:
        """The statistic in each of many trials; both [A, R]. [R]"""
        arms = range(1, len(pulls))
        if self.statistic == "fisher":
            each = [-np.log(self._fisher.p_values_at(successes, pulls, arm)) for arm in arms]
        else:
            statistic = STATISTICS[self.statistic]
            each = [statistic(successes[0], pulls[0], successes[arm], pulls[arm]) for arm in arms]
            if self.alternative == "two-sided":
                each = [np.abs(one) for one in each]
        return np.asarray(np.round(reduce(np.maximum, each), DIGITS))

    def rejects(self, end: EndCounts) -> Layer:
        """The probability with which the test rejects at each count at the end."""
        rejects: Layer = {}
        for n, ended in sorted(end.totals().items()):
            rejected = {pulls: end.counts[pulls] * share for pulls, share in rejects.items()}
            level = self.left(rejected, n, end.allocated(n), end.patients)
            shares = self.reject(end.reference(n), level)
            rejects.update({pulls: shares[pulls] for pulls in ended})
        return rejects

    def left(self, rejected: Layer, n: int, allocated: int, patients: int) -> Array:
        """The level that is left after n responses, given the total of successes; `rejected` has
        the probabilities u that the test has rejected at earlier looks. [n + 1]
        """
        level = self.alpha * self.share(allocated, patients) - _spent(rejected, n)
        return np.asarray(np.maximum(level, 0.0))

    def reject(self, layer: Layer, level: Array) -> Layer:
        """The probability with which the test rejects at each count of one number of patients, at a
        level for each total of successes.
        """
        statistics, weights, totals = self._flat(layer)
        order = np.argsort(totals, kind="stable")
        groups = np.split(order, np.cumsum(np.bincount(totals))[:-1])
        rejected = np.zeros(len(totals))
        for total, here in enumerate(groups):
            rejected[here] = self._largest(statistics[here], weights[here], float(level[total]))
        parts = np.split(rejected, np.cumsum([u.size for u in layer.values()])[:-1])
        arrays = zip(layer.items(), parts, strict=True)
        return {pulls: part.reshape(u.shape) for (pulls, u), part in arrays}

    def p_value(self, end: EndCounts, pulls: Pulls, successes: Pulls) -> float:
        """The p-value of an outcome at the end of a trial: at most the level where the test
        rejects, and only there.

        It is the probability of a statistic as large or larger, given the total, among all trials
        that have not ended before. After looks, the probability that the test has rejected at an
        earlier one is added; at a look, the sum is divided by the part of the level that may be
        spent by then.
        """
        n, total, ends = sum(pulls), sum(successes), end.totals()
        before: Layer = {}
        if min(ends) < n:
            rejects = self.rejects(end).items()
            before = {m: end.counts[m] * share for m, share in rejects if sum(m) < n}
        statistics, weights, totals = self._flat(end.reference(n))
        as_large = (totals == total) & (statistics >= self.statistics(pulls)[successes])
        probability = weights[as_large].sum() + _spent(before, n)[total]
        return min(1.0, float(probability / self.share(end.allocated(n), end.patients)))

    def at_level(self, alpha: float) -> ConditionalTest:
        """The same test at another level."""
        return ConditionalTest(
            alpha,
            self.alternative,
            self.statistic,
            randomised=self.randomised,
            spending=self.spending,
        )

    def __str__(self) -> str:
        sides = "two-sided" if self.alternative == "two-sided" else "one-sided"
        kind = "randomised " if self.randomised else ""
        return (
            f"{kind}{self.name} ({NAMES[self.statistic]} statistic), {sides}, at level "
            f"{self.alpha:g}"
        )

    def share(self, n: int, patients: int) -> float:
        """The part of the level that may be spent by n patients."""
        return float((n / patients) ** self.spending)

    def _flat(self, layer: Layer) -> tuple[Array, Array, NDArray[np.int16]]:
        """Statistics, probabilities given the total of successes, and totals of all outcomes."""
        size = sum(u.size for u in layer.values())
        statistics, weights, totals = np.empty(size), np.empty(size), np.empty(size, np.int16)
        start = 0
        for pulls, u in layer.items():
            part = slice(start, start + u.size)
            statistics[part] = self.statistics(pulls).ravel()
            weights[part] = null_weights(pulls, u).ravel()
            totals[part] = success_totals(pulls).ravel()
            start += u.size
        return statistics, weights, totals

    def _largest(self, statistics: Array, weights: Array, level: float) -> Array:
        """The probability of rejection of each outcome with the same total: 1 for the largest
        statistics, up to the level.
        """
        order = np.argsort(-statistics)
        values, sums = statistics[order], np.cumsum(weights[order])
        first = np.searchsorted(-values, -values, side="left")  # with the same statistic
        last = np.searchsorted(-values, -values, side="right") - 1
        as_large = sums[last]
        rejects = (as_large <= level * ROUNDING).astype(float)
        if self.randomised:
            larger = np.where(first > 0, sums[first - 1], 0.0)
            part = (level - larger) / np.maximum(as_large - larger, 1e-300)
            rejects = np.where(rejects > 0, rejects, np.clip(part, 0, 1))
        unsorted = np.empty(len(order))
        unsorted[order] = rejects
        return unsorted


def _spent(rejected: Layer, n: int) -> Array:
    """The probability of a rejection at earlier looks, given the total of successes at n.
    [n + 1]
    """
    looks = (hypergeometric(n, m) @ share for m, share in by_total(rejected).items())
    return np.asarray(sum(looks, np.zeros(n + 1)))
