"""BFS3 against bounds made by hand, a slow twin in distribution, and exact values."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import BFS3
from bamdp.exact import bayes_optimal
from bamdp.pictures.tree import tree_svg
from bamdp.priors import Dirichlet, SparseDirichlet
from reference.bfs3 import Twin, bounds
from reference.problems import belief_of, shown

# Known for certain: from 0 action 0 leads to 1 and action 1 to 2, from there everything leads to 0.
TREE = np.zeros((3, 2, 3))
TREE[0, 0, 1] = TREE[0, 1, 2] = 1
TREE[1:, :, 0] = 1
PAID = np.array([[1.0, 0.0], [0.0, 0.0], [4.0, 4.0]])


def test_a_two_step_tree_by_hand() -> None:
    def by_hand(trajectories: int, **settings: Any) -> list[tuple[float, float]]:
        agent = BFS3(
            BAMDP(Dirichlet(TREE), PAID, 0.5),
            branching=3,
            trajectories=trajectories,
            vmax=8.0,
            **settings,
        )
        return [(float(low), float(high)) for low, high in zip(*bounds(agent, 0), strict=True)]

    shared: dict[str, Any] = {"tree": "shared", "depth": 2}
    # The first trajectory opens 0 (U = 5 and 4) and below action 0 state 1, whose U is 0 + 8/2; the
    # second one state 2.
    assert by_hand(1, **shared) == [(1, 3), (0, 4)]
    assert by_hand(2, **shared) == [(1, 3), (2, 4)]
    assert by_hand(1, leaves="closed", **shared) == [(1, 1), (0, 4)]
    assert by_hand(2, leaves="closed", **shared) == [(1, 1), (2, 2)]
    # One step at once below each action: the same tree as the shared one when it is complete.
    assert by_hand(3, tree="separate", depth=1) == [(1, 3), (2, 4)]
    assert by_hand(3, tree="separate", depth=1, leaves="closed") == [(1, 1), (2, 2)]


def test_the_decision_is_by_the_bound_that_was_asked_for() -> None:
    settings: dict[str, Any] = {
        "branching": 3,
        "trajectories": 1,
        "depth": 2,
        "vmax": 8.0,
        "tree": "shared",
    }
    assert BFS3(BAMDP(Dirichlet(TREE), PAID, 0.5), **settings).act(0) == 1
    assert BFS3(BAMDP(Dirichlet(TREE), PAID, 0.5), **settings, final_move="lower").act(0) == 0


@pytest.mark.parametrize("final_move", ["upper", "lower"])
@pytest.mark.parametrize("tree", ["shared", "separate"])
def test_a_plan_is_what_act_and_bounds_found(tree: Any, final_move: Any) -> None:
    settings: dict[str, Any] = {
        "branching": 3,
        "trajectories": 40,
        "depth": 4,
        "tree": tree,
        "final_move": final_move,
    }
    acts, bounded, plans = (
        BFS3(BAMDP(SparseDirichlet(), PAID, 0.5), seed=5, **settings) for _ in range(3)
    )
    for state in (0, 2):
        plan, (lower, upper) = plans.plan(state), bounds(bounded, state)
        assert plan.action == acts.act(state)
        assert (plan.q_lower.tolist(), plan.q_upper.tolist()) == (lower.tolist(), upper.tolist())
        assert (plan.lower, plan.upper) == (lower.max(), upper.max())
        assert plan.q_values.tolist() == (upper if final_move == "upper" else lower).tolist()
        assert plan.value == plan.q_values.max()
        assert plan.visits.sum() == plan.simulations == (40 if tree == "shared" else 2 * 3 * 13)
        assert plan.depth == (4 if tree == "shared" else 5)
        root = plan.tree.to_dict()
        assert (root["state"], root["visits"]) == (state, plan.simulations)
        assert [edge["value"] for edge in root["actions"]] == plan.q_values.tolist()
        assert [edge["standard_error"] for edge in root["actions"]] == [None, None]
        assert tree_svg(plan.tree).startswith("<svg")
        assert f"worth {lower[plan.action]:.4g} … {upper[plan.action]:.4g}, " in repr(plan)
        assert all(f"{bound:.4f}" in shown(plan) for bound in (*lower, *upper))


def test_visits_by_hand() -> None:
    """The first trajectory takes action 0, whose upper bound is 5 to 4; then it is 3 to 4, and for
    ever after.
    """
    settings: dict[str, Any] = {"branching": 3, "depth": 2, "vmax": 8.0, "tree": "shared"}
    for trajectories, visits in ((1, [1, 0]), (2, [1, 1]), (9, [1, 8])):
        plan = BFS3(BAMDP(Dirichlet(TREE), PAID, 0.5), trajectories=trajectories, **settings).plan(
            0
        )
        assert (plan.visits.tolist(), plan.simulations) == (visits, trajectories)


def test_default_bounds_hold_for_all_rewards() -> None:
    """After one step an open leaf is worth anything that can be earned."""
    one: dict[str, Any] = {"tree": "shared", "depth": 1, "trajectories": 1}
    lower, upper = bounds(BFS3(BAMDP(Dirichlet(), [[-1.0, 0.0], [2.0, 1.0]], 0.9), **one), 0)
    assert [*lower, *upper] == pytest.approx([-1 - 9, 0 - 9, -1 + 18, 0 + 18])
    lower, upper = bounds(BFS3(BAMDP(Dirichlet(), [[3.0, 4.0]], 0.5), **one), 0)
    assert [*lower, *upper] == [3, 4, 3 + 4, 4 + 4]


REWARDS = np.array([[0.0, 0.3], [1.0, 0.0], [0.0, 0.5]])
PRIORS = {
    "dirichlet": Dirichlet(0.5),
    "sparse": SparseDirichlet(
        alpha=1.0, exponent=0.0
    ),  # any number of successors: what is seen and what is new both matter
}


@pytest.mark.slow
@pytest.mark.parametrize("leaves", ["open", "closed"])
@pytest.mark.parametrize("tree", ["shared", "separate"])
@pytest.mark.parametrize("name", PRIORS)
def test_bounds_have_the_distribution_of_the_twins(name: str, tree: Any, leaves: Any) -> None:
    """First and second moments of the bounds over many searches; false alarms at 5.5 standard
    errors: below 1e-5 in all.
    """
    real, runs = [(0, 0, 1), (0, 0, 1), (1, 1, 2), (1, 0, 0)], 300
    known: dict[Any, list[float]] = {}

    def predictive(counts: Counter[Any], s: int, a: int) -> list[float]:
        seen = {step: n for step, n in counts.items() if step[:2] == (s, a)}
        key = s, a, tuple(sorted(seen.items()))
        if key not in known:
            belief = belief_of(PRIORS[name], 3, 2)
            for step, n in seen.items():
                belief.observe_many([step[0]] * n, [step[1]] * n, None, [step[2]] * n)
            known[key] = belief.predictive(s, a).tolist()
        return known[key]

    settings: dict[str, Any] = {
        "branching": 2,
        "depth": 3,
        "trajectories": 6,
        "vmax": 6.0,
        "tree": tree,
        "leaves": leaves,
    }
    agent = BFS3(BAMDP(PRIORS[name], REWARDS, 0.9), seed=0, **settings)
    for s, a, t in real:
        agent.observe(s, a, float(REWARDS[s, a]), t)
    ours = np.array([np.concatenate(bounds(agent, 0)) for _ in range(4 * runs)])
    twin = Twin(predictive, REWARDS, leaves == "closed")
    theirs = np.array(
        [np.array(getattr(twin, tree)(Counter(real), 0, 6)).T.ravel() for _ in range(runs)]
    )
    for power in (1, 2):
        x, y = ours**power, theirs**power
        error = np.sqrt(x.var(axis=0) / len(x) + y.var(axis=0) / len(y)) + 1e-12
        assert np.all(np.abs(x.mean(axis=0) - y.mean(axis=0)) < 5.5 * error)


@pytest.mark.slow
def test_with_many_successors_it_finds_the_bayes_optimal_values() -> None:
    """Three steps with what each of them teaches; 1000 outcomes of each action leave an error of
    about 0.015.
    """
    agent = BFS3(
        BAMDP(Dirichlet(0.5), REWARDS, 0.9),
        branching=1000,
        depth=3,
        trajectories=400,
        tree="shared",
        leaves="closed",
        vmax=6.0,
    )
    lower, upper = np.mean([bounds(agent, 0) for _ in range(4)], axis=0)
    exact = bayes_optimal(agent.belief.problem, 0, horizon=3, belief=agent.belief).q_values
    best = int(np.argmax(exact))
    assert lower[best] == pytest.approx(exact[best], abs=0.04)
    assert upper[best] == pytest.approx(exact[best], abs=0.04)
    assert np.all(upper >= np.array(exact) - 0.04)


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_closed_bounds_meet_at_the_value_of_so_many_steps(depth: int) -> None:
    values = np.zeros(3)
    for _ in range(depth):
        q = PAID + 0.5 * TREE @ values
        values = q.max(axis=1)
    agent = BFS3(
        BAMDP(Dirichlet(TREE), PAID, 0.5),
        branching=2,
        depth=depth,
        trajectories=500,
        tree="shared",
        leaves="closed",
    )
    lower, upper = bounds(agent, 0)
    assert upper.max() == pytest.approx(q[0].max())
    assert lower.max() == pytest.approx(q[0].max())
    assert np.all(lower <= q[0] + 1e-12)
    assert np.all(upper >= q[0] - 1e-12)
