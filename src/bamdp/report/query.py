"""What is stored, asked for by experiment and entry: the runs behind each number, and how many were planned.

A number at scale paper is taken where its runs are there; else the one at scale quick. Where settings are compared, a scale
counts only once all of its settings have been run: the best of a part is not the best.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bamdp.studies import experiment as contract
from bamdp.studies.experiment import FINAL, SWEEP, Entry, Experiment, Point, Scale
from bamdp.studies.store import Row
from bamdp.studies.task import group_of
from bamdp.studies.tasks.play import command

REAL: tuple[Scale, ...] = ("paper", "quick")  # the first is preferred


@dataclass(frozen=True)
class Number:
    """The runs behind a number.

    Attributes:
        experiment: what it belongs to.
        panel: where in it.
        point: the runs.
        scale: at which they were made.
        planned: how many of them there are to be.
    """

    experiment: Experiment
    panel: str
    point: Point
    scale: Scale
    planned: int

    @property
    def label(self) -> str:
        """What ran."""
        return self.point.entry.label

    @property
    def runs(self) -> int:
        """How many are stored."""
        return len(self.point.rows)

    @property
    def varied(self) -> dict[str, Any]:
        """The settings by which it differs from others of its entry; of an entry with one, the budget."""
        names = {name for grid in self.point.entry.grid for name in grid} or {"simulations"}
        return {name: value for name, value in self.point.settings.items() if name in names and value is not None}

    @property
    def full(self) -> bool:
        """Whether its budgets and settings to choose from are those of scale paper."""
        entry = self.point.entry
        return self.scale == "paper" or entry.points(self.scale) == entry.points("paper")

    @property
    def command(self) -> str:
        """A line for the shell that gives it again."""
        if self.point.entry.kind == "play":
            return command(self.point.settings, self.point.seed, self.runs)
        return f"bamdp reproduce {self.experiment.name} --scale {self.scale}"

    @property
    def keys(self) -> list[str]:
        """Of its rows in the store."""
        return [row["key"] for row in self.point.rows]

    def made(self, what: str) -> list[str]:
        """The commits (`commit`) or processors (`cpu`) that its rows come from."""
        found = {row.get("made", {}).get(what) for row in self.point.rows}
        return sorted(str(value) for value in found if value is not None)


class Stored:
    """All rows, ready to be asked.

    Args:
        rows: of a store.
        scales: that count, the preferred one first.

    Example:
        >>> from bamdp.studies.paper import ALL
        >>> stored = Stored([])
        >>> stored.best(ALL["table1"], "grid5", "BAMCP") is None, stored.numbers(ALL["figure1"], "b: Maze", "BEB")
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
        """Of all rows."""
        return {row["key"] for row in self.rows}

    def best(self, experiment: Experiment, panel: str, label: str) -> Number | None:
        """The runs that an entry is judged by; None as long as they can't be told."""
        entry = entry_of(experiment, panel, label)
        planned = experiment.final or experiment.runs
        found = []
        for scale in self.scales:
            point = contract.best(entry, scale, self.groups)
            if point is not None and self._swept(experiment, entry, scale):
                found.append(Number(experiment, panel, point, scale, entry.runs.get(scale, planned[scale])))
        chosen = next((number for number in found if number.runs > 1), found[0] if found else None)
        same = (number for number in found if chosen and number.keys == chosen.keys and number.runs >= number.planned)
        return next(same, chosen)  # the same runs may be all of a smaller scale, and a part of a larger one

    def numbers(self, experiment: Experiment, panel: str, label: str) -> list[Number]:
        """Every point of an entry that has runs, at whatever scale, in the order of its grid."""
        entry = entry_of(experiment, panel, label)
        seed = FINAL if experiment.final and len(entry.points(self.scales[0])) == 1 else SWEEP
        found: dict[str, Number] = {}
        for scale in self.scales:
            planned = entry.runs.get(scale, experiment.runs[scale])
            for point in contract.points(entry, scale, self.groups, seed):
                group = group_of(entry.kind, point.settings, seed)
                if group not in found or found[group].runs < found[group].planned:  # a point of both scales, as far as it got
                    found[group] = Number(experiment, panel, point, scale, planned)
        return list(found.values())

    def progress(self, experiment: Experiment, panel: str, label: str) -> tuple[int, int]:
        """How many of the tasks that are known to be needed are stored, at the scale that is furthest."""
        entry = entry_of(experiment, panel, label)
        counts = []
        for scale in self.scales:
            tasks = experiment.tasks_of(entry, scale, self.groups)
            counts.append((sum(task.key in self.keys for task in tasks), len(tasks)))
        return max(counts, key=lambda count: count[0] / max(1, count[1]))

    def _swept(self, experiment: Experiment, entry: Entry, scale: Scale) -> bool:
        """Whether all settings that the best is picked from have been run."""
        tasks = experiment.tasks_of(entry, scale, self.groups)
        return len(entry.points(scale)) == 1 or all(task.key in self.keys for task in tasks if task.seed == SWEEP)


def entry_of(experiment: Experiment, panel: str, label: str) -> Entry:
    """The entry of this name."""
    return next(entry for entry in experiment.entries[panel] if entry.label == label)
