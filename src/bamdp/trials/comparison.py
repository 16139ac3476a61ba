"""Several designs in one trial: a table of operating characteristics, with a picture, columns and JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from bamdp import validation
from bamdp.pictures.markup import Interval, Markup, intervals, joined, table, tag
from bamdp.progress import progress
from bamdp.runs.table import aligned, data_frame, picture_path
from bamdp.statistics import Mean
from bamdp.trials import designs as known
from bamdp.trials.characteristics import OperatingCharacteristics, operating_characteristics
from bamdp.trials.design import Design
from bamdp.trials.fisher import FisherTest
from bamdp.trials.trial import Trial
from bamdp.validation import require, suggestion

if TYPE_CHECKING:
    import pandas

DESIGNS: dict[str, Callable[[], Design]] = {
    "equal": known.EqualDesign,
    "randomised": known.RandomisedDesign,
    "thompson": known.ThompsonDesign,
    "tempered-thompson": known.TemperedThompsonDesign,
    "posterior-mean": known.PosteriorMeanDesign,
    "gittins": known.GittinsDesign,
    "finite-gittins": known.FiniteGittinsDesign,
    "bayes-optimal": known.BayesOptimalDesign,
    "forward-gittins": known.ForwardGittinsDesign,
    "bayes-adaptive": known.BayesAdaptiveDesign,
}
SLOW = ("bayes-adaptive",)  # not by default: it is simulated, a second or more for each trial
MEASURES = ("successes", "share_best", "power", "type_1_error", "prior_successes")


@dataclass(frozen=True)
class TrialComparison:
    """Operating characteristics of several designs in one trial.

    Attributes:
        trial: the trial.
        test: the test for type I error and power.
        null: success probabilities under the null hypothesis.
        rows: characteristics of each design.
        interrupted: whether Ctrl-C ended it before all designs were done.
    """

    trial: Trial
    test: FisherTest
    null: tuple[float, ...]
    rows: tuple[OperatingCharacteristics, ...]
    interrupted: bool = False

    def __getitem__(self, design: str) -> OperatingCharacteristics:
        """The characteristics of a design, by its name in the table."""
        for row in self.rows:
            if row.design == design:
                return row
        names = [row.design for row in self.rows]
        raise KeyError(f"unknown design '{design}'{suggestion(str(design), names) or '.'} Known: {', '.join(names)}")

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The table as columns, a value for each design; None where there is none."""
        columns: dict[str, list[Any]] = {"design": [row.design for row in self.rows]}
        for measure in MEASURES:
            means: list[Mean | None] = [getattr(row, measure) for row in self.rows]
            columns[measure] = [mean and mean.value for mean in means]
            columns[f"{measure}_low"] = [mean and mean.low for mean in means]
            columns[f"{measure}_high"] = [mean and mean.high for mean in means]
        for name in ("successes_sd", "share_best_sd", "exact", "runs"):
            columns[name] = [getattr(row, name) for row in self.rows]
        return columns

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a `pandas.DataFrame`; see `columns`."""
        return data_frame(self.columns)

    def to_json(self) -> str:
        """The trial, the test and the table as JSON."""
        trial = {
            "arms": list(self.trial.arms),
            "patients": self.trial.patients,
            "prior": self.trial.pseudo_counts.tolist(),
            "block": self.trial.block,
            "delay": self.trial.delay,
            "floor": self.trial.floor,
        }
        test = {"name": "Fisher", "alpha": self.test.alpha, "alternative": self.test.alternative, "null": list(self.null)}
        found = {"trial": trial, "test": test, "columns": self.columns, "interrupted": self.interrupted}
        return json.dumps(found, allow_nan=False)

    def picture(self) -> Markup:
        """Expected successes, share on the best arm, power and type I error as an SVG image."""
        return intervals([row.design for row in self.rows], self._panels())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, `.svg` or `.png` (which needs the extra `report`)."""
        file = picture_path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".svg":
            file.write_text(intervals([row.design for row in self.rows], self._panels(), paper=True), encoding="utf-8")
            return
        from bamdp.trials.picture import figure

        require("matplotlib.figure", "a .png needs matplotlib", "report")
        figure(self).savefig(file)

    def __str__(self) -> str:
        lines = aligned([self._heads(), *self._cells()])
        return "\n".join([str(self.trial), "", lines[0], "-" * max(map(len, lines)), *lines[1:], "", *self.notes()])

    def _repr_html_(self) -> str:
        notes = [tag("p", note) for note in self.notes()]
        return joined([tag("p", str(self.trial)), table(self._heads(), self._cells()), self.picture(), *notes])

    def notes(self) -> list[str]:
        """What the table says only by its numbers."""
        null = ", ".join(f"{p:g}" for p in self.null)
        many = (
            f", each arm against the first at {self.test.alpha:g}/{self.trial.num_arms - 1}" if self.trial.num_arms > 2 else ""
        )
        notes = [f"Type I error and power: {self.test}{many}; null hypothesis {null}."]
        exact = all(row.exact for row in self.rows)
        how = "All values are exact." if exact else "Values with ± are simulated, with 95 % intervals; the others are exact."
        stopped = ["Interrupted: the designs that were done."] if self.interrupted else []
        return [*notes, f"In parentheses: standard deviations. {how}", *stopped]

    def _panels(self) -> dict[str, list[Interval]]:
        titles = {"successes": "expected successes", "share_best": "share on the best arm", "power": "power"}
        panels = {}
        for measure, title in {**titles, "type_1_error": "type I error"}.items():
            means = [getattr(row, measure) for row in self.rows]
            if None not in means:
                panels[title] = [(mean.value, mean.low, mean.high) for mean in means]
        return panels

    def _heads(self) -> list[str]:
        return ["design", "expected successes", "share on best arm", "type I error", "power", "successes over the prior"]

    def _cells(self) -> list[list[str]]:
        return [
            [
                row.design,
                f"{_text(row.successes, 2)} ({row.successes_sd:.2f})",
                "—" if row.share_best is None else f"{_text(row.share_best, 3)} ({row.share_best_sd:.2f})",
                _text(row.type_1_error, 3),
                _text(row.power, 3),
                _text(row.prior_successes, 2),
            ]
            for row in self.rows
        ]


