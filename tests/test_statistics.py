import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from bamdp import statistics


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 10, 29, 100, 999])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_quantile_is_scipys(freedom: int, level: float) -> None:
    expected = stats.t.ppf(0.5 + level / 2, freedom)
    assert statistics.t_quantile(freedom, level) == pytest.approx(expected, rel=1e-9)


def test_interval_is_scipys() -> None:
    values = np.random.default_rng(0).normal(3, 2, size=12)
    result = statistics.mean(values.tolist())
    expected = stats.t.interval(0.95, 11, loc=values.mean(), scale=stats.sem(values))
    assert result.value == pytest.approx(values.mean())
    assert (result.low, result.high) == pytest.approx(expected)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_few_values_have_no_interval(n: int) -> None:
    few, enough = [2.0, 4.0, 6.0, 8.0][:n], [1.0, 2.0, 3.0, 4.0, 5.0]
    assert statistics.mean(few) == statistics.Mean(1.0 + n, None, None)
    assert statistics.bootstrap(few) == statistics.Mean(1.0 + n, None, None)
    assert statistics.difference(few, enough) == statistics.Mean(n - 2.0, None, None)
    assert statistics.difference(enough, few) == statistics.Mean(2.0 - n, None, None)


def test_an_interval_of_two_valued_rewards_holds_their_mean() -> None:
    """Of the fewest values that have one, each 0 or 1 at even odds: all 32 cases, counted. Two values would give 50 %."""
    cases = [statistics.mean(case) for case in product([0.0, 1.0], repeat=statistics.FEWEST)]
    assert np.mean([case.side(0.5) == 0 for case in cases]) == 1 - 2 / 2**statistics.FEWEST > 0.93


def test_equal_values_have_an_interval_of_no_width() -> None:
    assert statistics.mean([2.0] * 5) == statistics.Mean(2.0, 2.0, 2.0)


def test_the_interval_holds_the_true_mean_95_times_in_100() -> None:
    # 2000 samples: the standard error of the share is 0.0049, so 0.02 is four of them (false alarm 1 in 16,000).
    samples = np.random.default_rng(1).normal(size=(2000, 5))
    results = [statistics.mean(sample.tolist()) for sample in samples]
    held = [(r.low or math.inf) <= 0 <= (r.high or -math.inf) for r in results]
    assert np.mean(held) == pytest.approx(0.95, abs=0.02)


def test_difference_is_welchs() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.normal(3, 2, size=12), rng.normal(1, 5, size=7)
    result = statistics.difference(first.tolist(), second.tolist())
    welch = stats.ttest_ind(first, second, equal_var=False)
    half = stats.t.ppf(0.975, int(welch.df)) * math.hypot(stats.sem(first), stats.sem(second))
    assert result.value == pytest.approx(first.mean() - second.mean())
    assert (result.low, result.high) == pytest.approx((result.value - half, result.value + half))
    exact = welch.confidence_interval()
    assert result.low is not None
    assert result.high is not None
    assert result.low <= exact.low
    assert exact.high <= result.high
    assert result.half == pytest.approx((exact.high - exact.low) / 2, rel=0.02)


def test_difference_without_chance() -> None:
    assert statistics.difference([3.0] * 5, [1.0] * 6) == statistics.Mean(2.0, 2.0, 2.0)
    spread = [1.0, 2.0, 3.0, 4.0, 5.0]
    assert statistics.difference([3.0] * 5, spread).half == pytest.approx(statistics.mean(spread).half)


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
    assert result.low is not None
    assert result.high is not None
    assert result.high - result.value > result.value - result.low  # skewed, as the values are
    assert statistics.bootstrap([2.0] * 5) == statistics.Mean(2.0, 2.0, 2.0)


def test_sides_of_an_interval() -> None:
    mean = statistics.Mean(2.0, 1.0, 3.0)
    assert [mean.side(of) for of in (0, 1, 2, 3, 4)] == [1, 0, 0, 0, -1]
    assert statistics.Mean(math.nan, math.nan, math.nan).side() is None


def test_small_differences_have_intervals_too() -> None:
    """Squares of squares of their errors are 0."""
    first, second = [1.0, 2.0, 3.0, 4.0, 5.0], [3.0, 5.0, 5.0, 6.0, 9.0]
    tiny = statistics.difference([k * 1e-90 for k in first], [k * 1e-90 for k in second])
    usual = statistics.difference(first, second)
    assert tiny.low is not None
    assert usual.low is not None
    assert tiny.low == pytest.approx(1e-90 * usual.low)


def test_quantiles_of_many_degrees_of_freedom() -> None:
    """They took a sum of as many terms."""
    many = statistics.MANY
    assert statistics.t_quantile(many + 1) == pytest.approx(statistics.t_quantile(many), rel=1e-7)
    assert statistics.t_quantile(10**400) == statistics.t_quantile(2**60)
    assert statistics.t_quantile(2**60) == pytest.approx(1.959963984540054, rel=1e-12)
