"""Figures S1 and S2: decisions between two arms, cell by cell, and rewards on eight arms."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bamdp import statistics
from bamdp.report.chart import SERIES, Chart, bar, draw
from bamdp.report.claims.bandits import Table, posterior_mean, tables
from bamdp.report.query import Number, Stored
from bamdp.studies.paper.bandits import EIGHT_ARMS, RANGE


def cells(stored: Stored) -> list[Chart]:
    """P(correct decision) by budget, and of the posterior mean, which is exact."""
    panels = {**tables(stored), "posterior mean": posterior_mean()}
    return [
        draw(
            f"figure-s1-{title.replace(',', '').replace(' ', '-')}",
            title,
            f"Probability of the correct decision by α and β, {title}: {np.nanmean(table):.3f} on average",
            partial(_cells, table),
            (3.1, 2.5),
        )
        for title, table in panels.items()
    ]


def _cells(table: Table, axes: Any) -> None:
    low, high = RANGE[0] - 0.5, RANGE[-1] + 0.5
    image = axes.imshow(
        table, origin="lower", vmin=0, vmax=1, cmap="viridis", extent=(low, high, low, high), interpolation="none"
    )
    axes.grid(visible=False)
    axes.set(xlabel="β", ylabel="α")
    axes.figure.colorbar(image, label="P(correct)", shrink=0.85)


def arms(stored: Stored) -> list[Chart]:
    """Sums and discounted sums."""
    found = {entry.label: stored.best(EIGHT_ARMS, "bandit", entry.label) for entry in EIGHT_ARMS.entries["bandit"]}
    numbers = {label: number for label, number in found.items() if number}
    if not numbers:
        return []
    measures = (("total_reward", "Sum of rewards"), ("discounted_return", "Discounted sum of rewards"))
    return [
        draw(
            f"figure-s2-{measure.partition('_')[0]}",
            title,
            _words(title, numbers, measure),
            partial(_arms, numbers, measure),
            (4.4, 1.9),
        )
        for measure, title in measures
    ]


def _words(title: str, numbers: dict[str, Number], measure: str) -> str:
    means = (f"{label} {statistics.mean(n.point.values(measure)).value:.1f}" for label, n in numbers.items())
    return f"{title}: {', '.join(means)}"


def _arms(numbers: dict[str, Number], measure: str, axes: Any) -> None:
    for i, (label, number) in enumerate(numbers.items()):
        mean = statistics.mean(number.point.values(measure))
        axes.errorbar(mean.value, label, xerr=bar(mean), marker="o", capsize=4, color=SERIES[i])
    axes.invert_yaxis()
    axes.margins(y=0.25)
    axes.set_xlabel("reward, mean and 95 % interval")
