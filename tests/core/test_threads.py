"""Native objects are for one thread at a time: calls in between are rejected, nothing is corrupted,
and Python can end.

Each case runs in a process of its own, so that a crash is a failure of the test and not the end of
all tests.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

HEAD = """
import copy
import threading
import numpy as np
import bamdp
from bamdp import _core, agents, domains, priors
from bamdp.agents import BAMCP, BFS3
from reference.saved_agents import CASES_BY_NAME as CASES, Counted, learn, step

LOOP = domains.DoubleLoop()
PROBLEM = LOOP.problem()
LONG = 2**31 - 1
begun, over = threading.Event(), threading.Event()

class Stop(Exception):
    pass

def tick():
    begun.set()
    if over.is_set():
        raise Stop

def held():
    begun.set()
    over.wait()
    raise Stop

def busy(name, call):
    try:
        print(name, "gave", call())
    except RuntimeError as error:
        assert "busy" in str(error) and "each thread needs" in str(error), error

def while_running(long, calls):
    ended = []
    def work():
        try:
            long()
        except Stop:
            ended.append("stopped")
    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    for name, call in calls.items():
        busy(name, call)
    over.set()
    thread.join()
    assert ended == ["stopped"], "it was over before the others came"
"""


def check(script: str) -> None:
    command = [sys.executable, "-X", "faulthandler", "-c", HEAD + script]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=Path(__file__).parents[1],
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "agent", ["BAMCP(PROBLEM, simulations=LONG)", "BFS3(PROBLEM, trajectories=10**9)"]
)
def test_the_calls_of_another_thread(agent: str) -> None:
    check(f"""
agent = {agent}
agent.on_tick = tick
while_running(lambda: agent.act(0), {{
    "act": lambda: agent.act(0),
    "plan": lambda: agent.plan(0),
    "observe": lambda: agent.observe(0, 0, 0.0, 1),
    "save": lambda: agent.save("never.bamdp"),
    "copy": lambda: __import__("copy").copy(agent),
    "run": lambda: bamdp.run(agent, LOOP, steps=1),
}})
assert agent.belief.observations == agent.steps_done == 0
agent.on_tick = None
if isinstance(agent, BAMCP):
    agent.simulations = 100
    assert agent.plan(0).visits.sum() == 100
agent.observe(0, 0, 0.0, 1)
""")


# Every model that a search reads: those that a prior of one's own makes run functions of the
# user's.
SEARCHES = [
    "bamcp",
    "lazy",
    "full",
    "resampled",
    "arms-hindsight",
    "sparse",
    "finite",
    "unknown-rewards",
]
SEARCHES += ["infinite-grid", "sampled", "lazy-rows", "compiled", "posterior-mean-leaves"]


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_and_the_belief_that_it_reads(name: str) -> None:
    """Nothing is learned twice or lost: the search goes on from the belief as it was."""
    check(f"""
case = CASES[{name!r}]
agent, world = case.make(), copy.copy(case.world)
rng = np.random.default_rng(0)
state = world.reset(rng)
action = agent.act(state)
next_state, reward = world.step(state, action, rng)
agent.simulations, agent.on_tick = LONG, tick
while_running(lambda: agent.act(state), {{
    "act": lambda: agent.act(state),
    "plan": lambda: agent.plan(state),
    "observe": lambda: agent.observe(state, action, reward, next_state),
    "belief.observe": lambda: agent.belief.observe(state, action, reward, next_state),
}})
counted = getattr(agent.belief, "transitions", agent.belief)
assert counted.observations == agent.steps_done == 0
agent.simulations, agent.on_tick = 100, None
agent.observe(state, action, reward, next_state)
assert counted.observations == 1
assert agent.plan(next_state).simulations == 100
""")


def test_what_only_reads_a_belief_may_go_on_beside_a_search() -> None:
    check("""
agent = BAMCP(LOOP.problem(priors.SparseDirichlet()), simulations=LONG)
agent.observe(0, 0, 0.0, 1)
agent.on_tick = tick
other = _core.make_search(
    agent.belief.native[0], LOOP.rewards, _core.Settings(), [[1] * 4, [2] * 4])
def read():
    assert agent.belief.predictive(0, 0).sum() > 0.99
    assert agent.belief.counts(0, 0) == {1: 1}
    assert agent.belief.sample(1, np.random.default_rng(0)).transitions.shape == (1, 9, 2, 9)
    assert other.plan(0, 100, None, 1, None).simulations == 100
    raise RuntimeError(
        "busy, but not really: no thread needs another agent; each thread needs nothing")
while_running(lambda: agent.act(0), {"read": read})
""")


def test_a_solver() -> None:
    check("""
