"""Estimates and intervals where values come from a search: a smooth surface through many noisy
points.

With its seeds fixed the log-likelihood is a function of the parameters (common random numbers), but
a rough one: it jumps wherever the search changes its mind, often by more than an interval allows,
and its highest point is a lucky one. So a cubic polynomial is fitted through many points z of the
profile over the choice rule, with R sets of seeds, each with its own level:

    score(r, z) = level_r + cubic(z) + noise

A first look at the whole range finds the region of the maximum; further points are where the
polynomial is high so far. Points count the less the lower the polynomial is there, since it need
only be right near its maximum. The estimate is that maximum, and an interval has the values of a
parameter at which the polynomial, at its highest over the others, is at most 1.92 lower. What the
seeds add is measured by leaving out one set after the other (the jackknife), which assumes nothing
about the noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.fit.profiles import CUT, Ends, Point, Profile, profile_end
from bamdp.validation import require

Array = NDArray[np.float64]
ROUNDS = 4  # of further points
EACH = 3  # first points for each coefficient
DEEP = 8.0  # how far below its maximum the profile is of interest
FINE = 4000  # places to read a polynomial at
CUBIC, SQUARE = 3, 2


@dataclass(frozen=True)
class Points:
    """Points of the profile, in a box.

    Attributes:
        box: lowest and highest value of each planning parameter. [2, d]
        z: place of each point. [m, d]
        block: set of seeds of each. [m]
        scores: score of each. [m]
        rules: best choice rule of each. [m, J]
        weights: how much each counts. [m]
    """

    box: Array
    z: Array
    block: NDArray[np.int64]
    scores: Array
    rules: Array
    weights: Array

    def curve(self, y: Array, at: Array, degree: int = CUBIC) -> Array:
        """A polynomial through values `y` of the points, at the level of the mean set of seeds."""
        blocks = self.block[:, None] == np.unique(self.block)
        root = np.sqrt(self.weights)[:, None]
        design = np.hstack([blocks, self._powers(self.z, degree)]) * root
        coefficients, *_ = np.linalg.lstsq(design, y * root[:, 0], rcond=None)
        levels, slopes = np.split(coefficients, [blocks.shape[1]])
        return np.asarray(levels.mean() + self._powers(at, degree) @ slopes)

    def reweighted(self) -> Points:
        """The points, each counting by the height of the polynomial there."""
        points = self
        for _ in range(3):
            height = points.curve(points.scores, points.z)
            points = replace(points, weights=np.exp((height - height.max()) / DEEP))
        return points

    def without(self, block: int) -> Points:
        """All but one set of seeds."""
        kept = self.block != block
        return Points(
            self.box,
            self.z[kept],
            self.block[kept],
            self.scores[kept],
            self.rules[kept],
            self.weights[kept],
        )

    def peak(self, scores: Array) -> tuple[Array, float]:
        """Where the polynomial through these scores is highest in the box [d], and its height."""
        low, high = self.box
        for _ in range(3):
            at = _grid_places(low, high)
            height = self.curve(scores, at)
            best = at[height.argmax()]
            step = (high - low) / _side(len(low))
            low, high = np.maximum(low, best - step), np.minimum(high, best + step)
        return best, float(height.max())

    def estimate(self) -> Point:
        """The planning parameters at the maximum, and the choice rule there by a polynomial through
        those of the points.
        """
        z, _ = self.peak(self.scores)
        rule = [float(self.curve(values, z[None], SQUARE)[0]) for values in self.rules.T]
        return (*z.tolist(), *rule)

    def noise(self) -> Array:
        """The standard error of each estimate over sets of seeds; 0 of one set,
        which doesn't tell.
        """
        sets = np.unique(self.block).tolist()
        n = len(sets)
        if n == 1:
            return np.zeros(len(self.estimate()))
        left_out = np.array([self.without(block).estimate() for block in sets])
        squares = ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0)
        return np.asarray(np.sqrt((n - 1) / n * squares))

    def interval(self, parameter: int, ends: Ends) -> tuple[float, float]:
        """The values of a planning parameter with a high profile; a bound, if the profile is high
        at the end of the box.
        """
        at = _grid_places(*self.box)
        places = np.unique(at[:, parameter])
        heights = self.curve(self.scores, at)
        highest = np.array([heights[at[:, parameter] == place].max() for place in places])
        profile = highest - heights.max() + CUT
        inside = np.flatnonzero(profile >= 0)
        first, last = inside[0], inside[-1]
        low, high = ends
        if first > 0:
            low = np.interp(0, profile[[first - 1, first]], places[[first - 1, first]])
        if last + 1 < len(places):
            high = np.interp(0, profile[[last + 1, last]], places[[last + 1, last]])
        return float(low), float(high)

    def rule_interval(
        self, parameter: int, surfaces: Sequence[Profile], at: float
    ) -> tuple[float, float]:
        """The values of a parameter of the choice rule with a high profile."""
        _, top = self.peak(self.scores)

        def above(value: float) -> float:
            places = zip(self.z.tolist(), self.block.tolist(), strict=True)
            scores = [surfaces[r].profile(tuple(z), parameter, value).score for z, r in places]
            _, height = self.peak(np.array(scores))
            return height - top + CUT

        low, high = surfaces[0].choosing_ends[parameter]
        return profile_end(above, at, low), profile_end(above, at, high)

    def _powers(self, z: Array, degree: int) -> Array:
        """All products of up to `degree` parameters, scaled to the box."""
        x = (z - self.box.mean(axis=0)) / (self.box[1] - self.box[0])
        powers = [np.empty((len(x), 0))]
        for k in range(1, degree + 1):
            for factors in combinations_with_replacement(range(x.shape[1]), k):
                powers.append(x[:, list(factors)].prod(axis=1, keepdims=True))
        return np.hstack(powers)


def explore(surfaces: Sequence[Profile]) -> Points:
    """Points of the profile near its maximum, from each of the surfaces, which differ in their
    seeds.
    """
    box = np.array(surfaces[0].planning_ends).reshape(-1, 2).T
    d, sets = box.shape[1], len(surfaces)
    if d == 0:
        return scored(surfaces, box, np.empty((sets, 0)))
    n = EACH * (len(list(combinations_with_replacement(range(d + 1), CUBIC))) - 1 + sets)
    halton: Any = require("scipy.stats", "fitting needs SciPy", "fit").qmc.Halton(d, scramble=False)
    halton.fast_forward(1)  # the first point is a corner
    first = scored(surfaces[:1], box, _in_box(box, halton.random(n)))
    near = first.z[first.scores >= first.scores.max() - DEEP]
    room = (box[1] - box[0]) / n ** (1 / d)
    low = np.maximum(box[0], near.min(axis=0) - room)
    high = np.minimum(box[1], near.max(axis=0) + room)
    box = np.array([low, high])
    points = scored(surfaces, box, _in_box(box, halton.random(n)))
    for _ in range(ROUNDS):
        places = _in_box(box, halton.random(FINE))
        height = points.curve(points.scores, places)
        further = places[height >= height.max() - DEEP / 2][: n // 2]
        points = scored(surfaces, box, np.concatenate([points.z, further]))
    return points


def scored(surfaces: Sequence[Profile], box: Array, z: Array) -> Points:
    """Points at these places, of each set of seeds in turn."""
    block = np.arange(len(z)) % len(surfaces)
    places = zip(z.tolist(), block.tolist(), strict=True)
    best = [surfaces[r].best(tuple(place)) for place, r in places]
    scores = np.array([each.score for each in best])
    rules = np.array([each.rule for each in best]).reshape(len(z), -1)
    return Points(box, z, block, scores, rules, np.ones(len(z))).reweighted()


def _in_box(box: Array, shares: Array) -> Array:
    return np.asarray(box[0] + (box[1] - box[0]) * shares)


def _side(d: int) -> int:
    """Places of a grid along each of d parameters."""
    return max(9, int(FINE ** (1 / max(d, 1))))


def _grid_places(low: Array, high: Array) -> Array:
    """Places on a grid; without parameters, the only one. [G, d]"""
    if not len(low):
        return np.empty((1, 0))
    axes = [np.linspace(*ends, _side(len(low))) for ends in zip(low, high, strict=True)]
    return np.stack([part.ravel() for part in np.meshgrid(*axes, indexing="ij")], axis=1)
