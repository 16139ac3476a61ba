"""`bamdp trial`: the table, JSON and pictures."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bamdp import trials
from bamdp.cli.main import main
from bamdp.priors import BetaArms
from bamdp.trials import ConditionalTest, Trial, compare
from bamdp.trials.designs import available
from bamdp.trials.stopping import ExactStopping

Shown = Callable[[str], str]
Result = Callable[[str], Any]

LOOK = "--patients 20 --looks 10"


def test_the_numbers_are_those_of_python(result: Result) -> None:
    flags = (
        "--designs equal gittins --prior-successes 1 2 --block 2 --floor 0.1 --alpha 0.1 "
        "--alternative greater --null 0.2 0.2"
    )
    data = result(f"trial --arms 0.3 0.5 --patients 10 {flags}")
    trial = Trial([0.3, 0.5], 10, BetaArms([1, 2]), block=2, floor=0.1)
    trial_with_looks = "trial --patients 20 --looks 10 --designs equal --alpha 0.2"
    stopping = ExactStopping([10], ConditionalTest(0.2))
    found = compare(Trial([0.3, 0.5], 20, stopping=stopping), ["equal"], test=ConditionalTest(0.2))
    assert result(trial_with_looks) == json.loads(found.to_json())
    greater = ConditionalTest(0.1, "greater")
    assert data == json.loads(
        compare(trial, ["equal", "gittins"], test=greater, null=[0.2, 0.2]).to_json()
    )


def test_the_table_and_the_picture(shown: Shown, tmp_path: Path) -> None:
    text = shown(
        "trial --arms 0.3 0.5 --patients 10 --delay 2 --designs equal thompson --runs 20 "
        f"--picture {tmp_path}/x.svg"
    )
    assert text.startswith(
        "10 patients, success probabilities A 0.3, B 0.5, responses 2 patients late"
    )
    assert (tmp_path / "x.svg").exists()


def test_the_next_patient(shown: Shown, result: Result) -> None:
    text = shown("trial next --design bayes-optimal --patients 60 --successes 1 3 --failures 0 1")
    assert text.startswith("patient 6: arm A, with probability 1 (all arms: A 1, B 0)")
    given = "trial next --design thompson --patients 60 --successes 1 3 --failures 0 1 --seed"
    drawn = [result(f"{given} {seed}") for seed in (3, 3, 4, 5, 6, 7)]
    assert drawn[0] == drawn[1]
    assert {one["arm"] for one in drawn} == {"A", "B"}
    assert sum(drawn[0]["probabilities"].values()) == pytest.approx(1)
    assert all(one["probability"] == one["probabilities"][one["arm"]] for one in drawn)


def test_arms_by_name(shown: Shown, tmp_path: Path) -> None:
    names = "--names placebo 'new drug' other"
    plan = f"--patients 9 --design equal {names}"
    assert shown(f"trial next {plan}").startswith("patient 1: arm placebo, with probability 1 ")
    second = shown(f"trial next {plan} --successes 0 0 0 --failures 1 0 0")
    assert second.startswith("patient 2: arm new drug")
    table = shown(f"trial --arms 0.3 0.5 0.4 --patients 6 {names} --designs equal")
    assert "success probabilities placebo 0.3, new drug 0.5, other 0.4" in table
    two = shown("trial test --design equal --names placebo drug --successes 1 5 --failures 5 1")
    assert "difference drug − placebo: 0.667" in two
    three = f"--design equal --arms 0.3 0.5 0.4 --patients 3 {names}"
    shown(f"trial table {three} --output {tmp_path}/t.csv")
    assert ",failures_placebo,successes_new drug," in (tmp_path / "t.csv").read_text()
    looks = "--design equal --patients 20 --looks 10 --alpha 0.2 --names placebo 'new drug'"
    ended = shown(f"trial next {looks} --successes 0 5 --failures 5 0").splitlines()[1].strip()
    assert "difference new drug − placebo: 1.000" in shown(ended.removeprefix("bamdp "))


def test_a_typed_prior_is_the_same_number(result: Result, tmp_path: Path) -> None:
    """The probabilities of the page's command are those of the trial to the last digit."""
    trial = Trial([0.3, 0.5], 8, BetaArms([1 / 3, 1234567.25], [2.0, 2345678.5]), floor=1 / 7)
    trials.protocol("thompson", trial, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "arm A: Beta(0.3333333333333333, 2); arm B: Beta(1234567.25, 2345678.5)" in page
    command = page[page.index("bamdp trial next") + len("bamdp ") :].partition("</code>")[0]
    allocation = trials.AllocationPolicy("thompson", trial).next([0, 0], [0, 0])
    assert result(command.replace("SECRET", "5"))["probabilities"] == allocation.probabilities


def test_a_table_a_test_and_a_page(shown: Shown, tmp_path: Path) -> None:
    shown(f"trial table --design forward-gittins:block=2 --patients 6 --output {tmp_path}/t.csv")
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert lines[1] == "1,0,0,0,0,0.5,0.5"
    assert len(lines) == 1 + 1 + 10 + 35
    two, three = (
        shown(f"trial test --design equal --successes 1 5{more} --failures 5 1{more}")
        for more in ("", " 3")
    )
    assert "95 % interval" in two
    assert "Bonferroni" not in two
    assert (
        "which ignores the design; Bonferroni-corrected for 2 comparisons with the control" in three
    )
    shown(f"trial protocol --design thompson --patients 12 --output {tmp_path}/page.html")
    assert "Operating characteristics" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_trial_with_looks_from_the_plan_to_the_analysis(
    shown: Shown, result: Result, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page has the commands; each of them reads what the page says."""
    plan = "--design equal --patients 20 --looks 10 --alpha 0.2"
    assert shown(f"trial next {plan} --successes 1 3 --failures 4 2").startswith(
        "patient 11: arm A"
    )
    ended = shown(f"trial next {plan} --successes 0 5 --failures 5 0")
    assert ended.startswith("The trial ends at the look after 10 patients: the exact test rejects.")
    command = f"trial test {plan} --successes 0 5 --failures 5 0"
    assert ended.splitlines()[1].strip() == f"bamdp {command}"
    found = result(f"trial next {plan} --successes 0 5 --failures 5 0")
    assert found == {"ends": True, "test": f"bamdp {command}", "waiting": 0}
    assert result(f"trial next {plan} --successes 1 3 --failures 4 2")["ends"] is False
    trial, test = (
        Trial([0.5, 0.5], 20, stopping=ExactStopping([10], ConditionalTest(0.2))),
        ConditionalTest(0.2),
    )
    analysis = trials.test("equal", successes=[0, 5], failures=[5, 0], trial=trial, test=test)
    assert shown(command).strip() == str(analysis)
    assert main(f"trial test {plan} --successes 1 3 --failures 4 2".split()) == 2
    assert "it continues after this look" in capsys.readouterr().err


def test_a_trial_with_late_responses_from_its_log(
    shown: Shown, result: Result, tmp_path: Path
) -> None:
    """Look after 8 of 14, two patients late: its command analyses all eight."""
    file = tmp_path / "trial.csv"
    plan = "--design equal --patients 14 --delay 2 --looks 8 --alpha 0.3 --names placebo drug"
    lines = [f"{n + 1},{('placebo', 'drug')[n % 2]},{n % 2}" for n in range(8)]

    def write(number: int, known: int) -> None:
        rows = [*lines[:known], *(line[:-1] for line in lines[known:number])]
        file.write_text("\n".join(["patient,arm,response", *rows, ""]))

    write(7, 5)
    log = f"--log {file}"
    assert shown(f"trial next {plan} {log}").startswith("patient 8: arm drug, with probability 1 ")
    write(7, 4)
    assert shown(f"trial next {plan} {log}").splitlines()[1] == (
        "response due and missing, left out: patients number 5 in the log"
    )
    write(8, 6)
    ended = shown(f"trial next {plan} {log}")
    assert ended.startswith("The trial ends at the look after 8 patients; the responses of the las")
    command = ended.splitlines()[1].strip()
    assert result(f"trial next {plan} {log}") == {"ends": True, "test": command, "waiting": 2}
    write(8, 8)
    trial = Trial([0.5, 0.5], 14, delay=2, stopping=ExactStopping([8], ConditionalTest(0.3)))
    by_counts = trials.test(
        "equal", successes=[0, 4], failures=[4, 0], trial=trial, test=ConditionalTest(0.3)
    )
    assert f"p = {by_counts.p_value:.4g} " in shown(command.removeprefix("bamdp "))


def test_three_arms_that_are_simulated_from_the_plan_to_the_analysis(
    shown: Shown, tmp_path: Path
) -> None:
    names = "--names control low high"
    plan = f"--patients 24 --delay 12 {names} --looks 16 --alpha 0.3"
    table = shown(f"trial --arms 0.1 0.2 0.9 --designs thompson {plan} --runs 200")
    assert "† The same test, by re-randomisation: 1,000 simulated trials" in table
    file = tmp_path / "trial.csv"
    arms = ("control", "low", "high") * 8
    rows = [f"{n + 1},{arm},{int(arm == 'high')}" for n, arm in enumerate(arms)]
    file.write_text("\n".join(["patient,arm,response", *rows]))
    found = shown(f"trial test --design thompson {plan.replace('--looks 16', '')} --log {file}")
    assert " by 20,000 simulated trials)   re-randomisation test (Wald statistic)" in found


def test_help_has_every_design_with_its_settings(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["trial", "--help"])
    shown = capsys.readouterr().out
    assert set(available()) <= set(shown.split())
    assert "future=1000, decision=best" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ("--arms 0.3,0.5", "arms must be numbers separated by spaces, not commas, got '0.3,0.5'"),
        ("protocol --output p.pdf", "--output must end in .html, got 'p.pdf'"),
        (
            "test --successes 0 0 --failures 0 0",
            "successes and failures of each arm are needed, not all 0",
        ),
        ("--arms 0.3", "arms must be the success probabilities of at least two arms"),
        ("--patients 0", "patients must be"),
        ("--designs thomson", "did you mean 'thompson'"),
        ("0.3 0.5", "trial takes flags, or one of next, table, test, protocol"),
        ("nxt --seed 1", "did you mean 'next'"),
        ("next --design gittins:discont=0.9", "did you mean 'discount'"),
        (
            "next --patients 20 --successes 1 2 3 --failures 1 2",
            "the same two arms or more, got 3 and 2",
        ),
        (
            "next --patients 3 --successes 1 2 --failures 0 0",
            "all 3 patients of the trial are allocated",
        ),
        *[
            (
                f"next --design {design} {LOOK} --successes 5 0 --failures 0 4 --waiting {waiting}",
                f"at the look after 10 patients, which comes first and needs all responses so far, "
                f"got 9 responses and {waiting} waiting",
            )
            for design in ("randomised", "thompson")
            for waiting in (1, 2, 10)
        ],
        (
            "next --design thompson --patients 20 --successes 5 0 --failures 0 4 --waiting 2",
            "must be those of the first 11 patients, by the trial's block and delay, "
            "got 9 responses and 2 waiting: wait for the missing ones",
        ),
        ("next --log no.csv", "names of the arms are needed with --log, the control first"),
        ("next --names a b --log no.csv", "No such file or directory: 'no.csv'"),
        (
            "next --names a b --log no.csv --waiting 2",
            "--log has all patients: leave out --waiting",
        ),
        (
            "next --design equal --patients 20 --looks 10 --alpha 0.2 --successes 0 6 "
            "--failures 5 0",
            "a trial that continues after the look after 10 patients can't have",
        ),
        ("next --design permuted-blocks:size=3", "size must be a multiple of the number of arms"),
        ("next --names drug --successes 1 2 --failures 0 0", "names must be 2 different names"),
        ("table --output x.txt", "output must end in .csv or .parquet, got"),
        (
            "test --patients 40 --successes 1 19 --failures 4 6",
            "are of 30 patients, and the trial may end after 40",
        ),
        ("test --patients 0 --successes 1 19 --failures 4 6", "patients must be"),
        ("test --design equal", "successes and failures of each arm are needed"),
        (
            "test --successes 1 -3 --failures 0 1",
            "each of successes must be an integer of at least 0, got -3",
        ),
        *[
            (
                f"{command} --patients 80 --block 4 --looks 41 60",
                "looks must be multiples of the block, 4 patients",
            )
            for command in (
                "--designs equal",
                "next --design thompson --successes 3 17 --failures 15 5",
                "next --design equal",
                "table --design thompson --output build/t.csv",
                "test --design equal --successes 0 20 --failures 21 0",
                "protocol --design equal --output build/p.html",
            )
        ],
        (
            "next --design forward-gittins:block=4 --patients 80 --looks 41",
            "multiples of the block, 4 patients, got (41,)",
        ),
        ("--picture x.pdf", "must be one of '.svg', '.png'"),
        ("--prior-successes 1 2 3", "prior must be for the 2 arms"),
    ],
)
def test_bad_input_gets_a_sentence(
    flags: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trial", *flags.split()]) == 2
    assert sentence in capsys.readouterr().err
