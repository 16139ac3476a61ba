"""Tables of runs: a row is a flat dictionary, a column says how rows are averaged and shown.

A column is one entry: `Column("total", "total", mean_of("total_reward"))`. Functions like `mean_of`
make the average of a measure from rows and, for differences, those of the same runs of a reference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bamdp import statistics, validation
from bamdp.statistics import Mean

if TYPE_CHECKING:
    import pandas

    from bamdp.comparing.engine import Unfinished

Rows = Sequence[Mapping[str, Any]]
Average = Callable[[Rows, Rows], Any]


@dataclass(frozen=True)
class Table:
    """The rows of runs, in their order.

    Attributes:
        rows: a dictionary for each run, with what was measured, its settings, seed and number, and
            where it comes from.
        interrupted: whether Ctrl-C ended it before all runs were done.
        unfinished: the runs that it ended.
    """

    rows: Rows
    interrupted: bool = False
    unfinished: Sequence[Unfinished] = field(default_factory=list)

    def values(self, measure: str) -> NDArray[np.float64]:
        """A measure of each run, NaN where there is none. [runs]"""
        return values(self.rows, self._known(measure))

    def mean(self, measure: str) -> Mean | None:
        """The mean over the runs, with its 95 % interval; None without runs."""
        average: Mean | None = mean_of(self._known(measure))(self.rows, ())
        return average

    def _known(self, measure: str) -> str:
        names = {name for row in self.rows for name in row}
        if validation.text("measure", measure) not in names and names:
            raise ValueError(f"measure must be one of {', '.join(sorted(names))}, got {measure!r}")
        return measure

    @property
    def columns(self) -> dict[str, list[Any]]:
        """All columns by name; None where a row has no such value."""
        names = dict.fromkeys(name for row in self.rows for name in row)
        return {name: [row.get(name) for row in self.rows] for name in names}

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a `pandas.DataFrame`, a row for each run."""
        return validation.data_frame(self.columns)


@dataclass(frozen=True)
class Column:
    """A column of a printed table.

    Attributes:
        name: its name in JSON and data frames.
        heading: its heading; {reference} stands for the name of the reference.
        average: its value, from the rows of a cell and those of the reference.
        text: how the value is shown; None is shown as —.
        interval: whether the value is a mean with an interval, `name_low` and `name_high`.
        of_episodes: whether it is shown only where episodes end.
    """

    name: str
    heading: str
    average: Average
    text: Callable[[Any], str] = str
    interval: bool = False
    of_episodes: bool = False

    def value(self, rows: Rows, reference: Rows = ()) -> Any:
        """The value of a cell; None where rows don't have what it is made of, as those of an older
        store.
        """
        value = self.average(rows, reference)
        number = value.value if isinstance(value, Mean) else value
        return None if isinstance(number, float) and np.isnan(number) else value

    def show(self, rows: Rows, reference: Rows = ()) -> str:
        """The text of a cell."""
        value = self.value(rows, reference)
        return "—" if value is None else self.text(value)

    def data(self, rows: Rows, reference: Rows = ()) -> dict[str, Any]:
        """The value of a cell by name, with the ends of its interval if it may have one."""
        value = self.value(rows, reference)
        if not self.interval:
            return {self.name: value}
        ends = (None, None, None) if value is None else (value.value, value.low, value.high)
        return dict(zip((self.name, f"{self.name}_low", f"{self.name}_high"), ends, strict=True))


def values(rows: Rows, measure: str) -> NDArray[np.float64]:
    """A measure of each row, NaN where there is none. [rows]"""
    column = [row.get(measure) for row in rows]
    if not all(value is None or isinstance(value, int | float) for value in column):
        raise TypeError(f"measure must be the name of a column of numbers, got {measure!r}")
    return np.array(column, dtype=np.float64)


def mean_of(measure: str) -> Average:
    """The mean of a measure, with its interval."""
    return lambda rows, reference: statistics.mean(values(rows, measure).tolist()) if rows else None


def mean_or_point(measure: str) -> Average:
    """The mean of a measure; no interval if all values are equal, as one of width zero would claim
    certainty.
    """
    return lambda rows, reference: _careful(values(rows, measure))


def difference_of(measure: str) -> Average:
    """The mean of the differences to the same runs of the reference."""
    return lambda rows, reference: _careful(values(rows, measure) - values(reference, measure))


def average_of(measure: str) -> Average:
    """The mean of a measure without an interval."""
    return lambda rows, reference: float(values(rows, measure).mean())


def per_step(rows: Rows, reference: Rows = ()) -> float | None:
    """The agent's seconds per step."""
    return float(values(rows, "agent_seconds").sum()) / _sum(rows, "steps") if rows else None


def per_second(rows: Rows, reference: Rows = ()) -> float | None:
    """Simulations per second; None if the agent doesn't plan."""
    seconds, planned = (
        _sum(rows, "agent_seconds"),
        [row for row in rows if row.get("simulations") is not None],
    )
    return _sum(planned, "simulations") / seconds if planned and seconds > 0 else None


def count_of_episodes(rows: Rows, reference: Rows = ()) -> int:
    """Number of episodes that ended, over all runs."""
    return int(_sum(rows, "episodes"))


def per_episode(rows: Rows, reference: Rows = ()) -> Mean | None:
    """Mean return of the episodes that ended, with an interval from the differences between runs;
    None if none ended.
    """
    counts = [float(row["episodes"]) for row in rows]
    if not any(counts):
        return None
    returns = [
        sum(row["episode_rewards"]) if "episode_rewards" in row else _episode_total(row)
        for row in rows
    ]
    ratio = statistics.ratio(returns, counts)
    return (
        ratio if ratio.half else Mean(ratio.value, None, None)
    )  # one of width zero would claim certainty


def success_rate(rows: Rows, reference: Rows = ()) -> float | None:
    """Share of the episodes that paid 1, where each paid 0 or 1 in all; else None."""
    rate = per_episode(rows)
    return (
        rate.value
        if rate and {reward for row in rows for reward in row["episode_rewards"]} <= {0.0, 1.0}
        else None
    )


def _careful(numbers: NDArray[np.float64]) -> Mean:
    values: list[float] = numbers.tolist()
    return Mean(values[0], None, None) if min(values) == max(values) else statistics.mean(values)


def _episode_total(row: Mapping[str, Any]) -> float:
    return float((row["mean_episode_return"] or 0.0) * row["episodes"])


def _sum(rows: Iterable[Mapping[str, Any]], measure: str) -> float:
    return float(sum(row[measure] for row in rows))
