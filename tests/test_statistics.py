import math

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


def test_one_value_has_no_interval() -> None:
    assert statistics.mean([4.0]) == statistics.Mean(4.0, None, None)


def test_equal_values_have_an_interval_of_no_width() -> None:
    assert statistics.mean([2.0, 2.0, 2.0]) == statistics.Mean(2.0, 2.0, 2.0)


def test_no_values_are_refused() -> None:
    with pytest.raises(ValueError, match="values must not be empty"):
        statistics.mean([])


def test_the_interval_holds_the_true_mean_95_times_in_100() -> None:
    # 2000 samples: the standard error of the share is 0.0049, so 0.02 is four of them (false alarm 1 in 16,000).
    samples = np.random.default_rng(1).normal(size=(2000, 4))
    results = [statistics.mean(sample.tolist()) for sample in samples]
    held = [(r.low or math.inf) <= 0 <= (r.high or -math.inf) for r in results]
    assert np.mean(held) == pytest.approx(0.95, abs=0.02)
