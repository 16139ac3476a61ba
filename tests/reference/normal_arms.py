"""Normal arms, slowly: values of small problems by sums over grids, and Gittins indices between two
bounds.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Arms = tuple[
    tuple[float, float], ...
]  # mean and standard deviation of the unknown mean of each arm; the noise is 1


def best_value(arms: Arms, steps: int, discount: float, intervals: int) -> float:
    """The value of the best policy that sees in which interval a reward is: `intervals` of equal
    probability at the start.

    The belief about an arm is a vector of weights on a grid of means.
    """
    z = np.linspace(-6, 6, 241)
    grids = [mean + deviation * z for mean, deviation in arms]
    likelihoods = []
    for (mean, deviation), grid in zip(arms, grids, strict=True):
        cuts = mean + np.hypot(1, deviation) * ndtri(np.linspace(0, 1, intervals + 1))
        likelihoods.append(
            np.diff(ndtr(cuts[:, None] - grid), axis=0)
        )  # P(interval | mean), [intervals, grid]
    start = np.exp(-(z**2) / 2)

    def value(weights: tuple[NDArray[np.float64], ...], left: int) -> float:
        means = [float(w @ grid / w.sum()) for w, grid in zip(weights, grids, strict=True)]
        if left == 1:
            return max(means)
        return max(mean + discount * expected(weights, arm, left) for arm, mean in enumerate(means))

    def expected(weights: tuple[NDArray[np.float64], ...], arm: int, left: int) -> float:
        total = 0.0
        for likelihood in likelihoods[arm]:
            after = weights[arm] * likelihood
            total += (
                after.sum()
                / weights[arm].sum()
                * value((*weights[:arm], after, *weights[arm + 1 :]), left - 1)
            )
        return total

    return value((start / start.sum(),) * len(arms), steps)


@cache
def gittins_bounds(n: float, discount: float, stages: int, points: int) -> tuple[float, float]:
    """Bounds below and above on ν(n, discount), without any approximation but rounding.

    v is convex. Below: the largest of its tangents at some points, and retire for ever or never at
    the end. Above: its chords between these points, and the mean becomes known at the end.
    Expectations of piecewise linear functions have a closed form.
    """
    return tuple(-_root(n, discount, stages, points, above) for above in (False, True))  # type: ignore[return-value]


def _root(n: float, discount: float, stages: int, points: int, above: bool) -> float:
    """The root of f, by a bound above or below on it."""
    x = np.linspace(-3, 8, points) / np.sqrt(n)
    for_ever, last = 1 / (1 - discount), n + stages
    kinks, slopes = np.zeros(1), np.full(1, for_ever)  # v(y) = Σ slopes (y − kinks)⁺
    spread_at_end = 1 / np.sqrt(last) if above else 0.0
    for k in np.arange(last - 1, n - 0.5, -1):
        step = np.hypot(1 / np.sqrt(k * (k + 1)), spread_at_end)
        spread_at_end = 0.0
        d = (x[:, None] - kinks) / step
        hinge = step * (np.exp(-(d**2) / 2) / np.sqrt(2 * np.pi) + d * ndtr(d))
        f, slope = x + discount * hinge @ slopes, 1 + discount * ndtr(d) @ slopes
        at = int(np.argmax(f > 0))
        root = (
            x[at] - f[at] / slope[at]
            if not above
            else x[at - 1] - f[at - 1] * (x[at] - x[at - 1]) / (f[at] - f[at - 1])
        )
        kinks, slopes = (
            _chords(x[at:], f[at:], root, for_ever)
            if above
            else _tangents(x[at:], f[at:], slope[at:], root)
        )
    return float(root)


def _chords(
    x: NDArray[np.float64], f: NDArray[np.float64], root: float, for_ever: float
) -> tuple[NDArray[np.float64], ...]:
    x, f = np.append(root, x), np.append(0, f)
    rises = np.append(np.diff(f) / np.diff(x), for_ever)  # no slope is larger
    return x, np.diff(rises, prepend=0)


def _tangents(
    x: NDArray[np.float64], f: NDArray[np.float64], slope: NDArray[np.float64], root: float
) -> tuple[NDArray[np.float64], ...]:
    crossings = (f[:-1] - f[1:] + slope[1:] * x[1:] - slope[:-1] * x[:-1]) / np.maximum(
        np.diff(slope), 1e-300
    )
    crossings = np.clip(crossings, x[:-1], x[1:])
    return np.append(root, crossings), np.diff(slope, prepend=0)
