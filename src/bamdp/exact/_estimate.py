"""The number of belief states of a problem, estimated from the first layers; see `bamdp.exact.bayes_optimal`."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def estimate(sizes: list[int], horizon: int, limit: int) -> tuple[float, int]:
    """The number of belief states for `horizon` steps, and a number of steps that needs at most `limit`."""
    *complete, partial = sizes
    known = np.array(sizes if len(sizes) == 2 else complete, float)
    p, last = _growth(known[len(known) // 2 - 1 :], len(known) // 2), math.log(complete[-1])
    further = np.arange(len(complete), horizon)
    layers = last + np.cumsum(np.log1p(p / further))  # logarithms of their sizes
    needed = sum(complete) + float(np.exp(np.minimum(layers, 700)).sum())
    # For what surely fits, the layers grow as before: in most problems they grow ever less.
    growth, fitting, total, size = (
        float((known[1:] / known[:-1])[-3:].max()),
        len(complete),
        float(sum(complete)),
        float(complete[-1]),
    )
    while fitting < horizon - 1 and total + (size := max(size * growth, partial)) <= limit:
        total, fitting = total + size, fitting + 1
    return max(needed, float(sum(sizes))), fitting


def _growth(sizes: NDArray[np.float64], step: int) -> float:
    """The p with which the last layer grows from the first of `sizes`; its first ratio is 1 + p/step."""
    steps, low, high = np.arange(step, step + len(sizes) - 1), 0.0, 1.0
    grown = math.log(sizes[-1] / sizes[0]) if sizes[-1] > sizes[0] else 0.0
    while np.log1p(high / steps).sum() < grown:
        high *= 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if np.log1p(middle / steps).sum() < grown else (low, middle)
    return low
