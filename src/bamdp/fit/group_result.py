"""The fit of a group: typical values and deviations with intervals, the people in it, and posterior
draws for ArviZ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp import __version__, validation
from bamdp.fit.model import Model
from bamdp.fit.results import FitResult, people_columns, people_figure
from bamdp.fit.surface import Surface
from bamdp.progress import progress
from bamdp.statistics import Mean
from bamdp.validation import SeedLike, positive_integer, require

Array = NDArray[np.float64]
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
        log_evidence: logarithm of the likelihood of the choices, averaged over the group, by
            Laplace's approximation.
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
class Group(FitResult):
    """The fit of a group.

    Attributes:
        model: the model.
        people: each person, with shrunken estimates.
        mean: typical value of each parameter: the mean on its scale, of a person with mean
            covariates and the first labels.
        low: lower end of the 95 % interval of each mean.
        high: upper end.
        deviation: standard deviation between people of each parameter, on its scale (of log values
            for "log"), unexplained by covariates, with its 95 % interval.
        effects: change of each parameter, on its scale, for one unit of each covariate, with its 95
            % interval.
        converged: whether the repetitions ended because nothing changed any more.
        data_notes: which columns of the data were not read.
    """

    model: Model
    people: tuple[Person, ...]
    mean: dict[str, float]
    low: dict[str, float]
    high: dict[str, float]
    deviation: dict[str, Interval]
    effects: dict[str, dict[str, Interval]]
    _surfaces: tuple[Surface, ...] = field(repr=False)
    converged: bool = True
    data_notes: tuple[str, ...] = ()

    @property
    def log_evidence(self) -> float:
        """The logarithm of the likelihood of all choices, averaged over what each person may be, by
        Laplace's approximation.
        """
        return math.fsum(person.log_evidence for person in self.people)

    @property
    def bic(self) -> float:
        """The integrated BIC, of the parameters of the group for all choices (Huys et al. 2011)."""
        parameters = len(self.mean) * (2 + len(self.effects))
        return math.log(self._choices) * parameters - 2 * self.log_evidence

    @property
    def columns(self) -> dict[str, list[Any]]:
        """A row for each person and parameter."""
        return people_columns(
            self.model.name, self.people, ("log_likelihood", "log_evidence", "choices")
        )

    def to_inferencedata(self, draws: int = 500, *, chains: int = 4, seed: SeedLike = 0) -> Any:
        """Posterior draws and the log-likelihood of every choice, for ArviZ; needs the extra
        `arviz`.

        Draws are those of each person given the group, by Metropolis steps proposed from the normal
        approximation. With it `arviz.loo` estimates what is expected of new choices of the same
        people.

        Args:
            draws: number of draws of each chain.
            chains: number of chains.
            seed: seed of the draws.
        """
        draws = positive_integer("draws", draws, 10**6)
        chains = positive_integer("chains", chains, 1000)
        arviz = require("arviz", "to_inferencedata() needs ArviZ", "arviz")
        rng, names = np.random.default_rng(validation.integer_seed(seed)), list(self.mean)
        places, logs = [], []
        with progress("people") as show:
            for person, surface in zip(self.people, self._surfaces, strict=True):
                walks = [_metropolis(person, surface, draws, rng) for _ in range(chains)]
                places.append([kept for kept, _ in walks])
                logs.append([each for _, each in walks])
                show("", len(places), len(self.people))
        values = np.moveaxis(np.array(places), 0, 2)  # [chains, draws, people, K]
        posterior = {
            name: np.vectorize(self.model.bounds(name).value, otypes=[float])(values[..., k])
            for k, name in enumerate(names)
        }
        pointwise = np.concatenate([np.array(each) for each in logs], axis=2)
        games = [game for surface in self._surfaces for game in surface.games]
        groups = {
            "posterior": posterior,
            "log_likelihood": {"choice": pointwise},  # [chains, draws, choices]
            "observed_data": {
                "choice": np.concatenate([game.actions[game.counted] for game in games])
            },
        }
        about = {
            "coords": {"subject": [str(person.subject) for person in self.people]},
            "dims": {name: ["subject"] for name in names},
        }
        if hasattr(arviz, "InferenceData"):  # before ArviZ 1
            return arviz.from_dict(**groups, **about)
        return arviz.from_dict(groups, **about)

    def sentence(self) -> str:
        """The result as a sentence for a paper."""
        parts = [f"{name} {self._typical(name)}" for name in self.mean]
        effects = [
            f"{column} on {name} {Mean(*effect).range()}"
            for column, by_parameter in self.effects.items()
            for name, effect in by_parameter.items()
        ]
        more = ""
        if effects:
            more = f" Effects of covariates, on the scale of the parameter: {'; '.join(effects)}."
        return (
            f"The model '{self.model.name}' was fitted to {self._choices} choices of "
            f"{len(self.people)} people by expectation–"
            f"maximisation with Laplace approximation (bamdp {__version__}, bamdp.fit.group). "
            "Typical values with 95 % "
            f"intervals: {', '.join(parts)}.{more} Log-evidence {self.log_evidence:.1f}, "
            f"integrated BIC {self.bic:.1f}."
        )

    def notes(self) -> list[str]:
        """What the choices of these people don't tell, and columns that were not read."""
        bounds = {name: self.model.bounds(name) for name in self.mean}
        unknown = [n for n in bounds if bounds[n].spanned(self.low[n], self.high[n])]
        ends = [n for n in bounds if n not in unknown and bounds[n].is_bound(self.mean[n])]
        alike = [name for name, (_, _, high) in self.deviation.items() if math.isinf(high)]
        causes = [
            (unknown, "choices of these people don't identify the typical value of {}: fix it"),
            (ends, "the typical value of {} is at a bound: values beyond may fit better"),
            (alike, "differences between people in {} can't be told from noise of the estimates"),
        ]
        notes = [note.format(", ".join(names)) for names, note in causes if names]
        if not self.converged:
            notes.append("the fit did not converge: its numbers are rough")
        return [*notes, *self.data_notes]

    def figure(self) -> Any:
        """The shrunken estimate of each person, and the typical value with its interval as a band;
        needs the extra `report`.
        """
        figure, panels = people_figure(
            self.people, {name: self.model.bounds(name) for name in self.mean}
        )
        for axes, (name, value) in zip(panels, self.mean.items(), strict=True):
            axes.axvspan(self.low[name], self.high[name], color="C1", alpha=0.3, linewidth=0)
            axes.axvline(value, color="C1")
        figure.suptitle(
            "estimates and, as a band, the typical value of the group, with 95 % intervals",
            fontsize=9,
        )
        return figure

    def _typical(self, name: str) -> str:
        return self.model.bounds(name).text(self.mean[name], self.low[name], self.high[name])

    def _spread(self, name: str) -> str:
        value, low, high = self.deviation[name]
        return f"{value:.2g} (0 … inf)" if math.isinf(high) else Mean(value, low, high).range()

    @property
    def _choices(self) -> int:
        return sum(person.choices for person in self.people)

    def title(self) -> str:
        return (
            f"{self.model.name}: {len(self.people)} people, {self._choices} choices, integrated "
            f"BIC {self.bic:.1f}"
        )

    def table(self) -> list[list[str]]:
        cells = [["parameter", "typical value", "deviation between people", *self.effects]]
        for name in self.mean:
            scale = self.model.bounds(name).scale
            unit = "" if scale == "linear" else f" ({scale})"
            effects = [Mean(*by[name]).range() for by in self.effects.values()]
            cells.append([name, self._typical(name), self._spread(name) + unit, *effects])
        return cells


def _metropolis(
    person: Person, surface: Surface, draws: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Metropolis steps proposed from the normal approximation: places [draws, K], and
    log-likelihoods [draws, n].
    """
    root = np.linalg.cholesky(person.covariance)

    def at(z: Array) -> tuple[float, Array]:
        """The log-density of the posterior less that of proposals, and the log-likelihood of each
        choice.
        """
        each = surface.logs(*surface.split(z))
        prior = float(((z - person.centre) ** 2 / person.variances).sum()) / 2
        proposal = float((np.linalg.solve(root, z - person.place) ** 2).sum()) / 2
        return float(each.sum()) - prior + proposal, each

    z = person.place
    now, each = at(z)
    kept, logs = [], []
    for _ in range(draws):
        other = person.place + root @ rng.standard_normal(len(z))
        density, theirs = at(other)
        if np.log(rng.random()) < density - now:
            z, now, each = other, density, theirs
        kept.append(z)
        logs.append(each)
    return np.array(kept), np.array(logs)
