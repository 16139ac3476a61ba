"""Table 1 as charts: our results and the published ones, domain by domain."""

from __future__ import annotations

from functools import partial
from typing import Any

from bamdp.report.chart import SERIES, draw, half_width
from bamdp.report.picture import Picture
from bamdp.report.query import Measurement, Query
from bamdp.studies.experiment import Experiment
from bamdp.studies.paper.table1 import TABLE

EXPERIMENTS = (TABLE,)


def pictures(experiment: Experiment, query: Query) -> list[Picture]:
    """One chart for each domain."""
    found: list[Picture] = []
    for domain, entries in experiment.entries.items():
        ours = {entry.label: query.best(experiment, domain, entry.label) for entry in entries}
        theirs = {entry.label: entry.published for entry in entries}
        if any(ours.values()):
            alt = f"{domain}: total rewards here and in the paper; the numbers are in the table above"
            found.append(draw(f"table1-{domain}", domain, alt, partial(_dots, ours, theirs), (4.4, 3.4)))
    return found


def _dots(ours: dict[str, Measurement | None], theirs: dict[str, tuple[float, float] | None], axes: Any) -> None:
    labels = list(ours)
    style = {"markersize": 5, "capsize": 2, "linestyle": "none"}
    means = [(i, m.point.mean()) for i, m in enumerate(ours.values()) if m]
    axes.errorbar(
        [mean.value for _, mean in means],
        [i - 0.12 for i, _ in means],
        xerr=[half_width(mean) for _, mean in means],
        marker="o",
        color=SERIES[0],
        label="here",
        **style,
    )
    published = [(i, pair) for i, pair in enumerate(theirs.values()) if pair]
    axes.errorbar(
        [pair[0] for _, pair in published],
        [i + 0.18 for i, _ in published],
        xerr=[pair[1] for _, pair in published],
        marker="s",
        color=SERIES[1],
        label="paper",
        **style,
    )
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.set_xlabel("total reward")
    axes.legend()
