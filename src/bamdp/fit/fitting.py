"""Fitting a model to choices: maximum likelihood or maximum a posteriori, with intervals by profile likelihood.

A 95 % interval of a parameter has the values whose profile, the maximum over all others, is at most 1.92 below the maximum
(half the 95 % quantile of chi-squared with one degree of freedom). Where values are those of a search, the estimate itself
depends on its seeds, with standard deviation s on the scale of the parameter, measured with `repeats` further sets of seeds:

    half-width of the interval = √(half-width by profile² + (1.96 s)²)

With seeds fixed the objective is deterministic (common random numbers) but rough. One planning parameter is then found by a
curve through many points (`bamdp.fit.smooth`), more of them by the method of Nelder and Mead; s is then how far the vertex of a
parabola through the estimate and the ends of the interval moves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from bamdp import validation
from bamdp.fit.data import Game
from bamdp.fit.likelihood import checked, pool, valued
from bamdp.fit.model import FreeParameter, Model
from bamdp.fit.results import Fit, Fits
from bamdp.fit.smooth import Cloud, cloud, jackknifed
from bamdp.fit.surface import Point, Surface, maximum
from bamdp.progress import progress
from bamdp.validation import integer, one_of, positive_integer, require, suggestion

CUT = 1.920729  # half the 95 % quantile of chi-squared with one degree of freedom
NORMAL = 1.959964
NEAREST = 30  # planning parameters that the profile of a rule looks at
EVERYBODY = "all"  # in place of a subject

# Places of the planning parameters and of the rule, ends of the intervals and search noise by name; all on the scales.
Found = tuple[Point, Point, dict[str, float], dict[str, float], dict[str, float]]


def fit(
    data: Any,
    model: Model,
    *,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    by: Literal["subject"] | None = "subject",
    starts: int = 3,
    repeats: int = 3,
    threads: int | None = None,
) -> Fits:
    """Fit the parameters of a model to choices.

    With `log_prior` in the parameters of the model this is the maximum a posteriori, else the maximum likelihood.

    Args:
        data: columns of choices: a dictionary of arrays, or a `pandas.DataFrame`; see `bamdp.fit.data`.
        model: the model.
        bounds: narrower bounds of some parameters.
        by: fit each "subject", or all together with one set of parameters if None.
        starts: starting points of the optimization of two or more planning parameters.
        repeats: further sets of seeds to measure search noise with; not used for exact values.
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
    model = _narrowed(model, bounds)
    one_of("by", "all" if by is None else by, ("subject", "all"))
    starts, repeats = positive_integer("starts", starts, 1000), integer("repeats", repeats, 0, 1000)
    middle = {name: model.bounds(name).middle for name in model.parameters}
    choices = checked(data, model, middle)
    subjects = choices.subjects if by is not None else {EVERYBODY: choices.games}
    for games in subjects.values():
        count = sum(int(game.counted.sum()) for game in games)
        if count <= len(model.parameters):
            where = games[-1].where(len(games[-1].steps) - 1)
            raise ValueError(f"{where}: {count} free choices can't identify {len(model.parameters)} parameters")
    noisy = bool(valued(model, middle)(next(game for game in choices.games if game.counted.any()))[1].any())

    def one(item: tuple[Any, list[Game]]) -> Fit:
        return _fitted(*item, model, starts, repeats if noisy else 0, noisy)

    with pool(threads) as workers, progress("subjects") as show:
        found = []
        for done in workers.map(one, subjects.items()):
            found.append(done)
            if len(subjects) > 1:
                show("", len(found), len(subjects))
    return Fits(model.name, tuple(found))


def _narrowed(model: Model, bounds: Mapping[str, tuple[float, float]] | None) -> Model:
    if not isinstance(model, Model):
        raise TypeError(f"model must be a bamdp.fit.Model, got {model!r}")
    parameters: dict[str, FreeParameter | tuple[float, float]] = dict(model.parameters)
    for name, (low, high) in ({} if bounds is None else validation.mapping("bounds", bounds)).items():
        if name not in parameters:
            raise ValueError(f"bounds must be of {', '.join(parameters)}, got {name!r}{suggestion(str(name), parameters)}")
        parameters[name] = replace(model.bounds(name), low=low, high=high)
    return replace(model, parameters=parameters)


def _fitted(subject: Any, games: list[Game], model: Model, starts: int, repeats: int, noisy: bool) -> Fit:
    surfaces = [Surface(model, games, repeat) for repeat in range(repeats + 1)]
    if noisy and repeats and len(model.planning) == 1:
        plan, rule, low, high, noise = _smoothly(surfaces)
    else:
        plan, rule, low, high, noise = _directly(surfaces, starts, noisy)
    for name, z in zip((*model.planning, *model.choosing), (*plan, *rule), strict=True):
        bound = model.bounds(name).ends
        low[name] = max(bound[0], z - float(np.hypot(z - low[name], NORMAL * noise[name])))
        high[name] = min(bound[1], z + float(np.hypot(high[name] - z, NORMAL * noise[name])))
    value = {name: model.bounds(name).value for name in model.parameters}
    logs = [surface.log_likelihood(plan, rule) for surface in surfaces]
    return Fit(
        subject,
        surfaces[0].values(plan, rule),
        {name: value[name](low[name]) for name in value},
        {name: value[name](high[name]) for name in value},
        {name: (model.bounds(name).low, model.bounds(name).high) for name in value},
        float(np.mean(logs)),
        float(np.std(logs, ddof=1) / len(logs) ** 0.5) if len(logs) > 1 else surfaces[0].noise(plan, rule),
        sum(int(game.counted.sum()) for game in games),
    )


def _directly(surfaces: Sequence[Surface], starts: int, noisy: bool) -> Found:
    surface, model = surfaces[0], surfaces[0].model
    ends = [model.bounds(name).ends for name in model.planning]
    plan = tuple(maximum(lambda z: surface.best(tuple(z)).score, ends, smooth=False, tries=starts)[0])
    profile = _Profile(surface, plan, noisy)
    low, high = {}, {}
    for name in (*model.planning, *model.choosing):
        low[name], high[name] = profile.interval(name)
    return plan, surface.best(plan).rule, low, high, _search_noise(surfaces, plan, low, high)


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
            return maximum(at, [ends[i] for i in others], near, smooth=False, tries=1, budget=15)[1]

        return score

    def _choosing(self, place: int) -> Callable[[float], float]:
        """Of a parameter of the rule: over the planning parameters visited so far and, where that costs little, others."""
        surface, ends = self._surface, [self._surface.model.bounds(name).ends for name in self._surface.model.planning]

        def score(z: float) -> float:
            known = {plan: surface.best_but(plan, place, z).score for plan in self._nearest()}
            best = max(known, key=lambda plan: known[plan])
            if self._noisy or len(ends) != 1:
                return known[best]
            found = maximum(
                lambda x: surface.best_but(tuple(x), place, z).score, ends, [best], smooth=False, tries=1, budget=15
            )
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
