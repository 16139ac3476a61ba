"""Models against each other on the same choices: the result, as a table, a picture and a
sentence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bamdp import __version__
from bamdp.fit.model import Model
from bamdp.fit.people import RecoveryTask, Worlds
from bamdp.fit.results import FitResult, Fits
from bamdp.fit.selection import Selection
from bamdp.result import new_figure

# choices of a person for each parameter, below which BIC may favour a simpler model:
# docs/fitting.md
ENOUGH = 50
MIDDLE = (0.1, 0.9)  # quantiles of the estimates, between which simulated people are like these
BY_GROUP, BY_WEAK_PRIORS = "group", "weak"


@dataclass(frozen=True, eq=False)
class ModelComparison(FitResult):
    """Models on the same choices.

    Attributes:
        models: the models by name.
        fits: the fits of each, without intervals.
        held_out: log-likelihood of each person's games, each predicted by a fit to others, by model
            and person; NaN where a person has one game. These fits are regularised
            (`bamdp.fit.comparison`).
        held_out_at_bounds: parameters at a bound in one of these fits, by model and person.
        held_out_prior: how they are regularised: by the "group" (three people or more, exact
            values, no `log_prior`), or else by "weak" priors.
        criterion: what the selection is by.
        selection: random-effects selection; the order is that of the models.
        games: most games of a person.
        guessing: log-likelihood of a choice for one who guesses, −log of the number of actions.
        data_notes: which columns of the data were not read.
    """

    models: Mapping[str, Model]
    fits: Mapping[str, Fits]
    held_out: Mapping[str, Mapping[Any, float]]
    held_out_at_bounds: Mapping[str, Mapping[Any, tuple[str, ...]]]
    held_out_prior: str
    criterion: str
    selection: Selection
    games: int
    guessing: float
    data_notes: tuple[str, ...] = ()

    @property
    def columns(self) -> dict[str, list[Any]]:
        """A row for each person and model."""
        rows = [(name, fit) for name, fits in self.fits.items() for fit in fits]
        columns: dict[str, list[Any]] = {
            "model": [name for name, _ in rows],
            "subject": [fit.subject for _, fit in rows],
        }
        for measure in ("log_likelihood", "aic", "bic"):
            columns[measure] = [getattr(fit, measure) for _, fit in rows]
        columns["held_out"] = [self.held_out[name][fit.subject] for name, fit in rows]
        columns["choices"] = [fit.choices for _, fit in rows]
        columns["probability"] = self.selection.responsibilities.T.ravel().tolist()
        return columns

    def total(self, name: str, measure: str) -> float:
        """The sum over people of "log_likelihood", "aic", "bic" or "held_out" of a model."""
        if measure == "held_out":
            return math.fsum(self.held_out[name].values())
        return math.fsum(getattr(fit, measure) for fit in self.fits[name])

    @property
    def best(self) -> str:
        """The model with the largest protected exceedance probability."""
        return list(self.models)[int(self.selection.protected.argmax())]

    def sentence(self) -> str:
        """The result as a sentence for a paper."""
        names, k = list(self.models), int(self.selection.protected.argmax())
        parts = [f"{name} {self.total(name, 'bic'):.1f}" for name in names]
        prior = "the group" if self.held_out_prior == BY_GROUP else "weak priors"
        held = f"held-out log-likelihood (refits regularised by {prior})"
        by = {"bic": "−BIC/2", "aic": "−AIC/2", "held_out": held}[self.criterion]
        return (
            f"{len(names)} models were fitted to {sum(self._choices)} choices of "
            f"{len(self._choices)} people by maximum "
            f"likelihood (bamdp {__version__}, bamdp.fit.compare); summed BIC: {', '.join(parts)}. "
            "In random-effects "
            f"selection by {by}, '{names[k]}' had expected frequency "
            f"{self.selection.frequencies[k]:.2f}, exceedance "
            f"probability {self.selection.exceedance[k]:.3f} and protected exceedance probability "
            f"{self.selection.protected[k]:.3f} (Bayesian omnibus risk "
            f"{self.selection.omnibus_risk:.3g})."
        )

    def tasks(
        self, worlds: Worlds | None = None, games: int | None = None, **settings: Any
    ) -> dict[str, RecoveryTask]:
        """People like these of each model, for `recover_models`: would this comparison find the
        true model?

        Their parameters are between the 10 % and 90 % quantiles of the estimates.

        Args:
            worlds: the world of all games, or a function that draws that of a game; drawn from the
                prior if not given.
            games: games of each person; as many as the person with most games has, if not given.
            settings: `forced` and `conditions` of `simulate`.
        """
        tasks = {}
        for name, model in self.models.items():
            people: dict[str, tuple[float, float]] = {}
            for parameter in model.parameters:
                estimates = [fit.estimates[parameter] for fit in self.fits[name]]
                low, high = np.quantile(estimates, MIDDLE).tolist()
                people[parameter] = low, high
            tasks[name] = RecoveryTask(
                model, people, games or self.games, worlds, settings=settings
            )
        return tasks

    def figure(self) -> Any:
        """BIC of each person above the best model, and how frequent each model is; needs the extra
        `report`.
        """
        names, selection = list(self.models), self.selection
        bic = np.array([[fit.bic for fit in fits] for fits in self.fits.values()])
        figure = new_figure(9, 1.6 + 0.45 * len(names))
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
        for place, above in enumerate(bic - bic.min(axis=0)):
            beside = place + np.linspace(-0.15, 0.15, len(above))
            left.plot(above, beside, "o", color="C0", markersize=3, alpha=0.6)
            left.plot([above.mean()] * 2, [place - 0.3, place + 0.3], color="C0")
            color = "C1" if names[place] == self.best else "0.7"
            right.barh(place, selection.frequencies[place], color=color, height=0.6)
            right.text(1.02, place, f"{selection.protected[place]:.3f}", va="center", fontsize=9)
        left.set(
            xlabel="BIC above the person's best model", yticks=range(len(names)), yticklabels=names
        )
        if np.ptp(bic, axis=0).max() > 100:  # of a few people, who would hide the others
            left.set_xscale("symlog", linthresh=10)
            left.xaxis.set_major_formatter("{x:g}")
        left.set_xlim(left=-0.5)
        right.set(xlabel="frequency among people", xlim=(0, 1))
        right.set_title("protected exceedance", fontsize=9, loc="right")
        left.invert_yaxis()
        return figure

    def notes(self) -> list[str]:
        """Which model is the most frequent, and what speaks against that answer."""
        protected, risk = float(self.selection.protected.max()), self.selection.omnibus_risk
        notes = [
            "no model is more frequent than the others with probability 0.95; all are equally "
            f"frequent with {risk:.2f}"
        ]
        if protected > 0.95:
            notes = [
                f"{self.best} is the most frequent model, with protected exceedance probability "
                f"{protected:.3f}"
            ]
        sizes = {name: len(model.parameters) for name, model in self.models.items()}
        largest, choices = max(sizes, key=lambda name: sizes[name]), float(np.median(self._choices))
        if min(sizes.values()) < sizes[largest] and choices < ENOUGH * sizes[largest]:
            notes.append(
                f"few choices: {choices:g} a person for the {sizes[largest]} parameters of "
                f"{largest}. Below {ENOUGH} for each parameter, BIC may favour a simpler model "
                "whatever people do: compare the integrated BIC of group fits too "
                "(bamdp.fit.group, bamdp fit --group)"
            )
        guessing = self.guessing * sum(self._choices)
        if worse := [name for name in self.models if self.total(name, "held_out") < guessing]:
            notes.append(
                "overfitted, worse than guessing in the games that were held out: "
                f"{', '.join(worse)}"
            )
        return [*notes, *self._at_bounds(), *self.data_notes]

    def _at_bounds(self) -> list[str]:
        """Estimates at a bound: of all games, and of those that predict held-out games."""
        notes = [f"{name}: {note}" for name, fits in self.fits.items() for note in fits.notes()]
        for name, by_person in self.held_out_at_bounds.items():
            for parameter in self.models[name].parameters:
                people = [str(who) for who, at in by_person.items() if parameter in at]
                if people:
                    notes.append(
                        f"{name}, held out: {parameter} is at a bound for {', '.join(people)} in a "
                        "fit without some of the games"
                    )
        return notes

    @property
    def _choices(self) -> list[int]:
        return [fit.choices for fit in next(iter(self.fits.values()))]

    def title(self) -> str:
        guessing = f"guessing has log-likelihood {self.guessing:.3f} a choice"
        return (
            f"{len(self._choices)} people, {sum(self._choices)} choices; all but the last three "
            f"columns are sums; {guessing}"
        )

    def table(self) -> list[list[str]]:
        heads = ["model", "parameters", "log-likelihood", "AIC", "BIC", "held out"]
        cells = [[*heads, "frequency", "exceedance", "protected"]]
        chosen = self.selection
        for k, (name, model) in enumerate(self.models.items()):
            sums = [self.total(name, measure) for measure in ("log_likelihood", "aic", "bic")]
            cells.append(
                [
                    name,
                    str(len(model.parameters)),
                    *(f"{total:.1f}" for total in sums),
                    _sum_text(self.total(name, "held_out")),
                    f"{chosen.frequencies[k]:.2f}",
                    f"{chosen.exceedance[k]:.3f}",
                    f"{chosen.protected[k]:.3f}",
                ]
            )
        log = self.guessing * sum(self._choices)
        criterion = f"{-2 * log:.1f}"
        none_held_out = all(math.isnan(self.total(name, "held_out")) for name in self.models)
        held_out = "—" if none_held_out else f"{log:.1f}"
        guess = ["guessing", "0", f"{log:.1f}", criterion, criterion, held_out]
        return [*cells, [*guess, "—", "—", "—"]]


def _sum_text(total: float) -> str:
    return "—" if math.isnan(total) else f"{total:.1f}"
