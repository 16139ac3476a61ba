"""Data that contradict the task, the prior or themselves are errors; bandits may be coded without states."""

from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from bamdp import BAMDP, MDP
from bamdp.agents import PosteriorMean
from bamdp.domains import Bandit, Gymnasium, Tabular
from bamdp.fit import ChoiceRule, Exact, Model, log_likelihood, read_csv, simulate
from bamdp.priors import BetaArms, Dirichlet
from reference.rejections import rejections

ARMS = Model(Bandit([0.5, 0.5], 1.0, payoffs=[1, 0.8], horizon=4).problem(), rule=ChoiceRule(0.2))
GAME: dict[str, list[Any]] = {
    "subject": ["ann"] * 4,
    "game": [1] * 4,
    "step": [1, 2, 3, 4],
    "state": [0, 1, 1, 0],
    "action": [0, 1, 1, 0],
    "reward": [1, 0.8, 0, 0],
    "next_state": [1, 1, 0, 0],
}
CYCLE = np.roll(np.eye(3), 1, axis=1)[:, None] * np.ones((3, 2, 1))  # both actions lead on, 0 → 1 → 2 → 0
REWARDS = np.arange(6.0).reshape(3, 2)


def value(**changed: Any) -> float:
    return log_likelihood(GAME | changed, ARMS, {}).value


def cycle(agent: Any, rule: ChoiceRule, terminal: Any = (), time_limit: int | None = None, **settings: Any) -> Model:
    problem = BAMDP(Dirichlet(), REWARDS, 1.0, horizon=5, start=0, terminal=terminal, **settings)
    return Model(problem, agent, rule, time_limit=time_limit)


def walk(states: list[int], next_states: list[int], reward: float = 0.0, **settings: Any) -> Any:
    """The log-likelihood of steps by action 0 on the cycle; `reward` is paid in excess."""
    n = len(states)
    paid = [REWARDS[state, 0] + reward for state in states]
    data = {"subject": [1] * n, "game": [1] * n, "step": list(range(n)), "state": states, "action": [0] * n}
    model = cycle(Exact(depth=1), ChoiceRule(1.0), **settings)
    return log_likelihood(data | {"reward": paid, "next_state": next_states}, model, {})


def test_bandits_may_have_no_states_or_one() -> None:
    """Zeros throughout: outcomes follow from the rewards, states from the outcomes."""
    assert value(state=[0] * 4) == value()
    assert value(state=[0] * 4, next_state=[0] * 4) == value()
    assert value(state=[0] * 4, next_state=[0] * 4, reward=[0] * 4) != value()


def test_rewards_that_are_parameters_are_not_those_of_the_data() -> None:
    """A utility; what the other arm pays is known, and outcomes are read from either."""

    def utility(bonus: float) -> BAMDP:
        return Bandit([0.5, 0.5], 1.0, payoffs=[bonus, 0.8], horizon=4).problem()

    model = Model(utility, rule=ChoiceRule(0.2), parameters={"bonus": (0.5, 2)})
    found = log_likelihood(GAME, model, {"bonus": 1}).value
    assert found == value()
    assert (
        log_likelihood(GAME | {"reward": [5, 0.8, 0, 0], "next_state": [0] * 4, "state": [0] * 4}, model, {"bonus": 1}).value
        == found
    )
    with pytest.raises(ValueError, match=r"step 2: reward is 0\.7, and action 1 \(arm 1\) in state 1 \(success\) pays 0\.8"):
        log_likelihood(GAME | {"reward": [5, 0.7, 0, 0]}, model, {"bonus": 1})


def test_episodes_may_begin_anew() -> None:
    """In a terminal state, and after a time limit or a fixed length."""
    assert walk([0, 0, 0], [2, 2, 1], terminal=[2]).choices == 3
    assert walk([0, 1, 0], [1, 2, 1], time_limit=2).choices == 3
    assert walk([0, 1, 0], [1, 2, 1], episode_length=2).choices == 3


def test_environments_are_truncated_too() -> None:
    lake = Gymnasium("FrozenLake-v1", max_episode_steps=2)
    model = Model(lake.problem(), PosteriorMean, ChoiceRule(1.0), time_limit=lake.time_limit)
    data = simulate(model, {}, games=1, steps=6, worlds=lake, seed=1)
    assert data["state"][::2] == [0] * 3
    assert data["next_state"][3] == 2, "a state that doesn't end an episode"
    assert log_likelihood(data, model, {}).choices == 6


