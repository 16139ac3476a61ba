"""Means, differences and slopes with 95 % confidence intervals, by Student's t or the bootstrap.

Fewer than five values give no interval: a few runs of a reward with few possible values are often
all equal, and the interval then has width 0. For a reward of 0 or 1 at even odds, two runs would
cover its mean in 50 % of cases, four in 88 %; five do in 94 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bamdp.validation import SeedLike

FEWEST = 5  # values that an interval needs
MANY = 10_000  # degrees of freedom above which summing the terms takes too long
LARGEST = 1e150  # value whose square is finite


@dataclass(frozen=True)
class Mean:
    """A mean and its 95 % confidence interval.

    Attributes:
        value: the mean.
        low: lower end of the interval; None for fewer than `FEWEST` values.
        high: upper end of the interval; None for fewer than `FEWEST` values.
        freedom: degrees of freedom of the interval's t distribution; None for a normal one.

    Example:
        >>> Mean(2.0, 1.0, 3.0).side(), Mean(2.0, -1.0, 5.0).side(), Mean(2.0, None, None).side()
        (1, 0, None)
    """

    value: float
    low: float | None
    high: float | None
    freedom: int | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        """The mean and half of the interval's width, which has two digits.

        Example:
            >>> print(Mean(12.3456, 11.1111, 13.5801), Mean(0.5, None, None))
            12.3 ± 1.2 0.5
        """
        return digits(self.value, self.half) + (
            "" if self.half is None else f" ± {digits(self.half, self.half)}"
        )

    def range(self) -> str:
        """The mean and its interval, all with equally many decimals.

        Example:
            >>> Mean(0.95, 0.9104, 0.9726).range()
            '0.950 (0.910 … 0.973)'
        """
        value, low, high = (
            None if x is None else digits(x, self.half) for x in (self.value, self.low, self.high)
        )
        return str(value) if low is None else f"{value} ({low} … {high})"

    @property
    def half(self) -> float | None:
        """Half of the interval's width; None if there is no interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def side(self, of: float = 0.0) -> int | None:
        """Side of the interval: 1 above the value `of`, −1 below, 0 if it contains the value; None
        if there is no interval.
        """
        (of,) = _floats("of", [of])
        if self.low is None or self.high is None or math.isnan(self.value):
            return None
        return 1 if self.low > of else -1 if self.high < of else 0

    def p_value(self, of: float = 0.0) -> float | None:
        """The two-sided p-value of the hypothesis that `of` is the true value; below 0.05 outside
        the interval.

        None if there is no interval.

        Example:
            >>> result = mean([1.0, 2.0, 3.0, 4.0, 5.0])
            >>> round(result.p_value(result.low), 6), round(result.p_value(), 4)
            (0.05, 0.0132)
        """
        (of,) = _floats("of", [of])
        if self.low is None or self.high is None or self.half is None or math.isnan(self.value):
            return None
        away = abs(self.value - of)
        if self.half == 0:
            return 1.0 if away == 0 else 0.0
        freedom = MANY if self.freedom is None or self.freedom > MANY else self.freedom
        ratio = away / self.half * t_quantile(freedom)
        return max(0.0, 1 - _probability_within(math.atan(ratio / math.sqrt(freedom)), freedom))


def mean(values: Sequence[float]) -> Mean:
    """The mean of independent values with its 95 % interval.

    Example:
        >>> result = mean([1.0, 2.0, 3.0, 4.0, 5.0])
        >>> result.value, round(result.low, 3), round(result.high, 3)
        (3.0, 1.037, 4.963)
        >>> mean([1.0, 2.0])
        Mean(value=1.5, low=None, high=None)
    """
    values = _floats("values", values)
    n = len(values)
    centre = math.fsum(values) / n
    if n < FEWEST:
        return Mean(centre, None, None)
    half = t_quantile(n - 1) * standard_error(values)
    return Mean(centre, centre - half, centre + half, n - 1)


def proportion(count: int, total: int) -> Mean:
    """A proportion with its 95 % interval by Wilson (1927), which is of use near 0 and 1 too.

    Example:
        >>> share = proportion(190, 200)
        >>> share.value, round(share.low, 3), round(share.high, 3)
        (0.95, 0.91, 0.973)
    """
    n, p, z = total, count / total, NormalDist().inv_cdf(0.975)
    if n < FEWEST:
        return Mean(p, None, None)
    centre = p + z**2 / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    scale = 1 + z**2 / n
    low = (centre - half) / scale if count > 0 else 0.0
    high = (centre + half) / scale if count < n else 1.0
    return Mean(p, low, high)


