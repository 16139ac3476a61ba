"""`bamdp play`: its results, and what its flags do."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bamdp.cli import main as cli
from bamdp.comparing import table
from bamdp.config import names
from bamdp.statistics import ratio

Shown = Callable[[str], str]
Result = Callable[[str], Any]


@pytest.mark.parametrize(
    "words", ["grid3 random --steps 200", "double-loop bamcp:simulations=100 --steps 60"]
)
def test_the_same_seed_gives_the_same_totals_whatever_the_workers(
    words: str, result: Result
) -> None:
    runs = [
        result(f"play {words} --runs 4 {more}")
        for more in ("--workers 1", "--workers 3", "--workers 3", "--seed 1")
    ]
    totals = [done["total_rewards"] for done in runs]
    assert totals[0] == totals[1] == totals[2] != totals[3]
    assert len(set(totals[0])) > 1


def test_everything_can_be_played_with_its_defaults(result: Result) -> None:
    for domain in names.DOMAINS.find_all():
        assert len(result(f"play {domain.name} random --steps 3")["total_rewards"]) == 1
    for agent in names.AGENTS.find_all():
        world = "bandit" if "gittins" in agent.name else "chain"
        assert len(result(f"play {world} {agent.name} --steps 3")["total_rewards"]) == 1


def test_json_has_exactly_what_was_promised(result: Result) -> None:
    data = result("play chain:slip=0.1 random --runs 5 --steps 100 --workers 2")
    means, speeds = (
        {"mean", "mean_low", "mean_high"},
        {"seconds_per_step", "simulations_per_second", "full_searches"},
    )
    assert set(data) == {"total_rewards", "settings"} | means | speeds
    assert data["mean"] == pytest.approx(sum(data["total_rewards"]) / 5)
    assert data["mean_low"] < data["mean"] < data["mean_high"]
    assert data["seconds_per_step"] > 0
    assert data["simulations_per_second"] is None
    assert result("play chain bamcp:simulations=100 --steps 3")["simulations_per_second"] > 0
    settings = data["settings"]
    assert settings["domain"].startswith("Chain(")
    assert settings["agent"].startswith("Random(")
    assert (settings["steps"], settings["runs"], settings["seed"]) == (100, 5, 0)
    assert settings["command"] == "bamdp play chain:slip=0.1 random --steps 100 --runs 5"


def test_few_runs_have_no_interval(result: Result, shown: Shown) -> None:
    for runs in (1, 4):
        assert result(f"play chain random --steps 5 --runs {runs}")["mean_low"] is None
        assert "no interval from fewer than 5 runs" in shown(
            f"play chain random --steps 5 --runs {runs}"
        )


def test_settings_reach_the_domain_and_the_prior(result: Result) -> None:
    assert result("play bandit random")["settings"]["steps"] == 300, "the domain's unless given"
    assert (
        result("play chain:slip=0 oracle --steps 10")["mean"] == 60
    )  # four steps to the end, then ten each time
    assert (
        result("play grid3 bamcp --steps 2 --prior dirichlet:alpha=0.25")["settings"]["prior"]
        == "Dirichlet(0.25)"
    )


def test_the_seed_of_a_domain_is_not_that_of_the_runs(result: Result) -> None:
    one, two = (result(f"play random-mdp:seed={seed} oracle") for seed in (1, 2))
    assert one["settings"]["seed"] == two["settings"]["seed"] == 0
    assert one["mean"] != two["mean"]


def test_an_infinite_grid_with_a_wrong_prior(result: Result) -> None:
    line = "play infinite-grid:columns=0.5,0.5,rows=1,3 bamcp:simulations=5 --steps 3"
    right, wrong = (
        result(f"{line} {prior}")["settings"]
        for prior in ("", "--prior grid-rewards:columns=1,3,cap=none")
    )
    assert right["domain"] == wrong["domain"] == "InfiniteGrid(columns=(0.5, 0.5), rows=(1.0, 3.0))"
    assert right["prior"].startswith("GridRewards(columns=(0.5, 0.5), rows=(1.0, 3.0),")
    assert wrong["prior"].startswith("GridRewards(columns=(1.0, 3.0), rows=(2.0, 1.0),")
    assert wrong["prior"].endswith("cap='none')")


def test_episodes_are_reported(result: Result, shown: Shown) -> None:
    line = "play gym:FrozenLake-v1 random --steps 200 --runs 2"
    data = result(line)
    episodes = data["episode_rewards"]
    assert [len(run) > 5 for run in episodes] == [True, True]
    every = [reward for run in episodes for reward in run]
    assert data["episodes"] == len(every)
    assert data["return_per_episode"] == data["success_rate"] == sum(every) / len(every)
    lines = [text for text in shown(line).splitlines() if text.strip()]
    assert [text.split("  ")[0] for text in lines[2:5]] == [
        "return per episode",
        "success rate",
        "episodes",
    ], "they come first"
    assert lines[4].split() == ["episodes", str(len(every))]
    assert not {"episode_rewards", "episodes"} & set(result("play chain random --steps 20"))


def test_no_episode_is_said_to_be_none(result: Result, shown: Shown) -> None:
    """CliffWalking pays −1 a step: a short run ends no episode, and a finished one is no success or
    failure.
    """
    line = "play gym:CliffWalking-v1 random --steps 3 --runs 2"
    data = result(line)
    assert (data["episodes"], data["return_per_episode"], data["success_rate"]) == (0, None, None)
    assert data["episode_rewards"] == [[], []]
    rows = {text.split("  ")[0]: text.split() for text in shown(line).splitlines()}
    assert rows["episodes"] == ["episodes", "0"]
    assert rows["return per episode"][-1] == "—"
    played = result("play gym:CliffWalking-v1 oracle --steps 60 --runs 6")
    assert played["return_per_episode"] == -13
    assert played["success_rate"] is None
    assert played["return_per_episode_low"] is None, "all equal"


def test_return_per_episode_is_over_all_episodes_with_an_interval_over_runs() -> None:
    returns = [(1.0, 0.0, 1.0), (1.0,), (0.0, 0.0), (1.0, 1.0), ()]
    done = [{"episodes": len(some), "episode_rewards": some} for some in returns]
    expected = ratio([2, 1, 0, 2, 0], [3, 1, 2, 2, 0])
    assert table.per_episode(done) == expected
    assert (table.count_of_episodes(done), table.success_rate(done), expected.value) == (
        8,
        5 / 8,
        5 / 8,
    )
    assert table.success_rate([*done, {"episodes": 1, "episode_rewards": (2.0,)}]) is None


def test_the_table_ends_with_what_was_played(shown: Shown) -> None:
    text = shown("play chain:slip=0.1 bamcp:simulations=7 --steps 5 --seed 3")
    assert text.count("Dirichlet") == 1, "the prior, once"
    head, *_, last = text.strip().splitlines()
    assert head.strip() == "bamcp:simulations=7 in chain:slip=0.1"
    assert (
        last == "command                  bamdp play chain:slip=0.1 bamcp:simulations=7 --steps 5 "
        "--seed 3"
    )


def test_numbers_are_as_precise_as_they_are_certain(shown: Shown) -> None:
    rows = {
        text.split("  ")[0]: text.split("  ", 1)[-1].strip()
        for text in shown("play chain random --runs 6").splitlines()
    }
    mean, low, high = re.fullmatch(
        r"(\d+) +95 % interval (\d+) … (\d+)", rows["mean total reward"]
    ).groups()  # type: ignore[union-attr]
    assert int(low) < int(mean) < int(high)
    assert len(rows["total rewards"].split(", ")) == 6


def test_an_environment_of_the_current_folder(tmp_path: Path) -> None:
    """As `module:Name` is found there, by the console script, whose path doesn't begin with the
    current folder.
    """
    lake = "from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv"
    (tmp_path / "lakes.py").write_text(
        f"import gymnasium\n{lake}\ngymnasium.register('Mine-v0', entry_point=FrozenLakeEnv)\n"
    )
    script = Path(sys.executable).with_name("bamdp")
    words = ["play", "gym:lakes:Mine-v0", "random", "--steps", "5", "--json"]
    done = subprocess.run([script, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["settings"]["domain"].startswith("Gymnasium(lakes:Mine-v0")


def test_settings_of_gymnasium(result: Result) -> None:
    domain = "gym:FrozenLake-v1:rewards=learned,map_name=8x8,is_slippery=False,discount=0.9"
    settings = result(f"play {domain} bayesian-dp --steps 5 --prior sparse-dirichlet:alpha=0.5")[
        "settings"
    ]
    assert settings["domain"] == "Gymnasium(FrozenLake-v1, 65 states, 4 actions, rewards=learned)"
    assert (
        settings["prior"]
        == "UnknownRewards(SparseDirichlet(alpha=0.5, exponent=2.0), values=[0.0, 1.0])"
    )
    line = "play gym:Blackjack-v1:values=-1,0,1,1.5 bamcp:simulations=5 --prior dirichlet --steps 5"
    assert (
        result(line)["settings"]["prior"]
        == "UnknownRewards(Dirichlet(1/S), values=[-1.0, 0.0, 1.0, 1.5])"
    )


def test_an_id_without_a_version_says_which_one_was_made(result: Result) -> None:
    """And Gymnasium's own warning of it is not shown: here warnings are errors."""
    assert result("play gym:FrozenLake random --steps 5")["settings"]["domain"].startswith(
        "Gymnasium(FrozenLake-v1, "
    )


