"""Bandits with normal arms: agents play them, and Gittins indices are worth more than the posterior
mean.
"""

from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import BAMDP
from bamdp.agents import BayesAdaptive, BayesianDP, Gittins, IndexPolicy, Oracle
from bamdp.domains import NormalBandit
from bamdp.exact import normal_gittins_index
from bamdp.priors import Dirichlet, Normal, NormalArms, UnknownRewards
from reference.comparison import Z_BOUND

ARMS, DISCOUNT, STEPS = 8, 0.95, 40


@pytest.mark.parametrize("kind", [BayesAdaptive, BayesianDP, Gittins, IndexPolicy, Oracle])
def test_agents_find_the_best_arm(kind: Any) -> None:
    world = NormalBandit([0.0, 3.0, 0.5], 1.0, discount=0.95)
    settings: dict[Any, Any] = {BayesAdaptive: {"simulations": 100}, Oracle: {"world": world.mdp}}
    run = bamdp.run(kind(world.problem(), **settings.get(kind, {})), world, steps=100, seed=1)
    assert np.mean(run.actions[50:] == 1) > 0.9


def test_indices_follow_the_posterior() -> None:
    prior = NormalArms(mean=[0.0, 1.0, 2.0], deviation=[1.0, 0.5, 0.0], noise=[1.0, 2.0, 1.0])
    agent = Gittins(BAMDP(prior, np.zeros((1, 3)), 0.9))
    for reward in (1.5, -0.5, 2.0):
        agent.observe(0, 1, reward, 0)
    known: Any = agent.belief
    after = known.arm(1)
    expected = [
        normal_gittins_index(0, 1, 1, 0.9),
        normal_gittins_index(after.mean, after.deviation, 2.0, 0.9),
        2.0,
    ]
    assert agent.q_values(0) == pytest.approx(expected, abs=1e-5)
    assert after.mean == pytest.approx((16 * 1.0 + 3.0) / 19)


def test_normal_rewards_of_one_state_are_arms() -> None:
    outcomes = Normal(mean=[[0.0, 1.0]], deviation=[[1.0, 0.5]], noise=2.0)
    priors = UnknownRewards(Dirichlet(), outcomes=outcomes), NormalArms([0.0, 1.0], [1.0, 0.5], 2.0)
    one, other = (Gittins(BAMDP(prior, np.zeros((1, 2)), 0.9)) for prior in priors)
    assert np.array_equal(one.q_values(0), other.q_values(0))


def test_rewards_are_normal_and_unknown() -> None:
    world = NormalBandit([1.0, -2.0], [0.5, 2.0])
    rng = np.random.default_rng(0)
    paid = np.array([world.step(0, 1, rng)[1] for _ in range(4000)])
    assert abs(paid.mean() + 2) < Z_BOUND * 2 / 4000**0.5
    assert paid.std() == pytest.approx(2, rel=Z_BOUND / 8000**0.5)
    assert isinstance(world.problem().prior, NormalArms)
    unknown = world.problem(bamdp.priors.Dirichlet()).prior
    assert repr(unknown).startswith("UnknownRewards(Dirichlet")
