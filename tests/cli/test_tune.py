"""`bamdp tune`: the grid and the best of it."""

from collections.abc import Callable
from typing import Any

Shown = Callable[[str], str]
Result = Callable[[str], Any]


def test_the_whole_grid_is_tried_and_the_best_is_marked(result: Result) -> None:
    data = result("tune double-loop beb --runs 1 --workers 1")
    totals = {trial["setting"]["beta"]: trial["mean"] for trial in data["trials"]}
    assert totals == {0.5: 391, 1: 386, 1.5: 380, 2: 376, 2.5: 370, 3: 366, 5: 348, 10: 310, 15: 286, 20: 270}
    assert data["best"]["setting"] == data["best_again"]["setting"] == {"beta": 0.5}
    assert data["published"] == [386, 0]


def test_the_runs_are_those_of_play(result: Result) -> None:
    words = "chain bayesian-dp --runs 3 --steps 40 --seed 5"
    data = result(f"tune {words} --grid period=1,7 --workers 2")
    for trial in data["trials"]:
        played = result(f"play {words} --period {trial['setting']['period']}")
        assert played["total_rewards"] == trial["total_rewards"]
    best = max(data["trials"], key=lambda trial: trial["mean"])
    assert data["best"]["setting"] == best["setting"]
    assert data["best_again"]["total_rewards"] != best["total_rewards"]


def test_a_flag_fixes_a_setting(result: Result) -> None:
    data = result("tune chain sboss --models 2 --runs 1 --steps 5")
    assert [trial["setting"] for trial in data["trials"]] == [{"delta": delta} for delta in (3, 5, 7)]
    assert data["fixed"] == {"models": 2}


def test_a_switch_fixes_a_setting_and_the_command_names_flags_as_they_are_called(result: Result, shown: Shown) -> None:
    line = "tune chain bamcp --no-reuse-tree --simulations 2 --grid variant=program,program --runs 1 --steps 3"
    assert result(line)["fixed"] == {"simulations": 2, "reuse_tree": False}
    assert "bamdp play chain bamcp --simulations 2 --no-reuse-tree --variant program --runs 1 --seed 1" in shown(line)


def test_values_of_a_grid_have_the_types_of_their_flags(result: Result) -> None:
    grid = "half-life=None,10 learning-rate=0.5 exploration=boltzmann,epsilon-greedy"
    data = result(f"tune gym:FrozenLake-v1 q-learning --grid '{grid}' --runs 1 --steps 5")
    settings = [trial["setting"] for trial in data["trials"]]
    assert len(settings) == 4
    assert settings[0] == {"half_life": None, "learning_rate": 0.5, "exploration": "boltzmann"}
    assert settings[-1] == {"half_life": 10.0, "learning_rate": 0.5, "exploration": "epsilon-greedy"}


def test_the_table_shows_all_and_how_to_play_the_best(shown: Shown) -> None:
    text = shown("tune double-loop beb --grid beta=0,0.5 --runs 5")
    assert text.count("95 % interval") == 3
    assert text.count("← best") == 1
    assert "bamdp play double-loop beb --beta 0.5 --runs 5 --seed 1" in text
    assert "386 ± 0" in text
