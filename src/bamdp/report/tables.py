"""Measurements as rows of tables: dictionaries of texts, each with the command and the keys of the stored rows behind it.

A row has `panel`, `label`, `setting` (those that vary), `measures` (numbers by column), `runs`, `scale`, `time` (of a step),
`command` (which repeats the runs), `made` (commits and processors) and `stored` (keys of the rows in the store).
"""

from collections.abc import Callable, Sequence
from math import isnan, nan
from typing import Any

from bamdp import statistics
from bamdp.report.checks import biases
from bamdp.report.paper import beside_published, signed
from bamdp.report.query import Measurement, Query, entry_of, provenance
from bamdp.report.verdict import aligned, interval, short
from bamdp.statistics import Mean, duration
from bamdp.studies.experiment import Experiment
from bamdp.studies.paper.table1 import TABLE

NOTHING = "—"
SMALLER = "Unexplained; this result is of a smaller scale, with smaller budgets or fewer settings to choose from."
TableRow = dict[str, Any]


def table_row(measurements: Sequence[Measurement], measures: dict[str, str], **more: Any) -> TableRow:
    """A row of one measurement, or of several together; `more` replaces texts that are those of the first."""
    first = measurements[0]
    rows = [row for m in measurements for row in m.rows]
    return {
        "panel": first.panel,
        "label": first.label,
        "setting": setting(first),
        "measures": measures,
        "runs": str(first.runs) if first.runs >= first.planned else f"{first.runs} of {first.planned}",
        "scale": first.scale,
        "time": NOTHING,
        "command": first.command,
        "made": ", ".join(provenance(rows, "commit", "cpu")) or NOTHING,
        "stored": [row["key"] for row in rows],
        **more,
    }


def setting(measurement: Measurement) -> str:
    """The settings that vary, or the budget."""
    return ", ".join(f"{name} = {_plain(value)}" for name, value in measurement.varied.items()) or NOTHING


def table_rows(query: Query, experiment: Experiment) -> list[TableRow]:
    """All measurements of an experiment, each shown as `KINDS` has it; other kinds with a column for each number."""
    return [
        row
        for panel, entries in experiment.entries.items()
        for entry in entries
        if (found := query.measurements(experiment, panel, entry.label))
        for row in KINDS.get(entry.kind, _numbers)(found)
    ]


def table1_cell(query: Query, domain: str, label: str) -> TableRow:
    """A cell of Table 1: `total`, `published`, `differs`; the row of a table if it has been run, else the `state`."""
    entry, best = entry_of(TABLE, domain, label), query.best(TABLE, domain, label)
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
    ends = None if resampled.low is None or resampled.high is None else aligned(resampled.low, resampled.high)
    more = {
        "state": "",
        "total": interval(best.mean()),
        "bootstrap": " … ".join(ends) if ends else NOTHING,
        "errors": signed(result.errors) if result and not isnan(result.errors) else NOTHING,
        "differs": result is not None and result.differ,
        "why": why,
    }
    return {**_played([best])[0], **cell, **more}


def _played(measurements: Sequence[Measurement]) -> list[TableRow]:
    """Runs of an agent: sums of rewards, and the time of a step."""
    rows = []
    for m in measurements:
        seconds = m.seconds_per_step if m.entry.kind == "play" else nan
        time = NOTHING if isnan(seconds) else duration(seconds) + (", above the limit" if seconds > m.entry.limit else "")
        measures = {"sum": interval(m.mean()), "discounted sum": interval(m.mean("discounted_return"))}
        rows.append(table_row([m], measures, time=time))
    return rows


def _decided(measurements: Sequence[Measurement]) -> list[TableRow]:
    """Decisions between two arms: the share of correct ones, over all cells of Figure S1."""
    share = statistics.mean([share for m in measurements for share in m.values("correct")])
    measures = {"correct decisions": f"{share.value:.3f}"}
    return [table_row(measurements, measures, runs=f"{len(measurements)} cells", setting=NOTHING)]


def _converged(measurements: Sequence[Measurement]) -> list[TableRow]:
    """The bias of the root value with its interval, and the regret; some agents have no root value, or can't plan."""
    rows = []
    for m in measurements:
        bias = next((interval(Mean(b, b - half, b + half)) for _, b, half, _ in biases([m])), NOTHING)
        regret = short(m.result["regret"]) if "regret" in m.result else "not possible"
        rows.append(table_row([m], {"bias": bias, "regret": regret}))
    return rows


def _numbers(measurements: Sequence[Measurement]) -> list[TableRow]:
    """Every number of a result in a column of its name."""
    names = [[name for name, value in m.result.items() if isinstance(value, int | float)] for m in measurements]
    measures = [{n.replace("_", " "): interval(m.mean(n)) for n in of} for m, of in zip(measurements, names, strict=True)]
    return [table_row([m], shown) for m, shown in zip(measurements, measures, strict=True)]


# How the results of a kind of task are shown.
KINDS: dict[str, Callable[[Sequence[Measurement]], list[TableRow]]] = {
    "play": _played,
    "decisions": _decided,
    "convergence": _converged,
}


def _plain(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
