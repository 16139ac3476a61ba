"""The result of a fit of a group: typical values with intervals, how people differ, and shrunken estimates of each."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bamdp import __version__
from bamdp.fit.model import Model
from bamdp.fit.surface import Surface
from bamdp.pictures.markup import joined, table, tag
from bamdp.runs.table import aligned, data_frame
from bamdp.statistics import Mean

if TYPE_CHECKING:
    import pandas

Interval = tuple[float, float, float]  # estimate, and the ends of the 95 % interval


@dataclass(frozen=True, eq=False)
class Person:
    """One person of a group.

    Attributes:
        subject: the person.
        estimates: value of each parameter, shrunken towards the group: the mode of the posterior.
        low: lower end of the 95 % interval of each, given the group.
        high: upper end.
        log_likelihood: the log-likelihood of the choices at the estimates.
        log_evidence: logarithm of the likelihood of the choices, averaged over the group, by Laplace's approximation.
        choices: number of free choices.
        place: the estimates on the scales of the parameters. [K]
        covariance: posterior covariance there. [K, K]
        centre: mean of people with these covariates, on the scales. [K]
        variances: variances of such people around it. [K]
    """

    subject: Any
    estimates: dict[str, float]
    low: dict[str, float]
    high: dict[str, float]
    log_likelihood: float
    log_evidence: float
    choices: int
    place: NDArray[np.float64] = field(repr=False)
    covariance: NDArray[np.float64] = field(repr=False)
    centre: NDArray[np.float64] = field(repr=False)
    variances: NDArray[np.float64] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Group:
    """The fit of a group.

    Attributes:
        model: the model.
        people: each person, with shrunken estimates.
        mean: typical value of each parameter: the mean on its scale, of a person with mean covariates and the first labels.
        low: lower end of the 95 % interval of each mean.
        high: upper end.
        deviation: standard deviation between people of each parameter, on its scale (of log values for "log"), unexplained by
            covariates, with its 95 % interval.
        effects: change of each parameter, on its scale, for one unit of each covariate, with its 95 % interval.
    """

    model: Model
    people: tuple[Person, ...]
    mean: dict[str, float]
    low: dict[str, float]
    high: dict[str, float]
    deviation: dict[str, Interval]
    effects: dict[str, dict[str, Interval]]
    _likelihoods: tuple[tuple[Surface, Callable[[NDArray[np.float64]], Any]], ...] = field(repr=False)

    @property
    def log_evidence(self) -> float:
        """The logarithm of the likelihood of all choices, averaged over what each person may be, by Laplace's approximation."""
        return math.fsum(person.log_evidence for person in self.people)

    @property
    def bic(self) -> float:
        """The integrated BIC: that of the parameters of the group, for all choices (Huys et al. 2011)."""
        count = len(self.mean) * (2 + len(self.effects))
        return math.log(sum(person.choices for person in self.people)) * count - 2 * self.log_evidence

    @property
    def columns(self) -> dict[str, list[Any]]:
        """A row for each person and parameter."""
        rows = [(person, name) for person in self.people for name in person.estimates]
        return {
            "model": [self.model.name for _ in rows],
            "subject": [person.subject for person, _ in rows],
            "parameter": [name for _, name in rows],
            "estimate": [person.estimates[name] for person, name in rows],
            "low": [person.low[name] for person, name in rows],
            "high": [person.high[name] for person, name in rows],
            "log_likelihood": [person.log_likelihood for person, _ in rows],
            "log_evidence": [person.log_evidence for person, _ in rows],
            "choices": [person.choices for person, _ in rows],
        }

    def to_pandas(self) -> pandas.DataFrame:
        """`columns` as a `pandas.DataFrame`."""
        return data_frame(self.columns)

    def to_inferencedata(self, draws: int = 500, *, chains: int = 4, seed: int = 0) -> Any:
        """Posterior draws and the log-likelihood of every choice, for ArviZ; needs the extra `arviz`.

        Draws are those of each person given the group, by Metropolis steps proposed from the normal approximation. With it
        `arviz.loo` estimates what is expected of new choices of the same people.

        Args:
            draws: number of draws of each chain.
            chains: number of chains.
            seed: seed of the draws.
        """
        from bamdp.fit.inference import inference_data

        return inference_data(self, self._likelihoods, draws, chains, seed)

    def sentence(self) -> str:
        """The result as a sentence for a paper."""
        choices, names = sum(person.choices for person in self.people), self.mean
        parts = [f"{name} {Mean(names[name], self.low[name], self.high[name]).range()}" for name in names]
        effects = [
            f"{column} on {name} {Mean(*found).range()}" for column, by in self.effects.items() for name, found in by.items()
        ]
        more = f" Effects of covariates, on the scale of the parameter: {'; '.join(effects)}." if effects else ""
        return (
            f"The model '{self.model.name}' was fitted to {choices} choices of {len(self.people)} people by expectation–"
            f"maximisation with Laplace approximation (bamdp {__version__}, bamdp.fit.group). Typical values with 95 % "
            f"intervals: {', '.join(parts)}.{more} Log-evidence {self.log_evidence:.1f}, integrated BIC {self.bic:.1f}."
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a picture of the people and the group to a file, `.svg` or `.png`; needs the extra `report`."""
        from bamdp.fit.picture import grouped, write

        write(grouped(self), path)

    def __str__(self) -> str:
        return "\n".join([self._title, *aligned([self._heads(), *self._cells()])])

    def _repr_html_(self) -> str:
        from bamdp.fit.picture import grouped, inline

        return joined([tag("p", self._title), table(self._heads(), self._cells()), inline(grouped, self)])

    @property
    def _title(self) -> str:
        count = sum(person.choices for person in self.people)
        return f"{self.model.name}: {len(self.people)} people, {count} choices, integrated BIC {self.bic:.1f}"

    def _heads(self) -> Sequence[str]:
        return ["parameter", "typical value", "deviation between people", *self.effects]

    def _cells(self) -> list[list[str]]:
        cells = []
        for name, value in self.mean.items():
            scale = self.model.bounds(name).scale
            unit = "" if scale == "linear" else f" ({scale})"
            effects = [Mean(*by[name]).range() for by in self.effects.values()]
            typical = Mean(value, self.low[name], self.high[name]).range()
            cells.append([name, typical, Mean(*self.deviation[name]).range() + unit, *effects])
        return cells
