"""Curves over success probabilities: type I error, power, expected successes and patients on worse
arms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bamdp import validation
from bamdp.progress import progress
from bamdp.result import Result
from bamdp.trials.catalogue import get_design
from bamdp.trials.characteristics import Evaluation, Test, checked_test
from bamdp.trials.design import Design
from bamdp.trials.panels import panels
from bamdp.trials.trial import Trial
from bamdp.validation import real_array

PANELS = {
    "type_1_error": "type I error, all arms at p",
    "power": "power",
    "successes": "expected successes",
    "worse": "patients on worse arms",
}


@dataclass(frozen=True)
class TrialCurves(Result):
    """Characteristics of designs at many success probabilities p.

    Attributes:
        trial: the trial; the last arm has p in place of its success probability.
        test: the test.
        p: the success probabilities.
        curves: by design and measure, a value for each of them: type_1_error with all arms at p,
            power, successes and worse with the last one.
        largest: the largest type I error of each design, over all nulls, and where it is.
    """

    trial: Trial
    test: Test
    p: tuple[float, ...]
    curves: dict[str, dict[str, list[float]]]
    largest: dict[str, tuple[float, float]]

    @property
    def columns(self) -> dict[str, list[Any]]:
        """A row for each design and success probability."""
        columns: dict[str, list[Any]] = {
            "design": [name for name in self.curves for _ in self.p],
            "p": [p for _ in self.curves for p in self.p],
        }
        for measure in PANELS:
            columns[measure] = [value for one in self.curves.values() for value in one[measure]]
        return columns

    def title(self) -> str:
        """The trial, with the success probability p of the last arm."""
        *others, last = self.trial.names
        fixed = [f"{name} {p:g}" for name, p in zip(others, self.trial.arms[:-1], strict=True)]
        arms = ", ".join([*fixed, f"{last} p"])
        return f"{self.trial.patients} patients, success probabilities {arms}"

    def table(self) -> list[list[str]]:
        """The largest type I error of each design, and where it is."""
        rows = [[name, f"{error:.4f}", f"{p:.3f}"] for name, (error, p) in self.largest.items()]
        return [["design", "largest type I error", "at p"], *rows]

    def notes(self) -> list[str]:
        """The settings of the trial, and the test."""
        return [*self.trial.settings, f"Type I error and power: {self.test}."]

    def figure(self, columns: int = 4) -> Any:
        """The curves, in so many columns."""
        rows = -(-len(PANELS) // columns)
        picture, every = panels(rows, columns, 5.6 + 1.7 * columns, 2.8 + 0.7 * rows)
        for axes, (measure, title) in zip(every, PANELS.items(), strict=True):
            for name, curves in self.curves.items():
                axes.plot(self.p, curves[measure], label=name, linewidth=1.4)
            axes.set_title(title, fontsize=9)
            whose = "" if measure == "type_1_error" else f" of arm {self.trial.names[-1]}"
            axes.set_xlabel(f"p{whose}", fontsize=8)
            axes.set_ylim(bottom=0)
            if measure == "type_1_error":
                axes.axhline(self.test.alpha, color="0.4", linestyle=":", linewidth=1)
                axes.set_ylim(top=max(axes.get_ylim()[1], 1.1 * self.test.alpha))
            else:
                axes.axvline(self.trial.arms[0], color="0.4", linestyle=":", linewidth=1)
        picture.legend(
            *axes.get_legend_handles_labels(),
            loc="outside lower center",
            ncols=min(5, len(self.curves)),
            fontsize=8,
        )
        lines = [self.title(), *self.trial.settings, str(self.test)]
        picture.suptitle("\n".join(lines), fontsize=9)
        return picture


def curves(
    trial: Trial,
    designs: Sequence[str | Design],
    p: ArrayLike | None = None,
    *,
    test: Test | None = None,
) -> TrialCurves:
    """Type I error over all nulls, and power, expected successes and patients on worse arms over
    success probabilities p.

    Args:
        trial: the trial; the last arm has p in place of its success probability.
        designs: names or designs, all of them with exact values.
        p: success probabilities; 0.02, 0.04, … 0.98 if not given.
        test: a `ConditionalTest`, the exact test that knows the design, which is the default, or a
            `FisherTest`.

    Example:
        >>> trial = Trial([0.3, 0.5], patients=40)
        >>> lines = curves(trial, ["equal", "bayes-optimal"], p=[0.3, 0.5, 0.7])
        >>> for design, measures in lines.curves.items():
        ...     print(design, [round(power, 4) for power in measures["power"]])
        equal [0.0248, 0.1632, 0.5994]
        Bayes-optimal [0.034, 0.0648, 0.1219]
        >>> largest, at = lines.largest["Bayes-optimal"]
        >>> f"{largest:.4f} at {at:.3f}"
        '0.0361 at 0.220'
    """
    if not isinstance(trial, Trial):
        raise TypeError(f"trial must be a Trial, got {trial!r}")
    points = np.linspace(0.02, 0.98, 49) if p is None else real_array("p", p)
    if points.ndim != 1 or not points.size or points.min() < 0 or points.max() > 1:
        raise ValueError(f"p must be probabilities from 0 to 1, got {p!r}")
    used = checked_test(test)
    chosen = [get_design(one) for one in validation.listed("designs", designs)]
    arms = np.tile(trial.arms, (len(points), 1))
    arms[:, -1] = points
    best = arms == arms.max(axis=1, keepdims=True)
    by_design: dict[str, dict[str, list[float]]] = {}
    largest: dict[str, tuple[float, float]] = {}
    with progress("designs") as show:
        for number, design in enumerate(chosen):
            name = design.label(trial)
            show(name, number, len(chosen))
            evaluation = Evaluation(design, trial, used)
            patients = evaluation.on_arms(arms)
            by_design[name] = {
                "type_1_error": evaluation.type_1_error(points).tolist(),
                "power": evaluation.rejection(arms).tolist(),
                "successes": (arms * patients).sum(axis=1).tolist(),  # Wald's identity
                "worse": (~best * patients).sum(axis=1).tolist(),
            }
            largest[name] = evaluation.largest_type_1_error()
    return TrialCurves(trial, used, tuple(points.tolist()), by_design, largest)
