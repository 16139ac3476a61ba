"""The benchmarks of the BBRL library (Castronovo, Ernst, Couëtoux, Fonteneau 2016, PLoS ONE 11(6)
e0157088).

Worlds are drawn from Dirichlet counts, 1 on each next state below. Start 0, discount 0.95, 250
steps. Discounted returns over worlds drawn from the prior, of random actions and of knowing the
world:

| benchmark   | from           | to         | pays                   | random | knowing |
|-------------|----------------|------------|------------------------|--------|---------|
| chain, GC   | x = 0 … 3      | 0, x + 1   | reaching 0: 2          | 31.7   | 74.7    |
|             | 4              | 0, 4       | reaching 4: 10         |        |         |
| loops, GDL  | 0              | 1, 5       | from 4 to 0: 1         | 2.76   | 3.55    |
|             | x = 1, 2, 3    | x + 1      | from 8 to 0: 2         |        |         |
|             | x = 5, 6, 7    | 0, x + 1   |                        |        |         |
|             | 4, 8           | 0          |                        |        |         |
| Grid        | 5 · row + col. | next, stay | a move into 24: 10     | 0.20   | 10.8    |

Moves of the grid are left, right, up, down; towards a wall they stay. Those into the corner, right
from 23 and down from 19, lead to 0 or stay.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp.domains.tabular import Tabular
from bamdp.mdp import MDP
from bamdp.priors.dirichlet import Dirichlet
from bamdp.suite.benchmark import Benchmark, DomainBenchmark

Tables = tuple[
    NDArray[np.float64], NDArray[np.float64]
]  # counts of next states, 0 where impossible, and rewards. [S, A, S]

LOOPS = [[1, 5], [2], [3], [4], [0], [0, 6], [0, 7], [0, 8], [0]]  # possible next states
LEFT, RIGHT, UP, DOWN = range(4)
GOAL = {(23, RIGHT): 0, (19, DOWN): 0}  # where the moves into the corner lead


def _chain(S: int, A: int, low: float, high: float) -> Tables:
    counts, rewards = np.zeros((S, A, S)), np.zeros((S, A, S))
    counts[:, :, 0] = 1
    for x in range(S):
        counts[x, :, min(x + 1, S - 1)] = 1
    rewards[:, :, 0], rewards[:, :, S - 1] = low, high
    return counts, rewards


def _loops() -> Tables:
    counts, rewards = np.zeros((9, 2, 9)), np.zeros((9, 2, 9))
    for state, following in enumerate(LOOPS):
        counts[state, :, following] = 1
    rewards[4, :, 0], rewards[8, :, 0] = 1, 2
    return counts, rewards


def _grid() -> Tables:
    counts, rewards = np.zeros((25, 4, 25)), np.zeros((25, 4, 25))
    for state in range(25):
        row, column = divmod(state, 5)
        inside = {LEFT: column > 0, RIGHT: column < 4, UP: row > 0, DOWN: row < 4}
        for move, ahead in zip(inside, (state - 1, state + 1, state - 5, state + 5), strict=True):
            counts[state, move, state] = 1
            if inside[move]:
                counts[state, move, GOAL.get((state, move), ahead)] = 1
    for state, move in GOAL:
        rewards[state, move, 0] = 10
    return counts, rewards


def _mean(counts: NDArray[np.float64], rewards: NDArray[np.float64], *, discount: float) -> Tabular:
    """The mean of the worlds; its prior has these counts."""
    return Tabular(
        MDP(counts / counts.sum(axis=2, keepdims=True), rewards), discount, prior=Dirichlet(counts)
    )


class _BBRL(Benchmark):
    """Worlds are drawn from Dirichlet counts, which are the agents' prior too; if inaccurate, they
    have count 1 on all states.

    Args:
        discount: discount factor, in [0, 1).
    """

    tables: ClassVar[Tables]
    accurate: ClassVar[bool] = True

    def __init__(self, *, discount: float = 0.95) -> None:
        mean = _mean(*self.tables, discount=discount)
        wrong = () if self.accurate else (Dirichlet(1.0), mean.problem().prior)
        super().__init__(mean, *wrong, steps=250)


class BBRLGC(_BBRL, name="bbrl-gc"):
    """BBRL's generalised chain: 5 states, 3 actions; each leads on or back to the start."""

    tables = _chain(5, 3, 2, 10)


class BBRLGDL(_BBRL, name="bbrl-gdl"):
    """BBRL's generalised double loop: 9 states, 2 actions; the better loop is easy to leave."""

    tables = _loops()


class BBRLGrid(_BBRL, name="bbrl-grid"):
    """BBRL's 5 × 5 grid: moves that succeed with unknown probabilities, and a goal far from the
    start.
    """

    tables = _grid()


class BBRLGCInaccurate(BBRLGC, name="bbrl-gc-inaccurate"):
    """BBRL's generalised chain; the agents' prior is wrong, count 1 on every next state."""

    accurate = False


class BBRLGDLInaccurate(BBRLGDL, name="bbrl-gdl-inaccurate"):
    """BBRL's generalised double loop; the agents' prior is wrong, count 1 on every next state."""

    accurate = False


class BBRLGridInaccurate(BBRLGrid, name="bbrl-grid-inaccurate"):
    """BBRL's 5 × 5 grid; the agents' prior is wrong, count 1 on every next state."""

    accurate = False


class SmallChain(
    DomainBenchmark,
    name="small-chain",
    of=partial(_mean, *_chain(3, 2, 0.2, 1)),
    discount=0.6,
    steps=20,
):
    """A chain of three states, two actions, known next states: small enough for
    the exact solution.
    """
