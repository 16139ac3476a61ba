"""Measurements as rows of tables: dictionaries of texts, each with the command and the keys of the
stored rows behind it.

A row has `panel`, `label`, `setting` (those that vary), `measures` (numbers by column), `runs`,
`scale`, `time` (of a step), `command` (which repeats the runs), `made` (commits and processors) and
`stored` (keys of the rows in the store).
"""

from collections.abc import Callable, Sequence
from math import isnan, nan
from typing import Any

from bamdp import statistics
from bamdp.comparing.rows import measured
from bamdp.statistics import Mean, duration
from reproduction.experiment import Experiment
from reproduction.paper.table1 import TABLE
from reproduction.query import Measurement, Query
from reproduction.report.checks import biases
from reproduction.report.paper import beside_published, signed
from reproduction.report.verdict import aligned, interval, plus_minus, short

NOTHING = "—"
SMALLER = (
    "Unexplained; this result is of a smaller scale, with smaller budgets or fewer settings to "
    "choose from."
)
TableRow = dict[str, Any]


def table_row(measurement: Measurement, measures: dict[str, str], **more: Any) -> TableRow:
    """A row of a measurement; `more` replaces texts."""
    m, seconds = (
        measurement,
        measurement.seconds_per_step if measurement.entry.kind == "play" else nan,
    )
    slow = ", above the limit" if seconds > m.entry.limit else ""
    return {
        "panel": m.panel,
        "label": m.label,
        "setting": setting(m),
        "measures": measures,
        "runs": str(m.runs) if m.runs >= m.planned else f"{m.runs} of {m.planned}",
        "scale": m.scale,
        "time": NOTHING if isnan(seconds) else duration(seconds) + slow,
        "command": m.command,
        **more,
    }


def setting(measurement: Measurement) -> str:
    """The settings that vary, or the budget."""
    return (
        ", ".join(f"{name} = {_plain(value)}" for name, value in measurement.varied.items())
        or NOTHING
    )


def table_rows(query: Query, experiment: Experiment) -> list[TableRow]:
    """All measurements of an experiment, each shown as `KINDS` has it."""
    measurements = [
        m
        for panel in experiment.entries
        for points in query.panel(experiment, panel).values()
        for m in points
    ]
    cells = {
        panel: [m for m in measurements if m.panel == panel and m.entry.kind == "decisions"]
        for panel in experiment.entries
    }
    rows = [
        table_row(m, KINDS.get(m.entry.kind, _numbers)(m))
        for m in measurements
        if m.entry.kind != "decisions"
    ]
    return [_decided(of) for of in cells.values() if of] + rows


def table1_cell(query: Query, domain: str, label: str) -> TableRow:
    """A cell of Table 1: `total`, `published`, `differs`; the row of a table if it has been run,
    else the `state`.
    """
    entry, best = TABLE.entry(domain, label), query.best(TABLE, domain, label)
    cell: TableRow = {
        "domain": domain,
        "label": label,
        "published": "{:g} ± {:g}".format(*entry.published) if entry.published else NOTHING,
        "differs": False,
        "run": best is not None,
    }
    if best is None:
        done, needed = query.progress(TABLE, domain, label)
        state = f"not finished: {done} of {needed} runs" if done else "not run"
        return {**cell, "state": state, "total": state}
    result = beside_published(best)
    why = (result.why if result else None) or ("Unexplained." if best.full else SMALLER)
    resampled = statistics.bootstrap(best.values())
    ends = (
        None
        if resampled.low is None or resampled.high is None
        else aligned(resampled.low, resampled.high)
    )
    more = {
        "state": "",
        "total": interval(best.mean()),
        "short": plus_minus(best.mean()),
        "bootstrap": " … ".join(ends) if ends else NOTHING,
        "errors": signed(result.errors) if result and not isnan(result.errors) else NOTHING,
        "differs": result is not None and result.differ,
        "why": why,
    }
    return {**table_row(best, {}), **cell, **more}


def _decided(cells: Sequence[Measurement]) -> TableRow:
    """Decisions between two arms: the share of correct ones, over all cells of
    Figure S1 together.
    """
    share = statistics.mean([share for m in cells for share in m.values("correct")])
    return table_row(
        cells[0],
        {"correct decisions": f"{share.value:.3f}"},
        runs=f"{len(cells)} cells",
        setting=NOTHING,
    )


def _converged(m: Measurement) -> dict[str, str]:
    """The bias of the root value with its interval, and the regret; some agents have no root value,
    or can't plan.
    """
    bias = next(
        (interval(Mean(b.value, b.value - b.half, b.value + b.half)) for b in biases([m])), NOTHING
    )
    return {
        "bias": bias,
        "regret": short(m.result["regret"]) if "regret" in m.result else "not possible",
    }


def _numbers(m: Measurement) -> dict[str, str]:
    """Every number of a result in a column of its name."""
    names = [name for name, value in measured(m.result).items() if isinstance(value, int | float)]
    return {name.replace("_", " "): interval(m.mean(name)) for name in names}


# The columns of a kind of task; others have one for each number of a result.
KINDS: dict[str, Callable[[Measurement], dict[str, str]]] = {
    "play": lambda m: {
        "sum": interval(m.mean()),
        "discounted sum": interval(m.mean("discounted_return")),
    },
    "convergence": _converged,
    "grid_convergence": _converged,
}


def _plain(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
