"""Searches with a horizon find the exact values of the steps left."""

from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import BAMCP, BAUCT, BayesAdaptive
from bamdp.domains import InfiniteGrid
from bamdp.exact import bayes_optimal
from bamdp.priors import BetaArms, Dirichlet, Finite

ARMS: Any = (BetaArms(), np.broadcast_to([0.0, 1.0], (2, 2, 2)))
ROWS: Any = (Dirichlet(1.0), np.array([[0.0, 0.3], [1.0, 0.2]]))
FAR = 0.1  # of 24 seeds the worst is off by 0.062; one step more or less changes the value by 0.36 or more

SEARCHES: list[tuple[Any, Any, dict[str, Any]]] = [
    *((BAMCP, ARMS, {"rollouts": kind}) for kind in ("uniform", "posterior-mean", "best-arm", "hindsight")),
    (BAMCP, ARMS, {"rollouts": "uniform", "sampling": "lazy"}),
    (BAUCT, ARMS, {"rollouts": "uniform", "sampling": "resampled"}),
    (BAMCP, ROWS, {"rollouts": "learned"}),
    (BAMCP, ROWS, {"rollouts": "posterior-mean"}),
    (BAMCP, ROWS, {"rollouts": "posterior-mean", "depth": 3}),
    (BAMCP, ROWS, {"rollouts": "uniform", "nodes": "counts"}),
]


def ending(problem: Any, discount: float, horizon: int | None) -> BAMDP:
    prior, rewards = problem
    return BAMDP(prior, rewards, discount, horizon=horizon)


def exact_value(problem: Any, discount: float, horizon: int) -> float:
    return bayes_optimal(ending(problem, discount, horizon), 0).value


def root_value(cls: Any, problem: Any, discount: float, horizon: int, **settings: Any) -> float:
    agent = cls(ending(problem, discount, horizon), simulations=50_000, exploration=2.0, **settings)
    return float(agent.plan(0).q_values.max())


@pytest.mark.parametrize("discount", [0.9, 1.0])
@pytest.mark.parametrize(("cls", "problem", "settings"), SEARCHES)
def test_root_values_are_those_of_the_steps_left(cls: Any, problem: Any, settings: dict[str, Any], discount: float) -> None:
    for horizon in (1, 5):
        exact = exact_value(problem, discount, horizon)
        found = root_value(cls, problem, discount, horizon, **settings)
        if "depth" in settings and horizon > 3:  # the leaves' values are lower bounds
            assert exact - 1.5 * FAR < found < exact + FAR
        else:
            assert found == pytest.approx(exact, abs=FAR)


def test_one_step_too_many_would_be_seen() -> None:
    """The planted bug: an agent that believes in one step more."""

    class Late(BAMCP):
        @property
        def steps_left(self) -> int | None:
            left = super().steps_left
            return None if left is None else left + 1

    for problem in (ARMS, ROWS):
        for rollouts in ("uniform", "posterior-mean"):
            exact = exact_value(problem, 1.0, 5)
            assert root_value(Late, problem, 1.0, 5, rollouts=rollouts, depth=6) > exact + 3 * FAR


@pytest.mark.parametrize("rollouts", ["best-arm", "hindsight", "posterior-mean"])
def test_leaves_are_worth_what_is_left(rollouts: Any) -> None:
    """Two simulations, each a step and a leaf. Two known arms; the better one pays 3 in each of the steps left."""
    prior, rewards = BetaArms(successes=[1, 1], failures=[0, 0]), np.broadcast_to([[0.0, 3.0], [0.0, 2.0]], (2, 2, 2))
    for discount in (0.5, 1.0):
        agent = BAMCP(BAMDP(prior, rewards, discount, horizon=4), simulations=2, rollouts=rollouts, variant="program")
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
    shallow = BAMCP(problem, depth=2, simulations=3000)
    assert shallow.plan(0).depth == 2


def test_a_kept_tree_is_that_of_the_steps_left() -> None:
    agent = BAMCP(ending(ROWS, 1.0, 5), simulations=30_000, exploration=2.0, reuse_tree=True)
    agent.plan(1)
    agent.observe(1, 0, 1.0, 0)
    exact = bayes_optimal(agent.problem, 0, horizon=4, belief=agent.belief).value
    assert agent.plan(0).q_values.max() == pytest.approx(exact, abs=FAR)


def test_the_planner_finds_the_values_of_the_steps_left() -> None:
    for problem in (ARMS, ROWS):
        for horizon in (1, 2, 4):
            agent = BayesAdaptive(ending(problem, 1.0, horizon), simulations=200_000)
            exact = exact_value(problem, 1.0, horizon)
            assert agent.plan(0).q_values.max() == pytest.approx(exact, abs=FAR)


@pytest.mark.parametrize("wages", [(1.0, 1.0), (1.0, 1.5)], ids=["untold", "told by the first wage"])
@pytest.mark.parametrize("horizon", [2, 3, 6])
def test_roll_outs_by_a_mixture_of_models_act_for_the_steps_left(horizon: int, wages: tuple[float, float]) -> None:
    """Work for a wage, or leave for ever for a sum that the world decides: best in the last step, whatever is believed.

    One simulation is the return of the roll-out's policy. One that leaves a step early or late earns less in both worlds.
    """
    sums = (2.0, 4.0)
    moves = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]])
    prior = Finite([moves, moves], rewards=[[pay, (0.0, 0.0)] for pay in zip(wages, sums, strict=True)])
    optimal = {(horizon - 1) * wage + last for wage, last in zip(wages, sums, strict=True)}
    problem = BAMDP(prior, np.zeros((2, 2)), 1.0, horizon=horizon)
    assert bayes_optimal(problem, 0).value == pytest.approx(np.mean(list(optimal)))
    found: set[float] = set()
    for seed in range(40):  # false alarm, as each world has probability 1/2: 2 / 2^40
        found.add(float(BayesAdaptive(problem, simulations=1, seed=seed).plan(0).q_values[0]))
    assert found == optimal


def test_the_plan_brackets_the_value_of_the_steps_left() -> None:
    """With 95 % confidence each, for fixed seeds; the bounds of a run without an end are far off."""
    for seed in range(3):
        plan: Any = BayesAdaptive(ending(ROWS, 1.0, 5), simulations=20_000, seed=seed).plan(0)
        exact = exact_value(ROWS, 1.0, 5)
        assert exact - 3 * FAR < plan.lower < exact < plan.upper < exact + 3 * FAR


def test_a_horizon_in_an_unbounded_domain() -> None:
    domain = InfiniteGrid(seed=2, discount=1.0, horizon=5)
    agent = BAMCP(domain.problem(), simulations=200)
    assert agent.plan(0).depth <= 5
    assert domain.for_run().horizon == 5 == domain.steps


def test_without_a_horizon_a_search_is_as_it_was() -> None:
    """A horizon beyond the depth changes nothing, bit for bit, where leaves are rolled out."""
    plain, late = (BAMCP(ending(ROWS, 0.9, horizon), simulations=500, seed=3) for horizon in (None, 1000))
    np.testing.assert_array_equal(plain.plan(0).q_values, late.plan(0).q_values)
