"""The text beside Figure 1: the time that lazy sampling saves, and the exploration constant."""

from __future__ import annotations

from functools import partial
from typing import Any

from bamdp import statistics
from bamdp.chart import INK, SERIES, Chart, draw
from bamdp.claims.parts import time
from bamdp.experiments.figure1 import EXPLORATION, LAZY
from bamdp.stored import Number, Stored
from bamdp.summary import duration


def lazy(stored: Stored) -> list[Chart]:
    """The time of a simulation by the way models are drawn."""
    found = {entry.label: stored.numbers(LAZY, "maze", entry.label) for entry in LAZY.entries["maze"]}
    bars = {label: numbers[0] for label, numbers in found.items() if numbers}
    if not bars:
        return []
    alt = "; ".join(f"{label}: {duration(statistics.mean(time(number)).value)}" for label, number in bars.items())
    return [draw("lazy", "Time of a simulation", f"Time of a simulation. {alt}", partial(_bars, bars), (4.4, 1.7))]


def _bars(bars: dict[str, Number], axes: Any) -> None:
    means = [statistics.mean(time(number)) for number in bars.values()]
    axes.barh(list(bars), [m.value for m in means], xerr=[m.half or 0 for m in means], color=SERIES[0], ecolor=INK, height=0.6)
    for i, mean in enumerate(means):
        axes.text((mean.value + (mean.half or 0)) * 1.08, i, duration(mean.value), va="center")
    axes.set(xscale="log", xlabel="processor time of a simulation in the maze, seconds")
    axes.invert_yaxis()
    axes.set_xlim(right=axes.get_xlim()[1] * 2.5)


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
        y, errors = [m.value / usual for m in means], [(m.half or 0) / usual for m in means]
        axes.errorbar(x, y, errors, marker="o", markersize=4, linewidth=1.2, capsize=2, color=SERIES[i], label=world)
    axes.set_xscale("log")
    constants = sorted({n.varied["exploration"] for numbers in curves.values() for n in numbers})
    axes.set_xticks(constants, [f"{c:g}" for c in constants])
    axes.minorticks_off()
    axes.axhline(1, color=INK, linewidth=0.8)
    axes.set(xlabel="exploration constant c", ylabel="total reward, c = 3 is 1")
    axes.legend(ncols=2)
