"""The text beside Figure 1: the time that lazy sampling saves, and the exploration constant."""

from __future__ import annotations

from functools import partial
from typing import Any

from bamdp import statistics
from bamdp.report.chart import INK, SERIES, Chart, bar, draw, time_axis
from bamdp.report.claims.parts import time
from bamdp.report.query import Number, Stored
from bamdp.statistics import duration
from bamdp.studies.paper.figure1 import EXPLORATION, LAZY


def lazy(stored: Stored) -> list[Chart]:
    """The time of a simulation by the way models are drawn."""
    found = {entry.label: stored.numbers(LAZY, "maze", entry.label) for entry in LAZY.entries["maze"]}
    first = {label: numbers[0] for label, numbers in found.items() if numbers}
    if not first:
        return []
    alt = "; ".join(f"{label}: {duration(statistics.mean(time(number)).value)}" for label, number in first.items())
    return [draw("lazy", "Time of a simulation", f"Time of a simulation. {alt}", partial(_times, first), (4.4, 1.9))]


def _times(found: dict[str, Number], axes: Any) -> None:
    for label, number in found.items():
        mean = statistics.mean(time(number))
        axes.errorbar(mean.value, label, xerr=bar(mean), marker="o", capsize=3, color=SERIES[0])
        axes.annotate(duration(mean.value), (mean.value, label), (0, 7), textcoords="offset points", ha="center")
    axes.set_xscale("log")
    axes.margins(x=0.15, y=0.35)
    axes.invert_yaxis()
    time_axis(axes, "processor time of a simulation in the maze")


def exploration(stored: Stored) -> list[Chart]:
    """Reward against the exploration constant, as a share of that of c = 3."""
    curves = {world: stored.numbers(EXPLORATION, world, "BAMCP") for world in EXPLORATION.entries}
    curves = {world: numbers for world, numbers in curves.items() if any(n.varied["exploration"] == 3 for n in numbers)}
    if not curves:
        return []
    alt = f"Total reward of BAMCP against c, as a share of that of c = 3, in {', '.join(curves)}"
    return [draw("exploration", "BAMCP with other exploration constants", alt, partial(_constants, curves))]


def _constants(curves: dict[str, list[Number]], axes: Any) -> None:
    for i, (world, numbers) in enumerate(curves.items()):
        usual = next(n for n in numbers if n.varied["exploration"] == 3).point.mean().value
        means = [n.point.mean() for n in numbers]
        x = [n.varied["exploration"] * 1.03 ** (i - 1.5) for n in numbers]  # side by side
        y, errors = [m.value / usual for m in means], [bar(m) / usual for m in means]
        axes.errorbar(x, y, errors, marker="o", markersize=4, linewidth=1.2, capsize=2, color=SERIES[i], label=world)
    axes.set_xscale("log")
    constants = sorted({n.varied["exploration"] for numbers in curves.values() for n in numbers})
    axes.set_xticks(constants, [f"{c:g}" for c in constants])
    axes.minorticks_off()
    axes.axhline(1, color=INK, linewidth=0.8)
    axes.set(xlabel="exploration constant c", ylabel="total reward, c = 3 is 1")
    axes.legend(ncols=2)
