"""Q-learning and IEQL+ by hand, and what all agents without a model share."""

import numpy as np
import pytest
from scipy import stats

from bamdp.agents import IEQL, VPI, QLearning
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
