"""Gymnasium environments on the command line: `gym:ID`, and the flags that go with it."""

import json
from typing import Any

import pytest

from bamdp.cli import main as cli
from bamdp.config.names import find, listing


def played(capsys: pytest.CaptureFixture[str], words: str) -> Any:
    assert cli.main(["play", *words.split(), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", ["FrozenLake-v1", "Taxi-v4", "CliffWalking-v1", "Blackjack-v1"])
def test_play(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = played(capsys, f"gym:{name} bamcp --simulations 20 --steps 60 --runs 2")
    assert len(result["total_rewards"]) == 2
    assert result["settings"]["domain"].startswith(f"Gymnasium({name}, ")


def test_episodes_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    words = "gym:FrozenLake-v1 random --steps 200 --runs 2"
    result = played(capsys, words)
    assert len(result["episode_rewards"]) == 2
    assert all(len(run) > 5 for run in result["episode_rewards"])
    assert cli.main(["play", *words.split()]) == 0
    total = sum(map(len, result["episode_rewards"]))
    assert f"{total}, mean reward of each" in capsys.readouterr().out
    assert "episode_rewards" not in played(capsys, "chain random --steps 20")


def test_flags_of_the_domain_and_of_the_prior(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--rewards", "learned", "--make", "map_name=8x8 is_slippery=False", "--alpha", "0.5", "--discount", "0.9"]
    assert cli.main(["play", "gym:FrozenLake-v1", "bayesian-dp", "--steps", "5", "--json", *flags]) == 0
    settings = json.loads(capsys.readouterr().out)["settings"]
    assert settings["domain"] == "Gymnasium(FrozenLake-v1, 65 states, 4 actions, rewards=learned)"
    assert settings["prior"] == "UnknownRewards(SparseDirichlet(alpha=0.5, exponent=2.0), values=[0.0, 1.0])"
    assert settings["discount"] == 0.9
    settings = played(capsys, "gym:Blackjack-v1 bamcp --values=-1,0,1,1.5 --prior dirichlet --simulations 5 --steps 5")[
        "settings"
    ]
    assert settings["prior"] == "UnknownRewards(Dirichlet(1/S), values=[-1.0, 0.0, 1.0, 1.5])"


def test_an_id_without_a_version_says_which_one_was_made(capsys: pytest.CaptureFixture[str]) -> None:
    """And Gymnasium's own warning of it is not shown: here warnings are errors."""
    assert played(capsys, "gym:FrozenLake random --steps 5")["settings"]["domain"].startswith("Gymnasium(FrozenLake-v1, ")


def test_help_tells_how_to_name_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["play", "--help"]) == 0
    assert "gym:<ID>: an id of gymnasium.make, as in gym:FrozenLake-v1" in capsys.readouterr().out


def test_it_is_listed() -> None:
    assert "gym:<ID>" in listing("domain")
    assert find("domain", "gym:FrozenLake-v1").factory(map_name="8x8").num_states == 64


def test_tune(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["tune", "gym:FrozenLake-v1", "q-learning", "--grid", "learning_rate=0.1,1", "--runs", "2", "--steps", "50"]
    assert cli.main(words) == 0
    assert "learning_rate" in capsys.readouterr().out