def test_the_table_shows_the_published_number_where_it_applies(shown: Shown) -> None:
    assert "387.6 ± 1.5" in shown("play double-loop bamcp:simulations=1")
    assert "387.6" not in shown("play double-loop bamcp:simulations=1 --steps 10")
    assert "387.6" not in shown("play double-loop:discount=0.9 bamcp:simulations=1")
    assert "387.6" not in shown("play double-loop bamcp:simulations=1 --prior dirichlet:alpha=1")


@pytest.mark.usefixtures("mine")
def test_your_own_classes_functions_and_objects(result: Result) -> None:
    assert result("play mine:my_chain oracle --steps 10")["mean"] == 60
    assert result("play mine:chain random --steps 3")["total_rewards"]
    assert "seconds=0.0" in result("play chain mine:Lazy:seconds=0 --steps 3")["settings"]["agent"]
    totals = result("play mine:chain mine:my_agent --runs 2")["total_rewards"]
    assert totals[0] != totals[1]  # each run has its own seed


def test_an_error_while_running_keeps_its_traceback(mine: Path) -> None:
    broken = (
        "from mine import Lazy\nclass Broken(Lazy):\n    def act(self, state):\n        return 1 "
        "/ 0\n"
    )
    (mine / "broken.py").write_text(broken)
    line = [sys.executable, "-m", "bamdp", "play", "chain", "broken:Broken", "--runs", "3"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr


def test_a_horizon(result: Result, capsys: pytest.CaptureFixture[str]) -> None:
    done = result("play bandit:discount=1,horizon=60 bamcp:simulations=20")
    assert done["settings"]["steps"] == 60
    for words, sentence in (
        ("play bandit:discount=1 bamcp", "or 1 with a horizon"),
        ("play bandit:horizon=0 bamcp", "horizon must be an integer from 1"),
        ("play bandit:horizon=60 bamcp --steps 61", "steps must be at most 60, the horizon of"),
        ("play chain:horizon=60,episode_length=9 bfs3", "episode_length must be None for BFS3"),
    ):
        assert cli.main(words.split()) == 2
        assert sentence in capsys.readouterr().err
