"""`make bench`: all speed claims of the project, measured as ratios within one run.

The unit is the limit program (limit.cpp): BAMCP on the Double-loop with every parameter a
compile-time constant. It is compiled and run here, alternating with the library, so that a busy
machine slows both. Times are processor time where one thread works; the fastest of several
repetitions counts, on both sides.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from rich.console import Console

import bamdp
from bamdp.agents import BAMCP, BayesAdaptive
from bamdp.domain import Domain
from bamdp.domains import DoubleLoop, Grid, Maze
from bamdp.priors import Finite, Worlds

HERE = Path(__file__).parent
K = 1000


@dataclass(frozen=True)
class Row:
    """One measured ratio and its target."""

    name: str
    ratio: float
    target: float
    at_most: bool = True
    note: str = ""

    @property
    def reached(self) -> bool:
        return self.ratio <= self.target if self.at_most else self.ratio >= self.target


def compile_limit() -> Path:
    program = Path(tempfile.mkdtemp()) / "limit"
    command = [
        os.environ.get("CXX", "c++"),
        "-O3",
        "-std=c++20",
        str(HERE / "limit.cpp"),
        "-o",
        str(program),
    ]
    subprocess.run(command, check=True)
    return program


def limit_microseconds(program: Path, seed: int) -> float:
    """Time of one simulation of the limit program."""
    output = subprocess.run(
        [program, str(K), "1000", str(seed)], check=True, capture_output=True, text=True
    ).stdout
    return float(output.split()[0])


def play_microseconds(
    world: Domain, steps: int, seed: int, simulations: int = K, agent_class: Any = BAMCP
) -> float:
    """Time of one simulation of the library, over the first `steps` steps of a run."""
    agent = agent_class(world.problem(), simulations=simulations, seed=seed)
    started = process_time()
    bamdp.run(agent, world, steps=steps, seed=seed)
    return (process_time() - started) / steps / simulations * 1e6


def speed_rows(program: Path, repetitions: int) -> Iterator[Row]:
    """Time per simulation, in units of the limit program's."""
    cases: list[tuple[str, Domain, int, float]] = [
        ("Double-loop, 1000 steps", DoubleLoop(), 1000, 1.25),
        ("Grid5, 1000 steps", Grid(5), 1000, 1.8),
        ("Grid10, first 1000 steps", Grid(10), 1000, 2.0),
        ("Maze, first 1000 steps", Maze(), 1000, 2.2),
        ("Grid(1000), a million states, first 300 steps", Grid(1000), 300, 4.0),
    ]
    for name, world, steps, target in cases:
        pairs = [
            (limit_microseconds(program, seed), play_microseconds(world, steps, seed))
            for seed in range(repetitions)
        ]
        unit, ours = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
        yield Row(name, ours / unit, target, note=f"{ours:.2f} µs against {unit:.2f} µs")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    yield Row("peak memory with Grid(1000), GB", peak, 1.0, note="of the whole process")


def planner_rows(program: Path, repetitions: int) -> list[Row]:
    """`BayesAdaptive`, with the index policy that it begins with."""
    unit = min(limit_microseconds(program, seed) for seed in range(repetitions))
    ours = min(
        play_microseconds(DoubleLoop(), 300, seed, agent_class=BayesAdaptive)
        for seed in range(repetitions)
    )
    small = (
        min(
            play_microseconds(Grid(10), 300, seed, 100, BayesAdaptive)
            for seed in range(repetitions)
        )
        * 100
        / 1000
    )
    return [
        Row(
            "BayesAdaptive, Double-loop, 300 steps",
            ours / unit,
            3.0,
            note=f"{ours:.2f} µs against {unit:.2f} µs",
        ),
        Row(
            "BayesAdaptive, Grid10, K = 100, ms per decision",
            small,
            1.0,
            note="not a ratio: a bound on this machine",
        ),
    ]


def worlds_row(repetitions: int) -> Row:
    """A pure Python function of a user's, once its rows are known, against the same tables."""
    M, S, A = 12, 40, 4
    rng = np.random.default_rng(0)
    tables = np.zeros((M, S, A, S))
    for row in tables.reshape(-1, S):
        row[rng.choice(S, 4, replace=False)] = rng.dirichlet(np.ones(4))
    rewards = rng.integers(3, size=(M, S, A)).astype(float)

    def outcomes(world: int, state: int, action: int) -> list[bamdp.Outcome]:
        row, paid = tables[world, state, action], float(rewards[world, state, action])
        return [
            bamdp.Outcome(s, paid, probability=float(row[s])) for s in np.flatnonzero(row).tolist()
        ]

    problems = (
        bamdp.BAMDP(Worlds(range(M), outcomes), discount=0.95, start=0, actions=range(A)),
        bamdp.BAMDP(Finite(tables, rewards=rewards), np.zeros((S, A)), 0.95, start=0),
    )
    times: list[list[float]] = [[], []]
    for seed in range(repetitions + 1):  # the first warms up
        for problem, measured in zip(problems, times, strict=True):
            assert problem.start is not None
            agent = BAMCP(problem, simulations=5 * K, seed=seed)
            started = process_time()
            agent.plan(problem.start)
            measured.append((process_time() - started) / (5 * K) * 1e6)
    ours, unit = (min(measured[1:]) for measured in times)
    return Row(
        "Worlds by a Python function, once warm, against Finite of the same tables",
        ours / unit,
        1.5,
        note=f"{ours:.2f} µs against {unit:.2f} µs",
    )