def test_worlds_are_drawn_from_the_prior_unless_they_are_given() -> None:
    """A person who knows that arm 0 always pays, and arm 1 never, lives in such worlds."""
    model = replace(ARMS, problem=Bandit([0.5, 0.5], 1.0, horizon=4).problem(BetaArms([1, 0], [0, 1])), rule=ChoiceRule(10))
    data = simulate(model, {}, games=5)
    assert {0, 1} == set(data["action"])
    assert data["reward"] == [1 - action for action in data["action"]]


@pytest.mark.parametrize("ends", [{"time_limit": 2}, {"episode_length": 2}])
def test_simulated_people_start_episodes_anew(ends: dict[str, int]) -> None:
    model = cycle(Exact(depth=2), ChoiceRule(), **ends)
    data = simulate(model, {}, games=2, worlds=Tabular(MDP(CYCLE, REWARDS), 1.0, horizon=5, **ends))  # type: ignore[arg-type]
    assert data["state"] == [0, 1, 0, 1, 0] * 2
    assert data["next_state"] == [1, 2, 1, 2, 1] * 2
    assert log_likelihood(data, model, {}).choices == 10


def test_the_order_of_steps_is_that_of_numbers() -> None:
    """Not of texts, where 10 comes before 2, nor of doubles, which don't tell nanoseconds apart."""
    assert value(step=["8", "9", "10", "11"]) == value()
    assert value(step=[2**60, 2**60 + 1, 2**60 + 2, 2**60 + 3]) == value()


def test_names_of_columns_and_encodings_of_files(tmp_path: Path) -> None:
    file = tmp_path / "choices.csv"
    file.write_text("subject,action,action\nann,0,1\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"choices\.csv: the first line must have each name once, got 'action' twice"):
        read_csv(file)
    for encoding in ("utf-16", "utf-16-le", "latin-1"):
        file.write_text("subject,action\nJürgen,0\n", encoding=encoding)
        with pytest.raises(ValueError, match=r"choices\.csv must be a table in UTF-8, which spreadsheets save as 'CSV UTF-8'"):
            read_csv(file)
    file.write_text("subject,game,step,state,action,reward,next_state\nann,1,1,0,0,1,1\n,1,2,1,0,1,1\n", encoding="utf-8")
    with pytest.raises(ValueError, match="row 2: subject is missing"):
        log_likelihood(read_csv(file), ARMS, {})
    frame = pandas.DataFrame(GAME)
    with pytest.raises(ValueError, match=r"one column 'action', with one cell in each row, got shape \(4, 2\)"):
        log_likelihood(pandas.concat([frame, frame[["action"]]], axis=1), ARMS, {})


@pytest.mark.parametrize("missing", [nan, None, "", " ", "NaN", pandas.NA, pandas.NaT])
@pytest.mark.parametrize("name", ["subject", "game", "step", "state", "reward", "next_state", "forced"])
def test_a_missing_cell_is_an_error(name: str, missing: Any) -> None:
    cells = (GAME | {"forced": [0] * 4})[name]
    with pytest.raises(ValueError, match=f"(row 3|step 3): {name} (is missing|must be a number)"):
        value(**{name: [*cells[:2], missing, cells[3]]})


test_rejected = rejections(
    (
        ValueError,
        r"step 1: reward is 0, and action 0 \(arm 0\) in state 0 \(failure\) pays 1 with next_state 1 \(success\)",
        lambda: value(reward=[0, 0, 0.8, 1]),
    ),
    (
        ValueError,
        "subject ann, game 1, step 1: reward is 99",
        lambda: value(reward=[99] * 4, state=[0] * 4, next_state=[0] * 4),
    ),
    (ValueError, "step 3: reward is 0.8, and .* pays 0 with next_state 0", lambda: value(reward=[1, 0.8, 0.8, 0])),
    (ValueError, r"state is 0 \(failure\), and the step before led to 1 \(success\)", lambda: value(state=[0, 0, 1, 0])),
    (ValueError, "game 1, step 0: reward is 1, and action 0 in state 1 pays 2", lambda: walk([1], [2], -1)),
    (
        ValueError,
        "step 1: state is 0, and the step before led to 1, where no episode",
        lambda: walk([0, 0], [1, 1], terminal=[2]),
    ),
    (ValueError, "step 1: state is 0, and the step before led to 1", lambda: walk([0, 0], [1, 1], episode_length=2)),
    (ValueError, "step 2: state is 2, and episodes start in state 0", lambda: walk([0, 1, 2], [1, 2, 0], episode_length=2)),
    *(
        (ValueError, f"{name} must be (a number|an integer)", lambda name=name: value(**{name: [10**400, 1, 1, 0]}))
        for name in ("step", "state", "action", "reward", "next_state")
    ),
)
