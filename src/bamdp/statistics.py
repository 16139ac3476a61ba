"""Means and their confidence intervals, by Student's t."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Mean:
    """A mean and the interval that holds the true one with 95 % confidence.

    Attributes:
        value: the mean.
        low: lower end of the interval; None for a single value.
        high: upper end of the interval; None for a single value.
    """

    value: float
    low: float | None
    high: float | None


def mean(values: Sequence[float]) -> Mean:
    """The mean of independent values with its 95 % interval.

    Example:
        >>> result = mean([1.0, 2.0, 3.0])
        >>> result.value, round(result.low, 3), round(result.high, 3)
        (2.0, -0.484, 4.484)
    """
    n = len(values)
    if n == 0:
        raise ValueError("values must not be empty, got none")
    centre = math.fsum(values) / n
    if n == 1:
        return Mean(centre, None, None)
    variance = math.fsum((value - centre) ** 2 for value in values) / (n - 1)
    half = t_quantile(n - 1) * math.sqrt(variance / n)
    return Mean(centre, centre - half, centre + half)


def t_quantile(freedom: int, level: float = 0.95) -> float:
    """The t that Student's distribution with `freedom` degrees stays within, on both sides, with probability `level`.

    Exact to rounding: importing scipy.stats for it would take a second.

    Example:
        >>> round(t_quantile(4), 4)
        2.7764
    """
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < level else (low, middle)
    return math.sqrt(freedom) * math.tan(low)


def _within(angle: float, freedom: int) -> float:
    """P(|t| < sqrt(freedom) tan(angle)) for whole degrees of freedom: Abramowitz & Stegun 26.7.3 and 26.7.4."""
    odd = freedom % 2
    squared = math.cos(angle) ** 2
    term, total = (math.cos(angle) if odd else 1.0), 0.0
    for k in range(2 + odd, freedom + 1, 2):
        total += term
        term *= squared * (k - 1) / k
    if odd:
        return (angle + math.sin(angle) * total) * 2 / math.pi
    return math.sin(angle) * total
