"""Figures 2 and S5: the infinite grid with the right prior, with a wrong one, and with random actions."""

from functools import partial
from typing import Any

from bamdp.report.chart import SERIES, draw, reward_curve, time_axis
from bamdp.report.claims.infinite_grid import MEASURES, PANEL
from bamdp.report.picture import Picture
from bamdp.report.query import Measurement, Query
from bamdp.studies.experiment import Experiment
from bamdp.studies.paper.figure2 import FIGURE_2, FIGURE_S5A, FIGURE_S5B

EXPERIMENTS = (FIGURE_2, FIGURE_S5A, FIGURE_S5B)


def pictures(experiment: Experiment, query: Query) -> list[Picture]:
    """Sums and discounted sums."""
    curves = {entry.label: query.measurements(experiment, PANEL, entry.label) for entry in experiment.entries[PANEL]}
    if not any(curves.values()):
        return []
    return [
        draw(
            f"{experiment.name}-{measure.partition('_')[0]}",
            f"{name[0].upper()}{name[1:]} of rewards",
            f"{experiment.title}: {name} of rewards against planning time per step, for {', '.join(curves)}",
            partial(_plot, curves, measure),
        )
        for measure, name in MEASURES.items()
    ]


def _plot(curves: dict[str, list[Measurement]], measure: str, axes: Any) -> None:
    for i, (label, style) in enumerate((("right prior", "-"), ("wrong prior", "--"))):
        if curves[label]:
            reward_curve(axes, curves[label], SERIES[i], measure, label=label, linestyle=style)
    for measurement in curves["random"]:
        mean = measurement.point.mean(measure)
        axes.axhspan(mean.low or mean.value, mean.high or mean.value, color=SERIES[2], alpha=0.25, linewidth=0)
        axes.axhline(mean.value, color=SERIES[2], linewidth=1.2, linestyle=":", label="random")
    time_axis(axes)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("sum of rewards" if measure == "total_reward" else "discounted sum of rewards")
    axes.legend()
