"""Measurements as rows of tables, each with the settings, runs, command and keys of the stored rows behind it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from math import isnan, nan
from typing import Any

from bamdp import statistics
from bamdp.report.claim import aligned, interval
from bamdp.report.comparison import Comparison, compare, signed
from bamdp.report.query import Measurement, Query, entry_of
from bamdp.statistics import Mean, duration
from bamdp.studies.experiment import Experiment

NOTHING = "—"
TOTAL = "total reward"  # the column of Table 1


@dataclass(frozen=True)
class TableRow:
    """One row of a table: one measurement, or several together."""

    panel: str  # of the experiment
    label: str  # of the entry
    setting: str  # values of the settings that vary
    measures: dict[str, str]  # the numbers, by name, with their 95 % intervals
    runs: str  # how many are stored, and how many are planned if some are missing
    scale: str  # at which the runs were made
    time: str  # processor time of a step
    command: str  # a shell command that repeats the runs
    made: str  # the commits and processors of the runs
    keys: tuple[str, ...]  # of the rows in the store


@dataclass(frozen=True)
class Table1Cell:
    """One cell of Table 1."""

    domain: str  # its column
    label: str  # its row
    published: str  # the paper's number
    state: str  # what is missing, if there is no result of ours yet
    row: TableRow | None = None  # our result
    full: bool = True  # whether its budgets are the paper's
    bootstrap: str = NOTHING  # its interval by the bootstrap
    comparison: Comparison | None = None  # of both numbers, if there are two

    @property
    def total(self) -> str:
        """Our result as text, or what is missing."""
        return self.row.measures[TOTAL] if self.row else self.state

    @property
    def errors(self) -> str:
        """The difference from the paper's number, in standard errors."""
        return NOTHING if self.comparison is None or isnan(self.comparison.errors) else signed(self.comparison.errors)

    @property
    def differs(self) -> bool:
        """Whether the two differ by more than their intervals."""
        return self.comparison is not None and self.comparison.differ

    @property
    def why(self) -> str:
        """The reason for the difference, if it is known."""
        if self.comparison is not None and self.comparison.why:
            return self.comparison.why
        smaller = "Unexplained; this result is of a smaller scale, with smaller budgets or fewer settings to choose from."
        return "Unexplained." if self.full else smaller


def table1_cell(query: Query, experiment: Experiment, domain: str, label: str) -> Table1Cell:
    """A cell of Table 1 from the stored rows."""
    entry = entry_of(experiment, domain, label)
    published = "{:g} ± {:g}".format(*entry.published) if entry.published else NOTHING
    best = query.best(experiment, domain, label)
    if best is None:
        done, needed = query.progress(experiment, domain, label)
        return Table1Cell(domain, label, published, f"not finished: {done} of {needed} runs" if done else "not run")
    resampled = _ends(statistics.bootstrap(best.point.values()))
    return Table1Cell(domain, label, published, "", played(best, {TOTAL: "total_reward"}), best.full, resampled, compare(best))


def table_rows(query: Query, experiment: Experiment) -> list[TableRow]:
    """All measurements of an experiment, each shown as `bamdp.report.kinds` has it for the kind of its tasks."""
    return [
        row
        for panel, entries in experiment.entries.items()
        for entry in entries
        for row in _rows_of(entry.kind)(query.measurements(experiment, panel, entry.label))
    ]


def played(measurement: Measurement, measures: dict[str, str]) -> TableRow:
    """Runs of an agent, with the time of a step; `measures` are columns and the names of their values in a result."""
    seconds = measurement.point.seconds_per_step if measurement.point.entry.kind == "play" else nan
    slow = ", above the limit" if seconds > measurement.point.entry.limit else ""
    found = {name: interval(measurement.point.mean(measure)) for name, measure in measures.items()}
    return table_row([measurement], found, time=NOTHING if isnan(seconds) else duration(seconds) + slow)


def table_row(measurements: Sequence[Measurement], measures: dict[str, str], **more: str) -> TableRow:
    """A row of one measurement, or of several together; `more` replaces texts that are those of the first."""
    first = measurements[0]
    made = sorted({name for m in measurements for what in ("commit", "cpu") for name in m.made(what)})
    texts = {
        "setting": ", ".join(f"{name} = {plain(value)}" for name, value in first.varied.items()) or NOTHING,
        "runs": str(first.runs) if first.runs >= first.planned else f"{first.runs} of {first.planned}",
        "time": NOTHING,
        "made": ", ".join(made) or NOTHING,
        **more,
    }
    keys = tuple(key for m in measurements for key in m.keys)
    return TableRow(first.panel, first.label, measures=measures, scale=first.scale, command=first.command, keys=keys, **texts)


def _rows_of(kind: str) -> Callable[[Sequence[Measurement]], list[TableRow]]:
    name = f"bamdp.report.kinds.{kind}"
    rows: Callable[[Sequence[Measurement]], list[TableRow]] = import_module(name).table_rows if find_spec(name) else _any_rows
    return rows


def _any_rows(measurements: Sequence[Measurement]) -> list[TableRow]:
    """Every number of a result in a column of its name."""
    found = []
    for measurement in measurements:
        result = measurement.point.rows[0]["result"]
        names = [name for name, value in result.items() if isinstance(value, int | float)]
        found.append(table_row([measurement], {n.replace("_", " "): interval(measurement.point.mean(n)) for n in names}))
    return found


def plain(value: Any) -> str:
    """A setting as text."""
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _ends(mean: Mean) -> str:
    return NOTHING if mean.low is None or mean.high is None else " … ".join(aligned(mean.low, mean.high))
