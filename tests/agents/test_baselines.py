"""Baselines: where they can't work, the error says which agents can."""

from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP, MDP, Belief, Prior
from bamdp.agents import BEB, BFS3, BOSS, SBOSS, BayesianDP, EpsilonGreedy, PosteriorMean, Softmax
from bamdp.domains import DoubleLoop, InfiniteGrid
from bamdp.mdp import as_mdp
from reference.mute import Mute
from reference.problems import sized


class Unknowable(Prior):
    """A prior whose beliefs can do nothing but observe."""

    def belief(self, problem: BAMDP) -> Belief:
        return Mute(problem)


@pytest.mark.parametrize(
    "kind", [BEB, PosteriorMean, EpsilonGreedy, Softmax, BayesianDP, BOSS, SBOSS, BFS3]
)
def test_errors_say_which_agents_work(kind: Any) -> None:
    with pytest.raises(
        TypeError,
        match=r"needs a table of rewards, and rewards is empty; BAMCP, .* Random work there",
    ):
        kind(BAMDP(Unknowable(), np.empty((0, 2)), 0.9))
    if kind in (BEB, SBOSS, BFS3):  # what they add to a model is said in tables
        with pytest.raises(TypeError, match=r"needs a table of rewards"):
            kind(InfiniteGrid().problem())
    with pytest.raises(TypeError, match=r"; QLearning, IEQL, VPI and Random need no prior at all$"):
        kind(sized(3, 2, prior=Unknowable()))
    with pytest.raises(
        TypeError,
        match=r"problem must be a bamdp.BAMDP, got .*; a domain has one: domain.problem\(\)",
    ):
        kind(DoubleLoop())


def test_a_prior_of_the_users_own_works_by_its_tables() -> None:
    """Mean and samples of any belief will do; BEB counts visits itself."""

    class Table(Mute):
        def mean(self) -> MDP:
            return as_mdp(self.problem, world.transitions)

        def sample(self, count: int, rng: np.random.Generator) -> MDP:
            return as_mdp(self.problem, np.stack([world.transitions] * count))

    class TablePrior(Prior):
        def belief(self, problem: BAMDP) -> Belief:
            return Table(problem)

    world = DoubleLoop()
    truth = world.mdp.solve(world.discount).q_values
    for kind in (PosteriorMean, BayesianDP, BOSS):
        agent = kind(world.problem(TablePrior()), tolerance=1e-9)
        assert np.allclose([agent.q_values(s) for s in range(9)], truth, atol=1e-7)
    paid = BEB(
        BAMDP(TablePrior(), world.rewards - 2.0, world.discount), beta=2.0, tolerance=1e-9
    )  # its bonus, before any visit
    assert np.allclose([paid.q_values(s) for s in range(9)], truth, atol=1e-7)
