"""A free parameter of a trial, chosen for its type I error and power."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import gcd
from typing import Any

from bamdp.progress import progress
from bamdp.result import align
from bamdp.trials.catalogue import get_design
from bamdp.trials.characteristics import Evaluation, OperatingCharacteristics, Test, checked_test
from bamdp.trials.conditional import ConditionalTest
from bamdp.trials.design import Design
from bamdp.trials.fisher import ROUNDING
from bamdp.trials.recursion import feasible
from bamdp.trials.trial import Trial
from bamdp.validation import listed, one_of, real

HALVINGS = 6  # of the distance between a value that fits and the next that does not


@dataclass(frozen=True)
class Calibration:
    """The value of a parameter that keeps the type I error, reaches the power and has the most
    expected successes.

    Attributes:
        parameter: name of the parameter.
        rows: characteristics of each value that was tried.
        type_1_error: largest type I error that is allowed.
        power: smallest power that is allowed.
    """

    parameter: str
    rows: dict[float, OperatingCharacteristics]
    type_1_error: float
    power: float

    @property
    def value(self) -> float | None:
        """The value, of numbers of patients the smallest; None if none that was tried fits."""
        if self.parameter == "patients":
            return min((value for value, row in self.rows.items() if self.fits(row)), default=None)
        fitting = {value: row for value, row in self.rows.items() if self.fits(row)}

        def rank(value: float) -> tuple[float, float]:
            row = fitting[value]
            return round(row.successes.value, 9), row.power.value

        return max(fitting, key=rank, default=None)

    def fits(self, row: OperatingCharacteristics) -> bool:
        """Whether characteristics keep the type I error, at every null, and reach the power."""
        keeps_level = (row.type_1_max or 0) <= self.type_1_error * ROUNDING
        return keeps_level and row.power.value >= self.power

    def __str__(self) -> str:
        cells = [[self.parameter, "expected successes", "type I error, at most", "power", ""]]
        for value, row in sorted(self.rows.items()):
            numbers = [
                f"{row.successes.value:.2f}",
                f"{row.type_1_max:.4f}",
                f"{row.power.value:.4f}",
            ]
            cells.append([f"{value:.4g}", *numbers, "←" if value == self.value else ""])
        answer = "no value" if self.value is None else f"{self.parameter} = {self.value:.4g}"
        if self.value is not None and self.parameter == "patients":
            answer += ", approximately: exact power is not monotone in it"
        asked = f"Type I error at most {self.type_1_error:g}, power {self.power:g}: {answer}"
        return "\n".join([*align(cells), "", asked])


def calibrate(
    design: str | Design,
    trial: Trial,
    parameter: str,
    *,
    power: float = 0.8,
    type_1_error: float = 0.05,
    values: Sequence[float] | None = None,
    test: Test | None = None,
) -> Calibration:
    """The value of a free parameter with the most expected successes that keeps the type I error
    and reaches the power.

    Values are tried one by one: nothing is assumed about how the characteristics, which are exact,
    depend on them. Only the smallest number of patients is found by doubling and bisection:
    approximately, as exact power is not monotone in it.

    Args:
        design: a name or a design.
        trial: the trial; power and successes are at its success probabilities.
        parameter: "floor", the smallest probability of each arm; "block", the number of patients
            allocated together; "alpha", the nominal level of the test, that is its critical value;
            "patients", the number of patients.
        power: smallest power.
        type_1_error: largest type I error at any null.
        values: values to try; if not given, some over the range of the parameter, for floors and
            levels finer where needed.
        test: a `ConditionalTest` or a `FisherTest`; if not given, the former at the level
            `type_1_error`.

    Example:
        >>> floor = calibrate("bayes-optimal", Trial([0.3, 0.6], patients=50), "floor", power=0.5)
        >>> f"floor {floor.value:.3f}: {floor.rows[floor.value].successes.value:.1f} successes"
        'floor 0.292: 24.9 successes'
        >>> calibrate("equal", Trial([0.3, 0.7], patients=20), "patients", power=0.8).value
        55
    """
    if not isinstance(trial, Trial):
        raise TypeError(f"trial must be a Trial, got {trial!r}")
    one_of("parameter", parameter, ("floor", "block", "alpha", "patients"))
    allowed = real("type_1_error", type_1_error, 0, 1, open_low=True, open_high=True)
    calibration = Calibration(parameter, {}, allowed, real("power", power, 0, 1))
    rows = calibration.rows
    made = get_design(design)
    used = ConditionalTest(allowed) if test is None else checked_test(test)
    tried = listed("values", values) if values is not None else []
    if values is None and parameter != "patients":
        tried = _default_values(parameter, trial, allowed)
    with progress("values") as show:

        def evaluate(value: float) -> bool:
            show(f"{parameter} = {value}", len(rows), max(len(tried), len(rows) + 1))
            if parameter == "alpha":
                evaluation = Evaluation(made, trial, used.at_level(value))
            else:
                changed: dict[str, Any] = {parameter: value}
                evaluation = Evaluation(made, replace(trial, **changed), used)
            rows[value] = evaluation.row((trial.arms[0],) * trial.num_arms)
            return calibration.fits(rows[value])

        for value in tried:
            evaluate(value)
        if values is None and parameter == "patients":
            _search_patients(made, trial, evaluate)
        for _ in range(HALVINGS if values is None and parameter in ("floor", "alpha") else 0):
            for low, high in pairwise(sorted(rows)):
                if calibration.fits(rows[low]) != calibration.fits(rows[high]):
                    evaluate((low + high) / 2)
    return calibration


def _search_patients(design: Design, trial: Trial, enough: Callable[[int], bool]) -> None:
    """Try numbers of patients: the trial's, doubled until they are enough or have no exact values,
    then by bisection.
    """
    looks = () if trial.stopping is None else trial.stopping.looks
    low = max(trial.block, trial.delay, *(look + 1 for look in looks))
    high = trial.patients
    while high and not enough(high):
        low = high + 1
        trials = (replace(trial, patients=n) for n in range(2 * high, high, -1))
        exact = (one for one in trials if design.possible(one) and feasible(design, one))
        high = next((one.patients for one in exact), 0)
    bisect_left(range(high), True, min(low, high), key=enough)


def _default_values(parameter: str, trial: Trial, level: float) -> list[float]:
    """Floors, levels or blocks over their range."""
    if parameter == "floor":
        return [eighths / (8 * trial.num_arms) for eighths in range(9)]
    if parameter == "alpha":
        return [level * factor for factor in (0.25, 0.5, 1, 1.5, 2, 3, 4) if level * factor < 1]
    looks = () if trial.stopping is None else trial.stopping.looks
    every = gcd(trial.patients, *looks)
    return [block for block in range(1, every + 1) if every % block == 0]