world = domains.RandomMDP(300, 4, seed=0)
belief = world.problem().belief()
(native,) = belief.native
solver = _core.Solver(world.rewards, 0.9, [])
solver.load_mean(native)
solver.solve(1e-3)
kept = solver.state()
calls = {
    "load_mean": lambda: solver.load_mean(native),
    "load_samples": lambda: solver.load_samples(native, 1, [1, 2, 3, 4]),
    "load_tables": lambda: solver.load_tables(np.full((1, 300, 4, 300), 1 / 300)),
    "solve": lambda: solver.solve(1e-3),
    "q_values": lambda: solver.q_values(0),
    "num_active": lambda: solver.num_active,
    "state": lambda: solver.state(),
    "restore": lambda: solver.restore(kept),
}
while_running(lambda: solver.load_samples(native, 30, [1, 2, 3, 4], held), calls | {
    "observe": lambda: belief.observe(0, 0, None, 1),
    "predictive": lambda: belief.predictive(0, 0),
})
belief.observe(0, 0, None, 1)
begun.clear(), over.clear()
solver = _core.Solver(world.rewards, 0.9999, [])
solver.load_samples(native, 30, [1, 2, 3, 4])
while_running(lambda: solver.solve(1e-9, held), calls)
""")


def test_an_exact_solution() -> None:
    check("""
(native,) = PROBLEM.belief().native
lattice = _core.make_lattice(native, LOOP.rewards, 0.95, 30, 0.0, [])
while_running(lambda: lattice.expand(0, 10**8, held), {
    "layer_sizes": lambda: lattice.layer_sizes,
    "expand": lambda: lattice.expand(0, 10),
    "solve": lattice.solve,
    "outcomes": lambda: lattice.outcomes(0, 0, 0),
})
""")


def test_each_thread_with_an_agent_of_its_own() -> None:
    check("""
def played(seed):
    agent = BAMCP(PROBLEM, simulations=200, seed=seed)
    return bamdp.run(agent, LOOP, steps=50, seed=seed).actions.tolist()
expected, found = {seed: played(seed) for seed in range(4)}, {}
threads = [threading.Thread(target=lambda seed=seed: found.update({seed: played(seed)}))
           for seed in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert found == expected
""")


def test_on_tick_must_not_call_the_agent() -> None:
    check("""
for agent in (BAMCP(PROBLEM, seconds=0.3),
              BFS3(PROBLEM, trajectories=200_000, branching=20, depth=20)):
    ticks = []
    def again():
        ticks.append(1)
        busy("plan", lambda: agent.plan(0))
        busy("observe", lambda: agent.observe(0, 0, 0.0, 1))
        busy("save", lambda: agent.save("never.bamdp"))
    agent.on_tick = again
    plan = agent.plan(0)
    assert ticks and plan.visits.sum() == plan.simulations == agent.simulations_done
    assert agent.belief.observations == 0
""")


def test_functions_of_the_user_must_not_change_the_belief() -> None:
    check("""
class Meddling(Counted):
    def sample(self, count, rng):
        busy("observe", lambda: agent.belief.observe(0, 0, None, 1))
        return super().sample(count, rng)
agent = BAMCP(LOOP.problem(priors.Sampled(Meddling)), simulations=100)
agent.act(0)
assert agent.belief.observations == 0
""")


LONG_WORK = {
    "search": "BAMCP(PROBLEM, seconds=600).plan(0)",
    "several threads": "BAMCP(PROBLEM, seconds=600, trees=4, threads=4).plan(0)",
    "functions of the user": (
        "BAMCP(LOOP.problem(priors.Sampled(Counted)), seconds=600, trees=2, threads=2).plan(0)"
    ),
    "BFS3": "BFS3(PROBLEM, trajectories=10**8).plan(0)",
    "exact values": "bamdp.exact.bayes_optimal(PROBLEM, 0, horizon=7, limit=10**8)",
    "indices": "bamdp.exact.gittins_index(1, 1, 0.9999, tolerance=1e-6)",
    "one short search after another": (
        "[BAMCP(PROBLEM, simulations=300).act(0) for _ in range(10**6)]"
    ),
}


@pytest.mark.parametrize("work", LONG_WORK)
def test_python_ends_while_a_daemon_thread_is_at_work(work: str) -> None:
    check(f"""
import time
def work():
    begun.set()
    {LONG_WORK[work]}
threading.Thread(target=work, daemon=True).start()
begun.wait()
time.sleep(0.3)
""")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_ends_at_once() -> None:
    """It has none of its parent's searches, and doesn't wait for them: it would for three seconds
    and more.
    """
    check("""
import os, signal, warnings
warnings.simplefilter("ignore")
agent = BAMCP(PROBLEM, simulations=LONG)
agent.on_tick = tick
thread = threading.Thread(target=lambda: agent.act(0), daemon=True)
thread.start()
begun.wait()
if os.fork() == 0:
    busy("act", lambda: agent.act(0))
    assert BAMCP(PROBLEM, simulations=10).plan(0).simulations == 10
    # ends it, with another status; the wait was of 3000 sleeps of a millisecond and more
    signal.alarm(2)
else:
    status = os.wait()[1]
    assert status == 0, status
""")
