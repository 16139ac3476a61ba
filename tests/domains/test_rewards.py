"""Rewards reach the search unchanged, in either shape, and packed as the core does with large
tables of few values.
"""

from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import BAMCP, BAUCT
from bamdp.priors import Dirichlet, SparseDirichlet


def table(shape: tuple[int, ...], distinct: int) -> Any:
    rng = np.random.default_rng(distinct)
    return rng.normal(size=distinct)[rng.integers(distinct, size=shape)]


@pytest.mark.parametrize("distinct", [1, 2, 3, 4, 5, 16, 17, 256, 257, 5000])
@pytest.mark.parametrize("size", [100, 32_768, 40_001])
def test_of_state_and_action(size: int, distinct: int) -> None:
    rewards = table((size, 1), distinct)
    agent = BAMCP(BAMDP(SparseDirichlet(), rewards, 0.9), simulations=1, depth=1)
    for state in (0, 1, 31, 63, 64, 65, 99, size // 2, size - 1):
        assert agent.plan(state).q_values[0] == rewards[state, 0]


@pytest.mark.parametrize("distinct", [2, 5, 300])
@pytest.mark.parametrize("S", [10, 140])
def test_of_state_action_and_next_state(S: int, distinct: int) -> None:
    rewards = table((S, 2, S), distinct)
    goes_to = np.random.default_rng(0).integers(S, size=(S, 2))
    agent = BAMCP(BAMDP(Dirichlet(np.eye(S)[goes_to]), rewards, 0.9), simulations=4, depth=1)
    for state in range(0, S, 7):
        expected = [rewards[state, a, goes_to[state, a]] for a in (0, 1)]
        assert agent.plan(state).q_values == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("prior", [Dirichlet(), SparseDirichlet()], ids=repr)
def test_a_world_of_one_state(prior: Any) -> None:
    agents = [
        BAMCP(BAMDP(prior, [[1.0, 2.0]], 0.5), depth=8, sampling=sampling)
        for sampling in ("collapsed", "lazy", "full")
    ]
    for agent in [*agents, BAUCT(BAMDP(prior, [[1.0, 2.0]], 0.5), depth=8, sampling="resampled")]:
        for _ in range(3):
            plan = agent.plan(0)
            assert plan.action == 1
            assert plan.q_values[0] <= 1 + 2 * (1 - 2**-7) + 1e-12
            assert plan.q_values[1] <= 4 * (1 - 2**-8) + 1e-12
            agent.observe(0, 1, 2.0, 0)
