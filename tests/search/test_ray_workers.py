"""Searches by workers on real clusters of Ray: the same as without them, whatever dies."""

import gc
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from bamdp import executors as cluster
from bamdp import run
from bamdp.agents import BAMCP
from bamdp.domains import Chain
from bamdp.hooks import uniform
from bamdp.priors import Compiled, Sampled
from reference.problems import sized
from reference.processes import alive, wait_until
from reference.ray_cluster import free_port, machines, power_off
from search.test_workers import CASES, drawn, made

ray = pytest.importorskip("ray")
pytestmark = [
    pytest.mark.heavy,
    pytest.mark.filterwarnings("ignore"),
]  # Ray has warnings of its own

WORLD = Chain()


@pytest.fixture(scope="module")
def local() -> Iterator[None]:
    with cluster.connected(cpus=2):
        yield


def pids(agent: BAMCP) -> list[int]:
    team: Any = agent._team
    processes = [worker.process for worker in team._workers]
    return [ray.get(process.__ray_call__.remote(lambda self: os.getpid())) for process in processes]


def agent(prior: Any = None, **settings: Any) -> BAMCP:
    return BAMCP(WORLD.problem(prior), **{"simulations": 200} | settings)


@pytest.mark.usefixtures("local")
@pytest.mark.parametrize(
    "case", ["sparse Dirichlet", "unknown rewards", "posterior mean", "episodes", "infinite grid"]
)
def test_workers_do_not_change_the_result(case: str) -> None:
    here, there = made(case), made(case, workers=2)
    world = CASES[case][1]
    for seed in (0, 7):
        records = [run(one, world, steps=10, seed=1) for one in (here, there)]
        assert records[0].actions.tolist() == records[1].actions.tolist()
        assert here.simulations_done == there.simulations_done
        state = records[0].final_state
        if state not in world.terminal:
            plans = here.plan(state), there.plan(state)
            assert plans[0].tree.to_dict(depth=100) == plans[1].tree.to_dict(depth=100)
            assert plans[0].q_values.tolist() == plans[1].q_values.tolist()
            assert plans[0].standard_errors.tolist() == plans[1].standard_errors.tolist()
        here.reset(seed + 1)
        there.reset(seed + 1)
    there.close()


@pytest.mark.usefixtures("local")
@pytest.mark.parametrize("workers", [1, 3])
def test_any_number_of_workers(workers: int) -> None:
    with_workers = agent(trees=3, workers=workers, threads=2)
    assert with_workers.plan(0).q_values.tolist() == agent(trees=3).plan(0).q_values.tolist()


@pytest.mark.usefixtures("local")
def test_a_dead_worker_is_replaced_by_one_that_knows_all() -> None:
    there, here = agent(workers=1), agent()
    for step in ((0, 0, 0.0, 1), (1, 1, 2.0, 0)):
        there.act(0)
        there.observe(*step)
    os.kill(pids(there)[0], signal.SIGKILL)
    plan = there.plan(0)
    here._begin_trees(
        [drawn(3)[2], [0] * 4]
    )  # the first two were for the tree that died and for the decision
    for step in ((0, 0, 0.0, 1), (1, 1, 2.0, 0)):
        here.observe(*step)
    assert plan.q_values.tolist() == here.plan(0).q_values.tolist()


@pytest.mark.usefixtures("local")
def test_a_worker_dies_at_work() -> None:
    there = agent(workers=2)
    there.act(0)
    victim = pids(there)[1]
    there.simulations = 2_000_000
    timer = threading.Timer(0.5, os.kill, (victim, signal.SIGKILL))
    timer.start()
    there.act(0)
    timer.join()
    assert there.simulations_done == 2_000_200
    assert victim not in pids(there)


def sampled(elsewhere: Callable[[], None]) -> Sampled:
    """A prior that calls `elsewhere` when it is asked in another process."""
    here = os.getpid()

    class Posterior:
        def observe(self, *step: Any) -> None:
            pass

        def sample(self, count: int, rng: np.random.Generator) -> Any:
            if os.getpid() != here:
                elsewhere()
            return np.repeat(WORLD.transitions[None], count, axis=0)

    return Sampled(lambda problem: Posterior())


