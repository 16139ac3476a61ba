"""Baselines: where they can't work, the error says which agents can."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import bamdp
from bamdp import Belief, Prior
from bamdp.agents import BEB, BFS3, BOSS, SBOSS, BayesianDP, EpsilonGreedy, PosteriorMean, Softmax
from bamdp.domains import DoubleLoop, InfiniteGrid
from bamdp.priors import Dirichlet
from reference.mute import Mute
from bamdp import BAMDP

Array = NDArray[np.float64]


class Unknowable(Prior):
    """A prior whose beliefs can do nothing but observe."""

    def belief(self, num_states: int, num_actions: int) -> Belief:
        return Mute(num_states, num_actions)


@pytest.mark.parametrize("kind", [BEB, PosteriorMean, EpsilonGreedy, Softmax, BayesianDP, BOSS, SBOSS, BFS3])
def test_errors_say_which_agents_work(kind: Any) -> None:
    with pytest.raises(TypeError, match=r"needs a table of rewards, and InfiniteGrid has none; BAMCP .* Random work there"):
        kind(InfiniteGrid().problem())
    with pytest.raises(TypeError, match=r"needs a table of rewards, and rewards is empty; BAMCP .* Random work there"):
        kind(Dirichlet(), np.empty((0, 2)), 0.9)
    with pytest.raises(TypeError, match=r"(; (use )?(BAMCP|BOSS|PosteriorMean)|BayesianDP need)"):
        kind(Unknowable(), np.zeros((3, 2)), 0.9)
    with pytest.raises(TypeError, match="prior must be"):
        kind("prior", np.zeros((3, 2)), 0.9)


def test_a_prior_of_the_users_own_works_by_its_tables() -> None:
    """Mean and samples of any belief will do; BEB counts visits itself, and SBOSS needs counts or a variance."""

    class Table(Mute):
        def predictive(self, state: int, action: int) -> Array:
            return np.asarray(DoubleLoop().transitions[state, action])

        def sample_mdp(self, rng: np.random.Generator) -> Array:
            return DoubleLoop().transitions

    class TablePrior(Prior):
        def belief(self, num_states: int, num_actions: int) -> Belief:
            return Table(num_states, num_actions)

    world, oracle = DoubleLoop(), bamdp.agents.Oracle(DoubleLoop().problem(), world=DoubleLoop().mdp)
    for kind in (PosteriorMean, BayesianDP, BOSS):
        agent = kind(TablePrior(), world.rewards, world.discount, tolerance=1e-9)
        assert np.allclose([agent.q_values(s) for s in range(9)], oracle.values, atol=1e-8)
    paid = BEB(BAMDP(TablePrior(), world.rewards - 2.0, world.discount), beta=2.0, tolerance=1e-9)  # its bonus, before any visit
    assert np.allclose([paid.q_values(s) for s in range(9)], oracle.values, atol=1e-8)
    with pytest.raises(TypeError, match="can't give the variance of transition probabilities; use BOSS"):
        SBOSS(world.problem(TablePrior()))
