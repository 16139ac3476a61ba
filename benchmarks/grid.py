"""Speed on the infinite grid in units of the limit program, including inference; `rows()` is for
bench.py.
"""

from __future__ import annotations

from pathlib import Path
from time import process_time

import bamdp
from bamdp.agents import BAMCP, IndexPolicy
from bamdp.domains import InfiniteGrid

K = 2000
DECISIONS = 1000


def microseconds(steps: int, seed: int) -> float:
    """Time of one simulation at a discount of 0.97, including its 20 updates of the chain."""
    world = InfiniteGrid(seed=seed)
    agent = BAMCP(world.problem(), simulations=K, seed=seed)
    started = process_time()
    bamdp.run(agent, world, steps=steps)
    return (process_time() - started) / steps / K * 1e6


def base_milliseconds(seed: int) -> float:
    """Time of a decision by the best path, when about 200 cells were seen."""
    world = InfiniteGrid(seed=seed)
    agent = IndexPolicy(world.problem(), seed=seed)
    state = int(bamdp.run(agent, world, steps=260).next_states[-1])
    started = process_time()
    for _ in range(DECISIONS):
        agent.act(state)
    return (process_time() - started) / DECISIONS * 1e3


def rows(program: Path | None = None, repetitions: int = 3) -> list[tuple[str, float, float]]:
    """(name, ratio, target): time per simulation relative to the limit program's, measured
    alternately.
    """
    from bench import compile_limit, limit_microseconds

    program = program or compile_limit()
    pairs = [
        (limit_microseconds(program, seed), microseconds(100, seed)) for seed in range(repetitions)
    ]
    unit, ours = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    base = min(base_milliseconds(seed) for seed in range(repetitions))
    return [
        (f"infinite grid, K = {K}, first 100 steps", ours / unit, 6.0),
        ("infinite grid, base at 200 cells, ms", base, 0.5),
    ]


if __name__ == "__main__":
    for name, ratio, target in rows():
        print(f"{name}: {ratio:.2f}, at most {target:g}")
