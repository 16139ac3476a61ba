"""The expected largest of the unknown means of independent arms: what knowing them is worth a step.

E[max] = top − ∫ Π_k P(mean_k ≤ x) dx, from the bottom to the top of their range
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def largest_normal(arms: list[tuple[float, float]]) -> float:
    """E[max] of independent normal numbers, by their means and deviations: from the top of their
    range down, less the integral of the probability that all are below.
    """
    low = max(mean - 9 * deviation for mean, deviation in arms)
    high = max(mean + 9 * deviation for mean, deviation in arms)
    if high <= low:
        return high
    x, w = np.polynomial.legendre.leggauss(40)
    edges = {low, high}
    for mean, deviation in arms:
        edges |= {mean + k * deviation for k in range(-9, 10) if low < mean + k * deviation < high}
    cuts = np.array(sorted(edges))
    half, middle = np.diff(cuts)[:, None] / 2, (cuts[1:] + cuts[:-1])[:, None] / 2
    points = middle + half * x
    below = np.ones(points.shape)
    for mean, deviation in arms:
        z = np.inf if deviation == 0 else 1 / (deviation * math.sqrt(2))
        scaled = np.where(points >= mean, np.inf, -np.inf) if np.isinf(z) else (points - mean) * z
        below *= (1 + np.vectorize(math.erf)(scaled)) / 2
    return high - float((half * w * below).sum())


def largest_beta(arms: Array) -> float:
    """E[max] of the mean rewards of arms with independent Beta probabilities, likewise."""
    from scipy.integrate import quad
    from scipy.special import betainc

    a, b, failure, success = arms.T
    low, high = arms[:, 2:].min(axis=1).max(), arms[:, 2:].max()
    cuts = np.unique(arms[:, 2:])

    def below(x: float) -> float:
        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.clip((x - failure) / (success - failure), 0, 1)
        each = np.where(success > failure, betainc(a, b, p), 1 - betainc(a, b, p))
        return float(np.where(success == failure, x >= failure, each).prod())

    cuts = cuts[(cuts >= low) & (cuts <= high)]
    settings: Any = {"epsabs": 1e-13, "epsrel": 1e-12, "limit": 500}
    parts = [quad(below, x, y, **settings)[0] for x, y in pairwise(cuts)]
    return float(high - sum(parts))