def experienced(world: Domain, steps: int) -> Callable[[BAMCP], None]:
    """A function that gives an agent the experience of `steps` real steps."""
    record = bamdp.run(BAMCP(world.problem(), simulations=100, seed=0), world, steps=steps, seed=0)
    following = np.append(record.states[1:], record.final_state)

    def teach(agent: BAMCP) -> None:
        for state, action, reward, next_state in zip(
            record.states, record.actions, record.rewards, following, strict=True
        ):
            agent.observe(int(state), int(action), float(reward), int(next_state))

    return teach


def plan_seconds(
    agent: BAMCP, repetitions: int, clock: Callable[[], float] = process_time
) -> float:
    """Time of one simulation, in the fastest of several plans."""
    times = []
    for _ in range(repetitions):
        started = clock()
        plan = agent.plan(0)
        times.append((clock() - started) / plan.simulations)
    return min(times)


def lazy_row() -> Row:
    world = Maze()
    teach = experienced(world, 2000)
    problem = world.problem()
    lazy, full = (
        BAMCP(problem, simulations=2000, sampling="lazy"),
        BAMCP(problem, simulations=40, sampling="full"),
    )
    teach(lazy)
    teach(full)
    ratio = plan_seconds(full, 5) / plan_seconds(lazy, 5)
    return Row(
        "lazy against full sampling, Maze after 2000 steps",
        ratio,
        35,
        at_most=False,
        note="times faster",
    )


def thread_row() -> Row:
    world = DoubleLoop()
    one, two = (BAMCP(world.problem(), simulations=200_000 * n, trees=n, threads=n) for n in (1, 2))
    times = [
        (plan_seconds(one, 1, perf_counter), plan_seconds(two, 1, perf_counter)) for _ in range(5)
    ]
    ratio = max(alone / together for alone, together in times)
    return Row(
        "two threads on two trees against one",
        ratio,
        1.7,
        at_most=False,
        note="times the simulations per second",
    )


def growth_row() -> Row:
    world = DoubleLoop()
    teach = experienced(world, 300)
    small, large = (BAMCP(world.problem(), simulations=n) for n in (10**3, 10**6))
    teach(small)
    teach(large)
    ratio = plan_seconds(large, 3) / plan_seconds(small, 300)
    return Row("time per simulation at K = 10^6 against 10^3", ratio, 2.5)


def memory_rows() -> list[Row]:
    rows = []
    for world in (DoubleLoop(), Grid(5)):
        tree = BAMCP(world.problem(), simulations=10**5).plan(0).tree
        target = 32 + 24 * world.num_actions
        rows.append(
            Row(
                f"bytes per tree node, {world.num_actions} actions",
                tree.bytes / tree.num_nodes,
                target,
            )
        )
    return rows


def import_row() -> Row:
    code = "import time; t = time.perf_counter(); import bamdp; print(time.perf_counter() - t)"
    compiled = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # as after installation
    command = [sys.executable, "-c", code]
    times = [
        float(subprocess.run(command, env=compiled, capture_output=True, text=True).stdout)
        for _ in range(9)
    ]
    return Row("import bamdp, seconds", min(times), 0.25)


def other_rows() -> Iterator[Row]:
    """Rows of the other benchmarks: their function `rows` returns names, ratios and targets, upper
    ones if not said.
    """
    for name in ("arms", "grid", "hooks", "likelihood", "solver"):
        yield from (Row(*row) for row in import_module(name).rows())


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Measure the speed of bamdp relative to a single-purpose limit program."
    )
    parser.add_argument(
        "--repetitions", type=int, default=6, help="repetitions per case; the fastest counts"
    )
    repetitions: int = parser.parse_args().repetitions
    console = Console()
    console.print("bamdp: speed in units of the limit program, K = 1000", style="bold")
    with console.status("compiling the limit program") as status:
        program = compile_limit()

        parts: list[tuple[str, Callable[[], Iterable[Row]]]] = [
            ("domains of the paper", lambda: speed_rows(program, repetitions)),
            ("the planner without settings", lambda: planner_rows(program, repetitions)),
            ("worlds by a function", lambda: [worlds_row(repetitions)]),
            ("lazy and full sampling", lambda: [lazy_row()]),
            ("threads", lambda: [thread_row()]),
            ("a million simulations", lambda: [growth_row()]),
            ("memory", memory_rows),
            ("other benchmarks", other_rows),
            ("import", lambda: [import_row()]),
        ]
        for label, measure in parts:
            status.update(label)
            for row in measure():
                target = f"{'≤' if row.at_most else '≥'} {row.target:g}"
                verdict = "reached" if row.reached else "[red]missed[/] "
                console.print(
                    f"{row.name:52} {row.ratio:8.2f}  {target:8} {verdict}  {row.note}",
                    soft_wrap=True,
                )


if __name__ == "__main__":
    main()
