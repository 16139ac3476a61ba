"""The page of published tables: verdicts by both noises, differences in the same worlds."""

import numpy as np
import pytest

import bamdp
from bamdp.comparing.rows import Row
from reference.stored import rows
from reproduction.elsewhere import BANDITBENCH, RL2_ARMS
from reproduction.experiment import FINAL, Experiment
from reproduction.query import Query
from reproduction.report.elsewhere import elsewhere
from reproduction.tasks.elsewhere import elsewhere as block

WORLDS = 50


def stored(table: Experiment, row: str, label: str, measures: dict[str, list[float]]) -> list[Row]:
    entry = table.entry(row, label)
    results = [
        {name: values[i : i + WORLDS] for name, values in measures.items()}
        for i in range(0, len(next(iter(measures.values()))), WORLDS)
    ]
    return rows("elsewhere", entry.points("paper")[0], FINAL, results)


def verdict(text: str, row: str) -> list[str]:
    section = text.partition("The planner beside")[2].partition("All published")[0]
    (line,) = [line for line in section.splitlines() if line.startswith(f"| {row} |")]
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.mark.parametrize(
    ("mean", "said"), [(450.0, "better"), (430.0, "worse"), (438.0, "no difference seen")]
)
def test_verdicts_take_both_noises_into_account(mean: float, said: str) -> None:
    """The best published number is 438.9; the standard deviation in a world is 40."""
    earned = (mean + 40 * np.resize([-1.0, 1.0], 200)).tolist()
    made = stored(
        RL2_ARMS,
        "500 pulls, 10 arms",
        "bayes-adaptive",
        {"total_reward": earned, "expected_reward": earned},
    )
    row = verdict(elsewhere(Query(made)), "500 pulls, 10 arms")
    assert row[2] == "OTS 438.9 ± 2.5"
    assert row[4:] == [said, "200"]


def test_regrets_are_better_if_they_are_lower_and_differences_are_paired() -> None:
    spread = 20 * np.resize([-1.0, 1.0], 100)
    planner = {"regret": (10 + spread).tolist(), "expected_reward": (400 - spread).tolist()}
    other = {"regret": (13 + spread).tolist(), "expected_reward": (397 - spread).tolist()}
    made = [
        *stored(BANDITBENCH, "U(0, 1)", "bayes-adaptive", planner),
        *stored(BANDITBENCH, "U(0, 1)", "gittins", other),
    ]
    text = elsewhere(Query(made))
    assert verdict(text, "U(0, 1)")[4] == "better"
    assert "| U(0, 1) | 10.0 ± 4.0 | 13.0 ± 4.0 (+3 ± 0) |" in text


def test_a_block_holds_the_worlds_of_compare() -> None:
    problem = "banditbench:means=low"
    row = block({"problem": problem, "agent": "posterior-mean", "worlds": 3}, seed=4, run=1)
    result = bamdp.compare(problem, ["posterior-mean"], worlds=6, seed=4, workers=1)
    paid = [of["total_reward"] for of in result.results["posterior-mean"][3:]]
    # 500 pulls of one world: the noise of a sum is at most 11.2; six standard errors
    assert np.abs(np.array(row["expected_reward"]) - paid).max() < 67
    assert min(row["regret"]) >= 0


def test_total_and_expected_rewards_have_the_same_mean() -> None:
    """400 worlds of 10 pulls: the difference has at most sqrt(2.5 / 400); 5.3 of these."""
    row = block(
        {"problem": "rl2-arms:pulls=10,arms=5", "agent": "random", "worlds": 400}, seed=0, run=0
    )
    difference = np.array(row["total_reward"]) - row["expected_reward"]
    assert abs(difference.mean()) < 5.3 * np.sqrt(2.5 / 400)
