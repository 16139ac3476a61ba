"""A search stays within its memory, says so when it is used up, and still decides well."""

import subprocess
import sys
from math import isinf
from typing import Any

import numpy as np
import pytest

from bamdp.agents import BAMCP, BFS3
from bamdp.domains import Chain, DoubleLoop, Grid
from bamdp.priors import Finite
from reference.comparison import errors_of_returns
from reference.problems import shown

WORLD = Grid(5)
MIB = 2**20


def agent(**settings: Any) -> BAMCP:
    return BAMCP(WORLD.problem(), **{"simulations": 20_000} | settings)


@pytest.mark.parametrize("trees", [1, 4])
@pytest.mark.parametrize("memory", [0.03, 0.25])
def test_the_bound(memory: float, trees: int) -> None:
    plan = agent(memory=memory, trees=trees).plan(0)
    assert plan.full
    assert 0.9 * memory * MIB < plan.tree.bytes + 4 * plan.tree.num_nodes <= memory * MIB
    assert plan.simulations == plan.visits.sum() == 20_000
    assert repr(plan).endswith(" s, memory full)")
    assert "memory <b>full</b>" in shown(plan)


def test_a_bound_that_is_not_reached_changes_nothing() -> None:
    plans = [agent(memory=memory).plan(0) for memory in (4, 1024, 10**12)]
    assert not any(plan.full for plan in plans)
    assert len({tuple(plan.q_values.tolist()) for plan in plans}) == 1
    assert "memory" not in repr(plans[0])
    assert "memory" not in shown(plans[0])


@pytest.mark.parametrize("nodes", ["histories", "counts"])
def test_trees_that_are_kept(nodes: str) -> None:
    planner = agent(memory=0.1, reuse_tree=True, nodes=nodes, simulations=2000)
    state, rng = 0, np.random.default_rng(0)
    for _ in range(30):
        plan = planner.plan(state)
        assert plan.tree.bytes + 4 * plan.tree.num_nodes <= 0.1 * MIB
        after, reward = WORLD.step(state, plan.action, rng)
        planner.observe(state, plan.action, reward, after)
        state = after
    assert 0 < planner.full_searches <= 30
    planner.reset(0)
    assert planner.full_searches == 0


def test_a_full_tree_still_estimates_without_bias() -> None:
    world, steps = Chain(), 30
    immediate = (world.transitions * world.rewards).sum(axis=-1)
    q = np.zeros_like(immediate)
    for _ in range(
        steps
    ):  # of acting at random, which is all that comes after a root that may have no children
        q = immediate + world.discount * (world.transitions @ q.mean(axis=1))
    exact = q[0]
    known = Finite(world.transitions[None])
    settings: dict[str, Any] = {
        "simulations": 50_000,
        "rollouts": "uniform",
        "depth": steps,
        "exploration": 100.0,
    }
    plan = BAMCP(world.problem(known), memory=1e-6, **settings).plan(0)
    # False alarm: 2 actions, 5.2 standard errors, 4e-7.
    assert (np.abs(plan.q_values - exact) < 5.2 * errors_of_returns(plan)).all()
    unbounded = BAMCP(world.problem(known), **settings).plan(0)
    assert (unbounded.q_values > exact + 5.2 * errors_of_returns(unbounded)).any(), (
        "a tree knows better than to act at random"
    )


def test_bfs3() -> None:
    settings: dict[str, Any] = {
        "branching": 5,
        "depth": 10,
        "trajectories": 3000,
        "leaves": "closed",
    }
    for tree in ("shared", "separate"):
        free = BFS3(DoubleLoop().problem(), tree=tree, **settings).plan(0)
        planner = BFS3(DoubleLoop().problem(), tree=tree, memory=0.05, **settings)
        plan = planner.plan(0)
        assert plan.full
        assert not free.full
        assert planner.full_searches == 1
        assert 0 < plan.simulations < free.simulations
        assert (plan.q_lower <= plan.q_upper).all()
        assert repr(plan).endswith("memory full)")
        assert all(isinf(error) for error in plan.standard_errors)


PEAK = """
import sys
from pathlib import Path
from bamdp.agents import BAMCP
from bamdp.domains import Grid
agent = BAMCP(Grid(5).problem(), simulations=1, memory=float(sys.argv[1]),
              reuse_tree=sys.argv[3] == "kept")
agent.act(0)

def peak():  # in kB; the peak of getrusage may be that of the process that started this one
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

before = peak()
agent.simulations = int(sys.argv[2])
for _ in range(2):
    agent.act(0)
assert agent.full_searches == 2
print((peak() - before) / 1024)
"""


@pytest.mark.heavy
@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
@pytest.mark.parametrize("tree", ["new", "kept"])
def test_the_peak_of_the_process_stays_within_the_bound(tree: str) -> None:
    line = [sys.executable, "-c", PEAK, "64", "600000", tree]
    peak = float(subprocess.run(line, check=True, capture_output=True, text=True).stdout)
    assert 58 < peak < 64 + 4, "and a few pages"
