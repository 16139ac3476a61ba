"""`bamdp tune`: the grid and the best of it."""

from collections.abc import Callable
from typing import Any

Shown = Callable[[str], str]
Result = Callable[[str], Any]


def test_the_whole_grid_is_tried_and_the_best_is_marked(result: Result) -> None:
    data = result("tune double-loop beb --runs 1 --workers 1")
    totals = {trial["setting"]["beta"]: trial["mean"] for trial in data["trials"]}
    assert totals == {
        0.5: 391,
        1: 386,
        1.5: 380,
        2: 376,
        2.5: 370,
        3: 366,
        5: 348,
        10: 310,
        15: 286,
        20: 270,
    }
    assert data["best"]["setting"] == data["best_again"]["setting"] == {"beta": 0.5}
    assert data["published"] == [386, 0]


def test_the_runs_are_those_of_play(result: Result) -> None:
    flags = "--runs 3 --steps 40 --seed 5"
    data = result(
        f"tune chain:slip=0.1 bayesian-dp:period=1/7 {flags} --workers 2 --prior "
        "dirichlet:alpha=0.5"
    )
    for trial in data["trials"]:
        agent = f"bayesian-dp:period={trial['setting']['period']}"
        played = result(f"play chain:slip=0.1 {agent} {flags} --prior dirichlet:alpha=0.5")
        assert played["total_rewards"] == trial["total_rewards"]
    best = max(data["trials"], key=lambda trial: trial["mean"])
    assert data["best"]["setting"] == best["setting"]
    assert data["best_again"]["total_rewards"] != best["total_rewards"]


def test_a_setting_with_one_value_is_fixed(result: Result) -> None:
    data = result("tune chain sboss:models=2 --runs 1 --steps 5")
    assert [trial["setting"] for trial in data["trials"]] == [
        {"delta": delta} for delta in (3, 5, 7)
    ]
    assert data["agent"] == "sboss:models=2"


def test_all_combinations_are_tried(result: Result) -> None:
    agent = "q-learning:half-life=None/10,learning-rate=0.5,exploration=boltzmann/epsilon-greedy"
    data = result(f"tune gym:FrozenLake-v1 {agent} --runs 1 --steps 5")
    settings = [trial["setting"] for trial in data["trials"]]
    assert len(settings) == 4
    assert settings[0] == {"half_life": None, "exploration": "boltzmann"}
    assert settings[-1] == {"half_life": 10.0, "exploration": "epsilon-greedy"}


def test_the_table_shows_all_and_how_to_play_the_best(shown: Shown) -> None:
    text = shown("tune double-loop beb:beta=0/0.5 --runs 5")
    assert text.count("95 % interval") == 3
    assert text.count("← best") == 1
    assert "bamdp play double-loop beb:beta=0.5 --runs 5 --seed 1" in text
    assert "386 ± 0" in text
    line = next(line for line in text.splitlines() if "bamdp play" in line)
    total = text.partition("best, with other seeds: ")[2].partition("   ")[0]
    assert total in shown(line.strip().removeprefix("bamdp ")), "the command gives the number"
