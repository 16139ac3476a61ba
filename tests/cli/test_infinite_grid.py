"""The infinite grid on the command line: the paper's worlds and priors by flags."""

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
