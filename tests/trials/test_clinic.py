"""What a clinic needs: the next patient, the table, the page."""

from pathlib import Path

import numpy as np
import pytest

from bamdp.priors import BetaArms
from bamdp.trials import (
    AllocationPolicy,
    ConditionalTest,
    Design,
    Trial,
    TrialEnded,
    curves,
    operating_characteristics,
    protocol,
)
from bamdp.trials.designs import ForwardGittinsDesign, PatientHorizonDesign, ThompsonDesign, designed
from bamdp.trials.stopping import ExactStopping
from reference.rejections import rejections

TRIAL = Trial([0.3, 0.6], 8, floor=0.1)


def test_the_next_patient() -> None:
    policy = AllocationPolicy("thompson", TRIAL)
    chances = policy.probabilities([1, 0], [0, 0])
    assert chances == pytest.approx([0.1 + 0.8 * 2 / 3, 0.1 + 0.8 / 3])
    drawn = [policy.next([1, 0], [0, 0], seed=seed) for seed in range(400)]
    assert drawn[5] == policy.next([1, 0], [0, 0], seed=5)
    share = np.mean([one.arm == 1 for one in drawn])
    assert (
        abs(share - chances[0]) < 5 * (chances[0] * chances[1] / 400) ** 0.5
    )  # a false alarm of 6e-7, had the seeds been random
    assert drawn[0].patient == 2
    assert "987654" not in repr(policy.next([1, 0], [0, 0], seed=987654)), "the seed is secret"
    assert drawn[0].probability == pytest.approx(chances[drawn[0].arm - 1])
    arms = {policy.next([1, 0], [0, 0], waiting=n, seed=0).arm for n in range(7)}
    assert arms == {1, 2}, "patients have draws of their own"


def test_a_block_has_the_probabilities_of_its_first_patient() -> None:
    """Tempered Thompson sampling depends on the number of patients so far."""
    policy = AllocationPolicy("tempered-thompson", Trial([0.3, 0.6], 8, block=4))
    first = policy.probabilities([2, 0], [1, 1])
    assert policy.probabilities([2, 0], [1, 1], waiting=3).tolist() == first.tolist()
    assert policy.block == 4


def test_a_block_and_a_delay_have_the_responses_that_the_exact_test_assumes() -> None:
    """More of them would be another design than the one that is tested."""
    block = AllocationPolicy("thompson", Trial([0.3, 0.6], 8, block=4))
    late = AllocationPolicy("thompson", Trial([0.3, 0.6], 8, delay=2))
    for policy, known in ((block, "4"), (late, "3")):
        with pytest.raises(ValueError, match=f"those of the first {known} patients"):
            policy.next([2, 1], [1, 1])
    assert block.next([2, 1], [1, 0], waiting=1).patient == 6
    assert late.next([2, 0], [1, 0], waiting=2).patient == 6
    assert AllocationPolicy("equal", Trial([0.3, 0.6], 8, block=4)).next([2, 1], [1, 1]).patient == 6


def test_a_trial_that_ended_has_no_next_patient(tmp_path: Path) -> None:
    policy = AllocationPolicy("equal", Trial([0.2, 0.7], 12, stopping=ExactStopping([6], ConditionalTest(0.2))))
    for after in ({}, {"waiting": 1}):
        with pytest.raises(TrialEnded, match="The trial ends at the look after 6 patients"):
            policy.next([0, 3], [3, 0], **after)
        assert policy.next([1, 3], [2, 0], **after).patient == 7 + len(after)
    with pytest.raises(ValueError, match="waiting must be 0 at a look, which needs all 6 responses, got 1"):
        policy.next([0, 3], [2, 0], waiting=1)
    assert not issubclass(TrialEnded, ValueError), "a script tells the end from wrong counts"
    policy.to_csv(tmp_path / "table.csv")
    lines = (tmp_path / "table.csv").read_text().splitlines()
    assert [line for line in lines if line.endswith(",0,0")] == ["7,0,3,3,0,0,0", "7,3,0,0,3,0,0"]