def compare(
    trial: Trial,
    designs: Sequence[str | Design] | None = None,
    *,
    null: ArrayLike | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    runs: int | None = None,
    seed: int = 0,
) -> TrialComparison:
    """Operating characteristics of several designs in one trial.

    Args:
        trial: the trial.
        designs: names or designs: "equal", "randomised", "thompson", "tempered-thompson", "posterior-mean", "gittins",
            "finite-gittins", "bayes-optimal", "forward-gittins", "bayes-adaptive". If not given, all that are possible in the
            trial but the last, which is simulated and takes minutes.
        null: success probabilities under the null hypothesis; that of the control for all arms, if not given.
        alpha: level of significance of Fisher's exact test.
        alternative: "two-sided", or "greater" to reject only if an arm is better than the control.
        runs: number of simulated trials, where they must be simulated; see `operating_characteristics`.
        seed: seed of the simulations.

    Example:
        >>> from bamdp.trials import Trial
        >>> table = compare(Trial([0.3, 0.5], patients=30), ["equal", "bayes-optimal"])
        >>> print(table)
        30 patients, success probabilities 0.3, 0.5
        <BLANKLINE>
        design         expected successes  share on best arm  type I error  power  successes over the prior
        ---------------------------------------------------------------------------------------------------
        equal                12.00 (2.63)       0.500 (0.00)         0.017  0.097                     15.00
        Bayes-optimal        13.43 (3.21)       0.738 (0.27)         0.000  0.004                     18.92
        <BLANKLINE>
        Type I error and power: Fisher's exact test, two-sided, at level 0.05; null hypothesis 0.3, 0.3.
        In parentheses: standard deviations. All values are exact.
    """
    if not isinstance(trial, Trial):
        raise TypeError(f"trial must be a Trial, got {trial!r}")
    chosen = _default(trial) if designs is None else [designed(design) for design in validation.listed("designs", designs)]
    if not chosen:
        raise ValueError("designs must not be empty")
    settings: dict[str, Any] = {"null": null, "alpha": alpha, "alternative": alternative, "runs": runs, "seed": seed}
    rows, interrupted = [], False
    with progress("designs") as show:
        for number, design in enumerate(chosen):

            def tick(share: float, number: int = number, name: str = design.name) -> None:
                show(f"{name}, {share:.0%}", number, len(chosen))

            try:
                rows.append(operating_characteristics(design, trial, on_tick=tick, **settings))
            except KeyboardInterrupt:
                if not rows:
                    raise
                interrupted = True
                break
    under = (trial.arms[0],) * trial.num_arms if null is None else tuple(validation.real_array("null", null).tolist())
    return TrialComparison(trial, FisherTest(alpha, alternative), under, tuple(rows), interrupted)


def designed(design: Any) -> Design:
    """A design, or the one of a name."""
    if isinstance(design, Design):
        return design
    if design not in DESIGNS:
        hint = suggestion(design, DESIGNS) if isinstance(design, str) else ""
        raise ValueError(f"unknown design {design!r}{hint or '.'} Known: {', '.join(DESIGNS)}")
    return DESIGNS[design]()


def _default(trial: Trial) -> list[Design]:
    """All designs that are possible in the trial, without those that are slow."""
    made = [make() for name, make in DESIGNS.items() if name not in SLOW]
    return [design for design in made if design.possible(trial)]


def _text(mean: Mean, digits: int) -> str:
    return str(mean) if mean.half else f"{mean.value:.{digits}f}"
