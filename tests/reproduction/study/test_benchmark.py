"""The benchmark: every problem, the same worlds as `bamdp.compare`, and variance-reduced returns
where they can be.
"""

import sys
from math import ceil, log
from pathlib import Path

import numpy as np
import pytest

import bamdp
from bamdp.comparing.candidates import benchmark_of
from bamdp.comparing.regret import Optimum, regret_of
from bamdp.comparing.store import Store
from bamdp.config.names import AGENTS, BENCHMARKS
from bamdp.config.spec import parse_spec
from bamdp.suite import Benchmark
from reference.stored import row_of
from reproduction.benchmark import BENCHMARK, OPTIMUM, STEPS, TUNED
from reproduction.cli import main as cli
from reproduction.experiment import FINAL, SWEEP
from reproduction.experiments import named
from reproduction.report.model import build
from reproduction.reproduce import reproduce
from reproduction.tasks.problems import expected_return, run_in_world, scores, solution, upper_bound

SETTINGS = {"problem": "small-chain", "agent": "beb", "steps": 8, "worlds": 4}


def problem_of(name: str) -> Benchmark:
    return benchmark_of(name)


def test_every_problem_has_a_panel() -> None:
    known = {name.removesuffix("[N]") for name in BENCHMARKS.listing()}
    in_table_1 = {"paper-double-loop", "paper-grid", "paper-maze"}  # by total reward
    elsewhere = {"rl2-arms", "banditbench"}  # on the page of published tables
    assert {name.rstrip("0123456789") for name in STEPS} == known - in_table_1 - elsewhere


@pytest.mark.parametrize("name", STEPS)
def test_runs_are_as_long_as_the_discount_lets_them_matter(name: str) -> None:
    problem = problem_of(name)
    discount = problem.domain.discount
    assert STEPS[name] == (
        problem.steps if discount == 1 else min(problem.steps, ceil(log(1e-4) / log(discount)))
    )


def test_a_block_holds_the_worlds_of_compare() -> None:
    block = scores({**SETTINGS, "beta": 2.0}, seed=3, run=5)
    result = bamdp.compare("small-chain", ["beb:beta=2"], worlds=24, steps=8, seed=3, workers=1)
    found = result.results["beb:beta=2"][20:]
    assert block["discounted_return"] == pytest.approx(
        [of["discounted_return"] for of in found], rel=1e-4
    )
    assert block["total_reward"] == pytest.approx([of["total_reward"] for of in found], rel=1e-4)
    assert block["steps"] == 32
    assert "episodes" not in block


def test_episodes_are_stored_where_they_end() -> None:
    block = scores(
        {"problem": "riverswim", "agent": "random", "steps": 41, "worlds": 3}, seed=0, run=0
    )
    assert block["episodes"] == [2, 2, 2]
    assert len(block["mean_episode_return"]) == 3


def test_the_expected_return_is_the_optimum_less_the_regret() -> None:
    """To all digits: a rounded one may be above the optimum."""
    block, optimum = scores({**SETTINGS, "exact": True}, seed=1, run=0), solution("small-chain", 8)
    for run, value in enumerate(block["expected_return"]):
        record, _ = run_in_world("small-chain", parse_spec(AGENTS, "beb"), 8, 1, run)
        lost = regret_of(record, Optimum.of(optimum))
        assert value == pytest.approx(optimum.value - lost, rel=1e-12)
    assert len(set(block["expected_return"])) > 1


def test_the_expected_return_has_the_mean_of_the_return() -> None:
    """A z-score above 5 would come by chance in 1 of 10⁶ cases; leaving out the discount of the
    regret gives 11.
    """
    optimum, random = solution("two-arms", 6), parse_spec(AGENTS, "random")
    differences = []
    for run in range(500):
        record, _ = run_in_world("two-arms", random, 6, 0, run)
        differences.append(expected_return(record, optimum) - record.discounted_return)
    assert abs(np.mean(differences)) < 5 * np.std(differences) / np.sqrt(len(differences))


def test_the_best_setting_is_chosen_by_what_counts() -> None:
    (entry,) = (entry for entry in BENCHMARK.entries["bbrl-gc"] if entry.label == "beb" + TUNED)
    part = named(["benchmark/bbrl-gc/beb" + TUNED])[0]
    sweep = part.tasks("quick", [])
    assert {task.seed for task in sweep} == {SWEEP}
    rows = [
        row_of(
            task,
            {
                "discounted_return": [float(task.settings["beta"] == 5)] * 50,
                "total_reward": [task.settings["beta"]] * 50,  # would choose the largest
                "steps": 9000,
                "cpu_seconds": 1.0,
            },
        )
        for task in sweep
    ]
    again = [task for task in part.tasks("quick", rows) if task.seed == FINAL]
    assert len(again) == entry.final["quick"]
    assert {task.settings["beta"] for task in again} == {5}


def test_bounds_are_above_what_the_planner_earns_and_below_knowing_the_world() -> None:
    """The optimum of GridNavi is known. On GDL agents earn about 3.0, and knowing the world is
    worth 3.55.
    """
    assert upper_bound({"problem": "grid-navi", "steps": 60}, seed=1, run=0) == {
        "most": pytest.approx(37.2142857)
    }
    found = upper_bound({"problem": "bbrl-gdl", "steps": 180, "limit": 10**6}, seed=1, run=0)
    assert 3.0 < found["most"] < found["knowing"] - 0.1


def test_from_runs_to_the_scoreboard(tmp_path: Path) -> None:
    store = Store(tmp_path)
    stages = reproduce(named(["benchmark/two-arms", "benchmark/taxi"]), "smoke", store, workers=1)
    assert [stage.failed for stage in stages] == [[]] * len(stages)
    board = build(store.rows(), "smoke").scoreboard.board
    assert [standing.problem for standing in board] == ["two-arms", "taxi"]
    for standing in board:
        labels = {entry.label for entry in BENCHMARK.entries[standing.problem]} - {OPTIMUM}
        assert set(standing.given) == {label for label in labels if not label.endswith(TUNED)}
        assert set(standing.tuned) == (set(standing.given) if standing.exact else set())
    assert [standing.exact for standing in board] == [True, False]


@pytest.mark.parametrize("name", ["table1/double-loop", "benchmark/small-chain"])
def test_without_scipy_no_task_is_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    assert cli.main([name, "--scale", "smoke", "--store", str(tmp_path), "--workers", "1"]) == 2
    assert capsys.readouterr().err.startswith(
        "bamdp: error: VPI needs SciPy, which is not installed: pip install 'bamdp[vpi]'"
    )
    assert Store(tmp_path).rows() == []
