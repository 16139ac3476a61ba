"""Several designs in one trial: a table of operating characteristics, with a picture, columns and
JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from bamdp import validation
from bamdp.pictures.markup import Interval
from bamdp.progress import progress
from bamdp.result import IntervalResult
from bamdp.statistics import Mean
from bamdp.trials.catalogue import available, get_design
from bamdp.trials.characteristics import (
    OperatingCharacteristics,
    Test,
    checked_test,
    null_hypothesis,
    operating_characteristics,
)
from bamdp.trials.design import Design
from bamdp.trials.fisher import FisherTest
from bamdp.trials.rerandomisation import AGAIN, pool_size
from bamdp.trials.trial import Trial
from bamdp.validation import suggestion

MEASURES = (
    "successes",
    "share_best",
    "worse",
    "patients",
    "power",
    "type_1_error",
    "prior_successes",
)
PANELS = {
    "successes": "expected successes",
    "share_best": "share on the best arm",
    "power": "power",
    "type_1_error": "type I error",
}
LONG = 1000  # patients from which on slow designs are left out, unless they are named
OTHER_TEST = "†"  # after a type I error and a power that are not those of the test of the table


@dataclass(frozen=True)
class TrialComparison(IntervalResult):
    """Operating characteristics of several designs in one trial.

    Attributes:
        trial: the trial.
        test: the test for type I error and power.
        null: success probabilities under the null hypothesis.
        rows: characteristics of each design.
        interrupted: whether Ctrl-C ended it before all designs were done.
        remarks: what has to be said about designs in this trial.
    """

    trial: Trial
    test: Test
    null: tuple[float, ...]
    rows: tuple[OperatingCharacteristics, ...]
    interrupted: bool = False
    remarks: tuple[str, ...] = ()

    def __getitem__(self, design: str) -> OperatingCharacteristics:
        """The characteristics of a design, by its name in the table."""
        for row in self.rows:
            if row.design == design:
                return row
        names = [row.design for row in self.rows]
        raise KeyError(
            f"unknown design '{design}'{suggestion(str(design), names) or '.'} Known: "
            f"{', '.join(names)}"
        )

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
        test = {
            "name": str(self.test),
            "alpha": self.test.alpha,
            "alternative": self.test.alternative,
            "null": list(self.null),
        }
        data = {
            "trial": trial,
            "test": test,
            "columns": self.columns,
            "interrupted": self.interrupted,
        }
        return json.dumps(data, allow_nan=False)

    def title(self) -> str:
        """The trial."""
        return str(self.trial)

    def table(self) -> list[list[str]]:
        """A row for each design."""
        stops = self.trial.stopping is not None
        heads = ["design", *(["patients"] if stops else []), "expected successes"]
        heads += ["share on best arm", "on worse", "type I error", "maximum", "power"]
        rows = [self._cells(row, stops) for row in self.rows]
        return [[*heads, "successes over the prior"], *rows]

    def notes(self) -> list[str]:
        """What the table says only by its numbers."""
        null = ", ".join(f"{p:g}" for p in self.null)
        others = self.trial.num_arms - 1
        each = f", each arm against the first at {self.test.alpha:g}/{others}" if others > 1 else ""
        bonferroni = each if isinstance(self.test, FisherTest) else ""
        notes = [
            f"Type I error and power: {self.test}{bonferroni}.",
            f"Null hypothesis {null}; maximum: over all nulls.",
        ]
        if any(row.test != self.test.name for row in self.rows):
            notes.append(self._other_test(each))
        notes += self.remarks
        if self.trial.stopping is not None:
            notes.append(
                "A trial that ends at a look has fewer patients, and for that reason alone fewer "
                "successes."
            )
        how = "Values with ± are simulated, with 95 % intervals; the others are exact."
        if all(row.exact for row in self.rows):
            how = "All values are exact."
        notes.append(f"In parentheses: standard deviations. {how}")
        if self.interrupted:
            notes.append("Interrupted: the designs that were done.")
        return notes

    def _other_test(self, each: str) -> str:
        """The test of designs that are simulated."""
        if self.trial.stopping is None:
            return (
                f"{OTHER_TEST} {FisherTest.name}{each}: simulated designs have no exact test of "
                "their own."
            )
        again = pool_size(self.trial.patients, AGAIN)
        return (
            f"{OTHER_TEST} The same test, by re-randomisation: {again:,} simulated trials for each "
            "total of successes in place of exact probabilities."
        )

    def intervals(self) -> tuple[Sequence[str], Mapping[str, Sequence[Interval]]]:
        """Expected successes, share on the best arm, power and type I error of each design."""
        panels = {}
        for measure, heading in PANELS.items():
            means = [getattr(row, measure) for row in self.rows]
            if None not in means:
                panels[heading] = [(mean.value, mean.low, mean.high) for mean in means]
        return [row.design for row in self.rows], panels

    def _cells(self, row: OperatingCharacteristics, stops: bool) -> list[str]:
        other = OTHER_TEST if row.test != self.test.name else ""
        share = "—"
        if row.share_best is not None:
            share = f"{_mean_text(row.share_best, 3)} ({row.share_best_sd:.2f})"
        return [
            row.design,
            *([_mean_text(row.patients, 1)] if stops else []),
            f"{_mean_text(row.successes, 2)} ({row.successes_sd:.2f})",
            share,
            "—" if row.worse is None else _mean_text(row.worse, 1),
            _mean_text(row.type_1_error, 3) + other,
            "—" if row.type_1_max is None else f"{row.type_1_max:.3f}",
            _mean_text(row.power, 3) + other,
            _mean_text(row.prior_successes, 2),
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
    r"""Operating characteristics of several designs in one trial.

    Args:
        trial: the trial.
        designs: names or designs: "equal", "randomised", "thompson", "tempered-thompson",
            "posterior-mean", "gittins", "finite-gittins", "bayes-optimal", "forward-gittins",
            "patient-horizon". If not given, all that are possible in the trial but the last one,
            which has a setting to choose.
        null: success probabilities under the null hypothesis; that of the control for all arms, if
            not given.
        test: a `ConditionalTest`, the exact test that knows the design, which is the default, or a
            `FisherTest`.
        runs: number of simulated trials, where they must be simulated; see
            `operating_characteristics`.
        seed: seed of the simulations.

    Example:
        >>> from bamdp.trials import Trial
        >>> table = compare(Trial([0.3, 0.5], patients=30), ["equal", "bayes-optimal"])
        >>> for row in table.rows:
        ...     print(f"{row.design}: {row.successes.value:.2f} successes")
        equal: 12.00 successes
        Bayes-optimal: 13.43 successes
        >>> print(*table.notes(), sep="\n")
        Type I error and power: conditional exact test (Wald statistic), two-sided, at level 0.05.
        Null hypothesis 0.3, 0.3; maximum: over all nulls.
        In parentheses: standard deviations. All values are exact.
    """
    if not isinstance(trial, Trial):
        raise TypeError(f"trial must be a Trial, got {trial!r}")
    slow: list[Design] = []
    if designs is None:
        defaults = [make() for make in available().values() if make.default]
        chosen = [design for design in defaults if design.possible(trial)]
        if trial.patients > LONG:
            slow = [design for design in chosen if not design.quick(trial)]
            chosen = [design for design in chosen if design not in slow]
    else:
        chosen = [get_design(design) for design in validation.listed("designs", designs)]
    if not chosen:
        raise ValueError("designs must not be empty")
    remarks = [design.remark(trial) for design in chosen]
    if slow:
        names = ", ".join(design.key for design in slow)
        remarks.append(f"Left out, as they take minutes in so long a trial: {names}; name them.")
    used, under = checked_test(test), null_hypothesis(trial, null)
    settings: dict[str, Any] = {"null": under, "test": used, "runs": runs, "seed": seed}
    rows: list[OperatingCharacteristics] = []
    interrupted = False
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
    said = tuple(filter(None, dict.fromkeys(remarks)))
    return TrialComparison(trial, used, under, tuple(rows), interrupted, said)


def _mean_text(mean: Mean, digits: int) -> str:
    return str(mean) if mean.half else f"{mean.value:.{digits}f}"
