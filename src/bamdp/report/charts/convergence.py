"""Theorem 1: the bias of the root value against the number of simulations, in problems that can be solved exactly."""

from functools import partial
from typing import Any

import numpy as np

from bamdp.report.chart import INK, SERIES, draw
from bamdp.report.picture import Picture
from bamdp.report.query import Query
from bamdp.studies.experiment import Experiment
from bamdp.studies.paper.convergence import CONVERGENCE

EXPERIMENTS = (CONVERGENCE,)
DASHES = ("-", "-", "--", "--", ":")
Curves = dict[str, list[tuple[int, float]]]


def pictures(experiment: Experiment, query: Query) -> list[Picture]:
    """One chart for each problem."""
    found: list[Picture] = []
    for problem, entries in experiment.entries.items():
        curves: Curves = {}
        for entry in entries:
            measurements = query.measurements(experiment, problem, entry.label)
            results = [(m.varied.get("simulations", 0), m.point.rows[0]["result"]) for m in measurements]
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
