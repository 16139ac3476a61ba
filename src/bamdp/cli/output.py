"""What commands print at the end: a table, or one JSON object.

A column of `bamdp.comparing.table` is one entry of both.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from bamdp import statistics
from bamdp.comparing import table
from bamdp.comparing.table import Column, Rows
from bamdp.statistics import Mean, digits, duration


def print_rows(title: str, rows: Mapping[str, str]) -> None:
    """A table of names and texts on standard output."""
    width = max(map(len, rows))
    lines = [f"{name:{width}}   {text}" for name, text in rows.items()]
    print(title, "─" * max(map(len, [title, *lines])), *lines, sep="\n")


def print_json(data: Mapping[str, Any]) -> None:
    """One object on standard output, with null for every number that JSON doesn't have."""
    print(json.dumps(_json_value(dict(data)), allow_nan=False))


def texts(columns: Sequence[Column], rows: Rows) -> dict[str, str]:
    """The columns of a table by heading, without those that have none or nothing to show."""
    shown = {column.heading: column.show(rows) for column in columns if column.heading}
    return {
        heading: text
        for heading, text in shown.items()
        if text != "—" or heading in (TOTAL.heading, EPISODES[0].heading)
    }


def data(columns: Sequence[Column], rows: Rows) -> dict[str, Any]:
    """The columns for JSON; of a mean also the ends of its interval, `NAME_low` and `NAME_high`."""
    return {name: value for column in columns for name, value in column.data(rows).items()}


def interval(mean: Mean | None) -> list[float | None] | None:
    """The ends of a mean's interval, if it has one."""
    return None if mean is None or mean.low is None else [mean.low, mean.high]


def mean_text(mean: Mean) -> str:
    """A mean with its interval."""
    if mean.low is None or mean.high is None:
        return f"{digits(mean.value)}   no interval from fewer than {statistics.FEWEST} runs"
    value, low, high = (digits(number, mean.half) for number in (mean.value, mean.low, mean.high))
    return f"{value}   95 % interval {low} … {high}"


def published_text(published: tuple[float, float]) -> str:
    """A published mean with its ± and its source."""
    return "{:g} ± {:g}   (Guez, Silver, Dayan 2012, Table 1)".format(*published)


def every(measure: str) -> table.Average:
    """The value of each run."""
    return lambda rows, reference: [row[measure] for row in rows]


EPISODES = (
    Column("return_per_episode", "return per episode", table.per_episode, mean_text, interval=True),
    Column("success_rate", "success rate", table.success_rate, lambda rate: f"{100 * rate:.3g} %"),
    Column("episodes", "episodes", table.count_of_episodes),
    Column("episode_rewards", "", every("episode_rewards")),
)
TOTAL = Column("mean", "mean total reward", table.mean_of("total_reward"), mean_text, interval=True)
TOTALS = Column(
    "total_rewards",
    "total rewards",
    every("total_reward"),
    lambda some: ", ".join(map(digits, some)) or "—",
)
TIME = Column("seconds_per_step", "time per step", table.per_step, duration)
SPEED = Column(
    "simulations_per_second", "simulations per second", table.per_second, "{:,.0f}".format
)


def _json_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
