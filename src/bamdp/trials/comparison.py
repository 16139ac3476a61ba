"""Several designs in one trial: a table of operating characteristics, with a picture, columns and JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from bamdp import validation
from bamdp.pictures.markup import Interval, Markup, intervals, joined, table, tag
from bamdp.progress import progress
from bamdp.runs.table import aligned, data_frame
from bamdp.statistics import Mean
from bamdp.trials.characteristics import (
    OperatingCharacteristics,
    Test,
    checked_test,
    null_hypothesis,
    operating_characteristics,
)
from bamdp.trials.design import Design
from bamdp.trials.designs import BayesOptimalDesign, designed, known
from bamdp.trials.fisher import FisherTest
from bamdp.trials.trial import Trial
from bamdp.validation import suggestion

if TYPE_CHECKING:
    import pandas

MEASURES = ("successes", "share_best", "worse", "patients", "power", "type_1_error", "prior_successes")
OTHER_TEST = "†"  # after a type I error and a power that are not those of the test of the table


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
    test: Test
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
        for name in ("successes_sd", "share_best_sd", "type_1_max", "test", "exact", "runs"):
            columns[name] = [getattr(row, name) for row in self.rows]
        return columns

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a `pandas.DataFrame`; see `columns`."""
        return data_frame(self.columns)

    def to_json(self) -> str:
        """The trial, the test and the table as JSON."""
        trial = {
            "arms": list(self.trial.arms),
            "names": list(self.trial.names),
            "patients": self.trial.patients,
            "prior": self.trial.pseudo_counts.tolist(),
            "block": self.trial.block,
            "delay": self.trial.delay,
            "floor": self.trial.floor,
            "stopping": None if self.trial.stopping is None else str(self.trial.stopping),
        }
        test = {"name": str(self.test), "alpha": self.test.alpha, "alternative": self.test.alternative, "null": list(self.null)}
        found = {"trial": trial, "test": test, "columns": self.columns, "interrupted": self.interrupted}
        return json.dumps(found, allow_nan=False)

    def picture(self) -> Markup:
        """Expected successes, share on the best arm, power and type I error as an SVG image."""
        return intervals([row.design for row in self.rows], self._panels())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, `.svg`."""
        file = validation.path("path", path)
        if file.suffix != ".svg":
            raise ValueError(f"path must end in .svg, got {str(path)!r}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(intervals([row.design for row in self.rows], self._panels(), paper=True), encoding="utf-8")

    def __str__(self) -> str:
        lines = aligned([self._heads(), *self._cells()])
        return "\n".join([str(self.trial), "", lines[0], "-" * max(map(len, lines)), *lines[1:], "", *self.notes()])

    def _repr_html_(self) -> str:
        notes = [tag("p", note) for note in self.notes()]
        return joined([tag("p", str(self.trial)), table(self._heads(), self._cells()), self.picture(), *notes])

    def notes(self) -> list[str]:
        """What the table says only by its numbers."""
        null = ", ".join(f"{p:g}" for p in self.null)
        others = self.trial.num_arms - 1
        many = f", each arm against the first at {self.test.alpha:g}/{others}" if others > 1 else ""
        bonferroni = many if isinstance(self.test, FisherTest) else ""
        notes = [f"Type I error and power: {self.test}{bonferroni}.", f"Null hypothesis {null}; maximum: over all nulls."]
        if any(row.test != self.test.name for row in self.rows):
            notes.append(f"{OTHER_TEST} {FisherTest.name}{many}: simulated designs have no exact test of their own.")
        if self.trial.settings and any(row.design == BayesOptimalDesign.name for row in self.rows):
            notes.append("Bayes-optimal: the optimum without blocks, delay, floor and looks; another design may have more.")
        if self.trial.stopping is not None:
            notes.append("A trial that ends at a look has fewer patients, and for that reason alone fewer successes.")
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

    def _mark(self, row: OperatingCharacteristics) -> str:
        return OTHER_TEST if row.test != self.test.name else ""

    def _heads(self) -> list[str]:
        patients = ["patients"] if self.trial.stopping is not None else []
        first = ["design", *patients, "expected successes", "share on best arm", "on worse"]
        return [*first, "type I error", "maximum", "power", "successes over the prior"]

    def _cells(self) -> list[list[str]]:
        return [
            [
                row.design,
                *([_text(row.patients, 1)] if self.trial.stopping is not None else []),
                f"{_text(row.successes, 2)} ({row.successes_sd:.2f})",
                "—" if row.share_best is None else f"{_text(row.share_best, 3)} ({row.share_best_sd:.2f})",
                "—" if row.worse is None else _text(row.worse, 1),
                _text(row.type_1_error, 3) + self._mark(row),
                "—" if row.type_1_max is None else f"{row.type_1_max:.3f}",
                _text(row.power, 3) + self._mark(row),
                _text(row.prior_successes, 2),
            ]
            for row in self.rows
        ]


def compare(
    trial: Trial,
    designs: Sequence[str | Design] | None = None,
    *,
    null: ArrayLike | None = None,
    test: Test | None = None,
    runs: int | None = None,
    seed: int = 0,
) -> TrialComparison:
    """Operating characteristics of several designs in one trial.

    Args:
        trial: the trial.
        designs: names or designs: "equal", "randomised", "thompson", "tempered-thompson", "posterior-mean", "gittins",
            "finite-gittins", "bayes-optimal", "forward-gittins", "patient-horizon". If not given, all that are possible in the
            trial but the last one, which has a setting to choose.
        null: success probabilities under the null hypothesis; that of the control for all arms, if not given.
        test: a `ConditionalTest`, the exact test that knows the design, which is the default, or a `FisherTest`.
        runs: number of simulated trials, where they must be simulated; see `operating_characteristics`.
        seed: seed of the simulations.

    Example:
        >>> from bamdp.trials import Trial
        >>> table = compare(Trial([0.3, 0.5], patients=30), ["equal", "bayes-optimal"])
        >>> print(table)
        30 patients, success probabilities A 0.3, B 0.5
        <BLANKLINE>
        design         expected successes  share on best arm  on worse  type I error  maximum  power  successes over the prior
        ----------------------------------------------------------------------------------------------------------------------
        equal                12.00 (2.63)       0.500 (0.00)      15.0         0.017    0.018  0.097                     15.00
        Bayes-optimal        13.43 (3.21)       0.738 (0.27)       7.9         0.039    0.041  0.063                     18.92
        <BLANKLINE>
        Type I error and power: conditional exact test (Wald statistic), two-sided, at level 0.05.
        Null hypothesis 0.3, 0.3; maximum: over all nulls.
        In parentheses: standard deviations. All values are exact.
    """
    if not isinstance(trial, Trial):
        raise TypeError(f"trial must be a Trial, got {trial!r}")
    if designs is None:
        chosen = [design for make in known().values() if make.default and (design := make()).possible(trial)]
    else:
        chosen = [designed(design) for design in validation.listed("designs", designs)]
    if not chosen:
        raise ValueError("designs must not be empty")
    used, under = checked_test(test), null_hypothesis(trial, null)
    settings: dict[str, Any] = {"null": under, "test": used, "runs": runs, "seed": seed}
    rows, interrupted = [], False
    with progress("designs") as show:
        for number, design in enumerate(chosen):
            show(design.name, number, len(chosen))
            try:
                rows.append(operating_characteristics(design, trial, **settings))
            except KeyboardInterrupt:
                if not rows:
                    raise
                interrupted = True
                break
    return TrialComparison(trial, used, under, tuple(rows), interrupted)


def _text(mean: Mean, digits: int) -> str:
    return str(mean) if mean.half else f"{mean.value:.{digits}f}"
