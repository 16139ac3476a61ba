"""Fitting a model to choices: maximum likelihood or maximum a posteriori, with intervals by profile likelihood.

A 95 % interval of a parameter has the values whose profile, the maximum over all others, is at most 1.92 below the maximum
(half the 95 % quantile of chi-squared with one degree of freedom). Where values are those of a search, the estimate itself
depends on its seeds, with standard deviation s on the scale of the parameter, measured with `repeats` further sets of seeds:

    half-width of the interval = √(half-width by profile² + (1.96 s)²)

With seeds fixed the objective is deterministic (common random numbers) but rough: it jumps wherever the search changes its
mind, often by more than an interval allows, and its highest point is a lucky one. So with one planning parameter a curve is
fitted through many points z of the profile, with R sets of seeds, each with its own level:

    score(r, z) = level_r + b z + c z² + d z³ + noise

The estimate is the maximum of the curve, and s is measured by leaving out one set after the other (the jackknife), which needs
no assumption about the noise. Several planning parameters are found by the method of Nelder and Mead; s is then how far the
vertex of a parabola through the estimate and the ends of the interval moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bamdp.fit.data import Choices
from bamdp.fit.likelihood import is_noisy, pool
from bamdp.fit.model import Model
from bamdp.fit.results import Fit, Fits
from bamdp.fit.surface import Point, Surface, maximum
from bamdp.fit.valuation import Game
from bamdp.progress import progress
from bamdp.validation import boolean, integer, one_of, require

CUT = 1.920729  # half the 95 % quantile of chi-squared with one degree of freedom
NORMAL = 1.959964
NEAREST = 30  # planning parameters that the profile of a rule looks at
FIRST, EACH = 13, 7  # points of the first look at a rough profile, and of each set of seeds
DEEP = 8.0  # how far below its maximum a rough profile is looked at
FINE = 801  # points to read a curve at
EVERYBODY = "all"  # in place of a subject

# Places of the planning parameters and of the rule, ends of the intervals and search noise by name; all on the scales.
Found = tuple[Point, Point, dict[str, float], dict[str, float], dict[str, float]]


def fit(
    data: Any,
    model: Model,
    *,
    by: Literal["subject"] | None = "subject",
    repeats: int = 3,
    intervals: bool = True,
    threads: int | None = None,
) -> Fits:
    """Fit the parameters of a model to choices.

    With `log_prior` in the parameters of the model this is the maximum a posteriori, else the maximum likelihood.

    Args:
        data: columns of choices: a dictionary of arrays, or a `pandas.DataFrame`; see `bamdp.fit.data`.
        model: the model.
        by: fit each "subject", or all together with one set of parameters if None.
        repeats: further sets of seeds to measure search noise with; not used for exact values.
        intervals: whether to find intervals, which takes most of the time; they are NaN if not.
        threads: number of subjects at a time; one for each core if not given. The result does not depend on it.

    Raises:
        ValueError: the data are impossible in the task or under the prior, or a subject has fewer choices than parameters.

    Example:
        >>> import bamdp
        >>> from bamdp.fit import ChoiceRule, FreeParameter, Model, fit, simulate
        >>> model = Model(
        ...     bamdp.domains.Bandit([0.5, 0.5], 1.0, horizon=5).problem(),
        ...     rule=ChoiceRule,
        ...     parameters={"temperature": FreeParameter(0.02, 5, "log")},
        ... )
        >>> data = simulate(model, {"temperature": 0.3}, games=20, seed=0)
        >>> found = fit(data, model)[0]
        >>> found.low["temperature"] < 0.3 < found.high["temperature"]
        True
    """
    if not isinstance(model, Model):
        raise TypeError(f"model must be a bamdp.fit.Model, got {model!r}")
    one_of("by", "all" if by is None else by, ("subject", "all"))
    intervals, repeats = boolean("intervals", intervals), integer("repeats", repeats, 0, 1000)
    choices = Choices(data, model)
    subjects = choices.subjects if by is not None else {EVERYBODY: choices.games}
    noisy = is_noisy(model, choices)

    def one(item: tuple[Any, list[Game]]) -> Fit:
        return fitted(*item, model, repeats if noisy else 0, noisy, intervals)

    with pool(threads) as workers, progress("subjects") as show:
        found = []
        for done in workers.map(one, subjects.items()):
            found.append(done)
            if len(subjects) > 1:
                show("", len(found), len(subjects))
    return Fits(model.name, tuple(found))


def fitted(subject: Any, games: list[Game], model: Model, repeats: int, noisy: bool, intervals: bool) -> Fit:
    """The fit of one person."""
    surfaces = [Surface(model, games, repeat) for repeat in range(repeats + 1)]
    count = surfaces[0].choices
    if count <= len(model.parameters):
        where = games[-1].where(len(games[-1].steps) - 1)
        raise ValueError(f"{where}: {count} free choices can't identify {len(model.parameters)} parameters")
    if noisy and repeats and len(model.planning) == 1 and intervals:
        plan, rule, low, high, noise = _smoothly(surfaces)
    else:
        plan, rule, low, high, noise = _directly(surfaces, noisy, intervals)
    for name, z in zip((*model.planning, *model.choosing), (*plan, *rule), strict=True):
        bound = model.bounds(name).ends
        if intervals:
            low[name] = max(bound[0], z - float(np.hypot(z - low[name], NORMAL * noise[name])))
            high[name] = min(bound[1], z + float(np.hypot(high[name] - z, NORMAL * noise[name])))
    value = {name: model.bounds(name).value for name in model.parameters}
    logs = [surface.log_likelihood(plan, rule) for surface in surfaces]
    return Fit(
        subject,
        surfaces[0].values(plan, rule),
        {name: value[name](low[name]) if intervals else math.nan for name in value},
        {name: value[name](high[name]) if intervals else math.nan for name in value},
        {name: (model.bounds(name).low, model.bounds(name).high) for name in value},
        float(np.mean(logs)),
        float(np.std(logs, ddof=1) / len(logs) ** 0.5) if len(logs) > 1 else surfaces[0].noise(plan, rule),
        count,
    )


def estimate(surface: Surface, noisy: bool, near: Point | None = None) -> tuple[Point, Point]:
    """The planning parameters and those of the rule where the objective is highest; `near` some planning parameters."""
    ends = [surface.model.bounds(name).ends for name in surface.model.planning]
    first = [] if near is None else [near]
    plan = tuple(maximum(lambda z: surface.best(tuple(z)).score, ends, first, smooth=not noisy)[0])
    return plan, surface.best(plan).rule


def _directly(surfaces: Sequence[Surface], noisy: bool, intervals: bool) -> Found:
    surface, model = surfaces[0], surfaces[0].model
    plan, rule = estimate(surface, noisy)
    if not intervals:
        unknown = dict.fromkeys(model.parameters, math.nan)
        return plan, rule, unknown, dict(unknown), dict(unknown)
    profile = _Profile(surface, plan, noisy)
    low, high = {}, {}
    for name in (*model.planning, *model.choosing):
        low[name], high[name] = profile.interval(name)
    return plan, rule, low, high, _search_noise(surfaces, plan, low, high)


class _Profile:
    """The maximum over all parameters but one, around the estimate."""

    def __init__(self, surface: Surface, plan: Point, noisy: bool) -> None:
        self._surface, self._plan, self._noisy = surface, plan, noisy
        self._top = surface.best(plan).score

    def interval(self, name: str) -> tuple[float, float]:
        """The ends of the interval by profile likelihood, on the scale of the parameter."""
        model = self._surface.model
        if name in model.planning:
            place = model.planning.index(name)
            at, score = self._plan[place], self._planning(place)
        else:
            place = model.choosing.index(name)
            at, score = self._surface.best(self._plan).rule[place], self._choosing(place)
        low, high = model.bounds(name).ends

        def above(z: float) -> float:
            return score(z) - self._top + CUT

        return _end(above, at, low), _end(above, at, high)

    def _planning(self, place: int) -> Callable[[float], float]:
        ends = [self._surface.model.bounds(name).ends for name in self._surface.model.planning]
        others = [i for i in range(len(ends)) if i != place]

        def score(z: float) -> float:
            def at(x: Sequence[float]) -> float:
                plan = list(self._plan)
                plan[place] = z
                for i, y in zip(others, x, strict=True):
                    plan[i] = float(y)
                return self._surface.best(tuple(plan)).score

            near = [[self._plan[i] for i in others]]
            return maximum(at, [ends[i] for i in others], near, smooth=not self._noisy, budget=15)[1]

        return score

    def _choosing(self, place: int) -> Callable[[float], float]:
        """Of a parameter of the rule: over the planning parameters visited so far and, where that costs little, others."""
        surface, ends = self._surface, [self._surface.model.bounds(name).ends for name in self._surface.model.planning]

        def score(z: float) -> float:
            known = {plan: surface.best_but(plan, place, z).score for plan in self._nearest()}
            best = max(known, key=lambda plan: known[plan])
            if self._noisy or len(ends) != 1:
                return known[best]
            found = maximum(lambda x: surface.best_but(tuple(x), place, z).score, ends, [best], smooth=False, budget=15)
            return max(known[best], found[1])

        return score

    def _nearest(self) -> list[Point]:
        """Planning parameters whose likelihood is not far from the best, thinned out to not too many."""
        near = [plan for plan in self._surface.visited if self._surface.best(plan).score >= self._top - 3 * CUT]
        return [self._plan, *near[:: -(-len(near) // NEAREST)]]


def _end(above: Callable[[float], float], at: float, bound: float) -> float:
    """Where the profile has fallen by `CUT`, between the estimate and a bound; the bound if it has not."""
    if at == bound or above(bound) >= 0:
        return bound
    optimize = require("scipy.optimize", "fitting needs SciPy", "fit")
    inner, step = at, (bound - at) / 16
    for _ in range(4):  # doubling steps, so that the bracket is near the estimate where the interval is short
        outer = inner + step
        if above(outer) < 0:
            break
        inner, step = outer, 2 * step
    else:
        outer = bound
    if above(inner) <= 0:
        return inner
    end: float = optimize.brentq(above, inner, outer, xtol=2e-3 * abs(bound - at), rtol=1e-3, maxiter=8, disp=False)
    return end


def _search_noise(
    surfaces: Sequence[Surface], plan: Point, low: Mapping[str, float], high: Mapping[str, float]
) -> dict[str, float]:
    """The standard deviation of each estimate over sets of seeds, on the scale of the parameter."""
    model = surfaces[0].model
    if len(surfaces) == 1:
        return dict.fromkeys(model.parameters, 0.0)
    noise = {}
    for i, name in enumerate(model.planning):
        points = sorted({low[name], plan[i], high[name]})
        triples = [[each.best((*plan[:i], z, *plan[i + 1 :])).score for z in points] for each in surfaces]
        noise[name] = _spread([_vertex(points, scores) for scores in triples], points)
    for j, name in enumerate(model.choosing):
        noise[name] = float(np.std([each.best(plan).rule[j] for each in surfaces], ddof=1))
    return noise


def _vertex(points: Sequence[float], scores: Sequence[float]) -> float:
    """The maximum of the parabola through three points; NaN if there is none."""
    if len(points) < 3:
        return float("nan")
    a, b, _ = np.polyfit(points, scores, 2)
    return float(-b / (2 * a)) if a < 0 else float("nan")


def _spread(vertices: Sequence[float], points: Sequence[float]) -> float:
    """The standard deviation of the vertices, those outside counted at the ends; of a uniform draw if there are none."""
    found = np.clip([v for v in vertices if np.isfinite(v)], points[0], points[-1])
    return float(np.std(found, ddof=1)) if len(found) > 1 else (points[-1] - points[0]) / 12**0.5 / 2


def _smoothly(surfaces: Sequence[Surface]) -> Found:
    model = surfaces[0].model
    (name,) = model.planning
    points = cloud(surfaces, model.bounds(name).ends)

    def estimate(some: Cloud) -> Point:
        z = some.peak(some.scores)[0]
        return (z, *some.rule(z))

    z, *rule = estimate(points)
    noise = dict(zip((name, *model.choosing), jackknifed(points, estimate).tolist(), strict=True))
    low, high = {}, {}
    low[name], high[name] = points.interval(CUT, model.bounds(name).ends)
    top = points.peak(points.scores)[1]
    for j, other in enumerate(model.choosing):
        ends = model.bounds(other).ends
        rule[j] = min(max(rule[j], ends[0]), ends[1])

        def above(t: float, j: int = j) -> float:
            places = zip(points.z.tolist(), points.block.tolist(), strict=True)
            return points.peak(np.array([surfaces[r].best_but((x,), j, t).score for x, r in places]))[1] - top + CUT

        low[other], high[other] = _end(above, rule[j], ends[0]), _end(above, rule[j], ends[1])
    return (z,), tuple(rule), low, high, noise


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
