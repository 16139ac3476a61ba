"""Curves over success probabilities, parameters for a given error and power, and a
price on power.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bamdp.trials import (
    ConditionalTest,
    Design,
    FisherTest,
    Trial,
    calibrate,
    curves,
    end_counts,
    operating_characteristics,
)
from bamdp.trials.counts import grid
from bamdp.trials.designs import (
    BayesOptimalDesign,
    EqualDesign,
    PatientHorizonDesign,
    ThompsonDesign,
)
from bamdp.trials.stopping import ExactStopping
from reference.problems import shown
from reference.rejections import rejections

TRIAL = Trial([0.3, 0.6], 16)


def test_curves_are_the_characteristics_at_each_point() -> None:
    found = curves(TRIAL, ["equal", "bayes-optimal"], p=[0.1, 0.3, 0.6])
    frame = found.to_pandas().set_index(["design", "p"])
    for p in (0.1, 0.6):
        row = operating_characteristics(BayesOptimalDesign(), Trial([0.3, p], 16), null=[p, p])
        assert row.worse is not None
        at = frame.loc["Bayes-optimal", p]
        assert at["power"] == pytest.approx(row.power.value, abs=1e-12)
        assert at["type_1_error"] == pytest.approx(row.type_1_error.value, abs=1e-12)
        assert at["successes"] == pytest.approx(row.successes.value, abs=1e-9)
        assert at["worse"] == pytest.approx(row.worse.value, abs=1e-9)
    assert frame.loc[("equal", 0.3), "worse"] == 0
    assert found.largest["equal"][0] >= frame.loc["equal", "type_1_error"].max()


def test_the_picture(tmp_path: Path) -> None:
    found = curves(TRIAL, ["equal", "thompson"])
    for name in ("curves.svg", "new/curves.png"):
        found.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 10_000
    assert "</svg>" in shown(found)


def test_a_floor_for_a_power() -> None:
    found = calibrate("bayes-optimal", Trial([0.2, 0.8], 20), "floor", power=0.55)
    assert found.value is not None
    row = operating_characteristics(BayesOptimalDesign(), Trial([0.2, 0.8], 20, floor=found.value))
    assert row == found.rows[found.value]
    assert row.power.value >= 0.55
    below = max(floor for floor in found.rows if floor < found.value)
    assert found.rows[below].power.value < 0.55
    assert found.value - below == pytest.approx(1 / 16 / 2**6), "halved six times"
    assert "←" in str(found)
    assert f"power 0.55: floor = {found.value:.4g}" in str(found)


def test_a_critical_value_for_a_type_1_error() -> None:
    """Fisher's test is conservative: its level may be higher than the type I error that it has."""
    trial = Trial([0.2, 0.8], 20)
    plain = operating_characteristics(EqualDesign(), trial, test=FisherTest())
    found = calibrate("equal", trial, "alpha", power=plain.power.value + 0.01, test=FisherTest())
    assert found.value is not None
    best = operating_characteristics(EqualDesign(), trial, test=FisherTest(found.value))
    assert best.power.value > plain.power.value
    assert best.type_1_max is not None
    assert best.type_1_max <= 0.05
    for level in np.linspace(0.05, 0.2, 31):
        row = operating_characteristics(EqualDesign(), trial, test=FisherTest(level))
        assert row.type_1_max is not None
        assert row.type_1_max > 0.05 or row.power.value <= best.power.value + 1e-12
    exact = ConditionalTest(0.05, "greater", "score", randomised=True, spending=2)
    assert str(exact.at_level(0.1)) == str(exact).replace("0.05", "0.1")


def test_a_block_for_a_power() -> None:
    trial = Trial([0.2, 0.8], 12, stopping=ExactStopping([6]))
    found = calibrate("thompson", trial, "block", power=0.3)
    assert list(found.rows) == [1, 2, 3, 6], "looks are after whole blocks"
    assert found.value == 3
    powers = [
        operating_characteristics(ThompsonDesign(), replace(trial, block=block)).power.value
        for block in (2, 3)
    ]
    assert powers[0] < 0.3 <= powers[1], "smaller blocks have more successes and too little power"
    none = calibrate("thompson", trial, "block", power=0.99, values=[1, 2])
    assert none.value is None
    assert str(none).endswith("Type I error at most 0.05, power 0.99: no value")


