"""Queries of stored rows by experiment and entry: the runs behind each measurement, and how many
are planned.

An entry that is judged by its best setting has it at scale paper, or else quick, but only once all
settings of that scale have been run: the best of some is not the best of all. A panel of a figure
is shown at its largest complete scale, with points of larger scales as far as they were run.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bamdp import statistics
from bamdp.comparing.rows import Row
from reproduction import experiment as contract
from reproduction.experiment import FINAL, SWEEP, Entry, Experiment, Scale, by_group, merit
from reproduction.task import Task
from reproduction.tasks.play import command

REAL: tuple[Scale, ...] = ("paper", "quick")  # the first is preferred


@dataclass(frozen=True)
class Measurement:
    """The stored runs of one entry at one setting.

    Attributes:
        experiment: the experiment.
        panel: its panel.
        entry: its entry.
        settings: the setting.
        rows: the rows, at least one.
        scale: at which the runs were made.
        planned: number of runs at that scale.
    """

    experiment: Experiment
    panel: str
    entry: Entry
    settings: Mapping[str, Any]
    rows: list[Row]
    scale: Scale
    planned: int

    @property
    def label(self) -> str:
        return self.entry.label

    @property
    def runs(self) -> int:
        return len(self.rows)

    @property
    def result(self) -> Row:
        """The first row, for entries of a single task."""
        return self.rows[0]

    def values(self, measure: str = "total_reward") -> list[float]:
        """The value of a measure in each run; a run of several worlds has a list of values."""
        return contract.values(self.rows, measure)

    def mean(self, measure: str = "total_reward") -> statistics.Mean:
        """The mean of a measure and its interval."""
        return statistics.mean(self.values(measure))

    @property
    def seconds_per_step(self) -> float:
        """Processor time per step."""
        return contract.seconds_per_step(self.rows)

    @property
    def varied(self) -> dict[str, Any]:
        """The settings that vary within its entry; if none does, the budget."""
        names = {name for grid in self.entry.grid for name in grid} or {"simulations"}
        return {
            name: value
            for name, value in self.settings.items()
            if name in names and value is not None
        }

    @property
    def full(self) -> bool:
        """Whether its budgets and settings to choose from are those of scale paper."""
        return self.scale == "paper" or self.entry.points(self.scale) == self.entry.points("paper")

    @property
    def command(self) -> str:
        """A shell command that repeats the runs."""
        if self.entry.kind == "play":
            return command(self.settings, self.result["seed"], self.runs)
        return f"python -m reproduction {self.experiment.name} --scale {self.scale}"


class Query:
    """Answers questions about the rows of a store at some scales, the preferred one first.

    Example:
        >>> from reproduction.experiments import ALL
        >>> query = Query([])
        >>> query.best(ALL["table1"], "grid5", "BAMCP") is None, query.measurements(ALL["figure1"],
        ...     "b: Maze", "BEB")
        (True, [])
    """

    def __init__(self, rows: Sequence[Row], scales: tuple[Scale, ...] = REAL) -> None:
        self.rows = rows
        self.scales = scales
        self._panels: dict[
            tuple[str, str], dict[str, list[Measurement]]
        ] = {}  # that have been asked for

    @cached_property
    def groups(self) -> Mapping[str, list[Row]]:
        """The rows by settings and study."""
        return by_group(self.rows)

    def best(self, experiment: Experiment, panel: str, label: str) -> Measurement | None:
        """The runs that an entry is judged by, those of its best setting; None while the best
        setting is not known.
        """
        entry = experiment.entry(panel, label)
        each = (self._best(experiment, panel, entry, scale) for scale in self.scales)
        candidates = [m for m in each if m is not None]
        chosen = next((m for m in candidates if m.runs > 1), candidates[0] if candidates else None)
        same = (m for m in candidates if chosen and m.rows is chosen.rows and m.runs >= m.planned)
        return next(
            same, chosen
        )  # the same runs may be all of a smaller scale, and a part of a larger one

    def _best(
        self, experiment: Experiment, panel: str, entry: Entry, scale: Scale
    ) -> Measurement | None:
        points = entry.points(scale)
        tried = [self._group(entry, trial, SWEEP) for trial in entry.points(scale, SWEEP)]
        final = [self._group(entry, point, FINAL) for point in points]
        best = 0
        if len(points) > 1:
            known = [i for i, rows in enumerate(final) if rows and tried[i]]
            if not known or not self._complete(experiment, entry, scale, SWEEP):
                return None
            best = max(known, key=lambda i: merit(entry, tried[i]))
        if not (rows := final[best] or tried[best]):
            return None
        planned = experiment.planned(entry, scale, FINAL if experiment.final else SWEEP)
        return Measurement(experiment, panel, entry, points[best], rows, scale, planned)

    def measurements(self, experiment: Experiment, panel: str, label: str) -> list[Measurement]:
        """The points of an entry that have runs, in the order of its grid; see `panel`."""
        return self.panel(experiment, panel)[label]

    def panel(self, experiment: Experiment, panel: str) -> Mapping[str, list[Measurement]]:
        """The points of all entries of a panel that have runs, by label, at its largest complete
        scale.

        Points of larger scales are shown beside those, as far as they were run; while no scale is
        complete, those of all. A point that two scales have with other budgets counts once.
        """
        asked = (experiment.name, panel)
        if asked not in self._panels:
            final = {
                e.label: experiment.final and len(e.points(self.scales[0])) == 1
                for e in experiment.entries[panel]
            }
            seeds = [
                (entry, FINAL if final[entry.label] else SWEEP)
                for entry in experiment.entries[panel]
            ]
            complete = (
                scale
                for scale in self.scales
                if all(self._complete(experiment, e, scale, seed) for e, seed in seeds)
            )
            largest = next(complete, None)
            shown = (
                self.scales
                if largest is None
                else (largest, *self.scales[: self.scales.index(largest)])
            )
            self._panels[asked] = {
                e.label: self._points(experiment, panel, e, seed, shown) for e, seed in seeds
            }
        return self._panels[asked]

    def result(self, experiment: Experiment, panel: str, label: str) -> Row | None:
        """The first row of an entry, for entries of a single task; None if it has not been run."""
        points = self.measurements(experiment, panel, label)
        return points[0].result if points else None

    def progress(self, experiment: Experiment, panel: str, label: str) -> tuple[int, int]:
        """How many of the tasks known to be needed are stored, and how many there are, at the scale
        that is furthest.
        """
        entry, keys = experiment.entry(panel, label), {row["key"] for row in self.rows}
        tasks = [experiment.tasks_of(entry, scale, self.groups) for scale in self.scales]
        counts = [(sum(task.key in keys for task in of), len(of)) for of in tasks]
        return max(counts, key=lambda count: count[0] / max(1, count[1]))

    def _points(
        self, experiment: Experiment, panel: str, entry: Entry, seed: int, scales: Iterable[Scale]
    ) -> list[Measurement]:
        """The points of an entry at some scales, those of the first before others with the same
        setting.
        """
        points: dict[str, Measurement] = {}  # by what varies
        for scale in scales:
            planned = experiment.planned(entry, scale, seed)
            for settings in entry.points(scale, seed):
                if not (rows := self._group(entry, settings, seed)):
                    continue
                new = Measurement(experiment, panel, entry, settings, rows, scale, planned)
                old = points.setdefault(name := str(sorted(new.varied.items())), new)
                # The same runs are described by the largest scale that they complete.
                larger = self.scales.index(scale) < self.scales.index(old.scale)
                if old.rows is rows and (new.runs >= planned if larger else old.runs < old.planned):
                    points[name] = new
        return list(points.values())

    def _group(self, entry: Entry, settings: Mapping[str, Any], seed: int) -> list[Row]:
        return self.groups.get(Task(entry.kind, settings, seed).group, [])

    def _complete(self, experiment: Experiment, entry: Entry, scale: Scale, seed: int) -> bool:
        """Whether all runs of all points are stored."""
        runs = set(range(experiment.planned(entry, scale, seed)))
        return all(
            runs <= {row["run"] for row in self._group(entry, p, seed)}
            for p in entry.points(scale, seed)
        )


def provenance(rows: Iterable[Row], *names: str) -> list[str]:
    """The commits (`commit`), processors (`cpu`) or dates (`date`) that rows come from."""
    return sorted({str(row[name]) for row in rows for name in names if row.get(name) is not None})
