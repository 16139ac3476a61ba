"""Recovery: people are simulated with known parameters or models, fitted, and compared with the
truth.

A model is worth fitting if its own parameters come back: estimates without bias, intervals that
contain the truth as often as they claim, and choices that tell the model from others. Rows are
stored as they are made, one line of JSON for each person, and a stored person isn't simulated
again.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bamdp import statistics, validation
from bamdp.fit.fitting import fit
from bamdp.fit.likelihood import pool
from bamdp.fit.people import RecoveryTask
from bamdp.fit.results import log_axes
from bamdp.fit.simulation import simulate
from bamdp.progress import progress
from bamdp.result import Result, new_figure
from bamdp.statistics import Mean
from bamdp.validation import positive_integer

Row = dict[str, Any]


@dataclass(frozen=True)
class Recovery(Result):
    """True and fitted parameters of simulated people.

    Attributes:
        rows: of each person the `true` parameters, the `estimate` of each, and the ends `low` and
            `high` of its interval.
        scales: scale of each parameter, for the picture; "linear" where it is missing.
    """

    rows: tuple[Row, ...]
    scales: Mapping[str, str] = field(default_factory=dict)

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters."""
        return list(self.rows[0]["true"])

    @property
    def columns(self) -> dict[str, list[Any]]:
        """A row for each person and parameter."""
        rows = [(row, name) for row in self.rows for name in self.parameters]
        about: dict[str, list[Any]] = {
            "person": [row["person"] for row, _ in rows],
            "parameter": [name for _, name in rows],
        }
        return about | {
            key: [row[key][name] for row, name in rows]
            for key in ("true", "estimate", "low", "high")
        }

    def pairs(self, name: str) -> tuple[list[float], list[float]]:
        """True and fitted values of a parameter."""
        true = [row["true"][name] for row in self.rows]
        return true, [row["estimate"][name] for row in self.rows]

    def bias(self, name: str) -> Mean:
        """The mean of the estimate minus the truth."""
        pairs = zip(*self.pairs(name), strict=True)
        return statistics.mean([fitted - true for true, fitted in pairs])

    def correlation(self, name: str) -> float:
        """The correlation of truth and estimate; NaN for fewer than three people, or if all have
        the same value.
        """
        true, fitted = self.pairs(name)
        if len(true) < 3 or np.ptp(true) == 0 or np.ptp(fitted) == 0:
            return math.nan
        return float(np.corrcoef(true, fitted)[0, 1])

    def coverage(self, name: str) -> Mean:
        """The share of people whose 95 % interval contains the truth, with its own interval
        (Wilson).
        """
        inside = [row["low"][name] <= row["true"][name] <= row["high"][name] for row in self.rows]
        return statistics.proportion(sum(inside), len(inside))

    def figure(self) -> Any:
        """Fitted against true values with their intervals, those that miss the truth in red; needs
        the extra `report`.
        """
        figure = new_figure(4 * len(self.parameters), 4.2)
        panels = figure.subplots(1, len(self.parameters), squeeze=False)[0]
        for axes, name in zip(panels, self.parameters, strict=True):
            for row in self.rows:
                true, low, high = row["true"][name], row["low"][name], row["high"][name]
                color = "C0" if low <= true <= high else "C3"
                axes.plot([true, true], [low, high], color=color, alpha=0.3, linewidth=0.8)
                axes.plot([true], [row["estimate"][name]], "o", color=color, markersize=3)
            true, _ = self.pairs(name)
            span = min(true), max(true)
            axes.plot(span, span, color="0.3", linewidth=0.8)
            axes.set(xlabel=f"true {name}", ylabel=f"fitted {name}, 95 % interval")
            if self.scales.get(name) == "log":
                log_axes(axes, "xy")
            axes.set_title(f"coverage {self.coverage(name).value:.1%}", fontsize=9)
        return figure

    def title(self) -> str:
        return _people_text(len(self.rows))

    def table(self) -> list[list[str]]:
        cells = [["parameter", "bias", "correlation", "coverage of 95 % intervals"]]
        for name in self.parameters:
            r = self.correlation(name)
            correlation = "—" if math.isnan(r) else f"{r:.2f}"
            cells.append([name, str(self.bias(name)), correlation, self.coverage(name).range()])
        return cells


