"""`bamdp fit`: tables of choices and recovery, JSON and pictures."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bamdp.cli.main import main
from bamdp.fit import recover
from bamdp.fit.tasks import bandit

CHOICES = Path(__file__).parents[2] / "examples" / "choices.csv"
TASK = "--task bernoulli-arms:horizon=10,sure=0.5"
Shown = Callable[[str], str]
Result = Callable[[str], Any]


def test_the_command_is_the_function(result: Result, tmp_path: Path) -> None:
    data = result(f"fit recover bandit --people 5 --games 1 --rows {tmp_path}/rows.jsonl")
    found = recover(bandit(games=1), 5)
    assert data["people"] == 5
    assert data["parameters"]["optimism"]["bias"] == pytest.approx(found.bias("optimism").value)
    assert data["parameters"]["temperature"]["coverage"] == found.coverage("temperature").value
    assert len((tmp_path / "rows.jsonl").read_text().splitlines()) == 5


def test_the_table_and_the_picture(shown: Shown, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    text = shown(f"fit recover bandit --people 5 --games 1 --picture {tmp_path}/x.svg")
    assert text.startswith("5 simulated people")
    assert (tmp_path / "x.svg").stat().st_size > 1000


def test_a_table_is_fitted(result: Result, shown: Shown, tmp_path: Path) -> None:
    text = shown(f"fit {CHOICES} exact {TASK}")
    assert "temperature" in text
    assert "The model 'exact' was fitted to 600 choices of 4 people" in text
    data = result(f"fit {CHOICES} posterior-means --group {TASK}")
    assert data["rows"]["subject"] == ["A", "B", "C", "D"]
    assert "integrated BIC" in data["sentence"]


def test_models_are_compared(shown: Shown, tmp_path: Path) -> None:
    text = shown(f"fit {CHOICES} exact exact:depth=1 {TASK} --folds 2 --picture {tmp_path}/x.png")
    assert "protected" in text
    assert "guessing" in text
    assert (tmp_path / "x.png").exists()


def test_labels_and_missing_choices(result: Result, tmp_path: Path) -> None:
    """As R writes them, and with spaces: NA is no choice."""
    table = tmp_path / "bandit.csv"
    lines = [
        "participant, trial, choice, reward",
        *(f"ann,{i},{'left' if i % 3 else 'right'},{i % 2}" for i in range(1, 9)),
    ]
    table.write_text("\n".join([*lines, "ann,9,NA,NA", "ann,10, left,1"]) + "\n")
    columns = "--subject participant --step trial --action choice --actions 'left, right'"
    data = result(f"fit {table} exact --task bernoulli-arms {columns}")
    assert data["rows"]["choices"] == [9]
    assert data["notes"] == ["temperature is at a bound for ann: values beyond may fit better"]


def test_a_column_that_is_not_read_is_said(
    result: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that may be the person is an error, unless a flag names it; any other is named
    in a note.
    """
    table = tmp_path / "bandit.csv"
    rows = [f"{who},{who + i},{i % 2},{i % 2}" for who in (1, 2, 3) for i in range(8)]
    table.write_text("\n".join(["Subject,age,action,reward", *rows]) + "\n")
    assert main(["fit", str(table), "exact", "--task", "bernoulli-arms"]) == 2
    error = capsys.readouterr().err
    assert "data has no column subject, and 'Subject' may be it" in error
    assert "--subject Subject" in error
    data = result(f"fit {table} exact --task bernoulli-arms --subject Subject")
    assert data["rows"]["subject"] == [1, 2, 3]
    assert "columns that were not read: age" in data["notes"][-1]


@pytest.mark.slow
def test_models(result: Result, shown: Shown, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    rows = f"--rows {tmp_path}/rows.jsonl"
    data = result(f"fit recover models --people 1 --games 2 {rows}")
    assert data["models"] == ["posterior mean", "Thompson", "short horizon", "long horizon"]
    assert [sum(row) for row in data["matrix"]] == [1.0] * 4
    assert "lowest BIC" in shown(
        f"fit recover models --people 1 --games 2 {rows} --picture {tmp_path}/x.png"
    )
    assert (tmp_path / "x.png").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", "fit needs a table and models"),
        ("recover", "fit needs a CSV file and models, or 'recover' and a task"),
        ("x.csv exact", "fit needs --task"),
        ("x.csv exact ucb --group --task bernoulli-arms", "--group is for one model"),
        ("x.csv exact --task bernoulli-arms", "x.csv"),
        (
            "{choices} exat --task bernoulli-arms:sure=0.5",
            "unknown model 'exat'; did you mean 'exact'",
        ),
        ("x.csv exact --between age --task bernoulli-arms", "--between is for --group"),
        (
            "{choices} exact --task bernouli-arms",
            "unknown task 'bernouli-arms'; did you mean 'bernoulli-arms'",
        ),
        ("{choices} exact --task bernoulli-arms:horizn=3", "did you mean 'horizon'"),
        (
            "{choices} exact:depth=x --task bernoulli-arms",
            "depth must be an integer or None, got 'x'",
        ),
        (
            "{choices} exact --task bernoulli-arms:horizon=10",
            "row 3, subject A, game 1, step 3: reward is 0.5",
        ),
        (
            "{choices} exact --task bernoulli-arms --action choise",
            "action must be a column of the table, got 'choise'",
        ),
        (
            "{choices} exact --task bernoulli-arms:sure=0.5 --people 5",
            "--people is for recover, not for a table of choices",
        ),
        ("recover bandit --folds 3", "--folds is for a table of choices, not for recover"),
        (
            "recover bandit --task bernoulli-arms",
            "--task is for a table of choices, not for recover",
        ),
        ("exact {choices} --task bernoulli-arms", "there is no file exact; the table comes first"),
        (
            "{choices} exact --group --between stat --task bernoulli-arms:sure=0.5",
            "column stat, which",
        ),
        ("recver bandit", "did you mean 'recover'"),
        ("recover bandits", "did you mean 'bandit'"),
        ("recover bandit --people 0", "people must be"),
        ("recover bandit --picture x.gif", "the ending of x.gif must be"),
        ("recover models --simulations 3", "simulations must not be given for models"),
    ],
)
def test_bad_input_gets_a_sentence(
    words: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", *words.format(choices=CHOICES).split()]) == 2
    assert sentence in capsys.readouterr().err
