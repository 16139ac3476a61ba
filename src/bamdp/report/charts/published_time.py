"""BAMCP with a hundredth, a tenth and all of the paper's planning time, in each domain of Table 1."""

from functools import partial
from typing import Any

from bamdp.report.chart import SERIES, draw, reward_curve, time_axis
from bamdp.report.picture import Picture
from bamdp.report.query import Measurement, Query
from bamdp.studies.experiment import Experiment
from bamdp.studies.paper.table1 import TIME

EXPERIMENTS = (TIME,)


def pictures(experiment: Experiment, query: Query) -> list[Picture]:
    """One chart for each domain."""
    found: list[Picture] = []
    for domain, entries in experiment.entries.items():
        curves = {entry.label: query.measurements(experiment, domain, entry.label) for entry in entries}
        if any(curves.values()):
            alt = f"{domain}: total reward against planning time per step, for {', '.join(curves)}, and the published number"
            found.append(draw(f"planning-time-{domain}", domain, alt, partial(_plot, curves, entries[0].published), (4.4, 2.6)))
    return found


def _plot(curves: dict[str, list[Measurement]], published: tuple[float, float] | None, axes: Any) -> None:
    for i, (label, measurements) in enumerate(curves.items()):
        if measurements:
            reward_curve(axes, measurements, SERIES[(0, 2)[i]], label=label, linestyle=("-", "--")[i])
    if published:
        low, high = published[0] - published[1], published[0] + published[1]
        axes.axhspan(low, high, color=SERIES[1], alpha=0.2, linewidth=0, label="paper, with its ±")
        axes.axhline(published[0], color=SERIES[1], linewidth=1)
    time_axis(axes)
    axes.set_ylabel("total reward")
    axes.legend()