@dataclass(frozen=True)
class Confusion(Result):
    """Which model is chosen, by BIC, for people of each model.

    Attributes:
        rows: of each person the `true` model, the `bic` of each model, and the `chosen` one.
        models: names of the models.
    """

    rows: tuple[Row, ...]
    models: tuple[str, ...]

    @property
    def matrix(self) -> list[list[float]]:
        """Share of the people of a model, in rows, for whom each model is chosen, in columns."""
        shares = []
        for true in self.models:
            chosen = [row["chosen"] for row in self.rows if row["true"] == true]
            shares.append([chosen.count(model) / max(len(chosen), 1) for model in self.models])
        return shares

    @property
    def columns(self) -> dict[str, list[Any]]:
        """A row for each person."""
        return {key: [row[key] for row in self.rows] for key in ("person", "true", "chosen")}

    def figure(self) -> Any:
        """The shares as shades, with their numbers; needs the extra `report`."""
        figure, names = new_figure(5.2, 4.2), self.models
        axes = figure.subplots()
        axes.imshow(self.matrix, cmap="Blues", vmin=0, vmax=1)
        for i, shares in enumerate(self.matrix):
            for j, share in enumerate(shares):
                color = "white" if share > 0.5 else "black"
                axes.text(j, i, f"{share:.2f}", ha="center", va="center", color=color, fontsize=9)
        axes.set(
            xlabel="model with the lowest BIC",
            ylabel="true model",
            xticks=range(len(names)),
            yticks=range(len(names)),
        )
        axes.set_xticklabels(names, rotation=20, ha="right", fontsize=8)
        axes.set_yticklabels(names, fontsize=8)
        return figure

    def title(self) -> str:
        return f"{_people_text(len(self.rows))}; the share for whom each model has the lowest BIC"

    def table(self) -> list[list[str]]:
        cells = [["true model", *self.models]]
        for true, shares in zip(self.models, self.matrix, strict=True):
            cells.append([true, *(f"{share:.2f}" for share in shares)])
        return cells


def recover(
    task: RecoveryTask,
    people: int = 200,
    *,
    seed: int = 0,
    rows: str | os.PathLike[str] | None = None,
    command: str = "",
) -> Recovery:
    """Simulate people, fit them, and compare.

    Args:
        task: model, range of the people's parameters, games.
        people: number of people.
        seed: seed of the people.
        rows: file to store rows in and to continue from; none if not given.
        command: what to write into each row, to make the same again; a row of another command isn't
            used.

    Example:
        >>> from bamdp.fit.tasks import bandit
        >>> recovery = recover(bandit(games=8), people=5)
        >>> recovery.parameters, len(recovery.rows)
        (['optimism', 'temperature'], 5)
    """
    model, people = task.fitted or task.model, positive_integer("people", people, 10**6)

    def person(index: int) -> Row:
        true, data = _person(task, seed, index)
        fitted = fit(data, model, threads=1)[0]
        return {
            "person": index,
            "true": true,
            "estimate": fitted.estimates,
            "low": fitted.low,
            "high": fitted.high,
            "log_likelihood": fitted.log_likelihood,
            "choices": fitted.choices,
        }

    scales = {name: model.bounds(name).scale for name in model.parameters}
    return Recovery(_stored(person, people, rows, {"command": command, "seed": seed}), scales)


def recover_models(
    tasks: Mapping[str, RecoveryTask],
    people: int = 50,
    *,
    seed: int = 0,
    rows: str | os.PathLike[str] | None = None,
    command: str = "",
) -> Confusion:
    """Simulate people of each model, fit all models to each, and choose the one with the lowest
    BIC.

    Args:
        tasks: the models by name, all for the same data.
        people: number of people of each model.
        seed: seed of the people.
        rows: file to store rows in and to continue from; none if not given.
        command: as in `recover`.
    """
    names, people = list(tasks), positive_integer("people", people, 10**6)

    def person(index: int) -> Row:
        name = names[index % len(names)]
        _, data = _person(tasks[name], seed, index)
        bic: dict[str, float] = {}
        for other, task in tasks.items():
            fits = fit(data, task.model, threads=1, repeats=1, intervals=False)
            bic[other] = fits[0].bic
        chosen = min(bic, key=lambda other: bic[other])
        return {"person": index, "true": name, "bic": bic, "chosen": chosen}

    key = {"command": command, "seed": seed}
    return Confusion(_stored(person, people * len(names), rows, key), tuple(names))


def _people_text(count: int) -> str:
    return f"{count} simulated {'person' if count == 1 else 'people'}"


def _person(
    task: RecoveryTask, seed: int, index: int
) -> tuple[dict[str, float], dict[str, list[Any]]]:
    rng = np.random.default_rng([validation.seed(seed), index])
    true = task.person(rng)
    own = int(rng.integers(2**31))
    return true, simulate(
        task.model,
        true,
        games=task.games,
        worlds=task.worlds,
        subject=index,
        seed=own,
        **task.settings,
    )


def _stored(
    person: Callable[[int], Row], people: int, path: Any, key: Mapping[str, Any]
) -> tuple[Row, ...]:
    """The rows of all people: those in the file, and the missing ones, which are added to it as
    they are made.
    """
    file = None if path is None else validation.path("rows", path)
    known: dict[int, Row] = {}
    if file is not None and file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.endswith("}"):  # else cut short by a stop: that row is made again
                row = json.loads(line)
                if all(row.get(name) == value for name, value in key.items()):
                    known[row["person"]] = row
    missing = [index for index in range(people) if index not in known]
    with pool(None) as workers, progress("people") as show:
        for done, made in enumerate(workers.map(person, missing), 1):
            row = known[made["person"]] = {**key, **made}
            if file is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                with file.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(row) + "\n")
            show("", done, len(missing))
    return tuple(known[index] for index in range(people))
