import math

import numpy as np
import pytest
from scipy import stats

from bamdp import statistics


def bounds(mean: statistics.Mean) -> tuple[float, float]:
    assert mean.low is not None
    assert mean.high is not None
    return mean.low, mean.high


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 10, 29, 100, 999])
def test_quantile_is_scipys(freedom: int) -> None:
    assert statistics.t_quantile(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-9)


def test_interval_is_scipys() -> None:
    values = np.random.default_rng(0).normal(3, 2, size=12)
    result = statistics.mean(values.tolist())
    expected = stats.t.interval(0.95, 11, loc=values.mean(), scale=stats.sem(values))
    assert result.value == pytest.approx(values.mean())
    assert (result.low, result.high) == pytest.approx(expected)


@pytest.mark.parametrize(("count", "total"), [(81, 263), (0, 20), (20, 20), (3, 5)])
def test_the_interval_of_a_proportion_is_scipys(count: int, total: int) -> None:
    """Wilson's; also Newcombe (1998), Statistics in Medicine 17, Table I: 81 of 263."""
    expected = stats.binomtest(count, total).proportion_ci(method="wilson")
    assert bounds(statistics.proportion(count, total)) == pytest.approx(
        (expected.low, expected.high), abs=1e-12
    )
    assert bounds(statistics.proportion(81, 263)) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert statistics.proportion(1, 4) == statistics.Mean(0.25, None, None)


def test_p_values_are_scipys() -> None:
    rng = np.random.default_rng(5)
    first, second = rng.normal(1, 2, size=12), rng.normal(0, 1, size=9)
    for of in (-1.0, 0.0, 1.5):
        one = stats.ttest_1samp(first, of).pvalue
        assert statistics.mean(first.tolist()).p_value(of) == pytest.approx(one, abs=1e-9)
    x = rng.normal(size=12)
    line = stats.linregress(x, first)
    assert statistics.slope(x.tolist(), first.tolist()).p_value() == pytest.approx(
        line.pvalue, abs=1e-9
    )
    welch = statistics.difference(first.tolist(), second.tolist())
    ratio = abs(welch.value) / np.hypot(stats.sem(first), stats.sem(second))
    assert welch.freedom is not None
    assert welch.p_value() == pytest.approx(2 * stats.t.sf(ratio, welch.freedom), abs=1e-9)
    assert statistics.Mean(1.96, 0.0, 3.92).p_value() == pytest.approx(
        0.05, abs=1e-3
    )  # a normal interval
    assert [statistics.Mean(2.0, 2.0, 2.0).p_value(of) for of in (2.0, 3.0)] == [1.0, 0.0]
    assert statistics.Mean(2.0, None, None).p_value() is None


def test_holm_rejects_step_by_step() -> None:
    """Against his rule, for many levels: reject the smallest while it is at most level / number of
    those left.
    """
    for seed in range(20):
        values = np.random.default_rng(seed).random(7) ** 3
        corrected = np.array(statistics.holm(values.tolist()))
        for level in (0.01, 0.05, 0.2, 0.5):
            rejected = set[int]()
            for index in np.argsort(values):
                if values[index] > level / (7 - len(rejected)):
                    break
                rejected.add(int(index))
            assert set(np.flatnonzero(corrected <= level).tolist()) == rejected
    assert statistics.holm([]) == []


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_few_values_have_no_interval(n: int) -> None:
    few, enough = [2.0, 4.0, 6.0, 8.0][:n], [1.0, 2.0, 3.0, 4.0, 5.0]
    assert statistics.mean(few) == statistics.Mean(1.0 + n, None, None)
    assert statistics.bootstrap(few) == statistics.Mean(1.0 + n, None, None)
    assert statistics.difference(few, enough) == statistics.Mean(n - 2.0, None, None)
    assert statistics.difference(enough, few) == statistics.Mean(2.0 - n, None, None)


def test_difference_is_welchs() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.normal(3, 2, size=12), rng.normal(1, 5, size=7)
    result = statistics.difference(first.tolist(), second.tolist())
    welch = stats.ttest_ind(first, second, equal_var=False)
    half = stats.t.ppf(0.975, int(welch.df)) * math.hypot(stats.sem(first), stats.sem(second))
    assert result.value == pytest.approx(first.mean() - second.mean())
    assert (result.low, result.high) == pytest.approx((result.value - half, result.value + half))
    exact = welch.confidence_interval()
    low, high = bounds(result)
    assert low <= exact.low < exact.high <= high
    assert result.half == pytest.approx((exact.high - exact.low) / 2, rel=0.02)


def test_slope_is_scipys() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=15)
    y = 2 * x + rng.normal(size=15)
    result, expected = statistics.slope(x.tolist(), y.tolist()), stats.linregress(x, y)
    assert result.value == pytest.approx(expected.slope)
    assert result.half == pytest.approx(expected.stderr * stats.t.ppf(0.975, 13))


