"""Speed targets of the Bellman solver: python benchmarks/solver.py

Ratios of processor times measured in the same run, since the machine may be busy.
"""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time

import numpy as np

from bamdp.agents import BEB
from bamdp.domains import Maze
from bamdp.search.solver import ModelSolver

TOLERANCE = 1e-6
STEPS = 3000  # random steps in the maze before anything is measured


def rows() -> list[tuple[str, float, float]]:
    """(name, measured ratio, upper target) of each claim. Linear growth is 1 (plus cache effects),
    quadratic would be 4.
    """
    return [
        ("warm BEB step / cold dense value iteration, maze", _warm_step() / _dense(), 1 / 20),
        ("merged models, time of 32 / 4 · time of 8, maze", _merged(32) / (4 * _merged(8)), 1.5),
    ]


def _experienced() -> tuple[Maze, BEB, int]:
    world, rng, state = Maze(), np.random.default_rng(0), 0
    agent = BEB(world.problem(), beta=2.0, tolerance=TOLERANCE)
    for _ in range(STEPS):
        action = int(rng.integers(4))
        next_state, reward = world.step(state, action, rng)
        agent.observe(state, action, reward, next_state)
        state = next_state
    agent.act(state)
    return world, agent, state


def _median(times: list[float]) -> float:
    return float(np.median(times))


def _timed(work: Callable[[], object]) -> float:
    started = thread_time()
    work()
    return thread_time() - started


def _warm_step() -> float:
    """Time of one step of the agent, `act` and `observe`, as in the episode loop."""
    world, agent, state = _experienced()
    rng, times = np.random.default_rng(1), []
    for _ in range(200):
        started = thread_time()
        action = agent.act(state)
        spent = thread_time() - started
        next_state, reward = world.step(state, action, rng)
        started = thread_time()
        agent.observe(state, action, reward, next_state)
        times.append(spent + thread_time() - started)
        state = next_state
    return _median(times)


def _dense() -> float:
    """Time of dense value iteration from zero on the same model, by matrix products, to the same
    error bound.
    """
    world, agent, _ = _experienced()
    transitions, discount = agent.belief.mean().transitions, world.discount
    table = transitions.reshape(-1, world.num_states)

    def solve() -> None:
        values = np.zeros(world.num_states)
        while True:
            updated = (world.rewards + discount * (table @ values).reshape(-1, 4)).max(axis=1)
            change = np.abs(updated - values).max()
            values = updated
            if change * discount / (1 - discount) <= TOLERANCE:
                return

    return _median([_timed(solve) for _ in range(5)])


def _merged(models: int) -> float:
    """Time of solving several models merged into one, from zero, excluding their sampling."""
    _, agent, _ = _experienced()
    times = []
    for seed in range(9):
        solver = ModelSolver(agent.belief)
        solver.load_samples(models, np.random.default_rng(seed))
        times.append(_timed(lambda solver=solver: solver.solve(TOLERANCE)))  # type: ignore[misc]
    return _median(times)


if __name__ == "__main__":
    for name, measured, target in rows():
        print(
            f"{name}: {measured:.3g}, target at most {target:.3g}: "
            f"{'met' if measured <= target else 'MISSED'}"
        )