def test_tables(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    policy = AllocationPolicy(ThompsonDesign(), TRIAL)
    policy.to_csv(tmp_path / "new" / "table.csv")
    table = pandas.read_csv(tmp_path / "new" / "table.csv")
    assert len(table) == sum((t + 1) * (t + 2) * (t + 3) // 6 for t in range(8))
    line = table.query("successes_1 == 1 and failures_1 == 2 and successes_2 == 3 and failures_2 == 0").iloc[0]
    expected = policy.probabilities([1, 3], [2, 0])
    assert line[["probability_1", "probability_2"]].tolist() == pytest.approx(expected, abs=1e-5)
    assert line["patient"] == 7
    pytest.importorskip("pyarrow")
    policy.to_parquet(tmp_path / "table.parquet")
    same = pandas.read_parquet(tmp_path / "table.parquet")
    assert list(same.dtypes) == ["int64"] * 5 + ["float64"] * 2
    assert list(same.columns) == list(table.columns)
    assert np.allclose(same, table, atol=1e-5)


@pytest.mark.parametrize(
    ("design", "trial", "words"),
    [
        (
            "thompson",
            TRIAL,
            ["Each arm has a probability of 0.1 at least", "bamdp trial next --design thompson --patients 8 --floor 0.1"],
        ),
        ("bayes-optimal", Trial([0.2, 0.5, 0.5], 6, block=3), ["blocks of 3", "patients on arm 3"]),
        (
            "posterior-mean",
            Trial([0.2, 0.5], 6, BetaArms([2, 1], 1.5), delay=1),
            ["--patients 6 --delay 1 --prior-successes 2 1 --prior-failures 1.5 1.5 --successes 0 0"],
        ),
        (ForwardGittinsDesign(4, 0.9), Trial([0.2, 0.5], 8), ["--design forward-gittins:block=4,discount=0.9 --patients 8"]),
        (PatientHorizonDesign(decision="significant"), TRIAL, ["--design patient-horizon:decision=significant --patients 8"]),
        (
            "equal",
            Trial([0.2, 0.7], 12, stopping=ExactStopping([6])),
            [
                "The trial may end early: looks after 6",
                "Planned for 12 patients, success probabilities 0.2, 0.7, looks after 6: ends if",
                "At a look nobody is allocated before all responses so far are known",
                "bamdp trial next --design equal --patients 12 --looks 6 --successes 0 0 --failures 0 0 --seed SECRET",
                "kept from those who recruit",
                "bamdp trial test --design equal --patients 12 --looks 6 --successes 0 0",
            ],
        ),
    ],
)
def test_a_page(design: str | Design, trial: Trial, words: list[str], tmp_path: Path) -> None:
    protocol(design, trial, tmp_path / "page.html", title="A & B")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h1>A &amp; B</h1>" in page
    assert "Type I error over all success probabilities" in page
    assert page.count("<svg") == 1
    for word in words:
        assert word in page


def test_a_page_with_looks_has_the_expected_numbers_of_patients(tmp_path: Path) -> None:
    trial = Trial([0.1, 0.9], 20, block=5, stopping=ExactStopping([10]))
    protocol("thompson", trial, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    patients = [operating_characteristics(designed(name), trial).patients.value for name in ("thompson", "equal")]
    assert max(patients) < 19
    assert f"{patients[0]:.1f} ({patients[1]:.1f})" in page
    assert "blocks of 5, looks after 10" in page
    figure = curves(trial, ["equal"], [0.5]).figure()
    assert "\nblocks of 5\nlooks after 10: ends if the exact test rejects" in figure.get_suptitle()


def test_designs_by_name_with_settings() -> None:
    assert designed("forward-gittins:block=4,discount=0.9").block == 4
    assert (
        designed("patient-horizon:future=10,decision=significant").label(TRIAL) == "patient horizon, 10 to come, if significant"
    )


test_rejected = rejections(
    (ValueError, "the same two arms or more, got 1 and 2", lambda: AllocationPolicy("equal", TRIAL).probabilities([1], [0, 0])),
    (ValueError, "for the 2 arms of the trial, got 3", lambda: AllocationPolicy("equal", TRIAL).next([1, 0, 0], [0, 0, 0])),
    (ValueError, "each of successes must be", lambda: AllocationPolicy("equal", TRIAL).next([-1, 0], [0, 0])),
    (ValueError, "all 8 patients of the trial are allocated", lambda: AllocationPolicy("equal", TRIAL).next([4, 0], [4, 0])),
    (MemoryError, "lines, more than", lambda: AllocationPolicy("equal", Trial([0.3, 0.5], 300)).to_csv("x.csv")),
    (ValueError, "without delay", lambda: AllocationPolicy("equal", Trial([0.3, 0.5], 9, delay=1)).to_csv("x.csv")),
    (ValueError, "path must end in .html", lambda: protocol("equal", TRIAL, "page.pdf")),
    (ValueError, "unknown setting 'blok' of forward-gittins; did you mean 'block'", lambda: designed("forward-gittins:blok=4")),
    (ValueError, "block must be an integer", lambda: designed("forward-gittins:block=many")),
    (ValueError, "unknown design 'tompson'; did you mean 'thompson'", lambda: designed("tompson")),
)
