"""A search that is interrupted, by Ctrl-C or by `on_tick`, stops at once; the agent can go on, its
belief unchanged.
"""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from bamdp.agents import BAMCP
from bamdp.domains import Grid

WORLD = Grid(5)
LONG = 2**31 - 1  # simulations: hours

SCRIPT = """
import os, signal, threading, time
import bamdp
signal.signal(signal.SIGINT, signal.default_int_handler)
world = bamdp.domains.Grid(5)
agent = bamdp.agents.BAMCP(world.problem(), simulations=2**31 - 1, trees={trees}, threads={threads})
agent.observe(0, 0, 0.0, 1)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    agent.plan(0)
    print("it was not interrupted")
except KeyboardInterrupt:
    pass
agent.simulations = 100
assert agent.plan(0).simulations == 100
assert agent.belief.counts(0, 0) == {{1: 1}} and agent.belief.observations == 1
"""


@pytest.mark.slow
@pytest.mark.parametrize(("trees", "threads"), [(1, 1), (2, 2), (3, 2)])
def test_ctrl_c(trees: int, threads: int) -> None:
    command = [sys.executable, "-c", SCRIPT.format(trees=trees, threads=threads)]
    process = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=True
    )  # a search to the end: hours
    assert process.stdout == ""


class StopError(Exception):
    pass


class Stopper:
    """Raises at the n-th tick."""

    def __init__(self, ticks: int) -> None:
        self.ticks = ticks

    def __call__(self) -> None:
        self.ticks -= 1
        if self.ticks <= 0:
            raise StopError


@pytest.mark.parametrize("trees", [1, 3])
@pytest.mark.parametrize("reuse_tree", [False, True])
def test_on_tick(trees: int, reuse_tree: bool) -> None:
    def make() -> BAMCP:
        agent = BAMCP(
            WORLD.problem(), simulations=LONG, trees=trees, threads=2, reuse_tree=reuse_tree, seed=1
        )
        agent.observe(0, 1, 0.0, 5)
        return agent

    agent, undisturbed = make(), make()
    agent.on_tick = Stopper(2)
    with pytest.raises(StopError):
        agent.act(5)
    assert agent.simulations_done == 0
    agent.on_tick = None
    agent.simulations = undisturbed.simulations = 300
    assert _beliefs(agent) == _beliefs(undisturbed)
    plan = agent.plan(5)
    assert plan.simulations == 300
    assert plan.visits.sum() == 300 if not reuse_tree else plan.visits.sum() > 300
    for a, b in ((0, 6), (1, 10)):
        for planner in (agent, undisturbed):
            planner.observe(5, a, 0.0, b)
    assert _beliefs(agent) == _beliefs(undisturbed)
    # The models in the search were put back in order too: values agree, though the chances used up
    # differ.
    values = [
        np.mean([planner.plan(5).q_values for _ in range(20)], axis=0)
        for planner in (agent, undisturbed)
    ]
    if not reuse_tree:
        assert values[0] == pytest.approx(values[1], abs=0.25)


def _beliefs(agent: BAMCP) -> Any:
    return agent.belief.mean().transitions.tolist()
