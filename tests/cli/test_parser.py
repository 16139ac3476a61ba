import math
from typing import Literal

import pytest

from bamdp.cli.parser import UsageError, parse, split, user_errors
from bamdp.config.parameters import Parameter

SEED, ALPHA = Parameter("seed", int, 0, ""), Parameter("alpha", float | None, None, "")
PAIR = Parameter("columns", tuple[float, float], (1.0, 2.0), "")


def test_values_by_name() -> None:
    groups = {"run": [SEED], "none": [], "prior": [SEED, ALPHA, PAIR]}
    values = parse(groups, ["--prior-seed", "3", "--alpha", "1", "--columns", "3", "0.5"], "prog", "")
    assert values == {"seed": 0, "prior_seed": 3, "alpha": 1.0, "columns": (3.0, 0.5)}


@pytest.mark.parametrize("text", ["10000", "1e4", "1E4", "10_000", "10000.0"])
def test_integers_as_people_write_them(text: str) -> None:
    values = parse({"run": [SEED, Parameter("runs", int | None, None, "")]}, ["--seed", text, "--runs", text], "prog", "")
    assert values == {"seed": 10_000, "runs": 10_000}
    assert all(type(value) is int for value in values.values())


@pytest.mark.parametrize("text", ["1.5", "1e-1", "inf", "nan", "x", ""])
def test_what_is_no_integer_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        parse({"run": [SEED]}, ["--seed", text], "prog", "")
    assert "must be an integer, got" in capsys.readouterr().err


WORD = Parameter("word", Literal["learned", "uniform"] | float | None, None, "")


def test_one_of_several_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    read = [parse({"run": [WORD]}, ["--word", text], "prog", "")["word"] for text in ("learned", "0.5", "None", "inf")]
    assert read == ["learned", 0.5, None, math.inf]
    with pytest.raises(SystemExit, match="2"):
        parse({"run": [WORD]}, ["--word", "unifrm"], "prog", "")
    assert "did you mean 'uniform'?" in " ".join(capsys.readouterr().err.replace("│", " ").split())


def test_help_has_what_is_basic_first_and_no_types_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    memory, others = Parameter("memory", float | None, None, ""), [Parameter(name, int | None, None, "") for name in "abcdef"]
    with pytest.raises(SystemExit, match="0"):
        parse({"run": [memory, *others]}, ["--help"], "prog", "")
    shown = capsys.readouterr().out.partition("--help")[2]
    places = [shown.index(text) for text in ("run options", "--a INT", "--f INT", "expert-run options", "--memory NUMBER")]
    assert places == sorted(places)
    assert "None" not in shown, "neither as a type nor as a default"


def test_switches_take_no_value() -> None:
    with pytest.raises(UsageError, match=r"--json takes no value, got '5'"):
        parse({"run": [Parameter("json", bool, False, "")]}, ["--json=5"], "prog", "")


def test_arguments_come_before_flags() -> None:
    assert split(["a", "b", "--c", "d"]) == (["a", "b"], ["--c", "d"])


def test_errors_name_the_flag() -> None:
    with pytest.raises(UsageError, match=r"^error must be small"), user_errors({"tolerance": "error"}):
        raise ValueError("tolerance must be small")
    with pytest.raises(ZeroDivisionError), user_errors():
        raise ZeroDivisionError
