"""User hooks compiled by Numba, compared with an equivalent built-in model: one slip probability
for all states, of 100 values.

    python benchmarks/hooks.py

Times are processor times, measured alternately, so that a busy machine slows both; the fastest of
several counts.
"""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np

from bamdp import BAMDP
from bamdp.agents import BAMCP
from bamdp.hooks import below, uniform
from bamdp.priors import Compiled, Parametric

SIDE, DISCOUNT, SIMULATIONS, REPETITIONS = 10, 0.95, 20_000, 7
S = SIDE * SIDE


def ring(row: Any, column: Any) -> Any:
    """State index on a torus."""
    return row % SIDE * SIDE + column % SIDE


MOVES = np.array([[-1, 0], [0, 1], [1, 0], [0, -1]])
ROW, COLUMN = np.divmod(np.arange(S)[:, None], SIDE)
INTENDED = ring(ROW + MOVES[:, 0], COLUMN + MOVES[:, 1])
SLIPPED = np.stack([np.roll(INTENDED, 1, axis=1), np.roll(INTENDED, -1, axis=1)], axis=2)
POINTS = (np.arange(100) + 0.5) / 100
REWARDS = np.zeros((S, 4))
REWARDS[S // 2 + SIDE // 2] = 1.0


def slipping(slip: Any, state: int, action: int) -> Any:
    """The rows of all slip probabilities. [M, S]"""
    rows = np.zeros((len(slip), S))
    rows[:, INTENDED[state, action]] = 1 - slip
    for k in range(2):
        rows[:, SLIPPED[state, action, k]] += slip / 2
    return rows


def begin(belief: Any, scratch: Any, rng: Any) -> None:
    scratch[0] = belief[below(len(belief), rng)]


def step(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
    next_state = INTENDED[state, action]
    if uniform(rng) < scratch[0]:
        next_state = SLIPPED[state, action, below(2, rng)]
    return next_state, REWARDS[state, action]


def seconds(agent: BAMCP) -> float:
    started = process_time()
    agent.plan(0)
    return process_time() - started


def rows() -> list[tuple[str, float, float]]:
    """(name, ratio, target) of each claim."""
    priors = (
        Parametric(slipping, POINTS),
        Compiled(step, begin, belief_array=POINTS),
    )
    native, hooks = (
        BAMCP(BAMDP(prior, REWARDS, DISCOUNT), simulations=SIMULATIONS) for prior in priors
    )
    times = [(seconds(native), seconds(hooks)) for _ in range(REPETITIONS)]
    ratio = min(pair[1] for pair in times) / min(pair[0] for pair in times)
    return [
        ("Numba hooks against a built-in model, a slip probability on a 10 × 10 grid", ratio, 2.0)
    ]


if __name__ == "__main__":
    for name, ratio, target in rows():
        print(f"{name}: {ratio:.2f} (at most {target:g})")
