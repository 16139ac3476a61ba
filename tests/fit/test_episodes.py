"""What a person has seen and has left: rewards, ends of episodes, and episodes of a fixed length,
in each kind of planner.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import PosteriorMean
from bamdp.fit import ChoiceRule, Exact, Model, Thompson, log_likelihood
from bamdp.prior import Prior
from bamdp.priors import Dirichlet, Finite, Parametric

TEMPERATURE = 0.5


def logs(values: Any, action: int) -> float:
    """The log-probability of an action, by softmax."""
    scaled = np.asarray(values) / TEMPERATURE
    return float(scaled[action] - np.logaddexp.reduce(scaled))


def likelihood(
    problem: BAMDP,
    agent: Any,
    rows: list[tuple[int, int, float, int]],
    time_limit: int | None = None,
    **more: Any,
) -> float:
    n, (states, actions, rewards, next_states) = len(rows), zip(*rows, strict=True)
    data = {
        "subject": [1] * n,
        "game": [1] * n,
        "step": range(n),
        "state": states,
        "action": actions,
    }
    model = Model(problem, agent, ChoiceRule(TEMPERATURE), time_limit=time_limit)
    return log_likelihood(
        data | {"reward": rewards, "next_state": next_states} | more, model, {}
    ).value


@pytest.mark.parametrize("agent", [Exact(), Exact(depth=2), Thompson(1), PosteriorMean])
@pytest.mark.parametrize("games", [[1, 1, 2, 2], [2, 2, 1, 1]])
@pytest.mark.parametrize("kind", ["finite", "parametric"])
def test_rewards_that_were_seen_are_known(agent: Any, games: list[int], kind: str) -> None:
    """Arm 0 pays 1 in one world and 0 in the other, arm 1 one half in both: one pull tells, and two
    steps are left.
    """
    one_state = np.ones((1, 2, 1))
    prior: Prior = Finite([one_state] * 2, rewards=[[[1, 0.5]], [[0, 0.5]]])
    if kind == "parametric":
        prior = Parametric(
            lambda theta, s, a: np.ones((len(theta), 1)),
            [0.0, 1.0],
            rewards=lambda theta, s, a: theta if a == 0 else np.full(len(theta), 0.5),
        )
    problem = BAMDP(prior, np.zeros((1, 2)), 1.0, horizon=3)
    rows = [(0, 0, 1.0, 0), (0, 0, 1.0, 0), (0, 0, 0.0, 0), (0, 0, 0.0, 0)]
    found = likelihood(problem, agent, rows, game=games, step=[1, 2, 1, 2], forced=[1, 0, 1, 0])
    assert found == pytest.approx(logs([2, 1.5], 0) + logs([0.5, 1], 0), abs=1e-9)


# States 0, 1, 2 in a row; actions lead to the left and right, and arriving in state 2 pays 1.
# Episodes start in state 1 and end in state 0 in one world, in state 2 in the other.
ROW = np.zeros((3, 2, 3))
ROW[[0, 1, 2], 0, [0, 0, 1]] = ROW[[0, 1, 2], 1, [1, 2, 2]] = 1
PAID = np.broadcast_to([0.0, 0.0, 1.0], (3, 2, 3))
UNKNOWN_END = Finite([ROW, ROW], terminal=[[0], [2]])


@pytest.mark.parametrize(
    "agent", [Exact(), Exact(depth=3), Exact(depth=4), Thompson(1), PosteriorMean]
)
def test_an_episode_that_goes_on_tells_where_none_ends(agent: Any) -> None:
    """It goes on in state 0, so it ends in state 2, which pays 1 once; three steps are left, then
    two.
    """
    problem = BAMDP(UNKNOWN_END, PAID, 1.0, start=1, horizon=4)
    found = likelihood(
        problem, agent, [(1, 0, 0.0, 0), (0, 1, 0.0, 1), (1, 1, 1.0, 2)], forced=[1, 0, 0]
    )
    assert found == pytest.approx(logs([1, 1], 1) + logs([0, 1], 1), abs=1e-9)


@pytest.mark.parametrize("agent", [Exact(depth=3), Exact(depth=9), Thompson(1), PosteriorMean])
def test_an_episode_that_begins_anew_tells_where_one_ended(agent: Any) -> None:
    """In state 0, so state 2 pays 1 in each of the three steps that are left."""
    problem = BAMDP(UNKNOWN_END, PAID, 1.0, start=1, horizon=4)
    found = likelihood(problem, agent, [(1, 0, 0.0, 0), (1, 1, 1.0, 2)], forced=[1, 0])
    assert found == pytest.approx(logs([0, 3], 1), abs=1e-9)


def test_at_a_time_limit_data_don_t_tell_what_ended_an_episode() -> None:
    """State 0, or the limit of one step: both worlds are left. Three steps that begin to the right
    pay 3 or 1, else 0 or 1.
    """
    problem = BAMDP(UNKNOWN_END, PAID, 1.0, start=1, horizon=4)
    rows = [(1, 0, 0.0, 0), (1, 1, 1.0, 2)]
    found = likelihood(problem, Exact(depth=3), rows, time_limit=1, forced=[1, 0])
    assert found == pytest.approx(logs([0.5, 2], 1), abs=1e-9)


def test_one_solution_is_of_one_episode() -> None:
    problem = BAMDP(Dirichlet(), PAID, 1.0, terminal=[0], start=1, horizon=4)
    with pytest.raises(
        ValueError,
        match=r"game 1, step 1: an episode ended before, and Exact\(\) takes games of one",
    ):
        likelihood(problem, Exact(), [(1, 0, 0.0, 0), (1, 1, 1.0, 2)])


class Counting(PosteriorMean):
    """An agent of one's own, to which the right is worth as much as episodes have ended."""

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self.ended = 0

    def end_episode(self) -> None:
        self.ended += 1

    def q_values(self, state: int) -> Any:
        return np.array([0.0, self.ended])