def stratified(values: Sequence[float], strata: Sequence[int], weights: Sequence[float]) -> Mean:
    """The mean of values of which each belongs to a stratum of known probability, with its 95 %
    interval.

    The means of the strata are weighted by their probabilities (post-stratification), so that only
    the spread within them counts. If a stratum has fewer than two values, the plain mean.

    Args:
        values: independent values.
        strata: stratum of each, an index into `weights`.
        weights: probability of each stratum.

    Example:
        >>> stratified([1.0, 1.0, 1.0, 5.0, 5.0, 1.0], [0, 0, 0, 1, 1, 0], [0.5, 0.5]).value
        3.0
    """
    values, weights = _floats("values", values), _floats("weights", weights)
    groups: dict[int, list[float]] = {
        index: [] for index, weight in enumerate(weights) if weight > 0
    }
    indices = _floats("strata", strata)
    if len(indices) != len(values) or not all(index in groups for index in indices):
        raise ValueError(
            f"strata must be an index of a positive weight for each of the {len(values)} values"
        )
    for value, index in zip(values, indices, strict=True):
        groups[int(index)].append(value)
    freedom = len(values) - len(groups)
    if min(map(len, groups.values())) < 2 or freedom < FEWEST - 1:
        return mean(values)
    total = math.fsum(weights)
    shares = {index: weights[index] / total for index in groups}
    centre = math.fsum(shares[index] * mean(group).value for index, group in groups.items())
    errors = (shares[index] * standard_error(group) for index, group in groups.items())
    half = t_quantile(freedom) * math.sqrt(math.fsum(error**2 for error in errors))
    return Mean(centre, centre - half, centre + half, freedom)


def difference(first: Sequence[float], second: Sequence[float]) -> Mean:
    """The mean of `first` minus that of `second`, two independent samples, with its 95 % interval
    (Welch).

    The degrees of freedom are rounded down, which makes the interval a little wider.

    Example:
        >>> result = difference([3.0, 4.0, 5.0, 6.0, 7.0], [1.0, 2.0, 3.0, 4.0, 5.0])
        >>> result.value, round(result.low, 3), round(result.high, 3)
        (2.0, -0.306, 4.306)
    """
    first, second = _floats("first", first), _floats("second", second)
    value = mean(first).value - mean(second).value
    if min(len(first), len(second)) < FEWEST or math.isnan(value):
        return Mean(value, None, None)
    errors = [standard_error(values) for values in (first, second)]
    largest = max(errors)
    if largest == 0:
        return Mean(value, value, value)
    squares = [(error / largest) ** 2 for error in errors]  # scaled: small ones don't underflow
    pairs = zip(squares, (first, second), strict=True)
    weights = sum(square**2 / (len(sample) - 1) for square, sample in pairs)
    freedom = int(sum(squares) ** 2 / weights)
    half = t_quantile(freedom) * math.sqrt(sum(squares)) * largest
    return Mean(value, value - half, value + half, freedom)


def slope(x: Sequence[float], y: Sequence[float]) -> Mean:
    """The least-squares slope of `y` over `x`, with its 95 % interval.

    Example:
        >>> result = slope([0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.1, 1.9, 3.0, 4.0])
        >>> round(result.value, 2), round(result.low, 2), round(result.high, 2)
        (0.99, 0.91, 1.07)
    """
    x, y = _floats("x", x), _floats("y", y)
    if len(x) != len(y):
        raise ValueError(f"x and y must have the same number of values, got {len(x)} and {len(y)}")
    n, middle, level = len(x), mean(x).value, mean(y).value
    spread = math.fsum((a - middle) ** 2 for a in x)
    if spread == 0:
        raise ValueError("x must have two different values, got one")
    value = math.fsum((a - middle) * (b - level) for a, b in zip(x, y, strict=True)) / spread
    if n < FEWEST:
        return Mean(value, None, None)
    rest = math.fsum((b - level - value * (a - middle)) ** 2 for a, b in zip(x, y, strict=True))
    half = t_quantile(n - 2) * math.sqrt(rest / (n - 2) / spread)
    return Mean(value, value - half, value + half, n - 2)


def standard_error(values: Sequence[float]) -> float:
    """The standard error of the mean of at least two values.

    Example:
        >>> round(standard_error([1.0, 2.0, 3.0]), 4)
        0.5774
    """
    values = _floats("values", values)
    n = len(values)
    if n == 1:
        raise ValueError("values must be at least two, got one")
    centre = math.fsum(values) / n
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (n - 1) / n)


