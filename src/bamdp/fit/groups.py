"""Fitting a group of people, by the algorithm of `bamdp.fit.group_fit`.

Intervals of typical values and of effects are by Student's t with as many degrees of freedom as
people less covariates less one; those of deviations by chi-squared with the degrees of freedom that
their information is worth (Satterthwaite). Their coverage was measured: docs/fitting.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.fit.columns import unread_notes
from bamdp.fit.data import Choices
from bamdp.fit.group_fit import FEWEST, OUTER, GroupFit, PersonLikelihood
from bamdp.fit.group_result import Group, Interval, Person
from bamdp.fit.likelihood import is_noisy, pool
from bamdp.fit.model import Model
from bamdp.fit.surface import Surface
from bamdp.progress import progress
from bamdp.validation import require

Array = NDArray[np.float64]
NORMAL = 1.959964
SIDES = (0, -1, 1)  # of an estimate and the ends of its interval
LEAST_FREEDOM = 1.0  # of a deviation with an interval: below, chi-squared has quantiles near 0


def group(
    data: Any, model: Model, *, between: Sequence[str] = (), threads: int | None = None
) -> Group:
    """Fit a model to a group of people, whose parameters are normal on their scales.

    Args:
        data: columns of choices: a dictionary of arrays, or a `pandas.DataFrame`; see
            `bamdp.fit.columns`.
        model: the model, with exact values: those of a search are too rough.
        between: columns that differ between persons, numbers (age) or labels (patients and
            controls), with a linear effect.
        threads: number of people at a time; one for each core if not given. The result does not
            depend on it.

    Raises:
        ValueError: the data are impossible in the task, the values are those of a search, or people
            are too few.

    Example:
        >>> import bamdp
        >>> from bamdp.fit import Model, simulate
        >>> task = bamdp.domains.Bandit([0.5, 0.5], 1.0, horizon=5).problem()
        >>> model = Model.of("exact", task)
        >>> people = [simulate(model, {"temperature": t / 10}, games=8, subject=t, seed=0)
        ...     for t in (1, 2, 3, 4, 5)]
        >>> data = {column: sum((person[column] for person in people), []) for column in people[0]}
        >>> whole = group(data, model)
        >>> whole.low["temperature"] < 0.26 < whole.high["temperature"]
        True
    """
    if isinstance(between, str):
        between = [between]
    choices = Choices(data, model, covariates=between)
    subjects = choices.subjects
    if not model.parameters:
        raise ValueError("model must have parameters for a group to differ in")
    X, columns = _design(choices, list(between))
    if len(subjects) < (least := len(columns) + FEWEST):
        raise ValueError(f"data must have at least {least} people for a group, got {len(subjects)}")
    if is_noisy(model, choices.games):
        raise ValueError(
            f"model must have exact values for a group, and {model.name} searches: fit() takes "
            "each person alone"
        )
    people = [PersonLikelihood(Surface(model, games)) for games in subjects.values()]
    with pool(threads) as workers, progress("repetitions") as show:
        fitted = GroupFit(people, X, workers, lambda repetition: show("", repetition, OUTER))
    notes = unread_notes(data, (*model.conditions, *between))
    return _result(model, list(subjects), people, X, columns, fitted, notes)


def _design(choices: Choices, between: Sequence[str]) -> tuple[Array, list[str]]:
    """A row for each person, [N, p], and the names of the columns but the first, which is 1."""
    rows = [choices.covariates.get(subject, {}) for subject in choices.subjects]
    parts, names = [np.ones(len(rows))], list[str]()
    for name in between:
        cells = [row[name] for row in rows]
        if all(isinstance(cell, int | float) for cell in cells):
            numbers = np.array(cells, float)
            parts.append(numbers - numbers.mean())
            names.append(name)
        else:
            labels = sorted(set(map(str, cells)))
            for label in labels[1:]:
                parts.append(np.array([float(str(cell) == label) for cell in cells]))
                names.append(f"{name}: {label} − {labels[0]}")
    X = np.stack(parts, axis=1)
    if np.linalg.matrix_rank(X) < X.shape[1]:
        raise ValueError(
            "between must be columns that differ and don't follow from each other, got "
            f"{', '.join(between)}"
        )
    return X, names


def _result(
    model: Model,
    subjects: Sequence[Any],
    people: Sequence[PersonLikelihood],
    X: Array,
    columns: Sequence[str],
    fitted: GroupFit,
    data_notes: tuple[str, ...],
) -> Group:
    stats: Any = require("scipy.stats", "fitting needs SciPy", "fit")
    names, (N, p) = list(model.parameters), X.shape
    quantile = float(stats.t.ppf(0.975, N - p))
    halves = quantile * np.sqrt(np.diag(fitted.uncertainty)).reshape(-1, p)

    def ends(
        z: Array, halves: Array
    ) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
        """Values at places on the scales, and at the ends of their intervals."""
        places = list(zip(names, z.tolist(), halves.tolist(), strict=True))
        at = [
            {name: model.bounds(name).value(x + side * half) for name, x, half in places}
            for side in SIDES
        ]
        return at[0], at[1], at[2]

    each = []
    for i, subject in enumerate(subjects):
        z, covariance, centre = fitted.means[i], fitted.covariances[i], fitted.B @ X[i]
        log_likelihood, variances = people[i](z), fitted.variances
        prior = -0.5 * float(((z - centre) ** 2 / variances + np.log(variances)).sum())
        estimates, low, high = ends(z, NORMAL * np.sqrt(np.diag(covariance)))
        person = Person(
            subject=subject,
            estimates=estimates,
            low=low,
            high=high,
            log_likelihood=log_likelihood,
            log_evidence=log_likelihood + prior + 0.5 * float(np.linalg.slogdet(covariance)[1]),
            choices=people[i].surface.choices,
            place=z,
            covariance=covariance,
            centre=centre,
            variances=variances,
        )
        each.append(person)
    deviation: dict[str, Interval] = {}
    effects: dict[str, dict[str, Interval]] = {column: {} for column in columns}
    for k, name in enumerate(names):
        weights = fitted.weights[:, k, k]
        deviation[name] = _deviation(float(fitted.variances[k]), weights, N - p, stats)
        for c, column in enumerate(columns, 1):
            effect, half = float(fitted.B[k, c]), float(halves[k, c])
            effects[column][name] = effect, effect - half, effect + half
    mean, low, high = ends(fitted.B[:, 0], halves[:, 0])
    return Group(
        model=model,
        people=tuple(each),
        mean=mean,
        low=low,
        high=high,
        deviation=deviation,
        effects=effects,
        _surfaces=tuple(one.surface for one in people),
        converged=fitted.converged,
        data_notes=data_notes,
    )


def _deviation(variance: float, weights: Array, freedom: int, stats: Any) -> Interval:
    """The standard deviation of the group, with its interval."""
    information = float((weights**2).sum()) / 2
    worth = min(2 * variance**2 * information, float(freedom))
    if worth < LEAST_FREEDOM:
        return math.sqrt(variance), 0.0, math.inf
    quantiles = (float(stats.chi2.ppf(q, worth)) for q in (0.975, 0.025))
    low, high = (math.sqrt(variance * worth / quantile) for quantile in quantiles)
    return math.sqrt(variance), low, high
