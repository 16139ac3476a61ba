"""Tests of hypotheses, each with a false-alarm rate of FALSE_ALARM: the seeds are fixed, so an
alarm is either always or never.

All the suite's statistical tests together make fewer than 1000 comparisons: one false alarm in 100
000 such suites.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2, chi2_contingency, kstest

from bamdp.search.plan import Plan

FALSE_ALARM = 1e-8
Z_BOUND = 5.73  # two-sided normal at FALSE_ALARM
SMALLEST = 5.0  # cells with a smaller expectation are pooled

T = TypeVar("T", bound=Hashable)


def assert_multinomial(samples: Sequence[tuple[Mapping[T, int], Mapping[T, float]]]) -> None:
    """Independent samples (counts, probabilities), each multinomial: one chi-square of them all."""
    statistic, freedom = 0.0, 0
    for counts, probabilities in samples:
        impossible = set(counts) - {key for key, p in probabilities.items() if p > 0}
        assert not impossible, f"these have probability 0: {impossible}"
        total = sum(counts.values())
        cells = _pooled([(counts.get(key, 0), total * p) for key, p in probabilities.items()])
        statistic += sum((seen - expected) ** 2 / expected for seen, expected in cells)
        freedom += max(0, len(cells) - 1)
    assert freedom > 0, "too few draws to tell anything"
    p_value = float(chi2.sf(statistic, freedom))
    assert p_value > FALSE_ALARM, (
        f"chi-square {statistic:.1f} with {freedom} degrees of freedom: p = {p_value:.2g}"
    )


def assert_distributed(sample: ArrayLike, distribution: Any) -> None:
    """A sample of numbers is from a continuous distribution of `scipy.stats`, by
    Kolmogorov–Smirnov.
    """
    assert kstest(sample, distribution.cdf).pvalue > FALSE_ALARM


def assert_same_distribution(first: Mapping[T, int], second: Mapping[T, int]) -> None:
    """Two samples of discrete outcomes come from one distribution."""
    keys = set(first) | set(second)
    table = np.array([[first.get(key, 0) for key in keys], [second.get(key, 0) for key in keys]])
    rare = table.sum(axis=0) < 4 * SMALLEST
    columns = (
        np.column_stack([table[:, ~rare], table[:, rare].sum(axis=1)]) if rare.any() else table
    )
    columns = columns[:, columns.sum(axis=0) > 0]
    assert columns.shape[1] > 1, "too few draws to tell anything"
    p_value = float(chi2_contingency(columns, correction=False).pvalue)
    assert p_value > FALSE_ALARM, f"the two samples differ: p = {p_value:.2g}"


def assert_same_means(first: ArrayLike, second: ArrayLike, what: str = "the mean") -> None:
    """Two samples of numbers [n, …] have one mean (Welch; normal because the samples are large)."""
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    assert_mean(x, y.mean(axis=0), what, np.sqrt(y.var(axis=0, ddof=1) / len(y)))


def errors_of_returns(plan: Plan) -> NDArray[np.float64]:
    """Standard errors of a plan's values if its returns don't depend on each other, as where
    nothing is to be chosen. [A]
    """
    return np.array(
        [edge["standard_error"] for edge in plan.tree.to_dict(depth=0)["actions"]], dtype=np.float64
    )


def assert_mean(
    sample: ArrayLike, expected: Any, what: str = "the mean", its_error: Any = 0.0
) -> None:
    """A sample of numbers [n, …] has the expected mean, itself known to `its_error`."""
    x = np.asarray(sample, dtype=np.float64)
    error: NDArray[np.float64] = np.sqrt(x.var(axis=0, ddof=1) / len(x) + np.square(its_error))
    off = np.abs(x.mean(axis=0) - expected)
    fine = off <= Z_BOUND * error + 1e-9
    assert np.all(fine), f"{what}: {x.mean(axis=0)} instead of {expected}, standard error {error}"


def _pooled(cells: list[tuple[int, float]]) -> list[tuple[float, float]]:
    """Cells (seen, expected), the rare ones as one; dropped if they are rare even together."""
    common = [(float(seen), expected) for seen, expected in cells if expected >= SMALLEST]
    rare = [(seen, expected) for seen, expected in cells if expected < SMALLEST]
    pool = (float(sum(seen for seen, _ in rare)), sum(expected for _, expected in rare))
    if pool[1] >= SMALLEST:
        return [*common, pool]
    if common and pool[1] > 0:
        last = common.pop()
        return [*common, (last[0] + pool[0], last[1] + pool[1])]
    return common
