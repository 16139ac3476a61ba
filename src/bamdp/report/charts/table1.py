"""Table 1 as charts: our results and the published ones, domain by domain."""

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
    style = {"markersize": 5, "capsize": 2, "linestyle": "none"}
    means = [(i - 0.12, m.point.mean()) for i, m in enumerate(ours.values()) if m]
    here = [(y, mean.value, half_width(mean)) for y, mean in means]
    paper = [(i + 0.18, *pair) for i, pair in enumerate(theirs.values()) if pair]
    for dots, marker, color, label in ((here, "o", SERIES[0], "here"), (paper, "s", SERIES[1], "paper")):
        y, x, errors = zip(*dots, strict=True) if dots else ((), (), ())
        axes.errorbar(x, y, xerr=errors, marker=marker, color=color, label=label, **style)
    axes.set_yticks(range(len(ours)), list(ours))
    axes.invert_yaxis()
    axes.set_xlabel("total reward")
    axes.legend()
