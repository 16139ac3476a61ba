"""Curves over success probabilities: type I error, power, expected successes and patients on worse arms."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bamdp import validation
from bamdp.progress import progress
from bamdp.runs.table import data_frame, picture_path
from bamdp.trials.characteristics import Evaluation, Test, checked_test
from bamdp.trials.design import Design
from bamdp.trials.designs import designed
from bamdp.trials.trial import Trial
from bamdp.validation import real_array, require

if TYPE_CHECKING:
    import pandas

PANELS = {
    "type_1_error": "type I error, all arms at p",
    "power": "power",
    "successes": "expected successes",
    "worse": "patients on worse arms",
}


class Drawn(ABC):
    """A result that can be drawn with Matplotlib, which needs the extra `report`."""

    @abstractmethod
    def figure(self) -> Any:
        """The picture."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, `.svg` or `.png`."""
        file = picture_path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        self.figure().savefig(file)

    def _repr_svg_(self) -> str:
        text = StringIO()
        self.figure().savefig(text, format="svg")
        return text.getvalue()


def panels(rows: int, columns: int, width: float, height: float) -> tuple[Any, list[Any]]:
    """A figure, and its axes with a light grid."""
    figure = require("matplotlib.figure", "a picture needs matplotlib", "report").Figure
    picture = figure(figsize=(width, height), dpi=150, layout="constrained")
    every = list(picture.subplots(rows, columns).ravel())
    for axes in every:
        axes.tick_params(labelsize=8)
        axes.grid(color="0.92")
        axes.set_axisbelow(True)
    return picture, every


@dataclass(frozen=True)
class TrialCurves(Drawn):
    """Characteristics of designs at many success probabilities p.

    Attributes:
        trial: the trial; the last arm has p in place of its success probability.
        test: the test.
        columns: the table as columns: design, p, type_1_error with all arms at p, power, successes and worse with the last one.
        largest: the largest type I error of each design, over all nulls, and where it is.
    """

    trial: Trial
    test: Test
    columns: dict[str, list[Any]]
    largest: dict[str, tuple[float, float]]

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a `pandas.DataFrame`."""
        return data_frame(self.columns)

    def figure(self, columns: int = 4) -> Any:
        """The curves, in so many columns."""
        rows = -(-len(PANELS) // columns)
        picture, every = panels(rows, columns, 5.6 + 1.7 * columns, 2.8 + 0.7 * rows)
        names = list(dict.fromkeys(self.columns["design"]))
        for axes, (measure, title) in zip(every, PANELS.items(), strict=True):
            for name in names:
                here = [i for i, other in enumerate(self.columns["design"]) if other == name]
                axes.plot(*[[self.columns[column][i] for i in here] for column in ("p", measure)], label=name, linewidth=1.4)
            axes.set_title(title, fontsize=9)
            whose = "" if measure == "type_1_error" else f" of arm {self.trial.names[-1]}"
            axes.set_xlabel(f"p{whose}", fontsize=8)
            axes.set_ylim(bottom=0)
            if measure == "type_1_error":
                axes.axhline(self.test.alpha, color="0.4", linestyle=":", linewidth=1)
                axes.set_ylim(top=max(axes.get_ylim()[1], 1.1 * self.test.alpha))
            else:
                axes.axvline(self.trial.arms[0], color="0.4", linestyle=":", linewidth=1)
        picture.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=min(5, len(names)), fontsize=8)
        *others, last = self.trial.names
        fixed = [f"{name} {p:g}" for name, p in zip(others, self.trial.arms[:-1], strict=True)]
        chances = ", ".join([*fixed, f"{last} p"])
        first = f"{self.trial.patients} patients, success probabilities {chances}"
        lines = [first, *self.trial.settings, str(self.test)]
        picture.suptitle("\n".join(lines), fontsize=9)
        return picture


def curves(
    trial: Trial,
    designs: Sequence[str | Design],
    p: ArrayLike | None = None,
    *,
    test: Test | None = None,
) -> TrialCurves:
    """Type I error over all nulls, and power, expected successes and patients on worse arms over success probabilities p.

    Args:
        trial: the trial; the last arm has p in place of its success probability.
        designs: names or designs, all of them with exact values.
        p: success probabilities; 0.02, 0.04, … 0.98 if not given.
        test: a `ConditionalTest`, the exact test that knows the design, which is the default, or a `FisherTest`.

    Example:
        >>> found = curves(Trial([0.3, 0.5], patients=40), ["equal", "bayes-optimal"], p=[0.3, 0.5, 0.7])
        >>> [round(power, 4) for power in found.columns["power"]]  # of equal allocation, then of the Bayes-optimal design
        [0.0248, 0.1632, 0.5994, 0.034, 0.0648, 0.1219]
        >>> largest, at = found.largest["Bayes-optimal"]
        >>> f"{largest:.4f} at {at:.3f}"
        '0.0361 at 0.220'
    """
    if not isinstance(trial, Trial):
        raise TypeError(f"trial must be a Trial, got {trial!r}")
    points = np.linspace(0.02, 0.98, 49) if p is None else real_array("p", p)
    if points.ndim != 1 or not points.size or points.min() < 0 or points.max() > 1:
        raise ValueError(f"p must be probabilities from 0 to 1, got {p!r}")
    used, chosen = checked_test(test), [designed(one) for one in validation.listed("designs", designs)]
    arms = np.tile(trial.arms, (len(points), 1))
    arms[:, -1] = points
    best = arms == arms.max(axis=1, keepdims=True)
    columns: dict[str, list[Any]] = {name: [] for name in ("design", "p", *PANELS)}
    largest = {}
    with progress("designs") as show:
        for number, design in enumerate(chosen):
            name = design.label(trial)
            show(name, number, len(chosen))
            found = Evaluation(design, trial, used)
            on = found.on_arms(arms)
            columns["design"] += [name] * len(points)
            columns["p"] += points.tolist()
            columns["type_1_error"] += found.type_1_error(points).tolist()
            columns["power"] += found.rejection(arms).tolist()
            columns["successes"] += (arms * on).sum(axis=1).tolist()  # Wald's identity
            columns["worse"] += (~best * on).sum(axis=1).tolist()
            largest[name] = found.largest_type_1_error()
    return TrialCurves(trial, used, columns, largest)
