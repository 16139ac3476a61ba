"""Table 1 as a picture, and what BAMCP makes of the paper's planning times."""

from __future__ import annotations

from functools import partial
from typing import Any

from bamdp.report.chart import SERIES, Chart, bar, draw, line, time_axis
from bamdp.report.query import Number, Stored
from bamdp.studies.paper.table1 import TABLE, TIME


def beside(stored: Stored) -> list[Chart]:
    """Our numbers and the published ones, world by world."""
    found = []
    for world, entries in TABLE.entries.items():
        ours = {entry.label: stored.best(TABLE, world, entry.label) for entry in entries}
        theirs = {entry.label: entry.published for entry in entries}
        if any(ours.values()):
            alt = f"{world}: total rewards here and in the paper; the numbers are in the table above"
            found.append(draw(f"table1-{world}", world, alt, partial(_dots, ours, theirs), (4.4, 3.4)))
    return found


def _dots(ours: dict[str, Number | None], theirs: dict[str, tuple[float, float] | None], axes: Any) -> None:
    labels = list(ours)
    style = {"markersize": 5, "capsize": 2, "linestyle": "none"}
    means = [(i, number.point.mean()) for i, number in enumerate(ours.values()) if number]
    axes.errorbar(
        [mean.value for _, mean in means],
        [i - 0.12 for i, _ in means],
        xerr=[bar(mean) for _, mean in means],
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


def times(stored: Stored) -> list[Chart]:
    """BAMCP with a hundredth, a tenth and all of the paper's planning time."""
    found = []
    for world, entries in TIME.entries.items():
        curves = {entry.label: stored.numbers(TIME, world, entry.label) for entry in entries}
        if any(curves.values()):
            alt = f"{world}: total reward against planning time per step, for {', '.join(curves)}, and the published number"
            found.append(draw(f"planning-time-{world}", world, alt, partial(_time, curves, entries[0].published), (4.4, 2.6)))
    return found


def _time(curves: dict[str, list[Number]], published: tuple[float, float] | None, axes: Any) -> None:
    for i, (label, numbers) in enumerate(curves.items()):
        if numbers:
            line(axes, numbers, SERIES[(0, 2)[i]], label=label, linestyle=("-", "--")[i])
    if published:
        low, high = published[0] - published[1], published[0] + published[1]
        axes.axhspan(low, high, color=SERIES[1], alpha=0.2, linewidth=0, label="paper, with its ±")
        axes.axhline(published[0], color=SERIES[1], linewidth=1)
    time_axis(axes)
    axes.set_ylabel("total reward")
    axes.legend()