def test_a_slope_of_two_points_has_no_interval() -> None:
    assert statistics.slope([1.0, 2.0], [2.0, 5.0]) == statistics.Mean(3.0, None, None)


def test_bootstrap_is_scipys_and_repeatable() -> None:
    values = np.random.default_rng(4).exponential(size=20).tolist()
    result = statistics.bootstrap(values)
    assert result == statistics.bootstrap(values)
    low, high = bounds(result)
    assert high - result.value > result.value - low  # skewed, as the values are
    assert statistics.bootstrap([2.0] * 5) == statistics.Mean(2.0, 2.0, 2.0)


def test_sides_of_an_interval() -> None:
    mean = statistics.Mean(2.0, 1.0, 3.0)
    assert [mean.side(of) for of in (0, 1, 2, 3, 4)] == [1, 0, 0, 0, -1]
    assert statistics.Mean(math.nan, math.nan, math.nan).side() is None


def test_quantiles_of_many_degrees_of_freedom() -> None:
    """They took a sum of as many terms."""
    many = statistics.MANY
    assert statistics.t_quantile(many + 1) == pytest.approx(statistics.t_quantile(many), rel=1e-7)
    assert statistics.t_quantile(10**400) == statistics.t_quantile(2**60)
    assert statistics.t_quantile(2**60) == pytest.approx(1.959963984540054, rel=1e-12)


def test_a_ratio_by_hand() -> None:
    """0.5 of 1, 2, 3, 4, 5, whose errors are −0.5, 0, 0, 0.25 and 0.25: half-width 2.776 · √(0.375
    / 4 / 5) / 3.
    """
    result = statistics.ratio([0.0, 1.0, 1.5, 2.25, 2.75], [1.0, 2.0, 3.0, 4.0, 5.0])
    assert result.value == 0.5
    assert result.half == pytest.approx(2.7764 * (0.375 / 20) ** 0.5 / 3, abs=1e-4)


def test_stratified_means_cover_as_often_as_they_say() -> None:
    """Two strata of very different means: 3000 samples of 40; the share covered is binomial, a
    false alarm of 1e-8.
    """
    rng, weights = np.random.default_rng(0), [0.3, 0.7]
    covered, widths = 0, []
    for _ in range(3000):
        strata = (rng.random(40) < 0.7).astype(int)
        found = statistics.stratified(
            (rng.normal(size=40) + 10 * strata).tolist(), strata.tolist(), weights
        )
        assert found.low is not None
        assert found.high is not None
        covered += found.low < 7 < found.high
        widths.append(found.high - found.low)
    assert (
        abs(covered / 3000 - 0.95) < 5.73 * np.sqrt(0.95 * 0.05 / 3000) + 0.01
    )  # 40 values are few for t
    plain = statistics.mean((10.0 * strata).tolist())
    assert max(widths) < 2 < bounds(plain)[1] - bounds(plain)[0], (
        "the strata are not part of the spread"
    )


def test_a_stratified_mean_by_hand() -> None:
    """Variances of the strata are 1, 2 and 8; each has its mean: 7 − 3 degrees of freedom."""
    values, strata = [1.0, 2.0, 3.0, 4.0, 6.0, 0.0, 4.0], [0, 0, 0, 1, 1, 2, 2]
    result = statistics.stratified(values, strata, [0.5, 0.3, 0.2])
    assert result.value == pytest.approx(0.5 * 2 + 0.3 * 5 + 0.2 * 2)
    error = (0.5**2 * 1 / 3 + 0.3**2 * 2 / 2 + 0.2**2 * 8 / 2) ** 0.5
    assert result.half == pytest.approx(2.7764451 * error, rel=1e-7), "quantile of 4 degrees"
    assert result.p_value(result.value + 4.6040949 * error) == pytest.approx(0.01, rel=1e-6)


def test_a_stratum_that_is_missing_leaves_the_plain_mean() -> None:
    values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert statistics.stratified(values, [0, 0, 0, 0, 0, 1], [0.5, 0.5]) == statistics.mean(values)
    assert statistics.stratified(values, [0] * 6, [0.5, 0.5]) == statistics.mean(values)
    assert statistics.stratified(values, [0] * 6, [2.0, 0.0]) == statistics.mean(values)
    with pytest.raises(
        ValueError, match="strata must be an index of a positive weight for each of the 6 values"
    ):
        statistics.stratified(values, [1] * 6, [1.0, 0.0])


def test_no_minus_before_a_zero() -> None:
    assert str(statistics.Mean(-0.4, -12.4, 11.6)) == "0 ± 12"
    assert str(statistics.Mean(-0.6, -12.6, 11.4)) == "-1 ± 12"
    assert statistics.Mean(-0.0004, -0.05, 0.05).range() == "0.000 (-0.050 … 0.050)"
    assert str(statistics.Mean(-0.0, None, None)) == "0"
