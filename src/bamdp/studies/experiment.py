"""The contract of an experiment: a table or figure as data, its tasks, and its results.

All are in `bamdp.studies.experiments`. The next tasks are a pure function of the data and the stored rows.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from bamdp import statistics, validation
from bamdp.runs.store import TYPES, Row
from bamdp.runs.task import Task, group_of

Scale = Literal["smoke", "quick", "paper"]
Grid = tuple[Mapping[str, tuple[Any, ...]], ...]

SCALES: dict[Scale, str] = {
    "smoke": "seconds: does everything work?",
    "quick": "minutes on two cores: fewer runs, smaller budgets, honest intervals",
    "paper": "hours: the paper's budgets, where they decide something, and enough runs",
}
NEEDED = ("kind", "settings", "seed", "run", "result")  # in a row
SWEEP, FINAL = 0, 1  # seeds: settings are chosen with one and evaluated with the other


@dataclass(frozen=True)
class Entry:
    """One cell of a table or one curve of a figure: one agent in one domain, at one point (setting) or several.

    Attributes:
        label: its name in the table or figure.
        settings: settings shared by all points; for runs, those of `bamdp.studies.tasks.play`.
        grid: values of the settings that vary: every combination is a point.
        published: the paper's mean and its ±, if any.
        kind: kind of the tasks, see `bamdp.studies.tasks`.
        at: by scale, settings that differ: {"quick": {"simulations": 1000}}; for a setting that varies, its values.
        runs: by scale, number of runs of each point; the experiment's if not given.
        final: by scale, number of runs of the best point with other seeds; the experiment's if not given.
        trial: by scale, settings that differ in the runs by which the best point is chosen: {"paper": {"steps": 2000}}.
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
        for name in ("label", "kind", "measure"):
            validation.text(name, getattr(self, name))
        validation.mapping("settings", self.settings)
        _check_grids("grid", self.grid)
        if self.published is not None and not (isinstance(self.published, tuple) and len(self.published) == 2):
            raise TypeError(f"published must be a mean and its ±, or None, got {self.published!r}")
        for scale, different in validation.mapping("at", self.at).items():
            _check_varied(checked(scale), validation.mapping(f"at[{scale!r}]", different), self.grid)
        for scale, different in validation.mapping("trial", self.trial).items():
            validation.mapping(f"trial[{checked(scale)!r}]", different)
        _check_counts("runs", self.runs)
        _check_counts("final", self.final)
        if not isinstance(self.limit, int | float) or not self.limit > 0:
            raise ValueError(f"limit must be a number of seconds above 0, got {self.limit!r}")

    def points(self, scale: Scale, seed: int = FINAL) -> list[dict[str, Any]]:
        """The settings of each point, in the runs of a seed; at scale smoke the first two, with few steps."""
        trial = self.trial.get(scale, {}) if seed == SWEEP else {}
        return [{**point, **trial} for point in self._points(scale)]

    def _points(self, scale: Scale) -> list[dict[str, Any]]:
        different = self.at.get(checked(scale), {})
        points: list[dict[str, Any]] = []
        for grid in self.grid:
            varied = {name: different.get(name, values) for name, values in grid.items()}
            fixed = {**self.settings, **{name: value for name, value in different.items() if name not in varied}}
            combined = ({**fixed, **dict(zip(varied, values, strict=True))} for values in itertools.product(*varied.values()))
            points += [point for point in combined if point not in points]  # grids may overlap
        if scale != "smoke":
            return points
        return [{"steps": 20, **point} if self.kind == "play" else point for point in points[:2]]


