"""`bamdp regret`: what it prints, and mistakes."""

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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("chain random --limit 1000", "belief states would be needed"),
        ("chain gittins --steps 2", "for bandits only"),
        ("bandit oracle", "agent must be one that learns the world, got Oracle, which knows it"),
        ("bandit random --steps 0", "steps must be"),
        ("chain random --steps 2 --runs 0", "runs must be"),
        ("chain", "regret needs an agent after the domain 'chain'"),
    ],
)
def test_mistakes_get_one_line(capsys: pytest.CaptureFixture[str], words: str, message: str) -> None:
    assert cli.main(["regret", *words.split()]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["regret", "--help"]) == 0
    assert "usage: bamdp regret DOMAIN AGENT" in capsys.readouterr().out
