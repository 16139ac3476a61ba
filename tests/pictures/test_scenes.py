"""How worlds are pictured: every state has its place and its name, and moves go where their names
say.
"""

import copy

import numpy as np
import pytest

from bamdp.domain import UNBOUNDED, Domain
from bamdp.domains import Bandit, Chain, DoubleLoop, Grid, InfiniteGrid, Maze, RandomMDP
from bamdp.pictures.scenes import scene

TABULAR: list[Domain] = [Grid(4), Maze(), DoubleLoop(), Chain(), Bandit()]
STEPS = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}


@pytest.mark.parametrize("domain", TABULAR, ids=lambda domain: type(domain).__name__)
def test_states_have_places_and_names_of_their_own(domain: Domain) -> None:
    drawn, states = scene(domain), range(domain.num_states)
    assert len({drawn.label(s) for s in states}) == domain.num_states
    places = [drawn.place(s) for s in states]
    assert np.isfinite(places).all()
    assert len(set(places)) == (33 if isinstance(domain, Maze) else domain.num_states)
    assert set(drawn.marks) <= set(places)
    assert len(drawn.actions) in (0, domain.num_actions)


@pytest.mark.parametrize(
    "domain",
    [Grid(4, slip=0), Maze(slip=0), InfiniteGrid(seed=1)],
    ids=["grid", "maze", "infinite"],
)
def test_moves_go_where_their_names_say(domain: Domain) -> None:
    drawn, world, rng = scene(domain), copy.copy(domain), np.random.default_rng(0)
    start = world.reset(rng)
    states = [start] if domain.num_states == UNBOUNDED else range(domain.num_states)
    moved = 0
    for state in states:
        for action, name in enumerate(drawn.actions):
            (x, y), (dx, dy) = drawn.place(state), STEPS[name]
            there = drawn.place(world.step(state, action, rng)[0])
            assert there in {(x, y), (x + dx, y + dy), drawn.place(start)}, (
                f"{name} led from {(x, y)} to {there}"
            )
            moved += there == (x + dx, y + dy)
    assert moved >= len(states) * 2


def test_marks_are_where_they_should_be() -> None:
    maze = Maze()
    marks = scene(maze).marks
    assert sorted(marks.values()) == ["F", "F", "F", "G", "S"]
    assert scene(maze).label(maze.state(6, 4, 5)) == "(6, 4) with 1 and 4"
    grid = Grid(6)
    assert scene(grid).marks == {scene(grid).place(0): "S", scene(grid).place(35): "G"}


def test_rings_of_the_double_loop_touch_in_the_first_state() -> None:
    place = scene(DoubleLoop()).place
    for ring, middle in (((0, 1, 2, 3, 4), -2), ((0, 5, 6, 7, 8), 2)):
        assert [np.hypot(place(s)[0] - middle, place(s)[1]) for s in ring] == pytest.approx([2] * 5)


def test_worlds_without_a_picture() -> None:
    drawn = scene(RandomMDP(10))
    assert drawn.kind == "graph"
    assert len({drawn.place(s) for s in range(10)}) == 10
