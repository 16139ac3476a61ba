"""Searches with a horizon find the exact values of the steps left, in one episode or several."""

import copy
from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import BAMCP, BAUCT, BayesAdaptive
from bamdp.domains import InfiniteGrid
from bamdp.exact import bayes_optimal
from bamdp.priors import BetaArms, Dirichlet

ARMS: Any = (BetaArms(), np.broadcast_to([0.0, 1.0], (2, 2, 2)))
ROWS: Any = (Dirichlet(1.0), np.array([[0.0, 0.3], [1.0, 0.2]]))
# of 24 seeds the worst is off by 0.062; one step more or less changes the value by 0.36 or more
FAR = 0.1

RUNS = [(0.9, 5, None), (1.0, 1, None), (1.0, 5, None)]  # discount, horizon, length of episodes
EPISODES = [(1.0, 5, 2), (1.0, 5, 3), (1.0, 4, 1)]
SEARCHES: list[tuple[Any, Any, dict[str, Any]]] = [
    *(
        (BAMCP, ARMS, {"rollouts": kind})
        for kind in ("uniform", "posterior-mean", "best-arm", "hindsight")
    ),
    (BAMCP, ARMS, {"rollouts": "uniform", "sampling": "lazy"}),
    (BAUCT, ARMS, {"rollouts": "uniform", "sampling": "resampled"}),
    (BAMCP, ROWS, {"rollouts": "learned", "sampling": "lazy"}),
    (BAMCP, ROWS, {"rollouts": "posterior-mean"}),
    (BAMCP, ROWS, {"rollouts": "posterior-mean", "depth": 3}),
    (BAMCP, ROWS, {"rollouts": "uniform", "sampling": "full"}),
    (BAUCT, ROWS, {"rollouts": "uniform", "sampling": "resampled"}),
    (BAMCP, ROWS, {"rollouts": "uniform", "nodes": "counts"}),
]


def ending(problem: Any, discount: float, horizon: int | None, length: int | None = None) -> BAMDP:
    prior, rewards = problem
    return BAMDP(
        prior,
        rewards,
        discount,
        horizon=horizon,
        episode_length=length,
        start=None if length is None else 0,
    )


def exact_value(problem: Any, *run: Any) -> float:
    return bayes_optimal(ending(problem, *run), 0).value


@pytest.mark.parametrize(("cls", "problem", "settings"), SEARCHES)
def test_root_values_are_those_of_the_steps_left(
    cls: Any, problem: Any, settings: dict[str, Any]
) -> None:
    episodes = EPISODES if problem is ROWS and not {"depth", "nodes"} & settings.keys() else []
    for run in (*RUNS, *episodes):
        agent = cls(ending(problem, *run), simulations=50_000, exploration=2.0, **settings)
        found, exact = float(agent.plan(0).q_values.max()), exact_value(problem, *run)
        if "depth" in settings and run[1] > 3:  # the leaves' values are lower bounds
            assert exact - 1.5 * FAR < found < exact + FAR
        else:
            assert found == pytest.approx(exact, abs=FAR), run


def test_the_planner_finds_the_values_of_the_steps_left() -> None:
    for problem, *run in (
        (ARMS, 1.0, 2),
        (ARMS, 1.0, 4),
        (ROWS, 1.0, 1),
        (ROWS, 1.0, 4),
        (ROWS, 1.0, 4, 2),
        (ROWS, 1.0, 3, 1),
    ):
        plan = BayesAdaptive(ending(problem, *run), simulations=100_000).plan(0)  # type: ignore[arg-type]
        assert plan.q_values.max() == pytest.approx(exact_value(problem, *run), abs=FAR)


def test_a_search_in_the_middle_of_an_episode() -> None:
    """One step of two is done: what is left is one step and an episode of two."""
    agent = BAMCP(ending(ROWS, 1.0, 4, 2), simulations=50_000, exploration=2.0)
    agent.observe(0, 0, 0.0, 1)
    after = [copy.copy(agent.belief) for _ in range(4)]
    for belief, (action, next_state) in zip(after, np.ndindex(2, 2), strict=True):
        belief.observe(1, action, None, next_state)
    ahead = [bayes_optimal(ending(ROWS, 1.0, 2, 2), 0, belief=belief).value for belief in after]
    chances = np.array([agent.belief.predictive(1, action) for action in range(2)])
    best = (ROWS[1][1] + (chances * np.reshape(ahead, (2, 2))).sum(axis=1)).max()
    assert agent.plan(1).q_values.max() == pytest.approx(best, abs=FAR)


@pytest.mark.parametrize("rollouts", ["best-arm", "hindsight", "posterior-mean"])
def test_leaves_are_worth_what_is_left(rollouts: Any) -> None:
    """Two simulations, each a step and a leaf. Two known arms; the better one pays 3 in each of the
    steps left.
    """
    prior, rewards = (
        BetaArms(successes=[1, 1], failures=[0, 0]),
        np.broadcast_to([[0.0, 3.0], [0.0, 2.0]], (2, 2, 2)),
    )
    for discount in (0.5, 1.0):
        agent = BAMCP(
            BAMDP(prior, rewards, discount, horizon=4),
            simulations=2,
            rollouts=rollouts,
            variant="program",
        )
        for left in (4, 3, 2, 1):
            worth = sum(discount**k for k in range(left))
            np.testing.assert_allclose(agent.plan(0).q_values, [3 * worth, 2 + 3 * (worth - 1)])
            agent.observe(0, 0, 3.0, 1)


def test_the_depth_of_a_search_is_limited_by_the_steps_left() -> None:
    problem = ending(ROWS, 0.99, 6)
    agent = BAMCP(problem, simulations=3000)
    for left in (6, 5, 4, 3, 2, 1):
        assert agent.plan(0).depth == left
        agent.observe(0, 0, 0.0, 0)
    assert BAMCP(problem, depth=2, simulations=3000).plan(0).depth == 2
    domain = InfiniteGrid(seed=2, discount=1.0, horizon=5)
    assert BAMCP(domain.problem(), simulations=200).plan(0).depth <= 5
    assert copy.copy(domain).horizon == 5 == domain.steps


@pytest.mark.parametrize("length", [None, 1])
def test_a_kept_tree_is_that_of_the_steps_left(length: int | None) -> None:
    """Also across the end of an episode."""
    agent = BAMCP(
        ending(ROWS, 1.0, 5, length), simulations=30_000, exploration=2.0, reuse_tree=True
    )
    agent.plan(0)
    reached = 1 if length is None else 0
    agent.observe(0, 0, 0.0, 1)
    plan = agent.plan(reached)
    assert plan.visits.sum() > 30_000  # with what was kept
    exact = bayes_optimal(ending(ROWS, 1.0, 4, length), reached, belief=agent.belief).value
    assert plan.q_values.max() == pytest.approx(exact, abs=FAR)


def test_without_a_horizon_a_search_is_as_it_was() -> None:
    """A horizon beyond the depth changes nothing, bit for bit, where leaves are rolled out."""
    plain, late = (
        BAMCP(ending(ROWS, 0.9, horizon), simulations=500, seed=3) for horizon in (None, 1000)
    )
    np.testing.assert_array_equal(plain.plan(0).q_values, late.plan(0).q_values)
