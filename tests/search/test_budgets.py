"""Budgets of simulations and of time, the final move, root-parallel trees, and what
the tree costs.
"""

from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import BAMCP
from bamdp.domains import DoubleLoop, Grid, Maze
from bamdp.priors import Finite
from bamdp.search.plan import Plan
from reference.comparison import errors_of_returns

WORLD = Grid(5)


def agent(**settings: Any) -> BAMCP:
    return BAMCP(WORLD.problem(), **settings)


@pytest.mark.parametrize("simulations", [1, 2, 7, 1000])
@pytest.mark.parametrize("trees", [1, 3])
def test_simulations(simulations: int, trees: int) -> None:
    planner = agent(simulations=simulations, trees=trees)
    plan = planner.plan(0)
    assert plan.simulations == plan.visits.sum() == simulations
    assert plan.tree.to_dict(depth=0)["visits"] == simulations
    planner.act(0)
    assert planner.simulations_done == 2 * simulations
    assert agent().simulations == 1000


def test_trees_that_wait_for_a_thread_get_their_share_of_the_time() -> None:
    """Simulations are counted, not seconds, and added up over plans: a machine in use holds up now
    one tree, now another.

    Without shares the first tree would have thousands of simulations in each plan, and each other
    tree one.
    """
    planner, done = agent(seconds=0.05, trees=5, threads=1), np.zeros(5, int)
    for _ in range(40):
        done += [int(visits.sum()) for visits, _, _ in _singles(planner.plan(0))]
        if done.max() < 10 * done.min():
            return
    raise AssertionError(f"simulations of each tree, in all plans: {done}")


def test_whichever_budget_ends_first() -> None:
    assert agent(simulations=50, seconds=60.0).plan(0).simulations == 50
    plan = agent(simulations=10**9, seconds=0.05).plan(0)
    assert 0 < plan.simulations < 10**9
    assert agent(seconds=1e-9).plan(0).simulations == 1


@pytest.mark.parametrize("final_move", ["value", "visits"])
def test_final_move(final_move: Any) -> None:
    differ = 0
    for seed in range(100):
        plan = BAMCP(DoubleLoop().problem(), simulations=12, seed=seed, final_move=final_move).plan(
            0
        )
        scores = plan.q_values if final_move == "value" else plan.visits
        assert scores[plan.action] == scores.max()
        differ += int(plan.visits.argmax() != plan.q_values.argmax())
    assert differ > 0, "the two rules never had a chance to differ"


def test_root_statistics_of_trees_add_up() -> None:
    for settings in ({}, {"threads": 1}, {"threads": 2}):
        plan = agent(simulations=1000, trees=3, **settings).plan(0)
        singles = _singles(plan)
        visits = sum(n for n, _, _ in singles)
        assert plan.visits.tolist() == np.asarray(visits).tolist()
        assert sorted(int(n.sum()) for n, _, _ in singles) == [333, 333, 334]
        mean = sum(n * value for n, value, _ in singles) / visits
        assert plan.q_values == pytest.approx(np.asarray(mean), abs=1e-12)
        second_moment = sum(squares + n * value**2 for n, value, squares in singles)
        variance = (second_moment - visits * np.square(mean)) / (np.asarray(visits) - 1)
        merged = plan.tree.to_dict(depth=1)
        for a, edge in enumerate(merged["actions"]):
            assert edge["visits"] == plan.visits[a]
            assert edge["value"] == pytest.approx(plan.q_values[a], abs=1e-12)
            assert edge["standard_error"] == pytest.approx(
                np.sqrt(variance[a] / plan.visits[a]), rel=1e-9
            )


def _singles(plan: Plan) -> list[tuple[Any, Any, Any]]:
    """Visits, values and squares at the root of each tree."""
    tops = [tree.top(0, 1) for tree in plan.tree.trees]
    return [(visits[0], values[0], squares[0]) for *_, values, squares, visits in tops]


def test_standard_errors_know_that_luck_lasts() -> None:
    """In state 1 action 0 pays 0.5, action 1 pays 1 with probability 0.8. Without exploration, a
    tree whose first try of action 1 fails never tries it again, and its returns don't tell: their
    errors are three times too small.
    """
    transitions, rewards = np.zeros((3, 2, 3)), np.zeros((3, 2, 3))
    transitions[0, :, 1] = transitions[2, :, 1] = transitions[1, 0, 0] = 1
    transitions[1, 1] = [0.2, 0, 0.8]
    rewards[1, 0, 0], rewards[1, 1, 2] = 0.5, 1
    settings: dict[str, Any] = {
        "exploration": 0.0,
        "depth": 2,
        "simulations": 3200,
        "trees": 16,
        "threads": 1,
    }
    planner = BAMCP(BAMDP(Finite([transitions]), rewards, 0.9), **settings)
    plans = []
    for seed in range(200):
        planner.reset(seed)
        plans.append(planner.plan(0))
    spread = np.std([plan.q_values for plan in plans], axis=0, ddof=1)
    stated, of_returns = (
        np.sqrt(np.mean(np.square(errors), axis=0))
        for errors in (
            [plan.standard_errors for plan in plans],
            [errors_of_returns(plan) for plan in plans],
        )
    )
    # The spread of 200 plans is known to 5 %, the mean of their squared errors (15 degrees of
    # freedom) to 3 %: 5.3 standard deviations, for two actions. False alarm: 4e-7.
    assert np.abs(spread / stated - 1).max() < 0.31
    assert (spread / of_returns).min() > 2.5


@pytest.mark.parametrize("world", [Grid(5), Maze(), DoubleLoop()], ids=repr)
def test_memory_per_node(world: Any) -> None:
    plan = BAMCP(world.problem(), simulations=20_000).plan(0)
    per_node = 32 + 24 * world.num_actions
    assert plan.tree.num_nodes > 19_000
    assert plan.tree.bytes <= per_node * 20_001, "a node for each simulation, and the root"
