"""Profile likelihood: the maximum of a score over some parameters with others held fixed, and where
its interval ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from bamdp.validation import require

Point = tuple[float, ...]  # on the scales of the parameters
Ends = tuple[float, float]  # lowest and highest value on a scale
CUT = 1.920729  # half the 95 % quantile of chi-squared with one degree of freedom
STARTS = 3  # of a search for the maximum of several parameters
GRID = 9  # points of a first look along one parameter


class Best(NamedTuple):
    """The best parameters of the choice rule for some planning parameters, and the score there."""

    score: float
    rule: Point


class Profile(Protocol):
    """A score of planning parameters, at its highest over the choice rule."""

    @property
    def planning_ends(self) -> list[Ends]:
        """The ends of the scale of each planning parameter."""

    @property
    def choosing_ends(self) -> list[Ends]:
        """The ends of the scale of each parameter of the choice rule."""

    def best(self, plan: Point) -> Best:
        """The best choice rule for these planning parameters."""

    def profile(self, plan: Point, index: int | None, value: float) -> Best:
        """The best choice rule with a value of one of its parameters, or of none."""


def maximum(
    score: Callable[[Sequence[float]], float],
    ends: Sequence[Ends],
    starts: Sequence[Sequence[float]] = (),
) -> tuple[list[float], float]:
    """The maximum of a smooth function within `ends`, and its value.

    Of one variable by a grid and Brent's method, of more by L-BFGS-B from `starts`, or from the
    best of some places.
    """
    if not ends:
        return [], score([])
    optimize: Any = require("scipy.optimize", "fitting needs SciPy", "fit")
    if len(ends) == 1:
        return _line_maximum(score, *ends[0], starts, optimize)
    if not starts:
        low, high = np.transpose(ends)
        spread = np.random.default_rng(0).uniform(low, high, size=(8 * STARTS, len(ends))).tolist()
        places = [[sum(pair) / 2 for pair in ends], *spread]
        starts = sorted(places, key=lambda x: -score(x))[:STARTS]
    best: tuple[float, list[float]] = (-np.inf, [])
    for start in starts:
        minimum = optimize.minimize(
            lambda x: -score(x), start, method="L-BFGS-B", bounds=ends, options={"ftol": 1e-8}
        )
        best = max(best, (-float(minimum.fun), minimum.x.tolist()))
    return best[1], best[0]


def _line_maximum(
    score: Callable[[Sequence[float]], float],
    low: float,
    high: float,
    starts: Sequence[Sequence[float]],
    optimize: Any,
) -> tuple[list[float], float]:
    """The maximum of a function of one variable, by a grid and Brent's method."""
    scores: dict[float, float] = {}

    def cost(z: float) -> float:
        scores[z] = score([z])
        return -scores[z]

    points = np.linspace(low, high, GRID).tolist()
    if starts:  # near the maximum: a bracket around it is enough
        half, ((start,), *_) = (high - low) / (GRID - 1) / 2, starts
        around = (min(max(z, low), high) for z in (start - half, start, start + half))
        points = sorted({low, high, *around})
    for z in points:
        cost(z)
    index = points.index(max(points, key=lambda z: scores[z]))
    bracket = points[max(index - 1, 0)], points[min(index + 1, len(points) - 1)]
    options = {"xatol": 2e-3 * (high - low), "maxiter": 14}
    optimize.minimize_scalar(cost, bounds=bracket, method="bounded", options=options)
    best = max(scores, key=lambda z: scores[z])
    return [best], scores[best]


def profile_end(above: Callable[[float], float], at: float, bound: float) -> float:
    """Where `above`, which is positive at an estimate, is 0 on the way to a bound; the bound if it
    is nowhere.
    """
    if at == bound or above(bound) >= 0:
        return bound
    optimize: Any = require("scipy.optimize", "fitting needs SciPy", "fit")
    inner, step = at, (bound - at) / 16
    for _ in range(4):  # doubling steps: a short interval has its bracket near the estimate
        outer = inner + step
        if above(outer) < 0:
            break
        inner, step = outer, 2 * step
    else:
        outer = bound
    if above(inner) <= 0:
        return inner
    xtol = 2e-3 * abs(bound - at)
    root = optimize.brentq(above, inner, outer, xtol=xtol, rtol=1e-3, maxiter=8, disp=False)
    return float(root)
