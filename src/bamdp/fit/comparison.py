"""Models against each other on the same choices: criteria of each person, held-out games,
random-effects selection.

Held-out games: each part of a person's games, predicted by a fit to the other parts.

A few games may be explained best by a temperature of almost 0, and then one choice in the game that
was held out costs hundreds. So these fits are regularised, in one of two ways:

- by the group: part k of everyone's games is held out, the group is fitted to all other games
  (`bamdp.fit.group_fit`), and each person predicts part k with their estimates in that fit;
- by weak priors: each person alone, by maximum a posteriori. A parameter without a `log_prior` is
  normal on its scale, around the middle of its bounds, which are two standard deviations away.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.fit import search_noise
from bamdp.fit.columns import unread_notes
from bamdp.fit.comparison_result import BY_GROUP, BY_WEAK_PRIORS, ModelComparison
from bamdp.fit.data import Choices
from bamdp.fit.fitting import estimate, fitted
from bamdp.fit.group_fit import FEWEST, GroupFit, PersonLikelihood
from bamdp.fit.likelihood import is_noisy, pool
from bamdp.fit.model import Model
from bamdp.fit.parameters import FreeParameter
from bamdp.fit.results import Fit, Fits
from bamdp.fit.selection import random_effects
from bamdp.fit.surface import Surface
from bamdp.fit.valuation import Game
from bamdp.progress import progress
from bamdp.validation import integer, one_of

CRITERIA = ("bic", "aic", "held_out")
WEAK = 0.25  # deviation of a weak prior, in widths of the bounds
NEVER = -1  # part of the game of a person who has one


def compare(
    data: Any,
    models: Mapping[str, Model],
    *,
    folds: int = 5,
    criterion: str = "bic",
    threads: int | None = None,
) -> ModelComparison:
    """Fit models to the choices of each person and compare them.

    Args:
        data: columns of choices: a dictionary of arrays, or a `pandas.DataFrame`; see
            `bamdp.fit.columns`.
        models: the models by name, two or more.
        folds: parts that the games of a person are split into, each held out once; 0 for none.
        criterion: what models are selected by: "bic", "aic" or "held_out".
        threads: number of people at a time; one for each core if not given. The result does not
            depend on it.

    Raises:
        ValueError: the data are impossible in the task of a model, with the row.

    Example:
        >>> import bamdp
        >>> from bamdp.fit import Model, simulate
        >>> task = bamdp.domains.Bandit([0.5, 0.5], 1.0, horizon=5).problem()
        >>> names = ("posterior-means", "win-stay-lose-shift")
        >>> models = {name: Model.of(name, task) for name in names}
        >>> data = simulate(models["posterior-means"], {"temperature": 0.05}, games=20, seed=0)
        >>> compare(data, models, folds=0).best
        'posterior-means'
    """
    models = dict(validation.mapping("models", models))
    if len(models) < 2 or not all(isinstance(model, Model) for model in models.values()):
        raise ValueError(
            f"models must be two or more by name, each a bamdp.fit.Model, got {list(models)}"
        )
    folds = integer("folds", folds, 0, 10**6)
    criterion = one_of("criterion", criterion, CRITERIA)
    if folds == 1 or (criterion == "held_out" and folds == 0):
        raise ValueError(
            f"folds must be 2 or more, or 0 for none held out, got {folds} with "
            f"criterion={criterion!r}"
        )
    fits: dict[str, Fits] = {}
    held: dict[str, dict[Any, HeldOut]] = {}
    with pool(threads) as workers, progress("people") as show:
        every = {name: Choices(data, model) for name, model in models.items()}
        noisy = {name: is_noisy(model, every[name].games) for name, model in models.items()}
        people = len(next(iter(every.values())).subjects)
        total = len(models) * people
        prior = regularisation(list(models.values()), any(noisy.values()), people)
        for index, (name, model) in enumerate(models.items()):
            fit_one = partial(_fit_person, model=model, noisy=noisy[name])
            each: list[Fit] = []
            for fit in workers.map(fit_one, every[name].subjects.items()):
                each.append(fit)
                show(name, index * people + len(each), total)
            fits[name] = Fits(name, tuple(each))
            held[name] = held_out(
                every[name].subjects,
                model,
                folds,
                prior=prior,
                noisy=noisy[name],
                workers=workers,
                show=partial(show, f"{name}, held out", (index + 1) * people, total),
            )
    by_model = [[_evidence(fit, held[name], criterion) for fit in fits[name]] for name in models]
    evidence = np.array(by_model).T
    if not np.isfinite(evidence).all():
        raise ValueError("criterion must not be 'held_out' where a person has one game")
    first, choices = next((model, every[name]) for name, model in models.items())
    task = first.problem_of({**first.middle, **choices.games[0].conditions})
    parts = {name: by_person.items() for name, by_person in held.items()}
    return ModelComparison(
        models=models,
        fits=fits,
        held_out={n: {who: part.log_likelihood for who, part in by} for n, by in parts.items()},
        held_out_at_bounds={
            n: {who: part.at_bounds for who, part in by} for n, by in parts.items()
        },
        held_out_prior=prior,
        criterion=criterion,
        selection=random_effects(evidence),
        games=max(map(len, choices.subjects.values())),
        guessing=-math.log(task.num_actions),
        data_notes=unread_notes(
            data, [column for model in models.values() for column in model.conditions]
        ),
    )


def _fit_person(item: tuple[Any, list[Game]], model: Model, noisy: bool) -> Fit:
    return fitted(*item, model, 0, noisy, False)


def _evidence(fit: Fit, held: Mapping[Any, HeldOut], criterion: str) -> float:
    if criterion == "held_out":
        return held[fit.subject].log_likelihood
    return -float(getattr(fit, criterion)) / 2


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
