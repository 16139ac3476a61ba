"""The result of a fit: a table of estimates with intervals, log-likelihood, AIC and BIC."""

from __future__ import annotations

import math
import os
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bamdp import __version__
from bamdp.pictures.markup import Interval, Markup, intervals, joined, table, tag
from bamdp.runs.table import aligned, data_frame
from bamdp.statistics import Mean, digits

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Fit:
    """The fit of one person.

    Attributes:
        subject: the person; "all" of a fit of all together.
        estimates: the best value of each parameter.
        low: lower end of the 95 % interval of each.
        high: upper end of the 95 % interval of each.
        bounds: bounds of each.
        log_likelihood: the log-likelihood of the choices at the estimates, without priors.
        noise: its standard deviation over the seeds of the searches; 0 for exact values, infinite if unknown.
        choices: number of free choices.
    """

    subject: Any
    estimates: dict[str, float]
    low: dict[str, float]
    high: dict[str, float]
    bounds: dict[str, tuple[float, float]]
    log_likelihood: float
    noise: float
    choices: int

    @property
    def aic(self) -> float:
        """Akaike's information criterion, 2 k − 2 log L: less is better."""
        return 2 * len(self.estimates) - 2 * self.log_likelihood

    @property
    def bic(self) -> float:
        """The Bayesian information criterion, k log n − 2 log L: less is better."""
        return math.log(self.choices) * len(self.estimates) - 2 * self.log_likelihood

    @property
    def unidentified(self) -> list[str]:
        """Parameters that the choices say nothing about: every value within the bounds is in the interval."""
        return [name for name, (low, high) in self.bounds.items() if self.low[name] <= low and self.high[name] >= high]


@dataclass(frozen=True)
class Fits:
    """The fits of some people: a sequence, and a table with a row for each person and parameter.

    Attributes:
        model: name of the model.
        fits: the fit of each person.
    """

    model: str
    fits: tuple[Fit, ...]

    def __iter__(self) -> Iterator[Fit]:
        return iter(self.fits)

    def __len__(self) -> int:
        return len(self.fits)

    def __getitem__(self, index: int) -> Fit:
        """The fit of the person at `index`."""
        return self.fits[index]

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The table as columns, a row for each person and parameter."""
        rows = [(fit, name) for fit in self.fits for name in fit.estimates]
        columns: dict[str, list[Any]] = {"model": [self.model for _ in rows], "subject": [fit.subject for fit, _ in rows]}
        columns["parameter"] = [name for _, name in rows]
        columns["estimate"] = [fit.estimates[name] for fit, name in rows]
        columns["low"] = [fit.low[name] for fit, name in rows]
        columns["high"] = [fit.high[name] for fit, name in rows]
        for measure in ("log_likelihood", "noise", "aic", "bic", "choices"):
            columns[measure] = [getattr(fit, measure) for fit, _ in rows]
        return columns

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a `pandas.DataFrame`; see `columns`."""
        return data_frame(self.columns)

    def sentence(self) -> str:
        """The result as a sentence for a paper."""
        parts = []
        for name in self.fits[0].estimates:
            values = sorted(fit.estimates[name] for fit in self.fits)
            parts.append(f"{name} {statistics.median(values):.3g} ({values[0]:.3g} to {values[-1]:.3g})")
        choices = sum(fit.choices for fit in self.fits)
        return (
            f"The model '{self.model}' was fitted to {choices} choices of {len(self.fits)} people, each alone, by maximum "
            f"likelihood (bamdp {__version__}, bamdp.fit.fit). Median estimates (range): {', '.join(parts)}. Summed "
            f"log-likelihood {sum(fit.log_likelihood for fit in self.fits):.1f}, BIC {sum(fit.bic for fit in self.fits):.1f}."
        )

    def notes(self) -> list[str]:
        """What the choices don't tell."""
        return [
            f"subject {fit.subject}: {fit.choices} choices don't identify {name}; its interval has all values within the bounds"
            for fit in self.fits
            for name in fit.unidentified
        ]

    def picture(self) -> Markup:
        """The estimates with their intervals as an SVG image, a panel for each parameter."""
        panels: dict[str, list[Interval]] = {
            name: [(fit.estimates[name], fit.low[name], fit.high[name]) for fit in self.fits] for name in self.fits[0].estimates
        }
        return intervals([str(fit.subject) for fit in self.fits], panels)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, `.svg` or `.png`; needs the extra `report`."""
        from bamdp.fit.picture import estimates, write

        write(estimates(self), path)

    def __str__(self) -> str:
        lines = aligned([self._heads(), *self._cells()])
        return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:], *self.notes()])

    def _repr_html_(self) -> str:
        return joined([table(self._heads(), self._cells()), self.picture(), *(tag("p", note) for note in self.notes())])

    def _heads(self) -> list[str]:
        return ["subject", *self.fits[0].estimates, "log-likelihood", "AIC", "BIC", "choices"]

    def _cells(self) -> list[list[str]]:
        return [
            [
                str(fit.subject),
                *(_text(value, fit.low[name], fit.high[name]) for name, value in fit.estimates.items()),
                f"{fit.log_likelihood:.2f}" + (f" ± {digits(fit.noise, fit.noise)}" if 0 < fit.noise < math.inf else ""),
                f"{fit.aic:.1f}",
                f"{fit.bic:.1f}",
                str(fit.choices),
            ]
            for fit in self.fits
        ]


def _text(value: float, low: float, high: float) -> str:
    """An estimate with its interval, if there is one."""
    return f"{value:.3g}" if math.isnan(low) else Mean(value, low, high).range()
