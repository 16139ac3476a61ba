"""The infinite grid on the command line: the paper's worlds and priors by flags, and a sentence for every mistake."""

import json
from typing import Any

import pytest

from bamdp.cli import main as cli

SMALL = ["--simulations", "5", "--steps", "3"]


def played(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert cli.main(["play", "infinite-grid", "bamcp", *SMALL, *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["settings"]


# Worlds of Figures 2, S5a and S5b: columns and rows, and the wrong prior's.
WORLDS = {
    "figure 2": ("1 2", "2 1", "2 1", "1 2"),
    "figure S5a": ("0.5 0.5", "0.5 0.5", "4 1", "0.5 0.5"),
    "figure S5b": ("0.5 0.5", "1 3", "1 3", "0.5 0.5"),
    "swapped from the default": ("2 1", "1 2", "1 2", "2 1"),
}


def pair(text: str) -> str:
    return str(tuple(float(number) for number in text.split()))


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_worlds_of_the_paper_with_right_and_wrong_priors(world: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    columns, rows, wrong_columns, wrong_rows = world
    flags = ["--columns", *columns.split(), "--rows", *rows.split()]
    right = played(capsys, *flags)
    assert right["domain"] == f"InfiniteGrid(columns={pair(columns)}, rows={pair(rows)})"
    assert right["prior"].startswith(f"GridRewards(columns={pair(columns)}, rows={pair(rows)},")
    assert str(tuple(right["prior_columns"])) == pair(columns), "what is reported is what was used"
    wrong = played(capsys, *flags, "--prior-columns", *wrong_columns.split(), "--prior-rows", *wrong_rows.split())
    assert wrong["domain"] == right["domain"]
    assert wrong["prior"].startswith(f"GridRewards(columns={pair(wrong_columns)}, rows={pair(wrong_rows)},")


def test_half_of_a_prior_is_wrong_and_half_the_worlds_own(capsys: pytest.CaptureFixture[str]) -> None:
    settings = played(capsys, "--columns", "4", "1", "--prior-rows", "1", "3", "--cap", "none", "--proposal", "authors")
    assert settings["prior"].startswith("GridRewards(columns=(4.0, 1.0), rows=(1.0, 3.0),")
    assert settings["prior"].endswith("proposal='authors', cap='none')")


MISTAKES = {
    "--columns 0 1": "columns must be two numbers above 0 and up to 1e6, got (0.0, 1.0)",
    "--rows 1 -2": "rows must be two numbers above 0",
    "--rows 1e9 1": "rows must be two numbers above 0",
    "--prior-columns 0 1": "prior_columns must be two numbers above 0",
    "--prior-rows nan 1": "prior_rows must be two numbers above 0",
    "--domain-seed -2": "domain_seed must be an integer of at least 0, got -2",
    "--discount 1": "discount must be a finite number in [0, 1), got 1.0",
    "--updates-per-simulation -1": "updates_per_simulation must be an integer from 0 to 1000000, got -1",
    "--updates-per-search -1": "updates_per_search must be",
    "--cap -2": "cap must be a finite number in [0, inf], got -2.0",
    "--rollouts best-arm": 'rollouts="best-arm" is for bandits only',
    "--sampling full": 'sampling="full" needs finitely many parameters',
    "--prior dirichlet": "use GridRewards, Lazy or Compiled there",
    "--prior gridrewards": "unknown prior 'gridrewards'; did you mean 'grid-rewards'?",
}


@pytest.mark.parametrize("words", MISTAKES)
def test_mistakes_get_one_sentence(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["play", "infinite-grid", "bamcp", *SMALL, *words.split()]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("bamdp: error: ")
    assert MISTAKES[words] in shown.err
    assert shown.err.count("\n") == 1


# Words that aren't flags or values at all: tyro answers, in a box.
TYPOS = {
    "--colums 1 2": "--columns",
    "--prior-colums 1 2": "--prior-columns",
    "--columns 1": "Expected 2 values",
    "--columns a b": "must be two numbers, got a b",
    "--prior-rows 1 2 3": "Unrecognized options: 3",
    "--proposal author": "'authors'",
    "--rollouts strait": "'straight'",
    "--cap non": "FLOAT|{none}",
    "--domain-seed x": "INT",
    "--updates-per-search 1.5": "INT",
}


@pytest.mark.parametrize("words", TYPOS)
def test_typos_are_answered_with_what_is_right(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exited:
        cli.main(["play", "infinite-grid", "bamcp", *words.split()])
    assert exited.value.code == 2
    assert TYPOS[words] in capsys.readouterr().err
