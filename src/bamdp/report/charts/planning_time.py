"""Figure 1: what agents earn against the time they plan, on Grid5 and in the maze."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from bamdp.report.chart import SERIES, Chart, draw, line, time_axis
from bamdp.report.query import Number, Stored
from bamdp.studies.paper.figure1 import FIGURE

# The settings that the brightness and the size of a point stand for.
SHADES = {"BFS3": ("trajectories", "branching"), "SBOSS": ("models", "delta"), "BEB": ("beta", None)}
DASHES = ("-", "--", "-.", ":")


def charts(stored: Stored) -> list[Chart]:
    """A chart for each panel that has runs."""
    found = []
    for panel, entries in FIGURE.entries.items():
        curves = {entry.label: stored.numbers(FIGURE, panel, entry.label) for entry in entries}
        if any(curves.values()):
            letter, _, where = panel.partition(": ")
            title = f"{letter}. {where}"
            alt = f"{where}: total reward against planning time per step, for {', '.join(k for k, v in curves.items() if v)}"
            found.append(draw(f"figure1-{letter}", title, alt, partial(_plot, curves)))
    return found


def _plot(curves: dict[str, list[Number]], axes: Any) -> None:
    for i, (label, numbers) in enumerate(curves.items()):
        if not numbers:
            continue
        if label in SHADES:
            _cloud(axes, label, numbers, SERIES[i])
        else:
            line(axes, numbers, SERIES[i], label=label, linestyle=DASHES[i])
    time_axis(axes)
    axes.set_ylabel("total reward")
    axes.legend(loc="best")


def _cloud(axes: Any, label: str, numbers: Sequence[Number], color: str) -> None:
    """One point a setting: the fainter the smaller its first parameter, the larger the larger the second."""
    first, second = SHADES[label]
    ranks, sizes = _ranks(numbers, first), _ranks(numbers, second)
    for number, rank, size in zip(numbers, ranks, sizes, strict=True):
        axes.plot(
            number.point.seconds_per_step,
            number.point.mean().value,
            {"BFS3": "s", "SBOSS": "^", "BEB": "D"}[label],
            color=color,
            alpha=0.35 + 0.65 * rank,
            markersize=4 + 4 * size,
            markeredgewidth=0,
            label=label if number is numbers[-1] else None,
        )


def _ranks(numbers: Sequence[Number], name: str | None) -> list[float]:
    """The place of each number's setting among all, from 0 to 1."""
    if name is None:
        return [0.3] * len(numbers)
    values = sorted({number.varied[name] for number in numbers})
    return [values.index(number.varied[name]) / max(1, len(values) - 1) for number in numbers]
