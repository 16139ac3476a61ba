"""The log-likelihood of a table of choices, and fits: maximum likelihood or maximum a posteriori,
with intervals by profile likelihood.

A 95 % interval of a parameter has the values whose profile, the maximum over all others, is at most
1.92 below the maximum (half the 95 % quantile of chi-squared with one degree of freedom). Where
values are those of a search, the estimate itself depends on its seeds, with standard deviation s on
the scale of the parameter, measured with `repeats` further sets of seeds
(`bamdp.fit.search_noise`):

    half-width of the interval = √(half-width by profile² + (1.96 s)²)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bamdp.fit import search_noise
from bamdp.fit.columns import unread_notes
from bamdp.fit.data import Choices
from bamdp.fit.likelihood import is_noisy, planned, pool, valued
from bamdp.fit.model import Model
from bamdp.fit.profiles import CUT, Point, maximum, profile_end
from bamdp.fit.results import Fit, Fits
from bamdp.fit.surface import Surface
from bamdp.fit.valuation import Game
from bamdp.progress import progress
from bamdp.validation import boolean, integer, one_of

NORMAL = 1.959964
EVERYBODY = "all"  # in place of a subject


@dataclass(frozen=True)
class LogLikelihood:
    """The log-likelihood of choices.

    Attributes:
        value: the log-likelihood.
        noise: its standard deviation over the seeds of the searches; 0 for exact values, infinite
            if one search without several trees doesn't tell.
        choices: number of free choices.
        subjects: the log-likelihood of each subject.
    """

    value: float
    noise: float
    choices: int
    subjects: dict[Any, float]

    def __float__(self) -> float:
        return self.value


def log_likelihood(
    data: Any, model: Model, parameters: Mapping[str, float], *, threads: int | None = None
) -> LogLikelihood:
    """The log-likelihood of choices under a model.

    Args:
        data: columns of choices: a dictionary of arrays, or a `pandas.DataFrame`; see
            `bamdp.fit.columns`.
        model: the model.
        parameters: value of each parameter.
        threads: number of games at a time; one for each core if not given. The result does not
            depend on it.

    Raises:
        ValueError: the data are impossible in the task or under the prior, with subject, game and
            step; or a parameter is out of bounds.

    Example:
        >>> import bamdp
        >>> from bamdp.fit import ChoiceRule
        >>> two_arms = bamdp.domains.Bandit([0.5, 0.5], 1.0, horizon=2)
        >>> bounds = {"temperature": (0.1, 10)}
        >>> model = Model(two_arms.problem(), rule=ChoiceRule, parameters=bounds)
        >>> data = {"action": [0, 0], "reward": [1, 1]}
        >>> round(log_likelihood(data, model, {"temperature": 1.0}).value, 3)
        -1.306
    """
    values = model.checked(parameters)
    choices = Choices(data, model, values)
    rule, games = model.choice_rule(values), choices.games
    with pool(threads) as workers:
        valued_games = planned(games, workers.map(valued(model, values), games))
    logs = valued_games.logs(rule)
    noise = math.sqrt(float(valued_games.variances(rule).sum()))
    ends = np.cumsum([game.counted.sum() for game in games])
    subjects = dict.fromkeys(choices.subjects, 0.0)
    for game, each in zip(games, np.split(logs, ends[:-1]), strict=True):
        subjects[game.subject] += float(each.sum())
    return LogLikelihood(math.fsum(subjects.values()), noise, len(logs), subjects)


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

    With `log_prior` in the parameters of the model this is the maximum a posteriori, else the
    maximum likelihood.

    Args:
        data: columns of choices: a dictionary of arrays, or a `pandas.DataFrame`; see
            `bamdp.fit.columns`.
        model: the model.
        by: fit each "subject", or all together with one set of parameters if None.
        repeats: further sets of seeds to measure search noise with; not used for exact values.
        intervals: whether to find intervals, which takes most of the time; they are NaN if not.
        threads: number of subjects at a time; one for each core if not given. The result does not
            depend on it.

    Raises:
        ValueError: the data are impossible in the task or under the prior, or a subject has fewer
            choices than parameters.

    Example:
        >>> import bamdp
        >>> from bamdp.fit import ChoiceRule, FreeParameter, Model, fit, simulate
        >>> model = Model(
        ...     bamdp.domains.Bandit([0.5, 0.5], 1.0, horizon=5).problem(),
        ...     rule=ChoiceRule,
        ...     parameters={"temperature": FreeParameter(0.02, 5, "log")},
        ... )
        >>> data = simulate(model, {"temperature": 0.3}, games=20, seed=0)
        >>> person = fit(data, model)[0]
        >>> person.low["temperature"] < 0.3 < person.high["temperature"]
        True
    """
    if not isinstance(model, Model):
        raise TypeError(f"model must be a bamdp.fit.Model, got {model!r}")
    one_of("by", "all" if by is None else by, ("subject", "all"))
    intervals = boolean("intervals", intervals)
    repeats = integer("repeats", repeats, 0, 1000)
    choices = Choices(data, model)
    subjects = choices.subjects if by is not None else {EVERYBODY: choices.games}
    noisy = is_noisy(model, choices.games)

    def one(item: tuple[Any, list[Game]]) -> Fit:
        return fitted(*item, model, repeats if noisy else 0, noisy, intervals)

    with pool(threads) as workers, progress("subjects") as show:
        fits: list[Fit] = []
        for done in workers.map(one, subjects.items()):
            fits.append(done)
            if len(subjects) > 1:
                show("", len(fits), len(subjects))
    return Fits(model.name, tuple(fits), unread_notes(data, model.conditions))