def test_agents_are_told_of_the_ends_of_episodes() -> None:
    """Episodes of two steps: five choices of the right, after 0, 0, 1, 1 and 2 ends."""
    problem = BAMDP(Dirichlet(), np.zeros((1, 2)), 1.0, horizon=5, episode_length=2, start=0)
    found = likelihood(problem, Counting, [(0, 1, 0.0, 0)] * 5)
    expected = sum(logs([0, ended], 1) for ended in (0, 0, 1, 1, 2))
    assert found == pytest.approx(expected, abs=1e-12)


HORIZON = 5
ALPHA = np.array([[[0.5, 2], [1, 1]], [[3, 0.2], [0.4, 0.9]]])
REWARDS = np.array([[0.0, 0.3], [1.0, -0.2]])
STEPS = [(0, 0, 0.0, 1), (1, 1, -0.2, 1), (1, 0, 1.0, 0), (0, 1, 0.3, 1), (1, 1, -0.2, 0)]


def anew(length: int | None) -> list[tuple[int, int, float, int]]:
    """The same choices and next states, with episodes that start in state 0."""
    rows: list[tuple[int, int, float, int]] = []
    for step, (_, action, _, next_state) in enumerate(STEPS):
        state = 0 if step == 0 or (length is not None and step % length == 0) else rows[-1][3]
        rows.append((state, action, float(REWARDS[state, action]), next_state))
    return rows


def bayes_values(
    history: tuple[tuple[int, int, int], ...], state: int, ahead: int, length: int | None
) -> list[float]:
    """Bayes-optimal values of each action, `ahead` steps ahead, by the definition."""
    values = []
    for action in range(2):
        counts = ALPHA[state, action] + [
            sum(seen == (state, action, s) for seen in history) for s in range(2)
        ]
        value = float(REWARDS[state, action])
        for s, chance in enumerate(counts / counts.sum() if ahead > 1 else []):
            now = (*history, (state, action, s))
            begins = 0 if length is not None and len(now) % length == 0 else s
            value += float(chance) * max(bayes_values(now, begins, ahead - 1, length))
        values.append(value)
    return values


@pytest.mark.parametrize("length", [None, 1, 2, 3])
@pytest.mark.parametrize("depth", [None, 1, 2, 3, 5])
def test_exact_values_are_those_of_the_episodes(length: int | None, depth: int | None) -> None:
    problem = BAMDP(Dirichlet(ALPHA), REWARDS, 1.0, horizon=HORIZON, episode_length=length, start=0)
    rows, expected, history = anew(length), 0.0, tuple[tuple[int, int, int], ...]()
    for step, (state, action, _, next_state) in enumerate(rows):
        ahead = HORIZON - step if depth is None else min(depth, HORIZON - step)
        expected += logs(bayes_values(history, state, ahead, length), action)
        history = (*history, (state, action, next_state))
    assert likelihood(problem, Exact(depth), rows) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("length", [None, 2, 3])
@pytest.mark.parametrize("agent", [Thompson(1), PosteriorMean])
def test_a_drawn_world_is_planned_for_the_steps_that_are_left(
    agent: Any, length: int | None
) -> None:
    """The world is known, so that each draw is that world."""
    known = ALPHA / ALPHA.sum(axis=2, keepdims=True)
    problem = BAMDP(Finite([known]), REWARDS, 1.0, horizon=HORIZON, episode_length=length, start=0)

    @cache
    def values(step: int) -> Any:
        """The value of each state and action with the steps left from here on."""
        if step == HORIZON:
            return np.zeros((2, 2))
        later = values(step + 1).max(axis=1)
        return REWARDS + known @ (
            np.full(2, later[0]) if length is not None and (step + 1) % length == 0 else later
        )

    rows = anew(length)
    expected = sum(
        logs(values(step)[state], action) for step, (state, action, _, _) in enumerate(rows)
    )
    assert likelihood(problem, agent, rows) == pytest.approx(expected, abs=1e-9)
