"""Domains: steps agree with the tables, contracts are kept."""

import tracemalloc
from collections import Counter
from collections.abc import Callable
from typing import cast

import numpy as np
import pytest

from bamdp import MDP
from bamdp.domains import Bandit, Chain, DoubleLoop, Grid, Maze, RandomMDP, Tabular
from reference.comparison import assert_multinomial
from reference.rejections import rejections

WORLDS: list[Callable[[], Tabular]] = [
    DoubleLoop,
    Grid,
    lambda: Grid(3, slip=0.5),
    Maze,
    Chain,
    Bandit,
    lambda: RandomMDP(6, 2, seed=1),
    lambda: RandomMDP(8, 2, rows="sparse", rewards="uniform", seed=2),
]


@pytest.mark.slow
@pytest.mark.parametrize("make", WORLDS)
def test_steps_agree_with_the_table(make: Callable[[], Tabular]) -> None:
    world, rng = make(), np.random.default_rng(12345)
    samples, transitions = [], world.transitions
    draws = 500 if world.num_states < 100 else 200  # of each of 1056 rows of the maze
    for state, action in np.ndindex(world.num_states, world.num_actions):
        counts: Counter[int] = Counter()
        for _ in range(draws):
            next_state, reward = world.step(state, action, rng)
            counts[next_state] += 1
            known = world.rewards[state, action]
            assert reward == (known if known.ndim == 0 else known[next_state])
        row = transitions[state, action]
        assert all(row[s] > 0 for s in counts)
        samples.append((counts, dict(enumerate(row.tolist()))))
    if make is not DoubleLoop:  # in which nothing is random
        assert_multinomial(samples)


class Fixed(np.random.Generator):
    """A generator that always gives the same number."""

    def __init__(self, number: float) -> None:
        super().__init__(np.random.PCG64())
        self.number = number

    def random(self) -> float:  # type: ignore[override]  # the one form that is used
        return self.number


@pytest.mark.parametrize(
    ("number", "next_state"), [(0.0, 1), (0.29, 1), (0.31, 2), (1 - 2.0**-53, 2)], ids=["0", "low", "high", "near 1"]
)
def test_a_step_never_draws_padding(number: float, next_state: int) -> None:
    successors = np.tile([0, 1, 2, 0], (3, 1, 1))
    probabilities = np.tile([0, 0.3, 0.7, 0], (3, 1, 1))
    world = Tabular(MDP(probabilities, np.zeros((3, 1)), successors=successors), 0.9)
    assert world.step(0, 0, cast(np.random.Generator, Fixed(number))) == (next_state, 0.0)


def test_own_prior_is_kept() -> None:
    prior = Grid().prior()
    assert Tabular(MDP(np.ones((1, 1, 1)), [[0]]), 0.9, prior=prior).prior() is prior


@pytest.mark.slow
def test_a_million_states() -> None:
    tracemalloc.start()
    world = Grid(1000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 350e6
    assert world.num_states == 1_000_000
    assert world.cell(world.state(999, 1)) == (999, 1)
    assert world.step(999_999, 3, np.random.default_rng(0)) == (0, 1.0)
    with pytest.raises(MemoryError, match=r"transitions, .* needs a table of 29802.3 GiB"):
        _ = world.transitions


ENDS = MDP([[[0, 1]], [[1, 0]]], [[0], [0]], terminal=[0])

test_rejected = rejections(
    (ValueError, "mdp must be an MDP of 5 states and 2 actions", lambda: Chain().with_mdp(ENDS)),
    (ValueError, "start must not be terminal, got the terminal state 0", lambda: Tabular(ENDS, 0.9)),
    (ValueError, r"x and y.*wall at \(1, 0\)", lambda: Maze().state(1, 0)),
)
