"""Flags: how they are read, and what is said of those that there aren't."""

import re

import pytest

from bamdp.cli.parser import UsageError, parse_flags, split_words, user_errors
from bamdp.config.parameters import Parameter

FLAGS = [
    Parameter("seed", int, 0, "the seed"),
    Parameter("dry_run", bool, False, ""),
    Parameter("open", bool, True, ""),
    Parameter("width", float | None, None, "95 % of it"),
    Parameter("arms", tuple[float, ...], (0.3, 0.5), "some"),
    Parameter("designs", tuple[str, ...], (), ""),
]


def read(line: str) -> dict[str, object]:
    return parse_flags(FLAGS, line.split(), "bamdp run", "")


def test_values_by_name() -> None:
    usual = {
        "seed": 0,
        "dry_run": False,
        "open": True,
        "width": None,
        "arms": (0.3, 0.5),
        "designs": (),
    }
    assert read("") == usual
    given = {
        "seed": 10_000,
        "dry_run": True,
        "open": False,
        "width": 0.5,
        "arms": (1.0, 2.0, 3.0),
        "designs": ("a",),
    }
    assert read("--seed 1e4 --dry-run --no-open --width=.5 --arms 1 2 3 --designs a") == given
    assert read("--width None --seed -1") == usual | {"seed": -1}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--seed x", "seed must be an integer, got 'x'"),
        ("--seed", "--seed: expected one argument; see bamdp run --help"),
        ("--dry-run=5", "--dry-run: ignored explicit argument '5'"),
        ("--arms a", "arms must be a number, got 'a'"),
        ("--sed 3", "unknown flag '--sed'; did you mean '--seed'? See bamdp run --help"),
        ("--zzz", "unknown flag '--zzz'. See bamdp run --help"),
        ("-z", "unknown flag '-z'"),
        ("--dry-run x", "names come before flags, got 'x' after them"),
    ],
)
def test_mistakes(line: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(line)
    assert message in str(caught.value)


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        parse_flags(FLAGS, ["--help"], "bamdp run NAME", "What it does.\n\nexample:\n  bamdp run x")
    shown = capsys.readouterr().out
    assert shown.startswith(
        "usage: bamdp run NAME [flags]\n\nWhat it does.\n\nexample:\n  bamdp run x\n"
    )
    assert re.search(r"--seed INT +the seed \(default: 0\)", shown)
    assert re.search(r"--width NUMBER +95 % of it\n", shown)
    assert "(default: 0.3 0.5)" in shown
    assert "None" not in shown, "neither as a type nor as a default"


def test_arguments_come_before_flags() -> None:
    assert split_words(["a", "b", "--c", "d"]) == (["a", "b"], ["--c", "d"])


def test_errors_name_the_flag() -> None:
    with (
        pytest.raises(UsageError, match=r"^error must be small"),
        user_errors({"tolerance": "error"}),
    ):
        raise ValueError("tolerance must be small")
    with pytest.raises(ZeroDivisionError), user_errors():
        raise ZeroDivisionError
