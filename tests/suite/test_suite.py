"""Every problem that is found: its worlds, its names, and the values that are known."""

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp import suite
from bamdp.config import names
from bamdp.config.names import BENCHMARKS
from bamdp.config.registry import Entry
from bamdp.config.spec import parse_spec
from bamdp.domains import Tabular
from bamdp.suite import (
    BBRLGC,
    BBRLGDL,
    BBRLGCInaccurate,
    BBRLGDLInaccurate,
    BBRLGrid,
    BBRLGridInaccurate,
    Benchmark,
    RiverSwim,
)
from bamdp.testing import check_domain

ALL = names.BENCHMARKS.find_all()


@pytest.mark.parametrize("found", ALL, ids=lambda found: found.name)
def test_problem(found: Entry) -> None:
    problem = found.factory()
    assert isinstance(problem, Benchmark)
    assert names.BENCHMARKS.find(problem.name).target is found.target, "its name finds it"
    check_domain(problem.world(0))
    problem.problem.belief()
    discount = parse_spec(BENCHMARKS, f"{found.name}:discount=0.5").make().world(0).discount
    assert discount == 0.5


def test_everything_exported_is_found() -> None:
    assert set(suite.__all__) - {"Benchmark"} == {found.target.__name__ for found in ALL}


def discounted(world: Tabular, policy: NDArray[np.float64], steps: int) -> float:
    """The exact expected return of a policy [S, A] over a run, by matrix algebra."""
    rewards, transitions = (
        (policy * world.mdp.expected_rewards).sum(axis=1),
        np.einsum("sa,sat->st", policy, world.transitions),
    )
    values = np.zeros(world.num_states)
    for _ in range(steps):
        values = rewards + world.discount * transitions @ values
    return float(values[world.start])


# The means of 2000 other worlds, of the random policy and of knowing the world, each with the
# largest error of its rounding.
KNOWN = [
    (BBRLGC(), [31.7, 74.7], [0.05, 0.05]),
    (BBRLGDL(), [2.76, 3.55], [0.005, 0.005]),
    (BBRLGrid(), [0.20, 10.8], [0.005, 0.05]),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("problem", "known", "rounding"), KNOWN, ids=lambda value: getattr(value, "name", "")
)
def test_known_values(problem: Benchmark, known: list[float], rounding: list[float]) -> None:
    """Expected returns, exact in each world: the difference to the mean of 2000 others has
    sqrt(1.2) standard errors; at 5.3 of these a false alarm has probability below 1.2e-7 for each
    of the 6 comparisons, 1e-6 in all.
    """
    found = []
    for seed in range(400):
        world = problem.world(seed)
        assert isinstance(world, Tabular)
        uniform = np.full((world.num_states, world.num_actions), 1 / world.num_actions)
        best = world.mdp.solve(world.discount).q_values.argmax(axis=1)
        found.append(
            [
                discounted(world, policy, problem.steps)
                for policy in (uniform, np.eye(world.num_actions)[best])
            ]
        )
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(len(found))
    assert (abs(mean - known) < 5.3 * np.sqrt(1.2) * error + rounding).all(), (mean, error)
    assert (5.9 * error < 0.2 * mean).all(), "the bound is narrow"


def test_inaccurate_means_another_prior_for_agents_alone() -> None:
    pairs = (
        (BBRLGC(), BBRLGCInaccurate()),
        (BBRLGDL(), BBRLGDLInaccurate()),
        (BBRLGrid(), BBRLGridInaccurate()),
    )
    for accurate, inaccurate in pairs:
        for seed in range(3):
            first, second = accurate.world(seed), inaccurate.world(seed)
            assert isinstance(first, Tabular)
            assert isinstance(second, Tabular)
            assert np.array_equal(first.transitions, second.transitions)
        S = inaccurate.domain.num_states
        assert inaccurate.problem.belief().predictive(0, 0).tolist() == [1 / S] * S
        assert (accurate.problem.belief().predictive(0, 0) > 0).sum() <= 2


def test_the_grid_of_bbrl() -> None:
    """Every move against a wall stays surely; both moves into the corner pay, and nothing reaches
    the corner itself.
    """
    world = BBRLGrid().world(0)
    assert isinstance(world, Tabular)
    table, rewards = world.transitions, world.rewards
    assert table[0, 0, 0] == table[0, 2, 0] == table[24, 1, 24] == table[24, 3, 24] == 1
    assert np.argwhere(rewards).tolist() == [[19, 3, 0], [23, 1, 0]]
    assert table[:24, :, 24].sum() == 0
    assert set(np.flatnonzero(table[12].sum(axis=0))) == {7, 11, 12, 13, 17}


def test_riverswim_pays_at_both_ends() -> None:
    """In the known river it is optimal to swim right everywhere."""
    river = RiverSwim().domain
    assert isinstance(river, Tabular)
    best = river.mdp.solve(0.99).q_values.argmax(axis=1)
    assert best.tolist() == [1] * 6
    assert river.transitions[3, 1].tolist() == [0, 0, 0.05, 0.6, 0.35, 0]
    assert np.argwhere(river.rewards).tolist() == [[0, 0], [5, 1]]
    assert river.rewards[[0, 5], [0, 1]].tolist() == [0.005, 1]
    assert (river.time_limit, RiverSwim(episodes=3).steps) == (20, 60)
