"""What a clinic needs: the next patient, the table, the page."""

import json
from pathlib import Path

import numpy as np
import pytest

from bamdp import trials
from bamdp.domains import Bandit
from bamdp.exact import optimal_arms
from bamdp.pictures.belief_tables import summary
from bamdp.priors import BetaArms
from bamdp.trials import (
    AllocationPolicy,
    ConditionalTest,
    Design,
    Trial,
    TrialEnded,
    compare,
    curves,
    operating_characteristics,
    protocol,
)
from bamdp.trials.designs import (
    ForwardGittinsDesign,
    PatientHorizonDesign,
    ThompsonDesign,
    get_design,
)
from bamdp.trials.stopping import ExactStopping
from reference.rejections import rejections

TRIAL = Trial([0.3, 0.6], 8, floor=0.1)


def test_the_next_patient() -> None:
    policy = AllocationPolicy("thompson", TRIAL)
    chances = policy.probabilities([1, 0], [0, 0])
    assert chances == pytest.approx([0.1 + 0.8 * 2 / 3, 0.1 + 0.8 / 3])
    drawn = [policy.next([1, 0], [0, 0], seed=seed) for seed in range(400)]
    assert drawn[5] == policy.next([1, 0], [0, 0], seed=5)
    share = np.mean([one.arm == "A" for one in drawn])
    assert (
        abs(share - chances[0]) < 5 * (chances[0] * chances[1] / 400) ** 0.5
    )  # a false alarm of 6e-7, had the seeds been random
    assert drawn[0].patient == 2
    assert "987654" not in repr(policy.next([1, 0], [0, 0], seed=987654)), "the seed is secret"
    assert list(drawn[0].probabilities.values()) == chances.tolist()
    assert drawn[0].probability == drawn[0].probabilities[drawn[0].arm]
    block = AllocationPolicy("thompson", Trial([0.3, 0.6], 8, block=8))
    arms = {block.next([0, 0], [0, 0], waiting=n, seed=0).arm for n in range(8)}
    assert arms == {"A", "B"}, "patients have draws of their own"


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
        with pytest.raises(ValueError, match=f"of the first {known} patients.*count the others"):
            policy.next([2, 1], [1, 1])
    assert block.next([2, 1], [1, 0], waiting=1).patient == 6
    assert late.next([2, 0], [1, 0], waiting=2).patient == 6
    assert (
        AllocationPolicy("equal", Trial([0.3, 0.6], 8, block=4)).next([2, 1], [1, 1]).patient == 6
    )


@pytest.mark.parametrize(("block", "delay"), [(1, 0), (3, 0), (1, 2), (3, 1), (2, 5)])
def test_fewer_responses_would_be_another_design_too(block: int, delay: int) -> None:
    """One number of responses is right: of patients allocated `delay` before the block began."""
    policy = AllocationPolicy("thompson", Trial([0.3, 0.6], 8, block=block, delay=delay))
    for allocated in range(8):
        began = max(n for n in range(0, 8, block) if n <= allocated)
        used = sum(patient + delay < began for patient in range(allocated))
        for known in range(allocated + 1):
            counts = [known, 0], [0, 0]
            if known == used:
                assert policy.next(*counts, waiting=allocated - known).patient == allocated + 1
            else:
                with pytest.raises(ValueError, match=f"first {used} patients.*got {known} resp"):
                    policy.next(*counts, waiting=allocated - known)


