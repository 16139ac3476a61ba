"""The page "Results elsewhere": published tables and the agents of this library, in Markdown."""

from collections.abc import Iterator, Mapping, Sequence
from math import hypot, sqrt
from statistics import stdev

from bamdp import statistics
from bamdp.statistics import Mean, digits
from reproduction.elsewhere import (
    BANDITBENCH,
    NOTES,
    PLANNER,
    PUBLISHED,
    PUBLISHED_EPISODES,
    PUBLISHED_ERROR,
    TABLES,
)
from reproduction.experiment import Experiment
from reproduction.query import Measurement, Query
from reproduction.report.html import markdown_table

NORMAL = 1.96  # half of a 95 % interval, in standard errors
Worlds = Mapping[int, float]


def elsewhere(query: Query) -> str:
    """The tables of all experiments that have rows.

    Example:
        >>> elsewhere(Query([])).splitlines()[2]
        'Not run yet: `python -m reproduction rl2-arms --scale quick`.'
    """
    return "\n\n".join(part for table in TABLES for part in _section(query, table)) + "\n"


def _section(query: Query, table: Experiment) -> Iterator[str]:
    yield f"## {table.heading}"
    rows = {row: _measured(query, table, row) for row in table.entries}
    rows = {row: agents for row, agents in rows.items() if PLANNER in agents}
    if not rows:
        yield f"Not run yet: `python -m reproduction {table.name} --scale quick`."
        return
    labels = list(dict.fromkeys(label for agents in rows.values() for label in agents))
    yield f"{table.title}, `python -m reproduction {table.name} --scale paper`:"
    yield markdown_table(
        ("", *labels),
        ([row, *(_cell(table, agents, label) for label in labels)] for row, agents in rows.items()),
    )
    yield "The planner beside the best published number:"
    yield markdown_table(
        ("", f"`{PLANNER}`", "best published", "better by", "verdict", "worlds"),
        (_verdict(table, row, agents[PLANNER]) for row, agents in rows.items()),
    )
    yield "All published numbers:"
    columns = list(dict.fromkeys(name for row in rows for name in PUBLISHED[table.name][row]))
    yield markdown_table(
        ("", *columns),
        (
            [row, *(_number(PUBLISHED[table.name][row].get(name)) for name in columns)]
            for row in rows
        ),
    )


def _measured(query: Query, table: Experiment, row: str) -> dict[str, Measurement]:
    """The agents that were run, by label."""
    each = {entry.label: query.best(table, row, entry.label) for entry in table.entries[row]}
    return {label: measured for label, measured in each.items() if measured is not None}


def _measure(table: Experiment) -> str:
    return "regret" if table is BANDITBENCH else "expected_reward"


def _worlds(measurement: Measurement, measure: str) -> Worlds:
    """The value in each world."""
    return {
        int(row["run"]) * len(row[measure]) + i: float(value)
        for row in measurement.rows
        for i, value in enumerate(row[measure])
    }


def _cell(table: Experiment, agents: Mapping[str, Measurement], label: str) -> str:
    """The mean, and the difference to the planner's in the same worlds."""
    if label not in agents:
        return ""
    mine, planner = (_worlds(agents[name], _measure(table)) for name in (label, PLANNER))
    mean = statistics.mean(list(mine.values()))
    setting = "".join(
        f"; {name} = {v}" for name, v in agents[label].varied.items() if name == "beta"
    )
    if label == PLANNER:
        return _plus_minus(mean)
    both = [mine[world] - planner[world] for world in mine.keys() & planner.keys()]
    if len(both) < statistics.FEWEST:
        return f"{_plus_minus(mean)}{setting}"
    return f"{_plus_minus(mean)} ({_plus_minus(statistics.mean(both), sign=True)}){setting}"


def _verdict(table: Experiment, row: str, planner: Measurement) -> Sequence[str]:
    """The planner beside the best published number, whose noise is that of its episodes."""
    values = list(_worlds(planner, _measure(table)).values())
    mean, sign = statistics.mean(values), -1 if table is BANDITBENCH else 1
    published = PUBLISHED[table.name][row]
    name = max(published, key=lambda name: sign * published[name])
    error = (
        PUBLISHED_ERROR
        if table is BANDITBENCH
        else stdev(_worlds(planner, "total_reward").values()) / sqrt(PUBLISHED_EPISODES)
    )
    better = sign * (mean.value - published[name])
    half = NORMAL * hypot(error, stdev(values) / sqrt(len(values)))
    verdict = "better" if better > half else "worse" if better < -half else "no difference seen"
    if verdict == "worse" and row in NOTES:
        verdict += f": {NOTES[row]}"
    best = f"{name} {published[name]:g} ± {digits(NORMAL * error, error)}"
    difference = Mean(better, better - half, better + half)
    return [
        row,
        _plus_minus(mean),
        best,
        _plus_minus(difference, sign=True),
        verdict,
        str(len(values)),
    ]


def _plus_minus(mean: Mean, sign: bool = False) -> str:
    """A mean with half of its 95 % interval."""
    if mean.half is None:
        return digits(mean.value)
    value = digits(mean.value, mean.half)
    plus = "+" if sign and mean.value > 0 else ""
    return f"{plus}{value} ± {digits(mean.half, mean.half)}".replace("-", "−")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
