"""The contract of an experiment: a table or figure as data, and its tasks.

All are in `reproduction.experiments`, their results in `reproduction.query`. The next tasks are a
pure function of the data and the stored rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from bamdp import statistics, validation
from bamdp.comparing.rows import Row
from bamdp.comparing.tune import combinations
from reproduction.task import Task

Scale = Literal["smoke", "quick", "paper"]
Grid = tuple[Mapping[str, tuple[Any, ...]], ...]
Groups = Mapping[str, list[Row]]

SCALES: dict[Scale, str] = {
    "smoke": "seconds: does everything work?",
    "quick": "minutes on two cores: fewer runs, smaller budgets, honest intervals",
    "paper": "hours: the paper's budgets, where they decide something, and enough runs",
}
SWEEP, FINAL = 0, 1  # seeds: settings are chosen with one and evaluated with the other


@dataclass(frozen=True)
class Entry:
    """One cell of a table or one curve of a figure: one agent in one domain, at one point (setting)
    or several.

    Attributes:
        label: its name in the table or figure.
        settings: settings shared by all points; for runs, those of `reproduction.tasks.play`.
        grid: values of the settings that vary: every combination is a point.
        published: the paper's mean and its ±, if any.
        kind: kind of the tasks, see `reproduction.tasks`.
        at: by scale, settings that differ: {"quick": {"simulations": 1000}}; for a setting that
            varies, its values.
        runs: by scale, number of runs of each point; the experiment's if not given.
        final: by scale, number of runs of the best point with other seeds; the experiment's if not
            given.
        trial: by scale, settings that differ in the runs by which the best point is chosen:
            {"paper": {"steps": 2000}}.
        measure: the measure that the best point has most of.
        limit: maximum seconds per step of the best point.
    """

    label: str
    settings: Mapping[str, Any]
    grid: Grid = ({},)
    published: tuple[float, float] | None = None
    kind: str = "play"
    at: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    runs: Mapping[str, int] = field(default_factory=dict)
    final: Mapping[str, int] = field(default_factory=dict)
    trial: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    measure: str = "total_reward"
    limit: float = float("inf")

    def __post_init__(self) -> None:
        validation.mapping("settings", self.settings)
        for scale in (*self.at, *self.runs, *self.final, *self.trial):
            checked(scale)
        varied = {name for grid in self.grid for name in grid}
        for name, values in (
            (name, values)
            for grid in (*self.grid, *self.at.values())
            for name, values in grid.items()
        ):
            if name in varied and not isinstance(
                values, tuple | list
            ):  # a string would be iterated by character
                raise TypeError(
                    f"grid and at must have a tuple of values for {name}, which varies, got "
                    f"{values!r}"
                )

    def points(self, scale: Scale, seed: int = FINAL) -> list[dict[str, Any]]:
        """The settings of each point, in the runs of a seed; at scale smoke the first two, with few
        steps.
        """
        different = self.at.get(checked(scale), {})
        grids = [
            {name: different.get(name, values) for name, values in grid.items()}
            for grid in self.grid
        ]
        varied = {name for grid in grids for name in grid}
        fixed = {
            **self.settings,
            **{name: value for name, value in different.items() if name not in varied},
        }
        points = [{**fixed, **point} for point in combinations(grids)]
        if scale == "smoke":
            points = [
                {"steps": 20, **point} if self.kind == "play" else point for point in points[:2]
            ]
        trial = self.trial.get(scale, {}) if seed == SWEEP else {}
        return [{**point, **trial} for point in points]


@dataclass(frozen=True)
class Experiment:
    """A table or a figure.

    Attributes:
        name: name on the command line.
        title: title, one line.
        source: reference to the paper.
        entries: entries, by panel or column.
        runs: by scale, number of runs of each point.
        final: by scale, number of runs of the best point of an entry, with other seeds; none if
            empty.
        heading: heading of its section in the report; the title if empty.
        text: explanation below the heading.
        order: position in the report and in `python -m reproduction --help`; the smallest comes
            first.
    """

    name: str
    title: str
    source: str
    entries: Mapping[str, tuple[Entry, ...]]
    runs: Mapping[str, int]
    final: Mapping[str, int] = field(default_factory=dict)
    heading: str = ""
    text: str = ""
    order: float = 1000

    def entry(self, panel: str, label: str) -> Entry:
        """The entry of this name."""
        return next(entry for entry in self.entries[panel] if entry.label == label)

    def planned(self, entry: Entry, scale: Scale, seed: int) -> int:
        """Number of runs of each point of an entry with this seed; of the best point, if it is
        `FINAL`.
        """
        name, by_scale = (
            ("final", {**self.final, **entry.final})
            if seed == FINAL
            else ("runs", {**self.runs, **entry.runs})
        )
        if scale not in by_scale:
            raise ValueError(f"{name} must have a number for the scale {scale!r}, got {by_scale}")
        return by_scale[scale]

    def tasks(self, scale: Scale, rows: Iterable[Row]) -> list[Task]:
        """All tasks known from the stored rows: those of the best points are known once all points
        have been run.
        """
        groups = by_group(rows)
        return [
            task
            for entries in self.entries.values()
            for entry in entries
            for task in self.tasks_of(entry, scale, groups)
        ]

    def tasks_of(self, entry: Entry, scale: Scale, groups: Groups) -> list[Task]:
        """The tasks of one entry; see `tasks` and `by_group`."""
        points, trials = entry.points(scale), entry.points(scale, SWEEP)
        runs = self.planned(entry, scale, SWEEP)
        sweep = [Task(entry.kind, trial, SWEEP, run) for trial in trials for run in range(runs)]
        if not self.final:
            return sweep
        if len(points) > 1:
            stored = [groups.get(Task(entry.kind, trial, SWEEP).group, []) for trial in trials]
            if not runs or any(len(rows) < runs for rows in stored):
                return sweep
            points = [
                max(zip(points, stored, strict=True), key=lambda pair: merit(entry, pair[1]))[0]
            ]
        else:
            sweep = []
        return sweep + [
            Task(entry.kind, points[0], FINAL, run)
            for run in range(self.planned(entry, scale, FINAL))
        ]


def by_group(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows grouped by settings and seed, in the order of their runs."""
    groups: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: int(row["run"])):
        groups.setdefault(Task.of(row).group, []).append(row)
    return groups


def values(rows: Iterable[Row], measure: str) -> list[float]:
    """The value of a measure in each row, NaN where there is none; a row of several worlds has a
    list of values.
    """
    results = (row.get(measure) for row in rows)
    each = [
        value for result in results for value in (result if isinstance(result, list) else [result])
    ]
    return [float("nan") if value is None else float(value) for value in each]


def seconds_per_step(rows: Iterable[Row]) -> float:
    """Processor time per step, independent of other programs on the machine."""
    steps = sum(values(rows, "steps"))
    return sum(values(rows, "cpu_seconds")) / steps if steps else float("nan")


def merit(entry: Entry, rows: Iterable[Row]) -> tuple[bool, float]:
    """What the best point of an entry has most of: within the time limit first, then by what
    counts.
    """
    return seconds_per_step(rows) <= entry.limit, statistics.mean(values(rows, entry.measure)).value


def checked(scale: Any) -> Scale:
    """`scale`, if it is known."""
    validation.one_of("scale", scale, tuple(SCALES))
    known: Scale = scale
    return known