@pytest.mark.parametrize("design", ["randomised", "equal"])
def test_nobody_is_allocated_past_a_look(design: str) -> None:
    """Designs that don't adapt may have patients waiting, but not at a look, nor beyond it."""
    looks = [4, 7]
    policy = AllocationPolicy(design, Trial([0.5, 0.5], 10, stopping=ExactStopping(looks)))
    for known in range(10):
        for waiting in range(10 - known):
            counts = [(known + 1) // 2, known // 2], [0, 0]
            skipped = [look for look in looks if look in range(known + 1, known + waiting + 1)]
            if skipped:
                with pytest.raises(ValueError, match=f"the look after {skipped[0]} patients"):
                    policy.next(*counts, waiting=waiting)
            else:
                assert policy.next(*counts, waiting=waiting).patient == known + waiting + 1


def test_arms_have_names_wherever_they_are_shown(tmp_path: Path) -> None:
    names = ["placebo", "new drug"]
    trial = Trial([0.3, 0.6], 6, names=names)
    assert str(trial) == "6 patients, success probabilities placebo 0.3, new drug 0.6"
    policy = AllocationPolicy("posterior-mean", trial)
    allocation = policy.next([0, 1], [1, 0])
    assert str(allocation).startswith("patient 3: arm new drug, with probability 1 ")
    assert str(allocation).endswith(" (all arms: placebo 0, new drug 1)")
    assert (allocation.arm, allocation.probabilities) == ("new drug", {"placebo": 0, "new drug": 1})
    policy.to_csv(tmp_path / "table.csv")
    heads = (tmp_path / "table.csv").read_text().splitlines()[0].split(",")
    assert heads[3:5] == ["successes_new drug", "failures_new drug"]
    assert heads[5:] == ["probability_placebo", "probability_new drug"]
    analysis = trials.test("equal", successes=[1, 2], failures=[2, 1], trial=trial)
    assert "difference new drug − placebo: 0.333, 95 % interval" in str(analysis)
    protocol("thompson", trial, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for words in (
        "Arms: placebo, new drug; the first is the control.",
        "arm new drug: Beta(1, 1)",
        "patients on arm new drug",
        "bamdp trial next --design thompson --patients 6 --names placebo &#x27;new drug&#x27; --",
    ):
        assert words in page
    drawn = curves(trial, ["equal"], [0.5]).figure()
    assert "p of arm new drug" in {axes.get_xlabel() for axes in drawn.axes}
    assert "success probabilities placebo 0.3, new drug p" in drawn.get_suptitle()
    assert json.loads(compare(trial, ["equal"]).to_json())["trial"]["names"] == names
    assert trial.problem.actions == tuple(names)
    arms = "".join(map(str, summary(trial.problem.belief())))
    assert all(name in arms for name in names)


def test_arms_without_names_have_the_letters_of_the_viewer() -> None:
    trial = Trial([0.3, 0.6, 0.5], 6)
    bandit = Bandit([0.3, 0.6, 0.5])
    assert trial.names == ("A", "B", "C")
    assert bandit.problem().actions == ("arm A", "arm B", "arm C")
    assert AllocationPolicy("equal", trial).next([0, 0, 0], [1, 0, 0]).arm == "B"
    chosen = optimal_arms(trial.problem, policy=True).policy
    assert chosen is not None
    for counts in (([2, 0, 0], [0, 0, 1]), ([0, 1, 0], [1, 0, 1])):
        allocation = AllocationPolicy("bayes-optimal", trial).next(*counts)
        optimal = {name for name, p in allocation.probabilities.items() if p > 0}
        assert optimal == {trial.names[index] for index in chosen.arms(*counts)}


def test_a_trial_that_ended_has_no_next_patient(tmp_path: Path) -> None:
    policy = AllocationPolicy(
        "equal", Trial([0.2, 0.7], 12, stopping=ExactStopping([6], ConditionalTest(0.2)))
    )
    for after in ({}, {"waiting": 1}):
        with pytest.raises(TrialEnded, match="The trial ends at the look after 6 patients"):
            policy.next([0, 3], [3, 0], **after)
        assert policy.next([1, 3], [2, 0], **after).patient == 7 + len(after)
    with pytest.raises(ValueError, match="waiting must be 0 at the look after 6 patients"):
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
    line = table.query(
        "successes_A == 1 and failures_A == 2 and successes_B == 3 and failures_B == 0"
    ).iloc[0]
    expected = policy.probabilities([1, 3], [2, 0])
    assert line[["probability_A", "probability_B"]].tolist() == pytest.approx(expected, abs=1e-5)
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
            [
                "Each arm has a probability of 0.1 at least",
                "bamdp trial next --design thompson --patients 8 --floor 0.1",
            ],
        ),
        ("bayes-optimal", Trial([0.2, 0.5, 0.5], 6, block=3), ["blocks of 3", "patients on arm C"]),
        (
            "posterior-mean",
            Trial([0.2, 0.5], 6, BetaArms([2, 1], 1.5), delay=1),
            [
                "--patients 6 --delay 1 --prior-successes 2 1 --prior-failures 1.5 1.5 --successes "
                "0 0"
            ],
        ),
        (
            ForwardGittinsDesign(4, 0.9),
            Trial([0.2, 0.5], 8),
            ["--design forward-gittins:block=4,discount=0.9 --patients 8"],
        ),
        (
            PatientHorizonDesign(decision="significant"),
            TRIAL,
            ["--design patient-horizon:decision=significant --patients 8"],
        ),
        (
            "equal",
            Trial([0.2, 0.7], 12, stopping=ExactStopping([6])),
            [
                "The trial may end early: looks after 6",
                "Planned for 12 patients, success probabilities A 0.2, B 0.7, looks after 6: ends "
                "if",
                "At a look nobody is allocated before all responses so far are known",
                "bamdp trial next --design equal --patients 12 --looks 6 --successes 0 0 "
                "--failures 0 0 --seed SECRET",
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
    patients = [
        operating_characteristics(get_design(name), trial).patients.value
        for name in ("thompson", "equal")
    ]
    assert max(patients) < 19
    assert f"{patients[0]:.1f} ({patients[1]:.1f})" in page
    assert "blocks of 5, looks after 10" in page
    figure = curves(trial, ["equal"], [0.5]).figure()
    assert "\nblocks of 5\nlooks after 10: ends if the exact test rejects" in figure.get_suptitle()


def test_designs_by_name_with_settings() -> None:
    assert get_design("forward-gittins:block=4,discount=0.9").block == 4
    assert (
        get_design("patient-horizon:future=10,decision=significant").label(TRIAL)
        == "patient horizon, 10 to come, if significant"
    )


def named(*names: str) -> Trial:
    return Trial([0.3, 0.5], 9, names=names)


test_rejected = rejections(
    (
        ValueError,
        "the same two arms or more, got 1 and 2",
        lambda: AllocationPolicy("equal", TRIAL).probabilities([1], [0, 0]),
    ),
    (
        ValueError,
        "for the 2 arms of the trial, got 3",
        lambda: AllocationPolicy("equal", TRIAL).next([1, 0, 0], [0, 0, 0]),
    ),
    (
        ValueError,
        "each of successes must be",
        lambda: AllocationPolicy("equal", TRIAL).next([-1, 0], [0, 0]),
    ),
    (
        ValueError,
        "all 8 patients of the trial are allocated",
        lambda: AllocationPolicy("equal", TRIAL).next([4, 0], [4, 0]),
    ),
    (ValueError, "names must be 2 different names", lambda: named("drug")),
    (ValueError, "names must be 2 different names, got .'drug', '", lambda: named("drug", "drug")),
    (ValueError, "each of names must have a letter", lambda: named("drug", " ")),
    (
        MemoryError,
        "lines, more than",
        lambda: AllocationPolicy("equal", Trial([0.3, 0.5], 300)).to_csv("x.csv"),
    ),
    (
        ValueError,
        "without delay",
        lambda: AllocationPolicy("equal", Trial([0.3, 0.5], 9, delay=1)).to_csv("x.csv"),
    ),
    (ValueError, "path must end in .html", lambda: protocol("equal", TRIAL, "page.pdf")),
    (
        ValueError,
        "unknown setting 'blok' of forward-gittins; did you mean 'block'",
        lambda: get_design("forward-gittins:blok=4"),
    ),
    (ValueError, "block must be an integer", lambda: get_design("forward-gittins:block=many")),
    (
        ValueError,
        "unknown design 'tompson'; did you mean 'thompson'",
        lambda: get_design("tompson"),
    ),
)
