"""The maximum of a rough profile: one planning parameter whose values come from a search.

With its seeds fixed the log-likelihood is a function, but a rough one: it jumps wherever the search changes its mind, often by
more than an interval allows, and its highest point is a lucky one. So a curve is fitted through many points z of the profile,
with R sets of seeds, each with its own level:

    score(r, z) = level_r + b z + c z² + d z³ + noise

The estimate is the maximum of the curve, the interval has the z where it is at most 1.92 lower. What the seeds add is measured
by leaving out one set after the other (the jackknife), which needs no assumption about the noise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bamdp.fit.surface import Surface

FIRST, EACH = 13, 7  # points of the first look, and of each set of seeds
DEEP = 8.0  # how far below its maximum the profile is looked at
FINE = 801  # points to read a curve at


@dataclass(frozen=True)
class Cloud:
    """Points of the profile.

    Attributes:
        z: place of each. [m]
        block: set of seeds of each. [m]
        scores: score of each. [m]
        rules: best choice rule of each. [m, J]
    """

    z: NDArray[np.float64]
    block: NDArray[np.int64]
    scores: NDArray[np.float64]
    rules: NDArray[np.float64]

    def without(self, block: int) -> Cloud:
        """All but one set of seeds."""
        kept = self.block != block
        return Cloud(self.z[kept], self.block[kept], self.scores[kept], self.rules[kept])

    def curve(self, y: NDArray[np.float64], at: NDArray[np.float64], degree: int = 3) -> NDArray[np.float64]:
        """A curve through values `y` of the points, at the level of the mean set of seeds."""
        middle, width = self.z.mean(), max(float(np.ptp(self.z)), 1e-12)
        blocks = self.block[:, None] == np.unique(self.block)
        powers = ((self.z - middle) / width)[:, None] ** np.arange(1, degree + 1)
        found = np.linalg.lstsq(np.hstack([blocks, powers]).astype(float), y, rcond=None)[0]
        levels, slopes = found[: blocks.shape[1]], found[blocks.shape[1] :]
        read: NDArray[np.float64] = levels.mean() + (((at - middle) / width)[:, None] ** np.arange(1, degree + 1)) @ slopes
        return read

    def peak(self, scores: NDArray[np.float64]) -> tuple[float, float]:
        """Where the curve through these scores is highest, and its height."""
        at = np.linspace(self.z.min(), self.z.max(), FINE)
        curve = self.curve(scores, at)
        best = int(curve.argmax())
        return float(at[best]), float(curve[best])

    def interval(self, cut: float, ends: tuple[float, float]) -> tuple[float, float]:
        """The places around the maximum where the curve is at most `cut` lower; a bound, if the curve ends before."""
        at = np.linspace(self.z.min(), self.z.max(), FINE)
        curve = self.curve(self.scores, at)
        best = int(curve.argmax())
        low, high = best, best
        while low > 0 and curve[low - 1] >= curve[best] - cut:
            low -= 1
        while high < FINE - 1 and curve[high + 1] >= curve[best] - cut:
            high += 1
        return float(at[low]) if low else ends[0], float(at[high]) if high < FINE - 1 else ends[1]

    def rule(self, z: float) -> tuple[float, ...]:
        """The best choice rule at `z`, by a curve through those of the points."""
        at = np.array([z])
        return tuple(float(self.curve(self.rules[:, j], at, degree=2)[0]) for j in range(self.rules.shape[1]))


def cloud(surfaces: Sequence[Surface], ends: tuple[float, float]) -> Cloud:
    """Points of the profile near its maximum, from each of the surfaces."""
    grid = np.linspace(*ends, FIRST)
    first = np.array([surfaces[0].best((z,)).score for z in grid.tolist()])
    near = np.flatnonzero(first >= first.max() - DEEP)
    low, high = grid[max(near[0] - 1, 0)], grid[min(near[-1] + 1, FIRST - 1)]
    while True:
        z, block = _places(low, high, len(surfaces))
        best = [surfaces[r].best((x,)) for x, r in zip(z.tolist(), block.tolist(), strict=True)]
        made = Cloud(z, block, np.array([b.score for b in best]), np.array([b.rule for b in best]).reshape(len(z), -1))
        at = np.linspace(low, high, FINE)
        curve = made.curve(made.scores, at)
        inside = at[curve >= curve.max() - DEEP]
        if np.ptp(inside) > 0.4 * (high - low) or high - low < 0.02 * (ends[1] - ends[0]):
            return made
        room = 0.15 * np.ptp(inside)
        low, high = max(low, inside[0] - room), min(high, inside[-1] + room)


def _places(low: float, high: float, blocks: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Places from low to high, each set of seeds its own, the ends included."""
    z = np.linspace(low, high, EACH * blocks)
    return z, np.arange(len(z)) % blocks


def jackknifed(found: Cloud, estimate: Callable[[Cloud], Sequence[float]]) -> NDArray[np.float64]:
    """The standard error of estimates over sets of seeds."""
    left_out = np.array([estimate(found.without(block)) for block in np.unique(found.block).tolist()])
    R = len(left_out)
    errors: NDArray[np.float64] = np.sqrt((R - 1) / R * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0))
    return errors
