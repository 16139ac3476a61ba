"""Theorem 1: the bias of the root value against the number of simulations, in worlds that can be solved exactly."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bamdp.report.chart import INK, SERIES, Chart, draw
from bamdp.report.query import Stored
from bamdp.studies.paper.convergence import CONVERGENCE

DASHES = ("-", "-", "--", "--", ":")
Curves = dict[str, list[tuple[int, float]]]


def charts(stored: Stored) -> list[Chart]:
    """One problem each."""
    found = []
    for problem, entries in CONVERGENCE.entries.items():
        curves: Curves = {}
        for entry in entries:
            numbers = stored.numbers(CONVERGENCE, problem, entry.label)
            results = [(n.varied.get("simulations", 0), n.point.rows[0]["result"]) for n in numbers]
            curve = sorted((budget, abs(result["bias"])) for budget, result in results if "bias" in result)
            if curve:
                curves[entry.label] = curve
        if curves:
            alt = f"{problem}: size of the root value's bias against simulations, for {', '.join(curves)}"
            found.append(draw(f"convergence-{problem}", problem, alt, partial(_plot, curves)))
    return found


def _plot(curves: Curves, axes: Any) -> None:
    for i, (label, curve) in enumerate(curves.items()):
        x, y = zip(*curve, strict=True)
        axes.loglog(x, y, marker="o", markersize=3, linewidth=1.3, linestyle=DASHES[i], color=SERIES[i], label=label)
    n = np.array(sorted({budget for curve in curves.values() for budget, _ in curve}))
    axes.loglog(n, 30 * np.log(n) / n, color=INK, linewidth=1, linestyle=(0, (1, 3)), label="30 log N / N")
    axes.set(xlabel="simulations N", ylabel="|bias| of the root value")
    axes.legend(ncols=2, fontsize=7)
