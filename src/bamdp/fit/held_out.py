"""Held-out games: each part of a person's games, predicted by a fit to the other parts.

A few games may be explained best by a temperature of almost 0, and then one choice in the game that
was held out costs hundreds. So these fits are regularised, in one of two ways:

- by the group: part k of everyone's games is held out, the group is fitted to all other games
  (`bamdp.fit.groups`), and each person predicts part k with their estimates in that fit;
- by weak priors: each person alone, by maximum a posteriori. A parameter without a `log_prior` is
  normal on its scale, around the middle of its bounds, which are two standard deviations away.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp.fit import search_noise
from bamdp.fit.fitting import estimate
from bamdp.fit.groups import FEWEST, GroupFit, PersonLikelihood
from bamdp.fit.model import Model
from bamdp.fit.surface import Surface
from bamdp.fit.valuation import FreeParameter, Game

WEAK = 0.25  # deviation of a weak prior, in widths of the bounds
NEVER = -1  # part of the game of a person who has one
BY_GROUP, BY_WEAK_PRIORS = "group", "weak"


class HeldOut(NamedTuple):
    """The log-likelihood of a person's held-out games, and parameters at a bound in these fits."""

    log_likelihood: float
    at_bounds: tuple[str, ...] = ()


def regularisation(models: Sequence[Model], noisy: bool, people: int) -> str:
    """How the fits of all models are regularised: by the group, if each of them can be."""
    bounds = [model.bounds(name) for model in models for name in model.parameters]
    alone = noisy or people < FEWEST or any(each.log_prior is not None for each in bounds)
    return BY_WEAK_PRIORS if alone else BY_GROUP


def held_out(
    subjects: Mapping[Any, Sequence[Game]],
    model: Model,
    folds: int,
    *,
    prior: str,
    noisy: bool,
    workers: Executor,
    show: Callable[[], None],
) -> dict[Any, HeldOut]:
    """The held-out games of each person; NaN if there are no folds, or one game."""
    if folds == 0:
        return dict.fromkeys(subjects, HeldOut(math.nan))
    by_group = prior == BY_GROUP and bool(model.parameters)
    fitted = model if by_group else _weak(model)
    people = [_Person(fitted, games, folds) for games in subjects.values()]
    if by_group:
        _predict_by_group(people, workers, show)
    else:
        for _ in workers.map(lambda person: person.predict_alone(noisy), people):
            show()
    return {subject: person.result() for subject, person in zip(subjects, people, strict=True)}


class _Person:
    """The games of one person in parts, and what was predicted so far."""

    def __init__(self, model: Model, games: Sequence[Game], folds: int) -> None:
        self.whole = Surface(model, games)
        parts = np.random.default_rng(0).permutation(len(games)) % min(folds, len(games))
        if len(games) == 1:
            parts = np.array([NEVER])
        self.part: NDArray[np.int64] = np.repeat(parts, [int(game.counted.sum()) for game in games])
        self.total = 0.0
        self.at_bounds: set[str] = set()

    def others(self, part: int) -> Surface:
        """The choices that are not held out."""
        return self.whole.part(self.part != part)

    def predicts(self, part: int) -> bool:
        """Whether there are choices to predict, and others to predict them from."""
        return bool(part != NEVER and (self.part == part).any() and (self.part != part).any())

    def add(self, part: int, names: Sequence[str], z: Sequence[float]) -> None:
        """Predict a part with parameters at places on their scales."""
        values = dict(zip(names, map(float, z), strict=True))
        model, rest = self.whole.model, self.whole.part(self.part == part)
        plan = tuple(values[name] for name in model.planning)
        self.total += rest.log_likelihood(plan, tuple(values[name] for name in model.choosing))
        bounds = {name: model.bounds(name) for name in names}
        self.at_bounds |= {n for n in names if bounds[n].is_bound(bounds[n].value(values[n]))}

    def predict_alone(self, noisy: bool) -> None:
        """Predict each part from the person's others."""
        model = self.whole.model
        names = (*model.planning, *model.choosing)
        parts = list(filter(self.predicts, np.unique(self.part).tolist()))
        near = search_noise.explore([self.whole]) if noisy and parts else None
        for part in parts:
            if near is not None:
                z = search_noise.scored([self.others(part)], near.box, near.z).estimate()
            else:
                plan, rule = estimate(self.others(part))  # may be far from that of all games
                z = (*plan, *rule)
            self.add(part, names, z)

    def result(self) -> HeldOut:
        """All that was predicted, with the parameters in the order of the model."""
        names = tuple(name for name in self.whole.model.parameters if name in self.at_bounds)
        return HeldOut(math.nan if NEVER in self.part else self.total, names)


def _predict_by_group(
    people: Sequence[_Person],
    workers: Executor,
    show: Callable[[], None],
) -> None:
    names, ones = list(people[0].whole.model.parameters), np.ones((len(people), 1))
    for part in range(1 + max(int(person.part.max()) for person in people)):
        likelihoods = [PersonLikelihood(person.others(part)) for person in people]
        fitted = GroupFit(likelihoods, ones, workers, lambda _: show())
        for person, z in zip(people, fitted.means, strict=True):
            if person.predicts(part):
                person.add(part, names, z.tolist())


def _weak(model: Model) -> Model:
    """The model with a weak prior of each parameter that has none."""
    bounds = {name: model.bounds(name) for name in model.parameters}
    for name, each in bounds.items():
        if each.log_prior is None:
            bounds[name] = replace(each, log_prior=_normal(each))
    return replace(model, parameters=bounds)


def _normal(bounds: FreeParameter) -> Callable[[float], float]:
    """A log-density that is normal on the scale."""
    low, high = bounds.ends
    middle, deviation = (low + high) / 2, WEAK * (high - low)
    return lambda value: -(((bounds.scaled(value) - middle) / deviation) ** 2) / 2
