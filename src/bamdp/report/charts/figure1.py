"""Figure 1: reward against planning time, on Grid5 and in the maze."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from bamdp.report.chart import SERIES, draw, reward_curve, time_axis
from bamdp.report.picture import Picture
from bamdp.report.query import Measurement, Query
from bamdp.studies.experiment import Experiment
from bamdp.studies.paper.figure1 import FIGURE_1

EXPERIMENTS = (FIGURE_1,)

# The settings that the brightness and the size of a point stand for.
SHADES = {"BFS3": ("trajectories", "branching"), "SBOSS": ("models", "delta"), "BEB": ("beta", None)}
DASHES = ("-", "--", "-.", ":")


def pictures(experiment: Experiment, query: Query) -> list[Picture]:
    """A chart for each panel that has runs."""
    found: list[Picture] = []
    for panel, entries in experiment.entries.items():
        curves = {entry.label: query.measurements(experiment, panel, entry.label) for entry in entries}
        if any(curves.values()):
            letter, _, where = panel.partition(": ")
            title = f"{letter}. {where}"
            alt = f"{where}: total reward against planning time per step, for {', '.join(k for k, v in curves.items() if v)}"
            found.append(draw(f"figure1-{letter}", title, alt, partial(_plot, curves)))
    return found


def _plot(curves: dict[str, list[Measurement]], axes: Any) -> None:
    for i, (label, measurements) in enumerate(curves.items()):
        if not measurements:
            continue
        if label in SHADES:
            _cloud(axes, label, measurements, SERIES[i])
        else:
            reward_curve(axes, measurements, SERIES[i], label=label, linestyle=DASHES[i])
    time_axis(axes)
    axes.set_ylabel("total reward")
    axes.legend(loc="best")


def _cloud(axes: Any, label: str, measurements: Sequence[Measurement], color: str) -> None:
    """One point for each setting: the fainter, the smaller its first parameter; the larger, the larger the second."""
    first, second = SHADES[label]
    ranks, sizes = _ranks(measurements, first), _ranks(measurements, second)
    for measurement, rank, size in zip(measurements, ranks, sizes, strict=True):
        axes.plot(
            measurement.point.seconds_per_step,
            measurement.point.mean().value,
            {"BFS3": "s", "SBOSS": "^", "BEB": "D"}[label],
            color=color,
            alpha=0.35 + 0.65 * rank,
            markersize=4 + 4 * size,
            markeredgewidth=0,
            label=label if measurement is measurements[-1] else None,
        )


def _ranks(measurements: Sequence[Measurement], name: str | None) -> list[float]:
    """The rank of the setting of each measurement among all, from 0 to 1."""
    if name is None:
        return [0.3] * len(measurements)
    values = sorted({m.varied[name] for m in measurements})
    return [values.index(m.varied[name]) / max(1, len(values) - 1) for m in measurements]