@pytest.mark.usefixtures("local")
def test_priors_of_the_users_own() -> None:
    prior = sampled(lambda: None)
    assert (
        agent(prior=prior, workers=2).plan(0).q_values.tolist()
        == agent(prior=prior, trees=2).plan(0).q_values.tolist()
    )
    with pytest.raises(cluster.ClusterError, match="workers died 3 times in one search"):
        agent(prior=sampled(lambda: os.kill(os.getpid(), signal.SIGKILL)), workers=1).act(0)

    def fail() -> None:
        raise ZeroDivisionError("no samples today")

    with pytest.raises(ZeroDivisionError, match="no samples today"):
        agent(prior=sampled(fail), workers=2).act(0)


@pytest.mark.usefixtures("local")
def test_hooks() -> None:
    def step(belief: Any, scratch: Any, state: int, action: int, rng: Any) -> tuple[int, float]:
        return (state + 1, 1.0) if uniform(rng) < belief[action] / belief.sum() else (state, 0.0)

    settings: dict[str, Any] = {"simulations": 100, "trees": 2}
    prior = Compiled(step, belief_array=[1.0, 3.0], compile=False)
    here, there = (
        BAMCP(sized(None, 2, 0.5, prior), **settings, **more)
        for more in (dict[str, Any](), {"workers": 2})
    )
    assert there.plan(0).q_values.tolist() == here.plan(0).q_values.tolist()
    native = Compiled(prior.hooks[1].address)
    with pytest.raises(
        TypeError,
        match=r"workers must be None with Compiled\(.*step is native code of this process",
    ):
        BAMCP(sized(None, 2, 0.5, native), **settings, workers=2)


@pytest.mark.usefixtures("local")
def test_a_prior_that_can_not_be_sent() -> None:
    lock = threading.Lock()
    with pytest.raises(
        TypeError, match=r"workers must be None with .*, which can't leave this process: .*lock"
    ):
        agent(prior=sampled(lock.release), workers=2)


@pytest.mark.usefixtures("local")
def test_an_interrupted_search() -> None:
    there = agent(workers=2, simulations=2 * 10**9)
    ticks = []

    def tick() -> None:
        ticks.append(1)
        if len(ticks) > 3:
            raise KeyboardInterrupt

    there.on_tick = tick
    with pytest.raises(KeyboardInterrupt):
        there.act(0)
    there.simulations, there.on_tick = 200, None
    assert there.plan(0).simulations == 200


@pytest.mark.usefixtures("local")
def test_workers_end() -> None:
    there = agent(workers=2)
    there.act(0)
    first = pids(there)
    there.close()
    wait_until(lambda: not any(map(alive, first)))
    assert there.plan(0).simulations == 200
    second = pids(there)
    del there
    gc.collect()
    wait_until(lambda: not any(map(alive, second)))


@pytest.mark.usefixtures("local")
def test_seconds() -> None:
    assert agent(workers=2, simulations=None, seconds=0.2).plan(0).simulations >= 2
    assert agent(workers=2, simulations=50, seconds=60.0).plan(0).simulations == 50


def test_a_machine_dies_in_the_middle_of_a_run() -> None:
    port = free_port()
    with (
        machines(2, port) as (made_cluster, (victim, _)),
        cluster.connected(f"ray://127.0.0.1:{port}"),
    ):
        there, here = agent(workers=4), agent(trees=4)
        assert there.plan(0).q_values.tolist() == here.plan(0).q_values.tolist()
        power_off(made_cluster, victim)
        record = run(there, WORLD, steps=20, seed=0)
        assert there.simulations_done == 21 * 200
        assert len(record.actions) == 20


def test_the_command_line() -> None:
    def played(agent: str) -> dict[str, Any]:
        line = [
            sys.executable,
            "-m",
            "bamdp",
            "play",
            "chain",
            agent,
            "--steps",
            "5",
            "--workers",
            "1",
            "--json",
        ]
        done = subprocess.run(line, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return dict(json.loads(done.stdout))

    here, there = played("bamcp:trees=2"), played("bamcp:trees=2,workers=2")
    assert here["total_rewards"] == there["total_rewards"]
    assert "workers=2" in there["settings"]["agent"]
