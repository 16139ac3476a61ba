"""Reward of BAMCP against the exploration constant, as a share of that of c = 3."""

from functools import partial
from typing import Any

from bamdp.report.chart import INK, SERIES, draw, half_width
from bamdp.report.picture import Picture
from bamdp.report.query import Measurement, Query
from bamdp.studies.experiment import Experiment
from bamdp.studies.paper.figure1 import EXPLORATION

EXPERIMENTS = (EXPLORATION,)


def pictures(experiment: Experiment, query: Query) -> list[Picture]:
    """One chart of all domains that have runs of c = 3."""
    curves = {domain: query.measurements(experiment, domain, "BAMCP") for domain in experiment.entries}
    curves = {domain: found for domain, found in curves.items() if any(m.varied["exploration"] == 3 for m in found)}
    if not curves:
        return []
    alt = f"Total reward of BAMCP against c, as a share of that of c = 3, in {', '.join(curves)}"
    return [draw("exploration", "BAMCP with other exploration constants", alt, partial(_plot, curves))]


def _plot(curves: dict[str, list[Measurement]], axes: Any) -> None:
    for i, (domain, measurements) in enumerate(curves.items()):
        usual = next(m for m in measurements if m.varied["exploration"] == 3).point.mean().value
        means = [m.point.mean() for m in measurements]
        x = [m.varied["exploration"] * 1.03 ** (i - 1.5) for m in measurements]  # side by side
        y, errors = [mean.value / usual for mean in means], [half_width(mean) / usual for mean in means]
        axes.errorbar(x, y, errors, marker="o", markersize=4, linewidth=1.2, capsize=2, color=SERIES[i], label=domain)
    axes.set_xscale("log")
    constants = sorted({m.varied["exploration"] for measurements in curves.values() for m in measurements})
    axes.set_xticks(constants, [f"{c:g}" for c in constants])
    axes.minorticks_off()
    axes.axhline(1, color=INK, linewidth=0.8)
    axes.set(xlabel="exploration constant c", ylabel="total reward, c = 3 is 1")
    axes.legend(ncols=2)
