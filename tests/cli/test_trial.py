"""`bamdp trial`: the table, JSON and pictures."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bamdp.cli.main import main
from bamdp.priors import BetaArms
from bamdp.trials import Trial, compare
from bamdp.trials.comparison import DESIGNS

Shown = Callable[[str], str]
Result = Callable[[str], Any]


def test_the_numbers_are_those_of_python(result: Result) -> None:
    flags = "--designs equal gittins --successes 1 2 --block 2 --floor 0.1 --alpha 0.1 --alternative greater --null 0.2 0.2"
    data = result(f"trial --arms 0.3 0.5 --patients 10 {flags}")
    trial = Trial([0.3, 0.5], 10, BetaArms([1, 2]), block=2, floor=0.1)
    settings: dict[str, Any] = {"alpha": 0.1, "alternative": "greater", "null": [0.2, 0.2]}
    assert data == json.loads(compare(trial, ["equal", "gittins"], **settings).to_json())


def test_the_table_and_the_picture(shown: Shown, tmp_path: Path) -> None:
    text = shown(f"trial --arms 0.3 0.5 --patients 10 --delay 2 --designs equal thompson --runs 20 --picture {tmp_path}/x.svg")
    assert text.startswith("10 patients, success probabilities 0.3, 0.5, responses 2 patients late")
    assert (tmp_path / "x.svg").exists()


def test_help_names_every_design(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["trial", "--help"])
    words = capsys.readouterr().out.split()
    assert set(DESIGNS) <= set(words)


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ("--arms 0.3", "arms must be the success probabilities of at least two arms"),
        ("--patients 0", "patients must be"),
        ("--designs thomson", "did you mean 'thompson'"),
        ("0.3 0.5", "trial takes flags only"),
        ("--picture x.gif", "picture must be"),
        ("--successes 1 2 3", "prior must be for the 2 arms"),
    ],
)
def test_bad_input_gets_a_sentence(flags: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trial", *flags.split()]) == 2
    assert sentence in capsys.readouterr().err