class SmallDesign(EqualDesign):
    """Equal allocation that is possible for a few patients only."""

    def possible(self, trial: Trial) -> bool:
        return trial.patients <= 50


def test_a_number_of_patients_for_a_power() -> None:
    found = calibrate("equal", Trial([0.3, 0.5], 100), "patients", power=0.8)
    assert found.value == 203
    assert found.rows[202].power.value < 0.8 <= found.rows[203].power.value
    assert found.rows[203] == operating_characteristics(EqualDesign(), Trial([0.3, 0.5], 203))
    assert "power 0.8: patients = 203, approximately: exact power is not monotone" in str(found)
    assert calibrate("equal", Trial([0.3, 0.5], 400), "patients", power=0.8).value == 203, (
        "from above as from below"
    )
    looks = Trial([0.2, 0.8], 30, stopping=ExactStopping([24]))
    assert calibrate("equal", looks, "patients", power=0.5).value == 25, (
        "a trial has more patients than before its looks"
    )
    assert (
        min(calibrate("thompson", Trial([0.1, 0.9], 30, block=12), "patients", power=0.01).rows)
        == 12
    )
    limited = calibrate(SmallDesign(), Trial([0.3, 0.5], 20), "patients", power=0.8)
    assert list(limited.rows) == [20, 40, 50]
    assert limited.value is None
    assert str(limited).endswith("no value")
    few = calibrate("equal", Trial([0.3, 0.7], 20), "patients", power=0.5, values=[60, 40, 20])
    assert few.value == 40, "the smallest, though more patients have more successes"


def test_a_price_on_power_buys_power() -> None:
    rows = [
        operating_characteristics(
            PatientHorizonDesign(n, "significant"), Trial([0.3, 0.7], 20), test=FisherTest()
        )
        for n in (0, 30, 3000)
    ]
    successes, powers = (
        [getattr(row, name).value for row in rows] for name in ("successes", "power")
    )
    assert successes == sorted(successes, reverse=True)
    assert powers == sorted(powers)
    assert powers[2] > 3 * powers[0]
    plain = operating_characteristics(
        BayesOptimalDesign(), Trial([0.3, 0.7], 20), test=FisherTest()
    )
    assert rows[0].successes.value == pytest.approx(plain.successes.value, abs=1e-9)


def test_patients_to_come_get_the_best_arm() -> None:
    """For very many of them no design has a larger expected posterior mean of the arm that is
    chosen at the end.
    """

    def chosen(design: Design) -> float:
        end = end_counts(design, Trial([0.5, 0.5], 12))
        means = {
            n: np.maximum(*((s + 1) / (k + 2) for s, k in zip(grid(n)[0], n, strict=True)))
            for n in end.counts
        }
        return float(sum((u * means[n]).sum() for n, u in end.counts.items()))

    best = chosen(PatientHorizonDesign(10**6))
    assert all(
        chosen(design) < best - 1e-4
        for design in (EqualDesign(), BayesOptimalDesign(), ThompsonDesign())
    )
    assert (
        PatientHorizonDesign(7, "significant").label(TRIAL)
        == "patient horizon, 7 to come, if significant"
    )


test_rejected = rejections(
    (ValueError, "p must be probabilities", lambda: curves(TRIAL, ["equal"], p=[0.5, 2])),
    (TypeError, "trial must be a Trial", lambda: curves([0.3, 0.5], ["equal"])),  # type: ignore[arg-type]
    (
        ValueError,
        "has no exact values in this trial",
        lambda: curves(Trial([0.3] * 4, 60), ["gittins"]),
    ),
    (
        ValueError,
        "parameter must be one of 'floor', 'block', 'alpha', 'patients'",
        lambda: calibrate("equal", TRIAL, "flor"),
    ),
    (TypeError, "trial must be a Trial", lambda: calibrate("equal", [0.3, 0.5], "floor")),  # type: ignore[arg-type]
    (ValueError, "block must be", lambda: calibrate("equal", TRIAL, "block", values=[0])),
    (
        ValueError,
        "decision must be one of 'best', 'significant'",
        lambda: PatientHorizonDesign(5, "good"),
    ),
    (ValueError, "alpha must be", lambda: ConditionalTest(0)),
)
