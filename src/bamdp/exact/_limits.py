"""Confidence limits of means that hold at their level for any distribution in a known range, by
betting.

Given x_1, x_2, … ≥ l, each of an expectation of at most m given those before, a gambler bets that
they are above m. With stakes 0 ≤ λ_i ≤ 1/(m − l) that depend on earlier values alone, the capital

    Π_i (1 + λ_i (x_i − m))

is never negative, and not expected to grow: it ever exceeds 1/δ with probability at most δ (Ville).
Where it does, m is rejected; the lower limit is the least m that is not (Waudby-Smith and Ramdas
2024, Estimating means of bounded random variables by betting). Several gamblers share the first
capital, since the best stake depends on the variance and the number of values.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.975  # of each limit: two of them hold together at 95 %
SAFE = 0.75  # of the largest stake, so that no value takes all of the capital
NUMBERS = 4.0 ** np.arange(3, 11)  # of values, for which the stakes of a gambler each are best
SHARES = 0.5 ** np.arange(10)  # of the largest stake, one gambler each
HALVINGS = 40  # of the range

Array = NDArray[np.float64]


def lower_limit(values: Array, least: float) -> float:
    """A lower limit of the mean of `values`, of which none can be below `least`, in the order in
    which they were drawn.

    Example:
        >>> round(lower_limit(np.full(100, 1.0), least=0.0), 2), round(lower_limit(np.full(100,
        ...     1.0), least=-100.0), 1)
        (0.94, -5.1)
    """
    if not math.isfinite(least) or len(values) < 2:
        return least
    n, over = np.arange(1, len(values)), np.maximum(values - least, 0.0)  # rounded
    means = np.cumsum(over)[:-1] / n  # of the earlier values, from the second value on
    squares = np.concatenate([[0.0], np.cumsum((over[1:-1] - means[:-1]) ** 2)])
    deviations = np.sqrt((means**2 / 4 + squares) / n)

    def capital(m: float) -> list[float]:
        largest = SAFE / max(m, np.finfo(float).tiny)
        with np.errstate(divide="ignore"):
            stakes = (
                np.minimum(math.sqrt(-2 * math.log(1 - LEVEL) / number) / deviations, largest)
                for number in NUMBERS
            )
            return [float(np.log1p(stake * (over[1:] - m)).sum()) for stake in stakes]

    return least + _find_root(lambda m: -_total(capital(m)), 0.0, float(over.max()))[0]


def upper_limit(mean: float, caps: Array, least: float, most: float) -> float:
    """An upper limit of the expectation of values x_i from `least` to `most`, of which only this is
    known: x_i ≤ `caps[i]`, and their mean is at most `mean`.

    The capital is least if those with the largest caps are as large as possible and the others as
    small: it is a sum of concave functions of the x_i.

    Example:
        >>> round(upper_limit(0.5, np.ones(1000), 0.0, 1.0), 3), round(upper_limit(0.5,
        ...     np.full(1000, 0.5), 0.0, 1.0), 3)
        (0.553, 0.504)
    """
    if not math.isfinite(least) or not math.isfinite(most) or most <= least:
        return most
    caps = np.sort(np.clip(caps, least, most))[::-1]
    room, left = caps - least, (mean - least) * len(caps)
    with np.errstate(over="ignore"):
        filled = np.clip(
            (left - np.cumsum(room) + room) / np.maximum(room, np.finfo(float).tiny), 0, 1
        )

    def capital(m: float) -> list[float]:
        stakes = SAFE / max(most - m, np.finfo(float).tiny) * SHARES
        return [
            float(
                (
                    filled * np.log1p(stake * (m - caps))
                    + (1 - filled) * math.log1p(stake * (m - least))
                ).sum()
            )
            for stake in stakes
        ]

    return max(mean, _find_root(lambda m: _total(capital(m)), least, most)[1])


def _total(capitals: list[float]) -> float:
    """The logarithm of the mean capital, less that of 1/δ."""
    return float(np.logaddexp.reduce(capitals)) - math.log(len(capitals)) + math.log(1 - LEVEL)


def _find_root(rising: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Numbers close to each other, below and above the one at which a rising function is 0; at an
    end if there is none.
    """
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return low, high
