"""Queries of stored rows by experiment and entry: the runs behind each measurement, and how many are planned.

Runs at scale paper are preferred to those at scale quick. Where settings are compared, a scale counts only once all of its
settings have been run: the best of some is not the best of all.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bamdp.runs.store import Row
from bamdp.runs.task import group_of
from bamdp.studies import experiment as contract
from bamdp.studies.experiment import FINAL, SWEEP, Entry, Experiment, Point, Scale
from bamdp.studies.tasks.play import command

REAL: tuple[Scale, ...] = ("paper", "quick")  # the first is preferred


@dataclass(frozen=True)
class Measurement:
    """The stored runs of one agent at one setting."""

    experiment: Experiment
    panel: str  # of the experiment
    point: Point  # the runs
    scale: Scale  # at which they were made
    planned: int  # runs

    @property
    def label(self) -> str:
        return self.point.entry.label

    @property
    def runs(self) -> int:
        return len(self.point.rows)

    @property
    def varied(self) -> dict[str, Any]:
        """The settings that vary within its entry; if none does, the budget."""
        names = {name for grid in self.point.entry.grid for name in grid} or {"simulations"}
        return {name: value for name, value in self.point.settings.items() if name in names and value is not None}

    @property
    def full(self) -> bool:
        """Whether its budgets and settings to choose from are those of scale paper."""
        entry = self.point.entry
        return self.scale == "paper" or entry.points(self.scale) == entry.points("paper")

    @property
    def command(self) -> str:
        """A shell command that repeats the runs."""
        if self.point.entry.kind == "play":
            return command(self.point.settings, self.point.seed, self.runs)
        return f"bamdp reproduce {self.experiment.name} --scale {self.scale}"

    @property
    def keys(self) -> list[str]:
        return [row["key"] for row in self.point.rows]

    def made(self, what: str) -> list[str]:
        """The commits (`commit`) or processors (`cpu`) that its rows come from."""
        return provenance(self.point.rows, what)


class Query:
    """Answers questions about the rows of a store at some scales, the preferred one first.

    Example:
        >>> from bamdp.studies.experiments import ALL
        >>> query = Query([])
        >>> query.best(ALL["table1"], "grid5", "BAMCP") is None, query.measurements(ALL["figure1"], "b: Maze", "BEB")
        (True, [])
    """

    def __init__(self, rows: Iterable[Row], scales: tuple[Scale, ...] = REAL) -> None:
        self.rows = [row for row in rows if {"kind", "settings", "seed", "run", "result"} <= row.keys()]
        self.scales = scales

    @cached_property
    def groups(self) -> Mapping[str, list[Row]]:
        """The rows by settings and study."""
        return contract.by_group(self.rows)

    @cached_property
    def keys(self) -> set[str]:
        return {row["key"] for row in self.rows}

    def best(self, experiment: Experiment, panel: str, label: str) -> Measurement | None:
        """The runs that an entry is judged by, those of its best setting; None while the best setting is not known."""
        entry = entry_of(experiment, panel, label)
        planned = {**experiment.final, **entry.final} if experiment.final else {**experiment.runs, **entry.runs}
        found = []
        for scale in self.scales:
            point = contract.best(entry, scale, self.groups)
            if point is not None and self._swept(experiment, entry, scale):
                found.append(Measurement(experiment, panel, point, scale, planned[scale]))
        chosen = next((m for m in found if m.runs > 1), found[0] if found else None)
        same = (m for m in found if chosen and m.keys == chosen.keys and m.runs >= m.planned)
        return next(same, chosen)  # the same runs may be all of a smaller scale, and a part of a larger one

    def measurements(self, experiment: Experiment, panel: str, label: str) -> list[Measurement]:
        """All points of an entry that have runs, at any scale, in the order of its grid."""
        entry = entry_of(experiment, panel, label)
        seed = FINAL if experiment.final and len(entry.points(self.scales[0])) == 1 else SWEEP
        found: dict[str, Measurement] = {}
        for scale in self.scales:
            planned = {**experiment.final, **entry.final} if seed == FINAL else {**experiment.runs, **entry.runs}
            for point in contract.points(entry, scale, self.groups, seed):
                group = group_of(entry.kind, point.settings, seed)
                if group not in found or found[group].runs < found[group].planned:  # a point of both scales, as far as it got
                    found[group] = Measurement(experiment, panel, point, scale, planned[scale])
        return list(found.values())

    def result(self, experiment: Experiment, panel: str, label: str) -> dict[str, Any] | None:
        """The result of the first run of an entry, for entries of a single task; None if it has not been run."""
        found = self.measurements(experiment, panel, label)
        return found[0].point.rows[0]["result"] if found else None

    def progress(self, experiment: Experiment, panel: str, label: str) -> tuple[int, int]:
        """How many of the tasks known to be needed are stored, and how many there are, at the scale that is furthest."""
        entry = entry_of(experiment, panel, label)
        counts = []
        for scale in self.scales:
            tasks = experiment.tasks_of(entry, scale, self.groups)
            counts.append((sum(task.key in self.keys for task in tasks), len(tasks)))
        return max(counts, key=lambda count: count[0] / max(1, count[1]))

    def _swept(self, experiment: Experiment, entry: Entry, scale: Scale) -> bool:
        """Whether all settings that the best is chosen from have been run."""
        tasks = experiment.tasks_of(entry, scale, self.groups)
        return len(entry.points(scale)) == 1 or all(task.key in self.keys for task in tasks if task.seed == SWEEP)


def entry_of(experiment: Experiment, panel: str, label: str) -> Entry:
    """The entry of this name."""
    return next(entry for entry in experiment.entries[panel] if entry.label == label)


def provenance(rows: Iterable[Row], what: str) -> list[str]:
    """The commits (`commit`) or processors (`cpu`) that rows come from."""
    found = {row.get("made", {}).get(what) for row in rows}
    return sorted(str(value) for value in found if value is not None)
