"""Domains: the tables, cell by cell."""

from collections import Counter

import numpy as np
import pytest

from bamdp.domains import Bandit, Chain, DoubleLoop, Grid, Maze, RandomMDP, Tabular
from reference.comparison import assert_multinomial


def row(world: Tabular, state: int, action: int) -> dict[int, float]:
    """Next states with a positive probability."""
    dense = world.transitions[state, action]
    return {int(s): float(dense[s]) for s in np.flatnonzero(dense)}


def test_double_loop_table() -> None:
    world = DoubleLoop()
    table = {0: (1, 5), 1: (2, 2), 2: (3, 3), 3: (4, 4), 4: (0, 0), 5: (0, 6), 6: (0, 7), 7: (0, 8), 8: (0, 0)}
    for state, nexts in table.items():
        assert [row(world, state, action) for action in (0, 1)] == [{nexts[0]: 1}, {nexts[1]: 1}]
    assert world.rewards.tolist() == [[{4: 1, 8: 2}.get(state, 0)] * 2 for state in range(9)]


def test_grid_rows() -> None:
    world = Grid(5)
    assert world.state(1, 2) == 7
    assert world.cell(7) == (1, 2)
    assert row(world, 7, 0) == pytest.approx({world.state(1, 3): 0.8, world.state(2, 2): 0.1, world.state(0, 2): 0.1})
    assert row(world, 7, 1) == pytest.approx({world.state(2, 2): 0.8, world.state(1, 1): 0.1, world.state(1, 3): 0.1})
    assert row(world, 7, 2) == pytest.approx({world.state(1, 1): 0.8, world.state(0, 2): 0.1, world.state(2, 2): 0.1})
    assert row(world, 7, 3) == pytest.approx({world.state(0, 2): 0.8, world.state(1, 3): 0.1, world.state(1, 1): 0.1})
    assert row(world, 0, 2) == pytest.approx({0: 0.9, world.state(1, 0): 0.1})
    assert row(world, world.state(4, 0), 1) == pytest.approx({world.state(4, 0): 0.9, world.state(4, 1): 0.1})
    assert all(row(world, 24, action) == pytest.approx({0: 1}) for action in range(4))
    assert world.rewards.sum() == world.rewards[24].sum() == 4
    assert [world.state(*world.cell(state)) for state in range(25)] == list(range(25))


def test_grid_steps_by_size() -> None:
    assert [Grid(size).steps for size in (2, 9, 10, 12)] == [1000, 1000, 2000, 2000]


def test_maze_map() -> None:
    world = Maze()
    cells = [world.cell(8 * cell)[:2] for cell in range(33)]
    assert [sum(x == column for x, _ in cells) for column in range(7)] == [5, 3, 6, 6, 4, 5, 4]
    assert cells == sorted(cells)
    assert world.state(0, 0) == 0
    assert [world.state(6, 0, flags) for flags in range(8)] == list(range(232, 240))
    assert [world.state(*world.cell(state)) for state in range(264)] == list(range(264))
    walls = {(x, y) for x in range(7) for y in range(6)} - set(cells)
    assert walls == {(1, 0), (1, 1), (4, 0), (4, 1), (0, 3), (1, 3), (5, 3), (6, 3), (6, 5)}


def test_maze_rows() -> None:
    world = Maze()
    at = world.state
    assert row(world, at(3, 2), 0) == pytest.approx({at(3, 1): 0.9, at(4, 2): 0.05, at(2, 2): 0.05})
    assert row(world, at(3, 2), 1) == pytest.approx({at(4, 2): 0.9, at(3, 3): 0.05, at(3, 1): 0.05})
    assert row(world, at(3, 2), 2) == pytest.approx({at(3, 3): 0.9, at(2, 2): 0.05, at(4, 2): 0.05})
    assert row(world, at(3, 2), 3) == pytest.approx({at(2, 2): 0.9, at(3, 1): 0.05, at(3, 3): 0.05})
    assert row(world, 0, 1) == pytest.approx({0: 0.95, at(0, 1): 0.05})
    # Each flag is taken by arriving, kept when walking on, and taken too by a collision on its cell.
    for x, y, bit, action in [(0, 4, 1, 2), (2, 1, 2, 0), (5, 4, 4, 1)]:
        flag = (x, y + 1) if action == 2 else (x, y - 1) if action == 0 else (x + 1, y)
        for flags in range(8):
            assert row(world, at(x, y, flags), action)[at(*flag, flags | bit)] == pytest.approx(0.9)
            assert row(world, at(*flag, flags), action)[at(*flag, flags | bit)] >= 0.9
    # The goal pays the number of flags, whatever the action, and leads to the start.
    assert np.count_nonzero(world.rewards) == 7 * 4
    for flags in range(8):
        for action in range(4):
            assert row(world, at(6, 0, flags), action) == pytest.approx({0: 1})
            assert world.rewards[at(6, 0, flags), action] == flags.bit_count()


def test_chain_rows() -> None:
    world = Chain()
    for state in range(5):
        forward = min(state + 1, 4)
        assert row(world, state, 0) == pytest.approx({forward: 0.8, 0: 0.2})
        assert row(world, state, 1) == pytest.approx({forward: 0.2, 0: 0.8})
        for action in (0, 1):
            assert world.rewards[state, action, 0] == 2
            assert world.rewards[state, action, forward] == (10 if state == 4 else 0)


def test_bandit_rows() -> None:
    world = Bandit([0.25, 1.0], discount=0.9)
    for state in (0, 1):
        assert row(world, state, 0) == pytest.approx({0: 0.75, 1: 0.25})
        assert row(world, state, 1) == {1: 1}
        assert world.rewards[state].tolist() == [[0, 1], [0, 1]]


def test_random_mdp() -> None:
    assert RandomMDP(7, 2).rewards.tolist() == [[0, 0]] * 6 + [[1, 1]]
    assert RandomMDP(7, 2, rewards="two").rewards[:, 1].tolist() == [0, 0, 0, 1, 0, 0, 2]
    drawn = RandomMDP(7, 2, rewards="uniform").rewards
    assert len(np.unique(drawn[:, 0])) == 7
    assert np.array_equal(drawn[:, 0], drawn[:, 1])
    assert drawn.min() >= 0
    assert drawn.max() < 1
    same, other = RandomMDP(7, 2, seed=0), RandomMDP(7, 2, seed=1)
    assert np.array_equal(RandomMDP(7, 2).transitions, same.transitions)
    assert not np.array_equal(same.transitions, other.transitions)


def test_random_mdp_sparse_support_sizes() -> None:
    world = RandomMDP(25, 80, rows="sparse", seed=4)
    weights = np.arange(1, 26) ** -2.0
    sizes = Counter(np.count_nonzero(world.probabilities, axis=2).ravel().tolist())
    assert_multinomial([(sizes, dict(enumerate(weights / weights.sum(), start=1)))])
    for state, action in np.ndindex(25, 80):
        support = world.successors[state, action][world.probabilities[state, action] > 0]
        assert len(set(support.tolist())) == len(support)
