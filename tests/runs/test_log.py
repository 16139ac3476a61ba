"""A log of steps is read by the names of the problem, whole or not at all."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bamdp

LOG = {
    "machine": ["a", "b", "a", "a", "b"],
    "state": ["new", "worn", "worn", "broken", "new"],
    "action": ["run", "service", "run", "replace", "run"],
}


@pytest.fixture
def problem() -> bamdp.BAMDP:
    return bamdp.BAMDP(
        bamdp.priors.Dirichlet(),
        [[0, -8, -15], [0, -8, -15], [-30, -38, -45]],
        0.97,
        states=("new", "worn", "broken"),
        actions=("run", "service", "replace"),
    )


def test_the_next_row_of_an_episode_is_the_next_state(problem: bamdp.BAMDP) -> None:
    steps = bamdp.read_log(LOG, problem, episode="machine")
    assert [(s.state, s.action, s.next_state) for s in steps.rows()] == [
        (0, 0, 1),
        (1, 1, 0),
        (1, 0, 2),
    ]
    assert steps.rewards is None


def test_each_step_keeps_its_own_reward_and_end(problem: bamdp.BAMDP) -> None:
    """The last row of an episode is left out in the middle of a log, too."""
    log = {
        "state": ["new", "worn", "worn", "new", "broken"],
        "action": ["service", "run", "replace", "run", "run"],
        "reward": [-8, 0, -15, 0, -30],
        "terminated": [0, 1, 0, 0, 1],
        "episode": ["a", "a", "b", "b", "b"],
    }
    steps = bamdp.read_log(log, problem)
    assert steps.rewards is not None
    assert steps.terminated is not None
    assert steps.rewards.tolist() == [-8, -15, 0]
    assert steps.terminated.tolist() == [False, False, False]
    assert (steps.states.tolist(), steps.next_states.tolist()) == ([0, 1, 0], [1, 0, 2])


def test_a_file_a_frame_and_numbers_say_the_same(problem: bamdp.BAMDP, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    table = {
        "state": ["worn", "worn"],
        "action": ["run", "service"],
        "next_state": ["broken", "new"],
        "reward": [0.0, -8.0],
        "terminated": [False, False],
        "note": ["", "late"],
    }
    file = tmp_path / "log.csv"
    pandas.DataFrame(table).to_csv(file, index=False)
    numbers = {**table, "state": [1, 1.0], "action": ["0", "1"], "next_state": [2, np.int64(0)]}
    logs: list[Any] = [table, file, str(file), pandas.DataFrame(table), numbers]
    beliefs = [problem.belief() for _ in logs]
    for log, belief in zip(logs, beliefs, strict=True):
        belief.observe_many(*bamdp.read_log(log, problem))
        assert belief.predictive(1, 0).tolist() == beliefs[0].predictive(1, 0).tolist()
    assert beliefs[0].predictive(1, 0)[2] == pytest.approx(2 / 3)  # one third and one seen


def test_names_that_are_numbers_are_names() -> None:
    """As data frames write them, too; never the number of another state."""
    problem = bamdp.BAMDP(
        bamdp.priors.Dirichlet(), np.zeros((3, 2)), 0.9, states=("1", "2", "3"), actions=("a", "b")
    )
    for states in (["1", "3"], [1, 3], [1.0, 3.0], ["1.0", " 3"]):
        log = {"state": states, "action": ["a", 1], "next_state": ["2", 2.0]}
        steps = bamdp.read_log(log, problem)
        assert (steps.states.tolist(), steps.next_states.tolist()) == ([0, 2], [1, 1])
        assert steps.actions.tolist() == [0, 1]
    log = {"state": ["1", "0"], "action": ["a", "b"], "next_state": ["2", "3"]}
    with pytest.raises(ValueError, match="row 2: state must be one of 1, 2, 3, got '0'"):
        bamdp.read_log(log, problem)


def test_what_agents_learn_is_what_they_would_have_seen(problem: bamdp.BAMDP) -> None:
    """The same as one observation after the other."""
    agents = [bamdp.agents.BayesAdaptive(problem, simulations=50) for _ in range(2)]
    agents[0].observe_many(*bamdp.read_log(LOG, problem, episode="machine"))
    for step in ((0, 0, 0.0, 1), (1, 1, -8.0, 0), (1, 0, 0.0, 2)):
        agents[1].observe(*step)
    assert agents[0].q_values(1).tolist() == agents[1].q_values(1).tolist()


@pytest.mark.parametrize(
    ("change", "columns", "message"),
    [
        (
            {"state": ["new", "wron", "new", "new", "new"]},
            {},
            r"row 2: state .*did you mean 'worn'",
        ),
        ({"action": ["run", "run", "stop", "run", "run"]}, {}, r"row 3: action .*got 'stop'"),
        ({"state": [0, 1, 5, 2, 0]}, {}, r"row 3: state must be one of new"),
        ({"reward": [0, 0, "x", 0, 0]}, {}, r"row 3: reward must be a number, got 'x'"),
        ({"reward": [0, 0, "nan", 0, 0]}, {}, r"row 3: reward must be a number"),
        ({"terminated": [0, 0, 2, 0, 0]}, {}, r"row 3: terminated must be 0 or 1"),
        ({"terminated": [1, 0, 0, 0, 0]}, {}, r"row 3: its episode 'a' ended with row 1"),
        ({"action": ["run"]}, {}, r"the same length"),
        ({}, {"state": "condition"}, r"a column 'condition'.*it has 'machine'"),
        ({"machine": list("abcde")}, {}, r"next_state"),
    ],
)
def test_mistakes_are_named_with_their_row(
    problem: bamdp.BAMDP, change: dict[str, Any], columns: dict[str, str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        bamdp.read_log({**LOG, **change}, problem, episode="machine", **columns)


def test_other_mistakes(problem: bamdp.BAMDP, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"no column 'machine'"):
        bamdp.read_log(LOG, problem, machine="machine")
    with pytest.raises(TypeError, match="log must be a CSV file"):
        bamdp.read_log([1, 2], problem)
    ragged = tmp_path / "ragged.csv"
    ragged.write_text("state,action,next_state\nnew,run\n")
    with pytest.raises(ValueError, match=r"line 2: there must be 3 cells, as in the first line"):
        bamdp.read_log(ragged, problem)
    worlds = bamdp.BAMDP(
        bamdp.priors.Worlds([1], lambda world, state, action: bamdp.Outcome(state)),
        discount=0.5,
        start=0,
        actions=["go"],
    )
    with pytest.raises(TypeError, match="numbered states"):
        bamdp.read_log(LOG, worlds)


def test_a_log_against_the_problem_teaches_nothing(problem: bamdp.BAMDP) -> None:
    agent = bamdp.agents.PosteriorMean(problem)
    before = agent.belief.predictive(0, 0).tolist()
    wrong = {"state": ["new"] * 2, "action": ["run"] * 2, "next_state": ["worn"] * 2}
    steps = bamdp.read_log({**wrong, "reward": [0, -5]}, problem)
    with pytest.raises(ValueError, match="row 1: reward must be 0"):
        agent.observe_many(*steps)
    assert agent.belief.predictive(0, 0).tolist() == before
