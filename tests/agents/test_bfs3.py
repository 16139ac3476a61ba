"""BFS3, of rows in the core and of sets of worlds, against bounds made by hand, a slow twin in distribution, exact values."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import BAMDP, Prior
from bamdp.agents import BFS3
from bamdp.domains import Chain
from bamdp.exact import bayes_optimal
from bamdp.priors import Dirichlet, Finite, Parametric, SharedSlip, SparseDirichlet
from reference.bfs3 import Twin, bounds
from reference.problems import belief_of, shown

# Known for certain: from 0 action 0 leads to 1 and action 1 to 2, from there everything leads to 0.
TREE = np.zeros((3, 2, 3))
TREE[0, 0, 1] = TREE[0, 1, 2] = 1
TREE[1:, :, 0] = 1
PAID = np.array([[1.0, 0.0], [0.0, 0.0], [4.0, 4.0]])


# Rows in the core, and sets of worlds in Python.
KNOWN = [Dirichlet(TREE), Finite([TREE]), Finite([TREE] * 3), Finite([TREE] * 2, rewards=[PAID] * 2)]


@pytest.mark.parametrize("prior", KNOWN, ids=str)
def test_a_two_step_tree_by_hand(prior: Prior) -> None:
    def by_hand(trajectories: int, **settings: Any) -> list[tuple[float, float]]:
        agent = BFS3(BAMDP(prior, PAID, 0.5), branching=3, trajectories=trajectories, vmax=8.0, **settings)
        return [(float(low), float(high)) for low, high in zip(*bounds(agent, 0), strict=True)]

    shared: dict[str, Any] = {"tree": "shared", "depth": 2}
    # The first trajectory opens 0 (U = 5 and 4) and below action 0 state 1, whose U is 0 + 8/2; the second one state 2.
    assert by_hand(1, **shared) == [(1, 3), (0, 4)]
    assert by_hand(2, **shared) == [(1, 3), (2, 4)]
    assert by_hand(1, leaves="closed", **shared) == [(1, 1), (0, 4)]
    assert by_hand(2, leaves="closed", **shared) == [(1, 1), (2, 2)]
    # One step at once below each action: the same tree as the shared one when it is complete.
    assert by_hand(3, tree="separate", depth=1) == [(1, 3), (2, 4)]
    assert by_hand(3, tree="separate", depth=1, leaves="closed") == [(1, 1), (2, 2)]


def test_the_decision_is_by_the_bound_that_was_asked_for() -> None:
    settings: dict[str, Any] = {"branching": 3, "trajectories": 1, "depth": 2, "vmax": 8.0, "tree": "shared"}
    assert BFS3(BAMDP(Dirichlet(TREE), PAID, 0.5), **settings).act(0) == 1
    assert BFS3(BAMDP(Dirichlet(TREE), PAID, 0.5), **settings, final_move="lower").act(0) == 0


@pytest.mark.parametrize("final_move", ["upper", "lower"])
@pytest.mark.parametrize("tree", ["shared", "separate"])
def test_a_plan_is_what_act_and_bounds_found(tree: Any, final_move: Any) -> None:
    settings: dict[str, Any] = {"branching": 3, "trajectories": 40, "depth": 4, "tree": tree, "final_move": final_move}
    acts, bounded, plans = (BFS3(BAMDP(SparseDirichlet(), PAID, 0.5), seed=5, **settings) for _ in range(3))
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
        assert plan.tree.to_svg().startswith("<svg")
        assert f"worth {lower[plan.action]:.4g} … {upper[plan.action]:.4g}, " in repr(plan)
        assert all(f"{bound:.4f}" in shown(plan) for bound in (*lower, *upper))


@pytest.mark.parametrize("prior", KNOWN[:2], ids=str)
def test_visits_by_hand(prior: Prior) -> None:
    """The first trajectory takes action 0, whose upper bound is 5 to 4; then it is 3 to 4, and for ever after."""
    settings: dict[str, Any] = {"branching": 3, "depth": 2, "vmax": 8.0, "tree": "shared"}
    for trajectories, visits in ((1, [1, 0]), (2, [1, 1]), (9, [1, 8])):
        plan = BFS3(BAMDP(prior, PAID, 0.5), trajectories=trajectories, **settings).plan(0)
        assert (plan.visits.tolist(), plan.simulations) == (visits, trajectories)


def test_default_bounds_hold_for_all_rewards() -> None:
    """After one step an open leaf is worth anything that can be earned; the worlds may pay more than the agent is given."""
    one: dict[str, Any] = {"tree": "shared", "depth": 1, "trajectories": 1}
    lower, upper = bounds(BFS3(BAMDP(Dirichlet(), [[-1.0, 0.0], [2.0, 1.0]], 0.9), **one), 0)
    assert [*lower, *upper] == pytest.approx([-1 - 9, 0 - 9, -1 + 18, 0 + 18])
    lower, upper = bounds(BFS3(BAMDP(Dirichlet(), [[3.0, 4.0]], 0.5), **one), 0)
    assert [*lower, *upper] == [3, 4, 3 + 4, 4 + 4]
    prior = Finite([TREE] * 2, rewards=[PAID, -2 * PAID])
    lower, upper = bounds(BFS3(BAMDP(prior, np.zeros((3, 2)), 0.5), **one), 1)
    assert (lower.tolist(), upper.tolist()) == ([-16 / 2] * 2, [8 / 2] * 2)


RNG = np.random.default_rng(1)
TABLES = RNG.dirichlet([0.5] * 3, size=(4, 3, 2))
WEIGHTS = np.array([0.1, 0.2, 0.3, 0.4])
REWARDS = np.array([[0.0, 0.3], [1.0, 0.0], [0.0, 0.5]])
PRIORS = {
    "dirichlet": Dirichlet(0.5),
    "sparse": SparseDirichlet(alpha=1.0, exponent=0.0),  # any number of successors: what is seen and what is new both matter
    "worlds": Finite(TABLES, WEIGHTS),
}


@pytest.mark.slow
@pytest.mark.parametrize("leaves", ["open", "closed"])
@pytest.mark.parametrize("tree", ["shared", "separate"])
@pytest.mark.parametrize("name", PRIORS)
def test_bounds_have_the_distribution_of_the_twins(name: str, tree: Any, leaves: Any) -> None:
    """First and second moments of the bounds over many searches; false alarms at 5.5 standard errors: below 1e-5 in all."""
    real, runs = [(0, 0, 1), (0, 0, 1), (1, 1, 2), (1, 0, 0)], 300
    known: dict[Any, list[float]] = {}

    def predictive(counts: Counter[Any], s: int, a: int) -> list[float]:
        seen = counts if name == "worlds" else {step: n for step, n in counts.items() if step[:2] == (s, a)}
        key = s, a, tuple(sorted(seen.items()))
        if key not in known:
            belief = belief_of(PRIORS[name], 3, 2)
            for step, n in seen.items():
                belief.observe_many([step[0]] * n, [step[1]] * n, None, [step[2]] * n)
            known[key] = belief.predictive(s, a).tolist()
        return known[key]

    settings: dict[str, Any] = {"branching": 2, "depth": 3, "trajectories": 6, "vmax": 6.0, "tree": tree, "leaves": leaves}
    agent = BFS3(BAMDP(PRIORS[name], REWARDS, 0.9), seed=0, **settings)
    for s, a, t in real:
        agent.observe(s, a, 0.0, t)
    ours = np.array([np.concatenate(bounds(agent, 0)) for _ in range((2 if name == "worlds" else 4) * runs)])
    twin = Twin(predictive, REWARDS, leaves == "closed")
    theirs = np.array([np.array(getattr(twin, tree)(Counter(real), 0, 6)).T.ravel() for _ in range(runs)])
    for power in (1, 2):
        x, y = ours**power, theirs**power
        error = np.sqrt(x.var(axis=0) / len(x) + y.var(axis=0) / len(y)) + 1e-12
        assert np.all(np.abs(x.mean(axis=0) - y.mean(axis=0)) < 5.5 * error)


EXACT: dict[str, Any] = {
    "worlds": Finite(TABLES, WEIGHTS),
    "rewards of worlds": Finite(TABLES, WEIGHTS, rewards=np.stack([REWARDS, 1 - REWARDS, REWARDS, 2 * REWARDS])),
    "of transitions": Finite(TABLES, WEIGHTS, rewards=RNG.integers(3, size=(4, 3, 2, 3)).astype(float)),
    "terminal states": Finite(TABLES, WEIGHTS, terminal=[[1], [2], [], [1]]),
    "dirichlet": Dirichlet(0.5),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXACT)
def test_with_many_successors_it_finds_the_bayes_optimal_values(name: str) -> None:
    """Three steps with what each of them teaches; 1000 outcomes of each action leave an error of about 0.015."""
    agent = BFS3(
        BAMDP(EXACT[name], REWARDS, 0.9), branching=1000, depth=3, trajectories=400, tree="shared", leaves="closed", vmax=6.0
    )
    lower, upper = np.mean([bounds(agent, 0) for _ in range(4)], axis=0)
    exact = bayes_optimal(agent.belief.problem, 0, horizon=3, belief=agent.belief).values
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
    agent = BFS3(BAMDP(Dirichlet(TREE), PAID, 0.5), branching=2, depth=depth, trajectories=500, tree="shared", leaves="closed")
    lower, upper = bounds(agent, 0)
    assert upper.max() == pytest.approx(q[0].max())
    assert lower.max() == pytest.approx(q[0].max())
    assert np.all(lower <= q[0] + 1e-12)
    assert np.all(upper >= q[0] - 1e-12)


CHAIN = Chain()
NEXT = Chain(slip=0.0).transitions.argmax(axis=2)


def slipping(slip: Any, state: int, action: int) -> Any:
    return (1 - slip)[:, None] * np.eye(5)[NEXT[state, action]] + slip[:, None] * np.eye(5)[NEXT[state, 1 - action]]


OTHERS: dict[str, Any] = {
    "parameter": Parametric(slipping, np.linspace(0.05, 0.95, 19)),
    "slip": SharedSlip(NEXT, NEXT[:, ::-1]),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_priors_are_sampled(name: str, tmp_path: Path) -> None:
    """After many slips the actions have swapped their meaning; saved and loaded, it goes on as it was."""
    settings: dict[str, Any] = {"branching": 5, "depth": 6, "trajectories": 60, "tree": "shared", "seed": 3}
    agent = BFS3(BAMDP(OTHERS[name], CHAIN.rewards, 0.9), **settings)
    for _ in range(30):
        agent.observe(0, 0, 2.0, 0)  # as if by the other action
    plan = agent.plan(4)
    assert np.all((plan.q_lower >= 0) & (plan.q_lower <= plan.q_upper) & (plan.q_upper <= 100))
    assert plan.action == 1, "forward is the other one now"
    if name == "slip":
        agent.save(tmp_path / "agent")
        loaded: Any = bamdp.load(tmp_path / "agent")
        for state in range(3):
            assert [part.tolist() for part in bounds(loaded, state)] == [part.tolist() for part in bounds(agent, state)]


def test_worlds_are_searched_no_further_than_the_horizon() -> None:
    problem = BAMDP(Finite(TABLES, WEIGHTS), REWARDS, 1.0, horizon=2)
    agent = BFS3(problem, branching=500, trajectories=100, tree="shared")
    lower, upper = bounds(agent, 0)
    exact = bayes_optimal(problem, 0).values
    best = int(exact.argmax())
    assert (lower[best], upper[best]) == pytest.approx((exact[best], exact[best]), abs=0.1)
    agent.observe(0, 0, 0.0, 1)
    assert np.array_equal(bounds(agent, 1)[0], REWARDS[1]), "the last step"


def test_memory_and_ticks_of_a_set_of_worlds() -> None:
    agent = BFS3(BAMDP(Finite(TABLES, WEIGHTS), REWARDS, 0.9), memory=0.02, trajectories=500, tree="shared")
    plan = agent.plan(0)
    assert plan.full
    assert plan.simulations < 500
    assert agent.full_searches == 1

    def stop() -> None:
        raise KeyboardInterrupt

    long = BFS3(BAMDP(Finite(TABLES, WEIGHTS), REWARDS, 0.9), trajectories=10**6, tree="shared")
    long.on_tick = stop
    with pytest.raises(KeyboardInterrupt):
        long.act(0)
    long.on_tick = None
    long.observe(0, 0, 0.0, 1)  # it is usable as before
