"""A search stays within its memory, says so when it is used up, and still decides well."""

import json
import subprocess
import sys
from math import isinf
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp.agents import BAMCP, BFS3
from bamdp.cli.main import main
from bamdp.domains import Chain, DoubleLoop, Grid
from bamdp.priors import Finite
from bamdp.runs.loop import Run
from reference.comparison import errors_of_returns

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
    assert "memory <b>full</b>" in plan._repr_html_()


def test_a_bound_that_is_not_reached_changes_nothing() -> None:
    plans = [agent(memory=memory).plan(0) for memory in (4, 1024, 10**12)]
    assert not any(plan.full for plan in plans)
    assert len({tuple(plan.q_values.tolist()) for plan in plans}) == 1
    assert "memory" not in repr(plans[0])
    assert "memory" not in plans[0]._repr_html_()


def test_no_room_at_all() -> None:
    plan = agent(memory=1e-6).plan(0)
    assert plan.full
    assert plan.tree.num_nodes == 1
    assert plan.visits.sum() == 20_000


@pytest.mark.parametrize("nodes", ["histories", "counts"])
def test_trees_that_are_kept(nodes: str) -> None:
    planner = agent(memory=0.1, reuse_tree=True, nodes=nodes, simulations=2000)
    course = Run(planner, WORLD)
    for _ in range(30):
        course.step()
        assert sum(tree.bytes + 4 * tree.num_nodes for tree in planner._search.trees()) <= 0.1 * MIB
    assert 0 < planner.full_searches <= 30
    planner.reset(0)
    assert planner.full_searches == 0


def test_a_full_tree_still_estimates_without_bias() -> None:
    world, steps = Chain(), 30
    immediate = (world.transitions * world.rewards).sum(axis=-1)
    q = np.zeros_like(immediate)
    for _ in range(steps):  # of acting at random, which is all that comes after a root that may have no children
        q = immediate + world.discount * (world.transitions @ q.mean(axis=1))
    exact = q[0]
    known = Finite(world.transitions[None])
    settings: dict[str, Any] = {"simulations": 50_000, "rollouts": "uniform", "depth": steps, "exploration": 100.0}
    plan = BAMCP(world.problem(known), memory=1e-6, **settings).plan(0)
    # False alarm: 2 actions, 5.2 standard errors, 4e-7.
    assert (np.abs(plan.q_values - exact) < 5.2 * errors_of_returns(plan)).all()
    unbounded = BAMCP(world.problem(known), **settings).plan(0)
    assert (unbounded.q_values > exact + 5.2 * errors_of_returns(unbounded)).any(), "a tree knows better than to act at random"


@pytest.mark.slow
def test_a_bounded_search_decides_well() -> None:
    world = DoubleLoop()
    totals = []
    for seed in range(3):
        planner = BAMCP(world.problem(), simulations=1000, memory=0.004, seed=seed)  # 51 nodes instead of 1000
        totals.append(bamdp.run(planner, world, steps=300, seed=seed).total_reward)
        assert planner.full_searches == 300
    # Of 300 steps the better loop gives at most 120, the other one 60, and acting at random 36 or so.
    assert np.mean(totals) > 90


def test_bfs3() -> None:
    settings: dict[str, Any] = {"branching": 5, "depth": 10, "trajectories": 3000, "leaves": "closed"}
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


def test_bfs3_without_room_opens_the_root_alone() -> None:
    plan = BFS3(DoubleLoop().problem(), tree="shared", branching=5, depth=10, trajectories=100, memory=1e-6).plan(0)
    assert (plan.full, plan.simulations) == (True, 1)


def test_the_command_line_says_so_once(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--steps", "3", "--runs", "2"]
    assert main(["play", "double-loop", "bamcp:memory=0.01", *flags]) == 0
    output = capsys.readouterr().out
    assert output.count("full in 6 decisions; the agent's setting memory=MIB sets the bound") == 1
    main(["play", "double-loop", "bamcp:memory=0.01", *flags, "--json"])
    assert json.loads(capsys.readouterr().out)["full_searches"] == 6
    main(["play", "double-loop", "bamcp", *flags])
    assert "memory" not in capsys.readouterr().out


@pytest.mark.parametrize("memory", [0, -1, float("nan"), float("inf"), "much", None])
@pytest.mark.parametrize("kind", [BAMCP, BFS3])
def test_what_is_refused(kind: type[BAMCP], memory: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"memory must be a finite number in \(0, 1e\+12\], got"):
        kind(DoubleLoop().problem(), memory=memory)


PEAK = """
import sys
from pathlib import Path
from bamdp.agents import BAMCP
from bamdp.domains import Grid
agent = BAMCP(Grid(5).problem(), simulations=1, memory=float(sys.argv[1]), reuse_tree=sys.argv[3] == "kept")
agent.act(0)

def peak():  # in kB; the peak of getrusage may be that of the process that started this one
    return next(int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))

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
