"""`bamdp regret`: what it prints."""

import json

import pytest

from bamdp.cli import main as cli


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["regret", "random-mdp2", "random", "--num-actions", "2", "--discount", "0.6", "--runs", "30"]
    assert cli.main([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["error_bound"] <= 0.01
    assert data["regret"]["ci95"][0] < data["regret"]["mean"] < data["regret"]["ci95"][1]
    assert data["policy_value"] == pytest.approx(data["optimal_value"] - data["regret"]["mean"])
    assert len(data["regrets"]) == 30
    assert cli.main([*words, "--steps", "3"]) == 0
    text = capsys.readouterr().out
    assert "Bayes-optimal value" in text
    assert "each of 3 steps" in text


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["regret", "--help"]) == 0
    assert "usage: bamdp regret DOMAIN AGENT" in capsys.readouterr().out
