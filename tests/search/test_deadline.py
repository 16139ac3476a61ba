"""Searches with a deadline find the exact values of the steps left."""

from typing import Any

import numpy as np
import pytest

from bamdp.agents import BAMCP, BAUCT, BayesAdaptive
from bamdp.domains import InfiniteGrid
from bamdp.exact import bayes_optimal
from bamdp.priors import BetaArms, Dirichlet, Finite

ARMS: Any = (BetaArms(), np.broadcast_to([0.0, 1.0], (2, 2, 2)))
MDP: Any = (Dirichlet(1.0), np.array([[0.0, 0.3], [1.0, 0.2]]))
FAR = 0.1  # of 24 seeds the worst is off by 0.062; one step more or less changes the value by 0.36 or more

SEARCHES: list[tuple[Any, Any, dict[str, Any]]] = [
    *((BAMCP, ARMS, {"rollouts": kind}) for kind in ("uniform", "posterior-mean", "best-arm", "hindsight")),
    (BAMCP, ARMS, {"rollouts": "uniform", "sampling": "lazy"}),
    (BAUCT, ARMS, {"rollouts": "uniform", "sampling": "resampled"}),
    (BAMCP, MDP, {"rollouts": "learned"}),
    (BAMCP, MDP, {"rollouts": "posterior-mean"}),
    (BAMCP, MDP, {"rollouts": "posterior-mean", "horizon": 3}),
    (BAMCP, MDP, {"rollouts": "uniform", "nodes": "counts"}),
]


def made(cls: Any, problem: Any, discount: float, **settings: Any) -> Any:
    return cls(*problem, discount, **settings)


def exact_value(problem: Any, discount: float, horizon: int) -> float:
    prior, rewards = problem
    return bayes_optimal(prior, rewards, discount, 0, horizon=horizon).value


def root_value(cls: Any, problem: Any, discount: float, deadline: int, **settings: Any) -> float:
    agent = cls(*problem, discount, deadline=deadline, simulations=50_000, exploration=2.0, **settings)
    return float(agent.plan(0).values.max())


@pytest.mark.parametrize("discount", [0.9, 1.0])
@pytest.mark.parametrize(("cls", "problem", "settings"), SEARCHES)
def test_root_values_are_those_of_the_steps_left(cls: Any, problem: Any, settings: dict[str, Any], discount: float) -> None:
    for deadline in (1, 5):
        exact = exact_value(problem, discount, deadline)
        found = root_value(cls, problem, discount, deadline, **settings)
        if "horizon" in settings and deadline > 3:  # the leaves' values are lower bounds
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

    for problem in (ARMS, MDP):
        for rollouts in ("uniform", "posterior-mean"):
            exact = exact_value(problem, 1.0, 5)
            assert root_value(Late, problem, 1.0, 5, rollouts=rollouts, horizon=6) > exact + 3 * FAR


@pytest.mark.parametrize("rollouts", ["best-arm", "hindsight", "posterior-mean"])
def test_leaves_are_worth_what_is_left(rollouts: Any) -> None:
    """Two simulations, each a step and a leaf. Two known arms; the better one pays 3 in each of the steps left."""
    prior, rewards = BetaArms(successes=[1, 1], failures=[0, 0]), np.broadcast_to([[0.0, 3.0], [0.0, 2.0]], (2, 2, 2))
    for discount in (0.5, 1.0):
        agent = BAMCP(prior, rewards, discount, deadline=4, simulations=2, rollouts=rollouts, expand_after=9)
        for left in (4, 3, 2, 1):
            worth = sum(discount**k for k in range(left))
            np.testing.assert_allclose(agent.plan(0).values, [3 * worth, 2 + 3 * (worth - 1)])
            agent.observe(0, 0, 3.0, 1)


def test_the_depth_of_a_search_is_limited_by_the_steps_left() -> None:
    agent = made(BAMCP, MDP, 0.99, deadline=6, simulations=3000)
    for left in (6, 5, 4, 3, 2, 1):
        assert agent.plan(0).depth == left
        agent.observe(0, 0, 0.0, 0)
    shallow = made(BAMCP, MDP, 0.99, deadline=6, horizon=2, simulations=3000)
    assert shallow.plan(0).depth == 2


def test_a_kept_tree_is_that_of_the_steps_left() -> None:
    agent = made(BAMCP, MDP, 1.0, deadline=5, simulations=30_000, exploration=2.0, reuse_tree=True)
    agent.plan(1)
    agent.observe(1, 0, 1.0, 0)
    exact = exact_value((agent.belief, MDP[1]), 1.0, 4)
    assert agent.plan(0).values.max() == pytest.approx(exact, abs=FAR)


def test_the_planner_finds_the_values_of_the_steps_left() -> None:
    for problem in (ARMS, MDP):
        for deadline in (1, 2, 4):
            agent = made(BayesAdaptive, problem, 1.0, deadline=deadline, simulations=200_000)
            exact = exact_value(problem, 1.0, deadline)
            assert agent.plan(0).values.max() == pytest.approx(exact, abs=FAR)


@pytest.mark.parametrize("wages", [(1.0, 1.0), (1.0, 1.5)], ids=["untold", "told by the first wage"])
@pytest.mark.parametrize("deadline", [2, 3, 6])
def test_roll_outs_by_a_mixture_of_models_act_for_the_steps_left(deadline: int, wages: tuple[float, float]) -> None:
    """Work for a wage, or leave for ever for a sum that the world decides: best in the last step, whatever is believed.

    One simulation is the return of the roll-out's policy. One that leaves a step early or late earns less in both worlds.
    """
    sums = (2.0, 4.0)
    moves = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]])
    prior = Finite([moves, moves], rewards=[[pay, (0.0, 0.0)] for pay in zip(wages, sums, strict=True)])
    optimal = {(deadline - 1) * wage + last for wage, last in zip(wages, sums, strict=True)}
    mean = bayes_optimal(prior, np.zeros((2, 2)), 1.0, 0, horizon=deadline).value
    assert mean == pytest.approx(np.mean(list(optimal)))
    found: set[float] = set()
    for seed in range(40):  # false alarm, as each world has probability 1/2: 2 / 2^40
        agent = BayesAdaptive(prior, np.zeros((2, 2)), 1.0, deadline=deadline, simulations=1, seed=seed)
        found.add(float(agent.plan(0).values[0]))
    assert found == optimal


def test_the_plan_brackets_the_value_of_the_steps_left() -> None:
    """With 95 % confidence each, for fixed seeds; the bounds of a run without an end are far off."""
    for seed in range(3):
        agent = made(BayesAdaptive, MDP, 1.0, deadline=5, simulations=20_000, seed=seed)
        plan, exact = agent.plan(0), exact_value(MDP, 1.0, 5)
        assert exact - 3 * FAR < plan.lower < exact < plan.upper < exact + 3 * FAR


def test_a_deadline_in_an_unbounded_domain() -> None:
    domain = InfiniteGrid(seed=2, discount=1.0, deadline=5)
    agent = BAMCP.for_domain(domain, simulations=200)
    assert agent.plan(0).depth <= 5
    assert domain.for_run().deadline == 5 == domain.steps


def test_without_a_deadline_a_search_is_as_it_was() -> None:
    """A deadline beyond the horizon changes nothing, bit for bit, where leaves are rolled out."""
    plain, late = (made(BAMCP, MDP, 0.9, deadline=deadline, simulations=500, seed=3) for deadline in (None, 1000))
    np.testing.assert_array_equal(plain.plan(0).values, late.plan(0).values)