@dataclass(frozen=True)
class Experiment:
    """A table or a figure.

    Attributes:
        name: name on the command line.
        title: title, one line.
        source: reference to the paper.
        entries: entries, by panel or column.
        runs: by scale, number of runs of each point.
        final: by scale, number of runs of the best point of an entry, with other seeds; none if empty.
        heading: heading of its section in the report; the title if empty.
        text: explanation below the heading.
        order: position in the report and in `bamdp reproduce --help`; the smallest comes first.
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

    def __post_init__(self) -> None:
        for name in ("name", "title", "source", "heading", "text"):
            validation.text(name, getattr(self, name))
        validation.real("order", self.order)
        for panel, entries in validation.mapping("entries", self.entries).items():
            if not isinstance(entries, tuple | list) or not all(isinstance(entry, Entry) for entry in entries):
                raise TypeError(f"entries[{panel!r}] must be a tuple of Entry, got {entries!r}")
        _check_counts("runs", self.runs)
        _check_counts("final", self.final)

    def tasks(self, scale: Scale, rows: Iterable[Row]) -> list[Task]:
        """All tasks known from the stored rows: those of the best points are known once all points have been run."""
        groups = by_group(rows)
        return [task for entries in self.entries.values() for entry in entries for task in self.tasks_of(entry, scale, groups)]

    def tasks_of(self, entry: Entry, scale: Scale, groups: Mapping[str, list[Row]]) -> list[Task]:
        """The tasks of one entry; see `tasks` and `by_group`."""
        points, trials = _entry(entry).points(scale), entry.points(scale, SWEEP)
        runs = _at("runs", {**self.runs, **entry.runs}, scale)
        validation.mapping("groups", groups)
        sweep = [Task(entry.kind, trial, SWEEP, run) for trial in trials for run in range(runs)]
        if not self.final:
            return sweep
        finalists: Sequence[Mapping[str, Any]] = points
        if len(points) > 1:
            stored = [groups.get(group_of(entry.kind, trial, SWEEP), []) for trial in trials]
            if not runs or any(len(rows) < runs for rows in stored):
                return sweep
            finalists = [max((Point(entry, p, rows) for p, rows in zip(points, stored, strict=True)), key=_merit).settings]
        again = _at("final", {**self.final, **entry.final}, scale)
        final = [Task(entry.kind, point, FINAL, run) for point in finalists for run in range(again)]
        return final if len(points) == 1 else sweep + final


@dataclass(frozen=True)
class Point:
    """The runs of one entry at one setting."""

    entry: Entry
    settings: Mapping[str, Any]
    rows: list[Row]

    def __post_init__(self) -> None:
        _entry(self.entry)
        validation.mapping("settings", self.settings)
        if not _checked_rows(self.rows):
            raise ValueError("rows must be those of one run at least, got none")

    @property
    def seed(self) -> int:
        """Seed of its runs."""
        return int(self.rows[0]["seed"])

    def values(self, measure: str = "total_reward") -> list[float]:
        """The value of a measure in each run; a run of several worlds has a list of values."""
        results = [row["result"].get(validation.text("measure", measure)) for row in self.rows]
        found = [value for result in results for value in (result if isinstance(result, list) else [result])]
        if not all(value is None or isinstance(value, int | float) for value in found):
            raise TypeError(f"measure must be numeric, got {measure!r}")
        return [float("nan") if value is None else float(value) for value in found]

    def mean(self, measure: str = "total_reward") -> statistics.Mean:
        """The mean of a measure and its interval."""
        return statistics.mean(self.values(measure))

    @property
    def seconds_per_step(self) -> float:
        """Processor time per step, independent of other programs on the machine."""
        steps = sum(self.values("steps"))
        return sum(self.values("cpu_seconds")) / steps if steps else float("nan")


def points(entry: Entry, scale: Scale, groups: Mapping[str, list[Row]], seed: int = SWEEP) -> list[Point]:
    """The points of an entry that have rows; see `by_group`."""
    validation.mapping("groups", groups)
    validation.seed(seed)
    found = [(p, groups.get(group_of(entry.kind, p, seed), [])) for p in _entry(entry).points(scale, seed)]
    return [Point(entry, settings, rows) for settings, rows in found if rows]


def best(entry: Entry, scale: Scale, groups: Mapping[str, list[Row]]) -> Point | None:
    """The best point of an entry, with runs of other seeds than those it was chosen with; None without runs."""
    final = points(entry, scale, groups, FINAL)
    if len(entry.points(scale)) == 1:
        return final[0] if final else next(iter(points(entry, scale, groups)), None)
    chosen = {group_of(entry.kind, p.settings, SWEEP): _merit(p) for p in points(entry, scale, groups)}
    trial = entry.trial.get(scale, {})
    ranked = [(chosen.get(group_of(entry.kind, {**p.settings, **trial}, SWEEP)), p) for p in final]
    return max(((merit, p) for merit, p in ranked if merit is not None), key=lambda pair: pair[0], default=(None, None))[1]


def by_group(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows grouped by settings and seed, in the order of their runs."""
    groups: dict[str, list[Row]] = {}
    for row in _checked_rows(rows):
        groups.setdefault(group_of(row["kind"], row["settings"], row["seed"]), []).append(row)
    return {group: sorted(members, key=lambda row: int(row["run"])) for group, members in groups.items()}


def checked(scale: Any) -> Scale:
    """`scale`, if it is known."""
    validation.one_of("scale", scale, tuple(SCALES))
    known: Scale = scale
    return known


def _entry(value: Any) -> Entry:
    if not isinstance(value, Entry):
        raise TypeError(f"entry must be an Entry, got {value!r}")
    return value


def _checked_rows(rows: Any) -> list[Row]:
    """`rows`, if they are rows of a store."""
    message = "rows must be a list of rows of a store, each with its kind, settings, seed, run and result"
    found: list[Row] = validation.listed("rows", rows)
    for row in found:
        if not isinstance(row, dict) or not all(isinstance(row.get(name), TYPES[name]) for name in NEEDED):
            raise TypeError(f"{message}, got {row!r}")
    return found


def _check_grids(name: str, grids: Any) -> None:
    """Check that `grids` is a tuple of dictionaries of tuples: a string would be iterated by character."""
    grids_fit = isinstance(grids, tuple | list) and all(isinstance(grid, Mapping) for grid in grids)
    if not grids_fit or not all(isinstance(values, tuple | list) for grid in grids for values in grid.values()):
        raise TypeError(f"{name} must be a tuple of dictionaries, each setting with a tuple of its values, got {grids!r}")


def _check_varied(scale: str, different: Mapping[str, Any], grids: Grid) -> None:
    for name in (name for grid in grids for name in grid if name in different):
        if not isinstance(different[name], tuple | list):
            raise TypeError(f"at[{scale!r}] must have a tuple of values for {name}, which varies, got {different[name]!r}")


def _check_counts(name: str, by_scale: Any) -> None:
    for scale, number in validation.mapping(name, by_scale).items():
        validation.integer(f"{name}[{checked(scale)!r}]", number, 0)


def _at(name: str, by_scale: Mapping[str, int], scale: str) -> int:
    if scale not in by_scale:
        raise ValueError(f"{name} must have a number for the scale {scale!r}, got {dict(by_scale)}")
    return by_scale[scale]


def _merit(point: Point) -> tuple[bool, float]:
    """Within the time limit first, then by what counts."""
    return point.seconds_per_step <= point.entry.limit, point.mean(point.entry.measure).value
