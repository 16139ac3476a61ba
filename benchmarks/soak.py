"""`make soak`: long runs, in which neither memory nor time per step may grow once the belief has
stopped growing.

Each run is a separate process that reports its memory and processor time at twenty milestones. The
first half is a warm-up: all states are visited and tables are full. Over the second half memory may
grow by less than 1 MB or 2 %, by a line fitted to the milestones. For time, the agent is saved at
half time; from then on it alternates with that saved agent, loaded again at each milestone, so that
a busy machine slows both. At the end its time per step may exceed the saved agent's by 20 %. Of the
ten parts between two milestones the fastest counts, for both.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import bamdp
from bamdp import agents
from bamdp.agents._arms import _unit_index
from bamdp.domains import Bandit, Chain, DoubleLoop, Grid
from bamdp.runs.loop import Run

MILESTONES, PARTS, LAST = 20, 10, 5


class Milestone(NamedTuple):
    """Bytes in use, seconds per step, and, after half time, their ratio to those of the agent saved
    at half time.
    """

    memory: int
    seconds: float
    ratio: float | None


@dataclass(frozen=True)
class Soak:
    """One long run."""

    make: Callable[[], tuple[bamdp.Agent, bamdp.Domain]]
    steps: int = 1_000_000


def _of(cls: Any, world: bamdp.Domain, steps: int = 1_000_000, **settings: Any) -> Soak:
    return Soak(lambda: (cls(world.problem(), **settings), world), steps)


def _bamcp(world: bamdp.Domain, steps: int = 1_000_000, **settings: Any) -> Soak:
    return _of(agents.BAMCP, world, steps, simulations=5, depth=15, **settings)


LOOP, GRID, CHAIN = DoubleLoop(), Grid(5), Chain()
SOAKS = {
    "bamcp, Double-loop": _bamcp(LOOP),
    "bamcp, Grid5": _bamcp(GRID),
    "bamcp, Grid5, lazy": _bamcp(GRID, 200_000, sampling="lazy"),
    "bamcp, Grid5, tree reused": _bamcp(GRID, 300_000, reuse_tree=True),
    "ba-uct, Double-loop": _of(agents.BAUCT, LOOP, 300_000, simulations=5, depth=15),
    "bfs3, Double-loop": _of(agents.BFS3, LOOP, 300_000, branching=2, depth=4, trajectories=2),
    "posterior-mean, Grid5": _of(agents.PosteriorMean, GRID),
    "beb, Chain": _of(agents.BEB, CHAIN),
    "epsilon-greedy, Chain": _of(agents.EpsilonGreedy, CHAIN),
    "softmax, Chain": _of(agents.Softmax, CHAIN),
    "bayesian-dp, Double-loop": _of(agents.BayesianDP, LOOP, resample="doubling"),
    "boss, Double-loop": _of(agents.BOSS, LOOP, visits=10),
    "sboss, Double-loop": _of(agents.SBOSS, LOOP, 300_000),
    "q-learning, Chain": _of(agents.QLearning, CHAIN),
    "ieql, Chain": _of(agents.IEQL, CHAIN),
    "vpi, Chain": _of(agents.VPI, CHAIN, 50_000),
    "gittins, Bandit": _of(
        agents.Gittins, Bandit([0.3, 0.6]), 5_000
    ),  # an index takes milliseconds
    "random, Chain": _of(agents.Random, CHAIN),
}


def memory() -> int:
    """Private memory in bytes, resident or swapped out; file pages vary with the system and are
    excluded.
    """
    gc.collect()
    ctypes.CDLL(None).malloc_trim(
        0
    )  # return freed memory, such as the saved agent's, to the system
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return 1024 * sum(int(lines[name].split()[0]) for name in ("RssAnon", "VmSwap"))


def perform(name: str, scale: float) -> None:
    """Perform one long run; print a line of JSON at each milestone."""
    agent, world = SOAKS[name].make()
    now, part = Run(agent, world), steps_of(name, scale) // (MILESTONES * PARTS)
    with tempfile.TemporaryDirectory() as folder:
        half_time = Path(folder) / "agent"
        for milestone in range(MILESTONES):
            if milestone == MILESTONES // 2:
                agent.save(half_time)
            then = Run(bamdp.load(half_time), world) if half_time.exists() else now
            times = np.array(
                [
                    [seconds(now, part), seconds(then, part) if then is not now else np.nan]
                    for _ in range(PARTS)
                ]
            )
            mine, other = times.min(axis=0)
            del then
            print(
                json.dumps([memory(), mine / part, None if np.isnan(other) else mine / other]),
                flush=True,
            )


def seconds(course: Run, steps: int) -> float:
    """Processor time of a number of steps."""
    _unit_index.cache_clear()  # shared by the two agents; bounded, but far above this size
    started = process_time()
    for _ in range(steps):
        course.step()
    return process_time() - started


def steps_of(name: str, scale: float) -> int:
    return max(MILESTONES * PARTS, int(SOAKS[name].steps * scale))


def soak(name: str, scale: float, console: Console) -> list[Milestone]:
    """Run the subprocess and collect its milestones."""
    command = [sys.executable, __file__, "--scale", str(scale), "--perform", name]
    found: list[Milestone] = []
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process,
        console.status(name) as status,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            found.append(Milestone(*json.loads(line)))
            status.update(
                f"{name}: {len(found)}/{MILESTONES}, {found[-1].memory / 1e6:.1f} MB, "
                f"{found[-1].seconds * 1e6:.1f} µs per step"
            )
    if len(found) < MILESTONES:
        raise SystemExit(
            f"{name} ended after {len(found)} of {MILESTONES} milestones, exit code "
            f"{process.returncode}"
        )
    return found


def verdict(found: list[Milestone]) -> tuple[float, float, bool]:
    """Growth of memory in bytes, relative growth of the time per step, and whether both are within
    bounds.
    """
    half = np.array([milestone.memory for milestone in found[len(found) // 2 :]], dtype=float)
    more = float(np.polyfit(np.arange(len(half)), half, 1)[0] * (len(half) - 1))
    slower = float(np.median([milestone.ratio for milestone in found[-LAST:]])) - 1
    return more, slower, more < max(1e6, 0.02 * found[-1].memory) and slower < 0.2


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", help=f"names of runs (default: all): {'; '.join(SOAKS)}"
    )
    parser.add_argument(
        "--scale",
        type=float,
        default=1.0,
        help="factor for the numbers of steps; 0.01 for a quick test",
    )
    parser.add_argument("--perform", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.perform:
        perform(options.perform, options.scale)
        return 0
    if unknown := set(options.names) - set(SOAKS):
        parser.error(f"no such run: {', '.join(sorted(unknown))}")
    console, table, good = (
        Console(),
        Table("run", "steps", "MB", "growth, kB", "µs per step", "growth, %", "verdict"),
        True,
    )
    for name in options.names or SOAKS:
        found = soak(name, options.scale, console)
        more, slower, flat = verdict(found)
        good &= flat
        steps = f"{steps_of(name, options.scale):,}"
        last = (
            f"{found[-1].memory / 1e6:.1f}",
            f"{more / 1e3:+.0f}",
            f"{found[-1].seconds * 1e6:.1f}",
            f"{100 * slower:+.0f}",
        )
        table.add_row(name, steps, *last, "flat" if flat else "GROWS")
        console.print(
            f"{name}: {steps} steps, {last[0]} MB ({last[1]} kB), "
            f"{last[2]} µs per step ({last[3]} %), {'flat' if flat else 'GROWS'}"
        )
    console.print(table)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