def ratio(top: Sequence[float], bottom: Sequence[float]) -> Mean:
    """The mean of `top` over the mean of `bottom`, paired values, with its 95 % interval by the
    delta method.

    With r the ratio, (top − r · bottom) / mean(bottom) has mean 0, and its standard error is that
    of the ratio, to first order: good where the mean of `bottom` is many of its standard errors
    away from 0.

    Example:
        >>> result = ratio([1.0, 2.0, 3.0, 2.0, 2.0], [4.0, 4.0, 4.0, 4.0, 4.0])
        >>> result.value, round(result.low, 3), round(result.high, 3)
        (0.5, 0.281, 0.719)
    """
    top, bottom = _floats("top", top), _floats("bottom", bottom)
    if len(top) != len(bottom):
        raise ValueError(
            f"top and bottom must have the same number of values, got {len(top)} and {len(bottom)}"
        )
    below = mean(bottom).value
    if below == 0:
        raise ValueError("bottom must have another mean than 0")
    value = mean(top).value / below
    half = mean([(a - value * b) / below for a, b in zip(top, bottom, strict=True)]).half
    if half is None:
        return Mean(value, None, None)
    return Mean(value, value - half, value + half, len(top) - 1)


def bootstrap(values: Sequence[float], seed: SeedLike = 0) -> Mean:
    """The mean with its 95 % bootstrap interval, bias-corrected and accelerated (BCa); needs SciPy.

    Example:
        >>> result = bootstrap([1.0, 2.0, 4.0, 8.0, 9.0, 9.5])
        >>> result.low < 5 < result.high
        True
    """
    from bamdp import validation

    values, seed = _floats("values", values), validation.integer_seed(seed)
    centre = mean(values).value
    if len(values) < FEWEST or math.isnan(centre):
        return Mean(centre, None, None)
    if min(values) == max(values):  # BCa is not defined
        return Mean(centre, centre, centre)
    import numpy as np
    from scipy import stats

    low, high = stats.bootstrap(
        (list(values),), np.mean, method="BCa", rng=np.random.default_rng(seed)
    ).confidence_interval
    return Mean(centre, float(low), float(high))


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values of several tests, corrected for their number by the method of Holm (1979).

    The probability that any true hypothesis has a corrected value below 0.05 is at most 0.05.

    Example:
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]
    """
    if isinstance(p_values, Sequence) and not p_values:
        return []
    values = _floats("p_values", p_values)
    if not all(0 <= value <= 1 for value in values):
        raise ValueError(f"p_values must be from 0 to 1, got {p_values!r}")
    corrected, largest = [0.0] * len(values), 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        largest = max(largest, min(1.0, (len(values) - rank) * values[index]))
        corrected[index] = largest
    return corrected


@lru_cache(maxsize=1024)  # a report asks for the same ones thousands of times
def t_quantile(freedom: int) -> float:
    """The quantile t of Student's distribution with `freedom` degrees of freedom: P(-t < T < t) =
    0.95.

    Exact up to rounding; importing scipy.stats would take a second.

    Example:
        >>> round(t_quantile(4), 4)
        2.7764
    """
    if not isinstance(freedom, int) or freedom < 1:
        raise ValueError(f"freedom must be an integer of at least 1, got {freedom!r}")
    if freedom > MANY:  # Cornish-Fisher expansion, right to 12 digits here
        z, freedom = NormalDist().inv_cdf(0.975), min(freedom, 2**60)  # beyond 2⁶⁰, exactly z
        return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _probability_within(middle, freedom) < 0.95 else (low, middle)
    return math.sqrt(freedom) * math.tan(low)


def _floats(name: str, values: Sequence[float]) -> list[float]:
    """`values` as floats that can be summed and squared; NaN, a missing value, is kept."""
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} must be numbers, got {values!r}") from None
    if not numbers:
        raise ValueError(f"{name} must not be empty, got none")
    if any(abs(number) > LARGEST for number in numbers):
        raise ValueError(
            f"{name} must be at most {LARGEST:g} in absolute value, got {max(numbers, key=abs)}"
        )
    return numbers


def _probability_within(angle: float, freedom: int) -> float:
    """P(|t| < sqrt(freedom) tan(angle)) for integer degrees of freedom: Abramowitz & Stegun 26.7.3
    and 26.7.4.
    """
    odd = freedom % 2
    squared = math.cos(angle) ** 2
    term, total = (math.cos(angle) if odd else 1.0), 0.0
    for k in range(2 + odd, freedom + 1, 2):
        total += term
        term *= squared * (k - 1) / k
    if odd:
        return (angle + math.sin(angle) * total) * 2 / math.pi
    return math.sin(angle) * total


def digits(value: float, half: float | None = None) -> str:
    """A number to read: as precise as its uncertainty `half` to two digits, or with four digits if
    none is known.

    Example:
        >>> digits(38.1451, 12.3), digits(0.12345, 0.0123), digits(1186.25), digits(0.123456)
        ('38', '0.123', '1186', '0.1235')
        >>> digits(-0.4, 12.3)
        '0'
    """
    if half is not None and 0 < half < math.inf:
        return f"{value:z.{max(0, 1 - math.floor(math.log10(half)))}f}"  # z: no minus before a zero
    return f"{value:.0f}" if 1000 <= abs(value) < 1e15 else f"{value:z.4g}"


def duration(seconds: float) -> str:
    """Format a time with a suitable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
