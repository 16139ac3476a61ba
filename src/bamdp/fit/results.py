"""The fits of people, each alone, and what pictures and columns of people have in common."""

from __future__ import annotations

import math
import statistics
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bamdp import __version__
from bamdp.fit.parameters import FreeParameter
from bamdp.result import Result, new_figure
from bamdp.statistics import digits
from bamdp.validation import require


def people_figure(people: Sequence[Any], bounds: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    """The estimate of each person with its interval: a figure, and its panels, one for each
    parameter.
    """
    figure = new_figure(3 * len(bounds) + 1, min(1.4 + 0.25 * len(people), 14))
    panels = list(figure.subplots(1, len(bounds), sharey=True, squeeze=False)[0])
    labels = [str(person.subject) for person in people] if len(people) <= 40 else []
    for axes, (name, parameter) in zip(panels, bounds.items(), strict=True):
        for place, person in enumerate(people):
            ends = person.low[name], person.high[name]
            color = "0.8" if parameter.spanned(*ends) else "C0"
            axes.plot(ends, [place, place], color=color)
            axes.plot([person.estimates[name]], [place], "o", color=color, markersize=4)
        axes.set(xlabel=name, yticks=range(len(labels)), yticklabels=labels)
        if parameter.scale == "log":
            log_axes(axes, "x")
    panels[0].invert_yaxis()  # shared
    figure.supylabel("subject", fontsize=9)
    figure.suptitle("estimates with 95 % intervals; grey: not identified", fontsize=9)
    return figure, panels


def log_axes(axes: Any, which: str) -> None:
    """Logarithmic axes, "x" or "xy", with a few plain numbers."""
    ticker = require("matplotlib.ticker", "pictures need Matplotlib", "report")
    for letter in which:
        axis = getattr(axes, f"{letter}axis")
        getattr(axes, f"set_{letter}scale")("log")
        low, high = axis.get_view_interval()
        axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if high < 100 * low else (1,)))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(ticker.NullFormatter())


def people_columns(
    model: str, people: Sequence[Any], measures: Sequence[str]
) -> dict[str, list[Any]]:
    """A row for each person and parameter: the estimate with its interval, and measures of the
    person.
    """
    rows = [(person, name) for person in people for name in person.estimates]
    return {
        "model": [model for _ in rows],
        "subject": [person.subject for person, _ in rows],
        "parameter": [name for _, name in rows],
        "estimate": [person.estimates[name] for person, name in rows],
        "low": [person.low[name] for person, name in rows],
        "high": [person.high[name] for person, name in rows],
        **{measure: [getattr(person, measure) for person, _ in rows] for measure in measures},
    }


@dataclass(frozen=True)
class Fit:
    """The fit of one person.

    Attributes:
        subject: the person; "all" of a fit of all together.
        estimates: the best value of each parameter.
        low: lower end of the 95 % interval of each.
        high: upper end of the 95 % interval of each.
        bounds: bounds and scale of each.
        log_likelihood: the log-likelihood of the choices at the estimates, without priors.
        noise: its standard deviation over the seeds of the searches; 0 for exact values, infinite
            if unknown.
        choices: number of free choices.
    """

    subject: Any
    estimates: dict[str, float]
    low: dict[str, float]
    high: dict[str, float]
    bounds: dict[str, FreeParameter]
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
        """Parameters that the choices say nothing about: every value within the bounds is in the
        interval.
        """
        return [
            name
            for name, bounds in self.bounds.items()
            if bounds.spanned(self.low[name], self.high[name])
        ]

    @property
    def at_bounds(self) -> list[str]:
        """Other parameters whose estimate is at one of the bounds: a value beyond
        may fit better.
        """
        known = [name for name in self.bounds if name not in self.unidentified]
        return [name for name in known if self.bounds[name].is_bound(self.estimates[name])]


class FitResult(Result):
    """The result of fitting people."""

    @abstractmethod
    def sentence(self) -> str:
        """The result as a sentence for a paper."""


@dataclass(frozen=True)
class Fits(FitResult):
    """The fits of some people: a sequence, and a table with a row for each person and parameter.

    Attributes:
        model: name of the model.
        fits: the fit of each person.
        data_notes: which columns of the data were not read.
    """

    model: str
    fits: tuple[Fit, ...]
    data_notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Fit]:
        return iter(self.fits)

    def __len__(self) -> int:
        return len(self.fits)

    def __getitem__(self, index: int) -> Fit:
        """The fit of the person at `index`."""
        return self.fits[index]

    @property
    def columns(self) -> dict[str, list[Any]]:
        """A row for each person and parameter."""
        return people_columns(
            self.model, self.fits, ("log_likelihood", "noise", "aic", "bic", "choices")
        )

    def sentence(self) -> str:
        """The result as a sentence for a paper."""
        parts = []
        for name in self.fits[0].estimates:
            values = sorted(fit.estimates[name] for fit in self.fits)
            parts.append(
                f"{name} {statistics.median(values):.3g} ({values[0]:.3g} to {values[-1]:.3g})"
            )
        medians = f"Median estimates (range): {', '.join(parts)}. " if parts else ""
        return (
            f"The model '{self.model}' was fitted to {self._choices} choices of {len(self.fits)} "
            "people, each alone, by "
            f"maximum likelihood (bamdp {__version__}, bamdp.fit.fit). {medians}Summed "
            f"log-likelihood {sum(fit.log_likelihood for fit in self.fits):.1f}, BIC "
            f"{sum(fit.bic for fit in self.fits):.1f}."
        )

    def notes(self) -> list[str]:
        """What the choices don't tell, estimates at a bound, and columns that were not read."""
        unknown = sum(bool(fit.unidentified) for fit in self.fits)
        notes = []
        if unknown:
            notes.append(
                f"{unknown} of {len(self.fits)} people have a parameter that their choices don't "
                "identify: fix it, or fit the group (bamdp.fit.group, bamdp fit --group)"
            )
        for name in self.fits[0].bounds:
            if subjects := [str(fit.subject) for fit in self.fits if name in fit.at_bounds]:
                notes.append(
                    f"{name} is at a bound for {', '.join(subjects)}: values beyond may fit better"
                )
        return [*notes, *self.data_notes]

    def figure(self) -> Any:
        """The estimate of each person with its interval, a panel for each parameter; needs the
        extra `report`.
        """
        return people_figure(self.fits, self.fits[0].bounds)[0]

    @property
    def _choices(self) -> int:
        return sum(fit.choices for fit in self.fits)

    def title(self) -> str:
        return f"{self.model}: {len(self.fits)} people, {self._choices} choices"

    def table(self) -> list[list[str]]:
        heads = ["subject", *self.fits[0].estimates, "log-likelihood", "AIC", "BIC", "choices"]
        return [heads, *map(self._cells, self.fits)]

    def _cells(self, fit: Fit) -> list[str]:
        noise = f" ± {digits(fit.noise, fit.noise)}" if 0 < fit.noise < math.inf else ""
        estimates = [
            fit.bounds[name].text(value, fit.low[name], fit.high[name])
            for name, value in fit.estimates.items()
        ]
        criteria = [
            f"{fit.log_likelihood:.2f}{noise}",
            f"{fit.aic:.1f}",
            f"{fit.bic:.1f}",
            str(fit.choices),
        ]
        return [str(fit.subject), *estimates, *criteria]
