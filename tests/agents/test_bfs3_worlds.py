"""BFS3 in a set of worlds: a slow twin in distribution, exact values, and what it shares with the native search."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bamdp
from agents.test_bfs3 import PAID, TREE
from bamdp import BAMDP
from bamdp.agents import BFS3
from bamdp.domains import Chain
from bamdp.exact import bayes_optimal
from bamdp.priors import Finite, Parametric, SharedSlip
from reference.bfs3 import Twin, bounds


def test_the_worlds_may_pay_more_than_the_agent_is_given() -> None:
    prior = Finite([TREE] * 2, rewards=[PAID, -2 * PAID])
    lower, upper = bounds(BFS3(BAMDP(prior, np.zeros((3, 2)), 0.5), tree="shared", depth=1, trajectories=1), 1)
    assert (lower.tolist(), upper.tolist()) == ([-16 / 2] * 2, [8 / 2] * 2)


RNG = np.random.default_rng(1)
TABLES = RNG.dirichlet([0.5] * 3, size=(4, 3, 2))
WEIGHTS = np.array([0.1, 0.2, 0.3, 0.4])
REWARDS = np.array([[0.0, 0.3], [1.0, 0.0], [0.0, 0.5]])


class WorldsTwin(Twin):
    """The same with the posterior over the worlds, of all transitions counted so far."""

    def draw(self, counts: Counter[Any], s: int, a: int) -> int:
        weights = WEIGHTS.copy()
        for (x, y, t), n in counts.items():
            weights = weights * TABLES[:, x, y, t] ** n
        row = weights @ TABLES[:, s, a] / weights.sum()
        return self.rng.choices(range(self.S), row.tolist())[0]


@pytest.mark.slow
@pytest.mark.parametrize("leaves", ["open", "closed"])
@pytest.mark.parametrize("tree", ["shared", "separate"])
def test_bounds_have_the_distribution_of_the_twins(tree: Any, leaves: Any) -> None:
    """First and second moments of the bounds over many searches; false alarms at 5.5 standard errors: below 1e-6 in all."""
    real = [(0, 0, 1), (0, 0, 1), (1, 1, 2), (1, 0, 0)]
    settings: dict[str, Any] = {"branching": 2, "depth": 3, "trajectories": 6, "vmax": 6.0, "tree": tree, "leaves": leaves}
    agent = BFS3(BAMDP(Finite(TABLES, WEIGHTS), REWARDS, 0.9), seed=0, **settings)
    for s, a, t in real:
        agent.observe(s, a, 0.0, t)
    ours = np.array([np.concatenate(bounds(agent, 0)) for _ in range(600)])
    twin = WorldsTwin(None, REWARDS, leaves == "closed")
    theirs = np.array([np.array(getattr(twin, tree)(Counter(real), 0, 6)).T.ravel() for _ in range(600)])
    for power in (1, 2):
        x, y = ours**power, theirs**power
        error = np.sqrt(x.var(axis=0) / len(x) + y.var(axis=0) / len(y)) + 1e-12
        assert np.all(np.abs(x.mean(axis=0) - y.mean(axis=0)) < 5.5 * error)


EXACT: dict[str, Any] = {
    "worlds": Finite(TABLES, WEIGHTS),
    "rewards of worlds": Finite(TABLES, WEIGHTS, rewards=np.stack([REWARDS, 1 - REWARDS, REWARDS, 2 * REWARDS])),
    "of transitions": Finite(TABLES, WEIGHTS, rewards=RNG.integers(3, size=(4, 3, 2, 3)).astype(float)),
    "terminal states": Finite(TABLES, WEIGHTS, terminal=[[1], [2], [], [1]]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXACT)
def test_with_many_successors_it_finds_the_bayes_optimal_values(name: str) -> None:
    """Three steps with what each of them teaches; 2000 outcomes of each action leave an error of about 0.01."""
    agent = BFS3(
        BAMDP(EXACT[name], REWARDS, 0.9), branching=2000, depth=3, trajectories=400, tree="shared", leaves="closed", vmax=6.0
    )
    lower, upper = np.mean([bounds(agent, 0) for _ in range(4)], axis=0)
    exact = bayes_optimal(agent.belief.problem, 0, horizon=3, belief=agent.belief).values
    best = int(np.argmax(exact))
    assert lower[best] == pytest.approx(exact[best], abs=0.04)
    assert upper[best] == pytest.approx(exact[best], abs=0.04)
    assert np.all(upper >= np.array(exact) - 0.04)
    blind = bayes_optimal(BAMDP(Finite([np.tensordot(WEIGHTS, TABLES, 1)]), REWARDS, 0.9), 0, horizon=3).values
    if name != "worlds":
        assert abs(blind.max() - exact.max()) > 0.08, "or it would not show what is learned"


CHAIN = Chain()
NEXT = Chain(slip=0.0).transitions.argmax(axis=2)


def slipping(slip: Any, state: int, action: int) -> Any:
    return (1 - slip)[:, None] * np.eye(5)[NEXT[state, action]] + slip[:, None] * np.eye(5)[NEXT[state, 1 - action]]


OTHERS: dict[str, Any] = {
    "parameter": Parametric(slipping, np.linspace(0.05, 0.95, 19)),
    "rows on demand": Parametric(slipping, np.linspace(0.05, 0.95, 1001), memory=0.01),
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


def test_it_looks_no_further_than_the_horizon() -> None:
    problem = BAMDP(Finite(TABLES, WEIGHTS), REWARDS, 1.0, horizon=2)
    agent = BFS3(problem, branching=500, trajectories=100, tree="shared")
    lower, upper = bounds(agent, 0)
    exact = bayes_optimal(problem, 0).values
    best = int(exact.argmax())
    assert (lower[best], upper[best]) == pytest.approx((exact[best], exact[best]), abs=0.1)
    agent.observe(0, 0, 0.0, 1)
    assert np.array_equal(bounds(agent, 1)[0], REWARDS[1]), "the last step"


def test_memory_and_ticks() -> None:
    agent = BFS3(BAMDP(Finite(TABLES, WEIGHTS), REWARDS, 0.9), memory=0.02, trajectories=500, tree="shared")
    plan = agent.plan(0)
    assert plan.full
    assert plan.simulations < 500
    assert agent.full_searches == 1
    ticks = []

    def stop() -> None:
        ticks.append(1)
        raise KeyboardInterrupt

    long = BFS3(BAMDP(Finite(TABLES, WEIGHTS), REWARDS, 0.9), trajectories=10**6, tree="shared")
    long.on_tick = stop
    with pytest.raises(KeyboardInterrupt):
        long.act(0)
    assert ticks == [1]
    long.on_tick = None
    long.observe(0, 0, 0.0, 1)  # it is usable as before
