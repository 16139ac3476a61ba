"""Recovery: people are simulated with known parameters or models, fitted, and compared with the truth.

A model is worth fitting if its own parameters come back: estimates without bias, intervals that contain the truth as often as
they claim, and choices that tell the model from others. Rows are stored as they are made, one line of JSON for each person, and
a stored person isn't simulated again.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bamdp import statistics, validation
from bamdp.fit.fitting import fit
from bamdp.fit.likelihood import pool
from bamdp.fit.simulation import simulate
from bamdp.fit.tasks import RecoveryTask
from bamdp.pictures.markup import joined, table, tag
from bamdp.progress import progress
from bamdp.runs.table import aligned
from bamdp.statistics import Mean
from bamdp.validation import positive_integer

Row = dict[str, Any]


@dataclass(frozen=True)
class Recovery:
    """True and fitted parameters of simulated people.

    Attributes:
        rows: of each person the `true` parameters, the `estimate` of each, and the ends `low` and `high` of its interval.
        interrupted: whether Ctrl-C ended it before all people were done.
    """

    rows: tuple[Row, ...]
    interrupted: bool = False

    _HEADS: ClassVar = ["parameter", "bias", "correlation", "coverage of 95 % intervals"]

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters."""
        return list(self.rows[0]["true"])

    def pairs(self, name: str) -> tuple[list[float], list[float]]:
        """True and fitted values of a parameter."""
        return [row["true"][name] for row in self.rows], [row["estimate"][name] for row in self.rows]

    def bias(self, name: str) -> Mean:
        """The mean of the estimate minus the truth."""
        return statistics.mean([fitted - true for true, fitted in zip(*self.pairs(name), strict=True)])

    def correlation(self, name: str) -> float:
        """The correlation of truth and estimate; NaN for fewer than three people, or if all have the same value."""
        true, fitted = self.pairs(name)
        if len(true) < 3 or np.ptp(true) == 0 or np.ptp(fitted) == 0:
            return math.nan
        return float(np.corrcoef(true, fitted)[0, 1])

    def coverage(self, name: str) -> Mean:
        """The share of people whose 95 % interval contains the truth, with its own interval (Wilson)."""
        inside = [row["low"][name] <= row["true"][name] <= row["high"][name] for row in self.rows]
        return statistics.proportion(sum(inside), len(inside))

    def __str__(self) -> str:
        return "\n".join([self._title, *aligned([self._HEADS, *self._cells()])])

    def _repr_html_(self) -> str:
        from bamdp.fit.picture import inline, recovered

        return joined([tag("p", self._title), table(self._HEADS, self._cells()), inline(recovered, self)])

    @property
    def _title(self) -> str:
        return _people_text(self.rows, self.interrupted)

    def _cells(self) -> list[list[str]]:
        cells = []
        for name in self.parameters:
            r = self.correlation(name)
            cells.append([name, str(self.bias(name)), "—" if math.isnan(r) else f"{r:.2f}", self.coverage(name).range()])
        return cells

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a picture of fitted against true values to a file, `.svg` or `.png`; needs the extra `report`."""
        from bamdp.fit.picture import recovered, write

        write(recovered(self), path)


@dataclass(frozen=True)
class Confusion:
    """Which model is chosen, by BIC, for people of each model.

    Attributes:
        rows: of each person the `true` model, the `bic` of each model, and the `chosen` one.
        models: names of the models.
        interrupted: whether Ctrl-C ended it before all people were done.
    """

    rows: tuple[Row, ...]
    models: tuple[str, ...]
    interrupted: bool = False

    @property
    def matrix(self) -> list[list[float]]:
        """Share of the people of a model, in rows, for whom each model is chosen, in columns."""
        of = {model: [row["chosen"] for row in self.rows if row["true"] == model] for model in self.models}
        return [[of[true].count(chosen) / max(len(of[true]), 1) for chosen in self.models] for true in self.models]

    def __str__(self) -> str:
        return "\n".join([self._title, *aligned(self._cells())])

    def _repr_html_(self) -> str:
        from bamdp.fit.picture import confused, inline

        heads, *cells = self._cells()
        return joined([tag("p", self._title), table(heads, cells), inline(confused, self)])

    @property
    def _title(self) -> str:
        return f"{_people_text(self.rows, self.interrupted)}; the share for whom each model has the lowest BIC"

    def _cells(self) -> list[list[str]]:
        rows = zip(self.models, self.matrix, strict=True)
        return [["true model", *self.models], *([true, *(f"{share:.2f}" for share in shares)] for true, shares in rows)]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a picture of the matrix to a file, `.svg` or `.png`; needs the extra `report`."""
        from bamdp.fit.picture import confused, write

        write(confused(self), path)


