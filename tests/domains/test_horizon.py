"""Domains with a horizon, and those that may do without a discount."""

from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import MDP
from bamdp.domain import Domain
from bamdp.domains import Bandit, Chain, DoubleLoop, Grid, InfiniteGrid, Maze, NormalBandit, RandomMDP, Tabular
from bamdp.testing import check_domain

MAKERS: list[Any] = [Bandit, Chain, DoubleLoop, lambda **more: Grid(10, **more), InfiniteGrid, Maze, NormalBandit, RandomMDP]


@pytest.mark.parametrize("make", MAKERS)
def test_built_in_domains_take_a_horizon(make: Any) -> None:
    plain, domain = make(), make(discount=1.0, horizon=12)
    assert (domain.horizon, domain.steps, domain.discount) == (12, 12, 1.0)
    assert plain.horizon is None
    assert plain.steps != 12
    check_domain(domain)
    assert len(bamdp.run(bamdp.agents.Random(domain.problem()), domain).rewards) == 12


def test_steps_are_the_horizon_unless_given() -> None:
    mdp = MDP(np.full((2, 2, 2), 0.5), np.ones((2, 2)))
    assert Tabular(mdp, 0.9).steps == 1000
    assert Tabular(mdp, 1.0, horizon=30).steps == 30
    assert Tabular(mdp, 1.0, horizon=30, steps=20).steps == 20
    with pytest.raises(ValueError, match="steps must be an integer from 1 to 30, got 31"):
        Tabular(mdp, 1.0, horizon=30, steps=31)

    class Own(Domain):
        num_states, num_actions, discount, rewards, horizon = 1, 1, 1.0, np.zeros((1, 1)), 8

        def reset(self, rng: np.random.Generator) -> int:
            return 0

        def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
            return 0, 1.0

    assert (Domain.steps, Own().steps) == (1000, 8)
    assert bamdp.run(bamdp.agents.Random(Own().problem()), Own()).discounted_return == 8.0


def corridor(back: float, terminal: tuple[int, ...] = (2,)) -> MDP:
    """Three cells; the second action may go back, the last cell is terminal."""
    table = np.zeros((3, 2, 3))
    table[0, :, 1] = table[2, :, 2] = table[1, 0, 2] = 1
    table[1, 1] = [back, 0, 1 - back]
    return MDP(table, np.ones((3, 2)), terminal=terminal)


def test_no_discount_where_every_policy_ends() -> None:
    """Going back for ever avoids the end only if it never fails."""
    domain = Tabular(corridor(0.9), 1.0)
    oracle = bamdp.agents.Oracle(domain.problem(), world=domain.mdp)
    np.testing.assert_allclose(oracle.q_values(0).max(), 20.0)  # pairs of steps, each ends with 1 in 10
    for endless in (corridor(1.0), corridor(0.9, terminal=())):
        with pytest.raises(ValueError, match="discount must be"):
            Tabular(endless, 1.0)
        assert Tabular(endless, 1.0, horizon=5).discount == 1.0
