"""Time of a simulation by the way models are sampled."""

from functools import partial
from typing import Any

from bamdp import statistics
from bamdp.report.chart import SERIES, draw, half_width, time_axis
from bamdp.report.claims.ablations import seconds_per_simulation
from bamdp.report.picture import Picture
from bamdp.report.query import Query
from bamdp.statistics import Mean, duration
from bamdp.studies.experiment import Experiment
from bamdp.studies.paper.figure1 import LAZY

EXPERIMENTS = (LAZY,)


def pictures(experiment: Experiment, query: Query) -> list[Picture]:
    """One chart."""
    found = {entry.label: query.measurements(experiment, "maze", entry.label) for entry in experiment.entries["maze"]}
    means = {label: statistics.mean(seconds_per_simulation(runs[0])) for label, runs in found.items() if runs}
    if not means:
        return []
    alt = "; ".join(f"{label}: {duration(mean.value)}" for label, mean in means.items())
    return [draw("lazy", "Time of a simulation", f"Time of a simulation. {alt}", partial(_plot, means), (4.4, 1.9))]


def _plot(means: dict[str, Mean], axes: Any) -> None:
    for label, mean in means.items():
        axes.errorbar(mean.value, label, xerr=half_width(mean), marker="o", capsize=3, color=SERIES[0])
        axes.annotate(duration(mean.value), (mean.value, label), (0, 7), textcoords="offset points", ha="center")
    axes.set_xscale("log")
    axes.margins(x=0.15, y=0.35)
    axes.invert_yaxis()
    time_axis(axes, "processor time of a simulation in the maze")