def recover(
    task: RecoveryTask, people: int = 200, *, seed: int = 0, rows: str | os.PathLike[str] | None = None, command: str = ""
) -> Recovery:
    """Simulate people, fit them, and compare.

    Args:
        task: model, range of the people's parameters, games.
        people: number of people.
        seed: seed of the people.
        rows: file to store rows in and to continue from; none if not given.
        command: what to write into each row, to make the same again; a row of another command isn't used.

    Example:
        >>> from bamdp.fit.tasks import bandit
        >>> found = recover(bandit(games=8), people=5)
        >>> found.parameters, len(found.rows)
        (['optimism', 'temperature'], 5)
    """
    model = task.fitted or task.model

    def person(index: int) -> Row:
        true, data = _person(task, seed, index)
        found = fit(data, model, threads=1)[0]
        return {
            "person": index,
            "true": true,
            "estimate": found.estimates,
            "low": found.low,
            "high": found.high,
            "log_likelihood": found.log_likelihood,
            "choices": found.choices,
        }

    return Recovery(*_stored(person, range(_people(people)), rows, {"command": command, "seed": seed}))


def recover_models(
    tasks: Mapping[str, RecoveryTask],
    people: int = 50,
    *,
    seed: int = 0,
    rows: str | os.PathLike[str] | None = None,
    command: str = "",
) -> Confusion:
    """Simulate people of each model, fit all models to each, and choose the one with the lowest BIC.

    Args:
        tasks: the models by name, all for the same data.
        people: number of people of each model.
        seed: seed of the people.
        rows: file to store rows in and to continue from; none if not given.
        command: as in `recover`.
    """
    names = list(tasks)

    def person(index: int) -> Row:
        name = names[index % len(names)]
        _, data = _person(tasks[name], seed, index)
        bic = {other: fit(data, task.model, threads=1, repeats=1)[0].bic for other, task in tasks.items()}
        return {"person": index, "true": name, "bic": bic, "chosen": min(bic, key=lambda other: bic[other])}

    found, interrupted = _stored(person, range(_people(people) * len(names)), rows, {"command": command, "seed": seed})
    return Confusion(found, tuple(names), interrupted)


def _people_text(rows: Sequence[Row], interrupted: bool) -> str:
    people = f"{len(rows)} simulated {'person' if len(rows) == 1 else 'people'}"
    return f"{people}, interrupted before all were done" if interrupted else people


def _people(value: int) -> int:
    return positive_integer("people", value, 10**6)


def _person(task: RecoveryTask, seed: int, index: int) -> tuple[dict[str, float], dict[str, list[Any]]]:
    rng = np.random.default_rng([validation.seed(seed), index])
    true = task.person(rng)
    own = int(rng.integers(2**31))
    return true, simulate(task.model, true, games=task.games, worlds=task.worlds, subject=index, seed=own)


def _stored(
    person: Callable[[int], Row], people: Sequence[int], path: Any, key: Mapping[str, Any]
) -> tuple[tuple[Row, ...], bool]:
    """The rows of all people, those in the file without making them again; new ones are added to it.

    After Ctrl-C the rows that are done, and True.
    """
    file = None if path is None else validation.path("rows", path)
    known = {row["person"]: row for row in _read(file) if all(row.get(name) == value for name, value in key.items())}
    missing = [index for index in people if index not in known]
    try:
        with pool(None) as workers, progress("people") as show:
            for done, row in enumerate(workers.map(person, missing), 1):
                known[row["person"]] = {**key, **row}
                _append(file, known[row["person"]])
                show("", done, len(missing))
    except KeyboardInterrupt:
        if not any(index in known for index in people):
            raise
        return tuple(known[index] for index in people if index in known), True
    return tuple(known[index] for index in people), False


def _read(file: Path | None) -> Iterable[Row]:
    if file is None or not file.exists():
        return []
    lines = file.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.endswith("}")]  # a line cut short by a stop is made again


def _append(file: Path | None, row: Row) -> None:
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row) + "\n")