def fitted(
    subject: Any, games: list[Game], model: Model, repeats: int, noisy: bool, intervals: bool
) -> Fit:
    """The fit of one person."""
    surfaces = [Surface(model, games, repeat) for repeat in range(repeats + 1)]
    count = surfaces[0].choices
    if count <= len(model.parameters):
        where = games[-1].where(len(games[-1].steps) - 1)
        raise ValueError(
            f"{where}: {count} free choices can't identify {len(model.parameters)} parameters"
        )
    names = (*model.planning, *model.choosing)
    planning = len(model.planning)
    bounds = [model.bounds(name).ends for name in names]
    noise = np.zeros(len(names))
    ends = [(math.nan, math.nan)] * len(names)
    if noisy:
        points = search_noise.explore(surfaces)
        places = zip(points.estimate(), bounds, strict=True)
        z = [min(max(place, low), high) for place, (low, high) in places]
        if intervals:
            rules = enumerate(z[planning:])
            ends = [points.interval(i, bounds[i]) for i in range(planning)]
            ends += [points.rule_interval(j, surfaces, place) for j, place in rules]
            noise = points.noise()
    else:
        plan, rule = estimate(surfaces[0])
        z = [*plan, *rule]
        if intervals:
            ends = [_profile_interval(surfaces[0], plan, name) for name in names]
    estimates, low, high = (dict.fromkeys(model.parameters, math.nan) for _ in range(3))
    for name, at, (first, last), error in zip(names, z, ends, NORMAL * noise, strict=True):
        scale = model.bounds(name)
        estimates[name] = scale.value(at)
        if intervals:
            low[name] = scale.value(at - math.hypot(at - first, error))
            high[name] = scale.value(at + math.hypot(last - at, error))
    at_best = tuple(z[:planning]), tuple(z[planning:])
    logs = [surface.log_likelihood(*at_best) for surface in surfaces]
    spread = surfaces[0].noise(*at_best)
    if len(logs) > 1:
        spread = float(np.std(logs, ddof=1) / len(logs) ** 0.5)
    return Fit(
        subject=subject,
        estimates=estimates,
        low=low,
        high=high,
        bounds={name: model.bounds(name) for name in model.parameters},
        log_likelihood=float(np.mean(logs)),
        noise=spread,
        choices=count,
    )


def estimate(surface: Surface) -> tuple[Point, Point]:
    """The planning parameters and those of the rule where the objective is highest."""
    ends = [surface.model.bounds(name).ends for name in surface.model.planning]
    z, _ = maximum(lambda z: surface.best(tuple(z)).score, ends)
    return tuple(z), surface.best(tuple(z)).rule


def _profile_interval(surface: Surface, plan: Point, name: str) -> tuple[float, float]:
    """The ends of the interval of a parameter by profile likelihood, on its scale."""
    model, top = surface.model, surface.best(plan).score
    ends = [model.bounds(other).ends for other in model.planning]
    others = list(range(len(plan)))  # planning parameters that are free
    if name in model.planning:
        index = model.planning.index(name)
        at = plan[index]
        others.remove(index)
    else:
        index = model.choosing.index(name)
        at = surface.best(plan).rule[index]
    near = [plan[i] for i in others]  # where the other planning parameters were best so far

    def above(z: float) -> float:
        def score(x: Sequence[float]) -> float:
            if name in model.choosing:
                return surface.profile(tuple(map(float, x)), index, z).score
            return surface.best((*map(float, x[:index]), z, *map(float, x[index:]))).score

        near[:], best = maximum(score, [ends[i] for i in others], [near])
        return best - top + CUT

    low, high = model.bounds(name).ends
    return profile_end(above, at, low), profile_end(above, at, high)
