"""Regret to Bayes-optimal: the identity behind it, and agents whose regret is known."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp import MDP, Agent, Domain, agents
from bamdp.comparing.regret import SolvedProblem, measure
from bamdp.domains import Bandit, RandomMDP, Tabular
from bamdp.priors import Dirichlet

TWO_ARMS = Bandit([0.5, 0.5], discount=0.6)
SMALL = RandomMDP(2, 2, discount=0.6)


def regrets(
    problem: SolvedProblem, make: type[Agent], runs: int, **settings: Any
) -> NDArray[np.float64]:
    outcome = measure(
        problem, lambda seed, world: make(world.problem(), seed=seed, **settings), runs=runs
    )
    return np.array([[row["regret"], row["return"]] for row in outcome.rows])


@pytest.mark.slow
@pytest.mark.parametrize(
    "domain", [TWO_ARMS, SMALL, RandomMDP(3, 2, discount=0.9, rows="sparse")], ids=repr
)
def test_return_and_regret_add_up_to_the_optimal_value(domain: Domain) -> None:
    """E[return + regret] = V, whatever the policy: 4.5 standard errors, a false alarm has
    probability below 1e-5.
    """
    problem = SolvedProblem.solve(domain, domain.problem().prior, steps=6)
    sums = regrets(problem, agents.Random, 1500).sum(axis=1)
    assert abs(sums.mean() - problem.optimum.value) < 4.5 * sums.std() / np.sqrt(len(sums))


EPISODES = Tabular(
    MDP(np.full((3, 2, 3), 1 / 3), [[0.0, 0.5], [1.0, 0.0], [0.0, 0.0]], terminal=[2]),
    0.9,
    prior=Dirichlet(),
    time_limit=3,
)


@pytest.mark.slow
def test_the_same_over_episodes() -> None:
    """They end in state 2, or after three steps: 4.5 standard errors, as above."""
    problem = SolvedProblem.solve(EPISODES, EPISODES.problem().prior, steps=7)
    sums = regrets(problem, agents.Random, 1500).sum(axis=1)
    assert abs(sums.mean() - problem.optimum.value) < 4.5 * sums.std() / np.sqrt(len(sums))
    endless = SolvedProblem.solve(RandomMDP(3, 2, discount=0.9), Dirichlet(), steps=7)
    assert endless.world(0).terminal == frozenset() != problem.world(0).terminal


class Always(agents.Random):
    """Takes one action."""

    def __init__(self, world: Domain, action: int) -> None:
        self.action = action
        super().__init__(world.problem())

    def act(self, state: int) -> int:
        return self.action


SURE = Tabular(
    MDP([[[1.0], [1.0]]], [[3.0, 1.0]]), 0.5, prior=Dirichlet()
)  # one state; action 1 gives away 2 each time


def test_regret_without_chance() -> None:
    """By hand: 2 (1 + 1/2 + 1/4 + 1/8) is given away, of 3 (1 + 1/2 + 1/4 + 1/8)."""
    problem = SolvedProblem.solve(SURE, SURE.problem().prior, steps=4)
    (row,) = measure(problem, lambda seed, world: Always(world, 1), runs=1).rows
    assert (row["regret"], row["discounted_return"], problem.optimum.value) == pytest.approx(
        (3.75, 1.875, 5.625), abs=1e-12
    )


@pytest.mark.parametrize("action", [0, 1])
def test_what_is_left_at_the_end_of_a_problem_without_end(action: int) -> None:
    """After H steps the middle of 3/(1 − γ) and 1/(1 − γ), 4, is left, at γᴴ: in the optimum and in
    what was returned.
    """
    problem = SolvedProblem.solve(SURE, SURE.problem().prior, tolerance=0.1)
    H = problem.optimum.horizon
    assert H == 5, "γᴴ (3 − 1)/(2 (1 − γ)) = 2/2ᴴ is at most 0.1"
    assert problem.optimum.value == pytest.approx(6 * (1 - 0.5**H) + 4 * 0.5**H, abs=1e-12)
    (row,) = measure(problem, lambda seed, world: Always(world, action), runs=1).rows
    assert row["return"] + row["regret"] == pytest.approx(problem.optimum.value, abs=1e-12)


def test_the_optimal_policy_has_no_regret() -> None:
    problem = SolvedProblem.solve(TWO_ARMS, TWO_ARMS.problem().prior, tolerance=1e-3)
    assert regrets(problem, agents.Gittins, 100)[:, 0].max() <= 2 * problem.optimum.error_bound
    assert regrets(problem, agents.Random, 100)[:, 0].mean() > 0.05


def test_who_knows_the_world_is_refused() -> None:
    """It earns more than the Bayes-optimal value, E max of two uniforms a step, and the identity
    isn't about it.
    """
    problem = SolvedProblem.solve(TWO_ARMS, TWO_ARMS.problem().prior, tolerance=1e-3)
    assert problem.optimum.value + problem.optimum.error_bound < 2 / 3 / 0.4
    with pytest.raises(ValueError, match="learns the world, got Oracle, which knows it"):
        measure(
            problem, lambda seed, world: agents.Oracle(world.problem(), world=world.mdp), runs=1
        )


def test_more_simulations_less_regret() -> None:
    problem = SolvedProblem.solve(SMALL, SMALL.problem().prior, tolerance=0.02)
    few, many = (
        regrets(problem, agents.BAMCP, 60, simulations=n, rollouts="uniform")[:, 0].mean()
        for n in (3, 1000)
    )
    assert many < 0.3 * few
