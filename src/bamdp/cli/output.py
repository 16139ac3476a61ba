"""What commands print at the end: a table, or one JSON object."""

import json
import math
import sys
from collections.abc import Mapping
from typing import Any

from bamdp import statistics
from bamdp.runs import table
from bamdp.runs.table import Column
from bamdp.statistics import digits, duration


def print_rows(title: str, rows: Mapping[str, str]) -> None:
    """A table of names and texts on standard output."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Column, Table

    table = Table("", Column(title, overflow="fold"), box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name, text in rows.items():
        table.add_row(name, text)
    Console(markup=False, highlight=False, file=sys.stdout).print(table)


def print_json(data: Mapping[str, Any]) -> None:
    """One object on standard output, with null for every number that JSON doesn't have."""
    print(json.dumps(_finite(dict(data)), allow_nan=False))


def interval(mean: statistics.Mean | None) -> list[float | None] | None:
    """The ends of a mean's interval, if it has one."""
    return None if mean is None or mean.low is None else [mean.low, mean.high]


def mean_text(mean: statistics.Mean | None) -> str:
    """A mean with its interval."""
    if mean is None:
        return "—"
    if mean.low is None or mean.high is None:
        return f"{digits(mean.value)}   no interval from fewer than {statistics.FEWEST} runs"
    value, low, high = (digits(number, mean.half) for number in (mean.value, mean.low, mean.high))
    return f"{value}   95 % interval {low} … {high}"


def published_text(published: tuple[float, float]) -> str:
    """A published mean with its ± and its source."""
    return "{:g} ± {:g}   (Guez, Silver, Dayan 2012, Table 1)".format(*published)


# The columns of runs: those of episodes where they end, and those that are left out where there is nothing to show.
EPISODES = (
    Column("return_per_episode", "return per episode", table.per_episode, mean_text),
    Column("success_rate", "success rate", table.success_rate, lambda rate: f"{100 * rate:.3g} %"),
    Column("episodes", "episodes", table.count_of_episodes),
)
TOTAL = Column("mean", "mean total reward", table.mean("total_reward"), mean_text)
TIME = Column("seconds_per_step", "time per step", table.per_step, duration)
SPEED = Column("simulations_per_second", "simulations per second", table.per_second, "{:,.0f}".format)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
