"""The log of a trial as CSV, and what follows from it."""

from pathlib import Path

import pytest

from bamdp import trials
from bamdp.trials import AllocationPolicy, ConditionalTest, Trial, TrialEnded, TrialLog
from bamdp.trials.stopping import ExactStopping
from reference.rejections import rejections

NAMES = ["placebo", "drug"]
LOOK = ExactStopping([6], ConditionalTest(0.2))


def written(folder: Path, *lines: str, head: str = "patient,arm,response") -> Path:
    file = folder / "trial.csv"
    file.write_text("\n".join([head, *lines, ""]), encoding="utf-8-sig")
    return file


def test_a_log_is_read_in_the_ways_in_which_it_is_written(tmp_path: Path) -> None:
    plain = written(tmp_path, "1,drug,1", "2,placebo,0", "3,drug,")
    expected = TrialLog((1, 0, 1), (True, False, None))
    assert TrialLog.read(plain, NAMES) == expected
    other = written(
        tmp_path,
        "x;drug;ok;Yes",
        "y;placebo;;no",
        "",
        "z;drug;;NA",
        head="Patient;Arm;note;RESPONSE",
    )
    assert TrialLog.read(other, NAMES) == expected
    assert expected.counts(2) == ((0, 1), (1, 0))
    assert expected.counts(2, 1) == ((0, 1), (0, 0))
    assert expected.missing() == (2,)
    assert expected.missing(2) == ()


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["1,drug,1", "2,plcebo,0"], "line 3 of trial.csv: arm must be one of placebo, drug, got"),
        (["1,drug,2"], "response must be 1 or 0, or empty if it is not known, got '2'"),
        (["1,drug,1", "1,drug,0"], "patient '1' is there twice"),
        (["2,drug,1", "1,drug,0"], "in the order of allocation, got 1 after 2"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, lines: list[str], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        TrialLog.read(written(tmp_path, *lines), NAMES)


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has no 'response', but 'respons'"):
        TrialLog.read(written(tmp_path, head="patient,arm,respons"), NAMES)


def test_a_design_uses_the_responses_that_are_due() -> None:
    """Early ones wait for their time, as the exact test assumes; those not there are left out."""
    policy = AllocationPolicy("thompson", Trial([0.3, 0.6], 20, delay=2))
    log = TrialLog((0, 1, 1, 0), (True, False, True, True))
    same = policy.probabilities([1, 0], [0, 1], waiting=2)
    assert policy.probabilities_after(log).tolist() == same.tolist()
    gap = TrialLog((0, 1, 1, 0), (True, None, True, True))
    without = policy.probabilities([1, 0], [0, 0], waiting=2, missing=1)
    assert policy.probabilities_after(gap).tolist() == without.tolist()
    assert without.tolist() != same.tolist()
    assert policy.overdue(gap) == (1,)
    assert policy.overdue(log) == ()
    assert policy.next_after(gap, seed=3).patient == 5


def test_a_look_with_late_responses_is_at_those_that_are_known() -> None:
    """Six of eight: 0 and 3 successes of three each end it, by whatever the last two are."""
    trial = Trial([0.3, 0.6], 14, delay=2, stopping=ExactStopping([8], ConditionalTest(0.3)))
    policy = AllocationPolicy("equal", trial)
    arms = (0, 1) * 4
    responses = (False, True) * 3
    for last in ((None, None), (True, False), (False, None)):
        with pytest.raises(TrialEnded, match="the last 2 are still part of the analysis") as end:
            policy.next_after(TrialLog(arms, (*responses, *last)))
        assert (end.value.patients, end.value.waiting) == (8, 2)
    going = TrialLog(arms, (True, True, *responses[2:], False, True))
    assert policy.next_after(going).patient == 9
    with pytest.raises(TrialEnded):
        policy.next([0, 3], [3, 0], waiting=2)
    assert policy.next([1, 3], [2, 0], waiting=2).patient == 9
    with pytest.raises(ValueError, match="waiting must be 2 at most at the look after 8 patients"):
        policy.next([1, 2], [2, 0], waiting=3)
    before = TrialLog(arms[:7], (*responses, None))
    assert policy.next_after(before).patient == 8, "the look comes after eight patients"


@pytest.mark.parametrize("design", ["equal", "randomised"])
def test_counts_of_a_trial_that_has_ended_are_refused_later(design: str) -> None:
    """After 0 and 3 successes of six it has ended, whatever comes."""
    policy = AllocationPolicy(design, Trial([0.2, 0.7], 12, stopping=LOOK))
    with pytest.raises(TrialEnded):
        policy.next([0, 3], [3, 0])
    for successes, failures in (([0, 4], [4, 0]), ([0, 5], [5, 0])):
        with pytest.raises(ValueError, match="a trial that continues after the look after 6"):
            policy.next(successes, failures)
    assert policy.next([1, 3], [3, 1]).patient == 9
    later = ExactStopping([6, 8], ConditionalTest(0.2))
    policy = AllocationPolicy(design, Trial([0.2, 0.7], 12, stopping=later))
    with pytest.raises(ValueError, match="a trial that continues after the look after 6"):
        policy.next([0, 4], [4, 0])  # at the second look
    assert policy.next([1, 3], [3, 1]).patient == 9


def test_a_test_by_the_log_is_that_of_its_counts() -> None:
    trial = Trial([0.5, 0.5], 12, stopping=LOOK)
    log = TrialLog((0, 1) * 3, (False, True) * 3)
    by_log = trials.test("equal", log=log, trial=trial, test=LOOK.test)
    counts = trials.test("equal", successes=[0, 3], failures=[3, 0], trial=trial, test=LOOK.test)
    assert by_log.p_value == counts.p_value == pytest.approx(0.1 / 0.5)
    assert by_log.interval == counts.interval


def test_missing_responses_are_left_out_of_the_analysis() -> None:
    """Of twelve in turn, the first on each arm: what is left is a trial of five on each."""
    arms, responses = (0, 1) * 6, (None, None, *(False, True) * 4, True, False)
    found = trials.test("equal", log=TrialLog(arms, responses))
    fewer = trials.test("equal", successes=[1, 4], failures=[4, 1])
    assert found.p_value == pytest.approx(fewer.p_value)
    assert found.missing == 2
    assert "2 patients without a response are left out" in str(found)


LATE = Trial([0.3, 0.6], 14, delay=2, stopping=ExactStopping([8], ConditionalTest(0.3)))
test_rejected = rejections(
    (
        ValueError,
        "log must end with patient 8, as the trial ends at the look after 8 patients, got 14",
        lambda: trials.test("equal", log=TrialLog((0, 1) * 7, (False, True) * 7), trial=LATE),
    ),
    (
        ValueError,
        "log must be of 14 patients, as the trial continues",
        lambda: trials.test("equal", log=TrialLog((0, 1) * 4, (True, True) * 4), trial=LATE),
    ),
    (
        TypeError,
        "successes and failures must be given, or a log, and not both",
        lambda: trials.test("equal", successes=[1, 2]),
    ),
    (
        ValueError,
        "the design 'permuted blocks' needs the arms of all patients",
        lambda: AllocationPolicy("permuted-blocks", LATE).next([1, 0], [0, 0], waiting=1),
    ),
    (
        ValueError,
        "missing must be 0 after a look",
        lambda: AllocationPolicy("equal", LATE).next([3, 3], [1, 0], waiting=2, missing=1),
    ),
    (
        ValueError,
        "log must be of the 2 arms of the trial, got arm 2",
        lambda: AllocationPolicy("equal", LATE).next_after(TrialLog((2,), (True,))),
    ),
)
