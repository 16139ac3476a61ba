"""Q-learning and IEQL+ by hand, and what all agents without a model share."""

import numpy as np
import pytest
from scipy import stats

from bamdp import BAMDP
from bamdp.agents import IEQL, VPI, QLearning
from bamdp.priors import Dirichlet
from reference.problems import sized


def test_q_learning_by_hand() -> None:
    agent = QLearning(sized(2, 2, 0.5), learning_rate=0.5, decay=1.0, initial=2.0)
    agent.observe(0, 0, 4.0, 1)  # 2 + 0.5 (4 + 0.5·2 − 2)
    assert agent.q_values(0).tolist() == [3.5, 2.0]
    agent.observe(0, 0, 0.0, 0)  # 3.5 + 0.25 (0 + 0.5·3.5 − 3.5)
    assert agent.q_values(0)[0] == 3.5 - 0.25 * 1.75


def test_ieql_by_hand() -> None:
    agent = IEQL(sized(2, 2, 0.5), alpha=0.5, sigma_max=2.0, theta=0.05)
    z = stats.norm.ppf(0.975)
    initial = 2 * z / 0.5
    first = initial + 0.5 * (1.0 + 2 * z + 0.5 * initial - initial)
    agent.observe(0, 1, 1.0, 1)
    assert agent.q_values(0) == pytest.approx([initial, first])
    agent.observe(0, 1, 1.0, 1)
    second = first + 0.5 * (1.0 + 2 * z / np.sqrt(2) + 0.5 * initial - first)
    assert agent.q_values(0)[1] == pytest.approx(second)


def test_model_free_agents_need_no_tables() -> None:
    for kind in (QLearning, IEQL, VPI):
        agent = kind(sized(None, 2))
        agent.observe(-(10**15), 1, 1.0, 10**15)
        assert agent.act(-(10**15)) in (0, 1)
        with pytest.raises(ValueError, match="state must be an integer from 0 to 8"):
            kind(sized(9, 2)).act(9)


@pytest.mark.parametrize("by_next_state", [False, True])
def test_rewards_that_were_not_recorded_are_those_of_the_problem(by_next_state: bool) -> None:
    rewards = np.arange(12.0).reshape(3, 2, 2)[:, :, :1].repeat(3, axis=2)
    rewards = rewards + np.array([0.0, 0.1, 0.2]) if by_next_state else rewards[:, :, 0]
    problem = BAMDP(Dirichlet(), rewards, 0.9)
    states, actions, next_states = [0, 1, 2, 0, 2], [1, 0, 1, 0, 0], [1, 2, 0, 2, 1]
    steps = zip(states, actions, next_states, strict=True)
    paid = [float(rewards[s, a, n] if by_next_state else rewards[s, a]) for s, a, n in steps]
    recorded, not_recorded = (QLearning(problem, seed=0) for _ in range(2))
    recorded.observe_many(states, actions, paid, next_states)
    not_recorded.observe_many(states, actions, None, next_states)
    for state in range(3):
        assert not_recorded.q_values(state).tolist() == recorded.q_values(state).tolist()
