"""Python may end while a daemon thread is at work in the core: no crash, no words."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

SCRIPT = """
import threading, time
import numpy as np
import bamdp
from bamdp import agents, domains, exact, priors

def user(problem):
    class Coins:
        def observe(self, *step): pass
        def sample_row(self, state, action, rng): return rng.dirichlet(np.ones(problem.num_states))
    return Coins()

loop = domains.DoubleLoop()
problem = loop.problem()
begun = threading.Event()
def work():
    begun.set()
    {work}
threading.Thread(target=work, daemon=True).start()
begun.wait()
time.sleep(0.3)
"""
WORK = {
    "search": "agents.BAMCP(problem, seconds=600).plan(0)",
    "several threads": "agents.BAMCP(problem, seconds=600, trees=4, threads=4).plan(0)",
    "functions of the user": "agents.BAMCP(loop.problem(priors.Lazy(user)), seconds=600, trees=2, threads=2).plan(0)",
    "BFS3": "agents.BFS3(problem, trajectories=10**8).plan(0)",
    "exact values": "exact.bayes_optimal(problem, 0, horizon=7, limit=10**8)",
    "indices": "exact.gittins_index(1, 1, 0.9999, tolerance=1e-6)",
    "one short search after another": "[agents.BAMCP(problem, simulations=300).act(0) for _ in range(10**6)]",
}


@pytest.mark.parametrize("work", WORK)
def test_python_ends(work: str) -> None:
    script = SCRIPT.format(work=WORK[work])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
