"""`bamdp regret`: what it prints."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bamdp.cli.main import main


def test_the_command(result: Callable[[str], Any], shown: Callable[[str], str]) -> None:
    line = "regret random-mdp2:num_actions=2,discount=0.6 random --runs 30"
    data = result(line)
    assert data["error_bound"] <= 0.01
    assert data["regret_low"] < data["regret"] < data["regret_high"]
    assert len(data["regrets"]) == 30
    assert data["by"] == "losses"
    text = shown(f"{line} --steps 3")
    assert "Bayes-optimal value" in text
    assert "each of 3 steps" in text


def test_grid_navi_is_solved_and_agents_are_judged_by_their_returns(
    result: Callable[[str], Any], shown: Callable[[str], str]
) -> None:
    line = "regret grid-navi random --runs 6"
    data = result(line)
    assert data["optimal_value"] == pytest.approx(37.2142857)
    assert data["by"] == "returns"
    assert data["regret"] == pytest.approx(data["optimal_value"] - data["mean_return"])
    assert "regrets by returns" in shown(line)


def test_a_problem_is_taken_by_its_name(result: Callable[[str], Any]) -> None:
    data = result("regret small-chain posterior-mean --runs 5 --steps 4")
    assert data["steps"] == 4
    assert "Dirichlet" in data["settings"]["prior"], "the problem's prior"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("bbrl-gc posterior-mean", "try --steps 11"),
        ("riverswim posterior-mean", "worlds drawn from the prior of the agents"),
        ("small-randm posterior-mean", "did you mean 'small-random'"),
    ],
)
def test_problems_that_cannot_be_solved_are_rejected_at_once(
    line: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["regret", *line.split()]) == 2
    assert why in " ".join(capsys.readouterr().err.split())


def test_a_function_may_make_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its worlds are drawn from its prior, so that no single one can be played."""
    lines = ["import bamdp", "def pond():", "    prior = bamdp.priors.Dirichlet()"]
    (tmp_path / "ponds.py").write_text(
        "\n".join([*lines, "    return bamdp.BAMDP(prior, [[0, 0.2], [1, 1]], 0.9, horizon=3)"])
    )
    monkeypatch.chdir(tmp_path)
    assert main(["regret", "ponds:pond", "posterior-mean", "--runs", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["error_bound"] == 0
    assert main(["play", "ponds:pond", "posterior-mean"]) == 2
    assert "domain must be a single world, got 'ponds:pond'" in capsys.readouterr().err
