"""Speed on the infinite grid in units of the limit program, including inference; `rows()` is for bench.py."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import bamdp
from bamdp.agents import BAMCP
from bamdp.domains import InfiniteGrid

K = 2000


def microseconds(steps: int, seed: int) -> float:
    """Time of one simulation at a discount of 0.97, including its 20 updates of the chain."""
    world = InfiniteGrid(seed=seed)
    agent = BAMCP(world.problem(), simulations=K, seed=seed)
    started = process_time()
    bamdp.run(agent, world, steps=steps)
    return (process_time() - started) / steps / K * 1e6


def rows(program: Path | None = None, repetitions: int = 3) -> list[tuple[str, float, float]]:
    """(name, ratio, target): time per simulation relative to the limit program's, measured alternately."""
    from bench import compile_limit, limit_microseconds

    program = program or compile_limit()
    pairs = [(limit_microseconds(program, seed), microseconds(100, seed)) for seed in range(repetitions)]
    unit, ours = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    return [(f"infinite grid, K = {K}, first 100 steps", ours / unit, 6.0)]


if __name__ == "__main__":
    for name, ratio, target in rows():
        print(f"{name}: {ratio:.2f}, at most {target:g}")
