"""A free parameter of a trial, chosen for its type I error and power.

Of all values that keep the type I error at every null and reach the power, the one with the most expected successes is taken.
Values are tried one by one, so that nothing is assumed about how the characteristics depend on them; between the best value and
its neighbours a continuous parameter is refined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bamdp.progress import progress
from bamdp.runs.table import aligned, data_frame
from bamdp.trials.characteristics import Evaluation, OperatingCharacteristics, Test, made_test
from bamdp.trials.comparison import designed
from bamdp.trials.design import Design
from bamdp.trials.fisher import ROUNDING
from bamdp.trials.trial import Trial
from bamdp.validation import listed, one_of, real

if TYPE_CHECKING:
    import pandas

REFINED = 6  # halvings between the best value and the next
PARAMETERS = ("floor", "block", "patients", "alpha", "design")


@dataclass(frozen=True)
class Calibration:
    """The value of a parameter that keeps the type I error, reaches the power and has the most expected successes.

    Attributes:
        parameter: name of the parameter.
        value: the value; None if no value that was tried does.
        rows: characteristics of each value that was tried.
        type_1_error: largest type I error that was allowed.
        power: power that was asked for.
    """

    parameter: str
    value: Any
    rows: dict[Any, OperatingCharacteristics]
    type_1_error: float
    power: float

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The values that were tried, with their characteristics."""
        columns: dict[str, list[Any]] = {self.parameter: list(self.rows), "design": [row.design for row in self.rows.values()]}
        for name in ("successes", "power", "prior_successes", "patients"):
            columns[name] = [getattr(row, name).value for row in self.rows.values()]
        return {**columns, "type_1_max": [row.type_1_max for row in self.rows.values()]}

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a `pandas.DataFrame`; see `columns`."""
        return data_frame(self.columns)

    def __str__(self) -> str:
        heads = [self.parameter, "design", "expected successes", "type I error, at most", "power", ""]
        cells = [
            [
                f"{value:.4g}" if isinstance(value, float) else str(value),
                row.design,
                f"{row.successes.value:.2f}",
                f"{row.type_1_max:.4f}",
                f"{row.power.value:.4f}",
                "←" if value == self.value else "",
            ]
            for value, row in sorted(self.rows.items())
        ]
        asked = f"type I error at most {self.type_1_error:g}, power {self.power:g}"
        found = f"No value has {asked}." if self.value is None else f"{asked}: {self.parameter} = {self.value:.4g}"
        return "\n".join([*aligned([heads, *cells]), "", found[0].upper() + found[1:]])


def calibrate(
    design: str | Design | Callable[[Any], Design],
    trial: Trial,
    parameter: str,
    *,
    power: float = 0.8,
    type_1_error: float = 0.05,
    values: Sequence[Any] | None = None,
    test: str | Test = "conditional",
    alternative: str = "two-sided",
) -> Calibration:
    """The value of a free parameter with the most expected successes that keeps the type I error and reaches the power.

    Args:
        design: a name, a design, or for the parameter "design" a function that makes it from a value.
        trial: the trial, at whose success probabilities power and successes are.
        parameter: "floor", the smallest probability of each arm; "block", patients allocated together; "patients", their
            number; "alpha", the nominal level of the test, its critical value; "design", what `design` is a function of.
        power: smallest power.
        type_1_error: largest type I error at any null.
        values: the values to try; if not given, some over the range of the parameter. Needed for "design".
        test: "conditional", "fisher", or a test.
        alternative: "two-sided", or "greater" to reject only if an arm is better than the control.

    Example:
        >>> found = calibrate("bayes-optimal", Trial([0.3, 0.6], patients=50), "floor", power=0.5)
        >>> f"{found.value:.3f}"
        '0.292'
    """
    if not isinstance(trial, Trial):
        raise TypeError(f"trial must be a Trial, got {trial!r}")
    name = one_of("parameter", parameter, PARAMETERS)
    wanted, allowed = real("power", power, 0, 1), real("type_1_error", type_1_error, 0, 1, open_low=True, open_high=True)
    used = made_test(test, allowed, alternative)
    if name == "design" and not callable(design):
        raise TypeError(f"design must be a function that makes a design from a value, got {design!r}")
    tried = _values(name, trial, allowed) if values is None else listed("values", values)
    rows: dict[Any, OperatingCharacteristics] = {}

    def evaluated(value: Any) -> OperatingCharacteristics:
        if value not in rows:
            made, changed, test = _changed(name, value, design, trial, used)
            rows[value] = Evaluation(made, changed, test).row((trial.arms[0],) * trial.num_arms)
        return rows[value]

    def fits(value: Any) -> bool:
        row = evaluated(value)
        return (row.type_1_max or 0) <= allowed * ROUNDING and row.power.value >= wanted

    with progress("values") as show:
        for number, value in enumerate(tried):
            show(f"{name} = {value}", number, len(tried))
            evaluated(value)
        good = [value for value in tried if fits(value)]
        best = max(
            good, key=lambda value: (round(evaluated(value).successes.value, 9), evaluated(value).power.value), default=None
        )
        if best is not None and values is None and name in ("floor", "alpha"):
            near = [value for value in tried if not fits(value) and _at_least(evaluated(value), evaluated(best))]
            best = _refined(best, min(near, key=lambda value: abs(value - best)), fits) if near else best
    return Calibration(name, best, rows, allowed, wanted)


def _at_least(row: OperatingCharacteristics, other: OperatingCharacteristics) -> bool:
    return row.successes.value >= other.successes.value - 1e-9


def _values(parameter: str, trial: Trial, level: float) -> list[Any]:
    if parameter == "floor":
        return [share / (8 * trial.num_arms) for share in range(9)]
    if parameter == "alpha":
        return [level * factor for factor in (0.25, 0.5, 1, 1.5, 2, 3, 4)]
    if parameter == "block":
        return [block for block in range(1, trial.patients + 1) if trial.patients % block == 0]
    if parameter == "patients":
        return sorted({round(trial.patients * share / 8) for share in range(2, 17)} - {0})
    raise ValueError(f"values must be given for the parameter '{parameter}'")


def _changed(parameter: str, value: Any, design: Any, trial: Trial, test: Test) -> tuple[Design, Trial, Test]:
    if parameter == "design":
        return designed(design(value)), trial, test
    if parameter == "alpha":
        return designed(design), trial, test.at_level(value)
    return designed(design), replace(trial, **{parameter: value}), test


def _refined(good: float, bad: float, fits: Callable[[Any], bool]) -> float:
    for _ in range(REFINED):
        middle = (good + bad) / 2
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    return good
