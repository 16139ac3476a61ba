"""How worlds are pictured: every state has its place and its name, and moves go where their names say."""

import numpy as np
import pytest

from bamdp.domain import UNBOUNDED, Domain, Scene
from bamdp.domains import Bandit, Chain, DoubleLoop, Grid, InfiniteGrid, Maze, RandomMDP

TABULAR: list[Domain] = [Grid(4), Maze(), DoubleLoop(), Chain(), Bandit()]
STEPS = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}


def picture(domain: Domain) -> Scene:
    scene = domain.scene()
    assert scene is not None
    return scene


@pytest.mark.parametrize("domain", TABULAR, ids=lambda domain: type(domain).__name__)
def test_states_have_places_and_names_of_their_own(domain: Domain) -> None:
    scene, states = picture(domain), range(domain.num_states)
    assert len({scene.label(s) for s in states}) == domain.num_states
    places = [scene.place(s) for s in states]
    assert np.isfinite(places).all()
    assert len(set(places)) == (33 if isinstance(domain, Maze) else domain.num_states)
    assert set(scene.marks) <= set(places)
    assert len(scene.actions) in (0, domain.num_actions)


@pytest.mark.parametrize("domain", [Grid(4, slip=0), Maze(slip=0), InfiniteGrid(seed=1)], ids=["grid", "maze", "infinite"])
def test_moves_go_where_their_names_say(domain: Domain) -> None:
    scene, world, rng = picture(domain), domain.for_run(), np.random.default_rng(0)
    start = world.reset(rng)
    states = [start] if domain.num_states == UNBOUNDED else range(domain.num_states)
    moved = 0
    for state in states:
        for action, name in enumerate(scene.actions):
            (x, y), (dx, dy) = scene.place(state), STEPS[name]
            there = scene.place(world.step(state, action, rng)[0])
            assert there in {(x, y), (x + dx, y + dy), scene.place(start)}, f"{name} led from {(x, y)} to {there}"
            moved += there == (x + dx, y + dy)
    assert moved >= len(states) * 2


def test_marks_are_where_they_should_be() -> None:
    maze = Maze()
    marks = picture(maze).marks
    assert sorted(marks.values()) == ["F", "F", "F", "G", "S"]
    assert picture(maze).label(maze.state(6, 4, 5)) == "(6, 4) with 1 and 4"
    grid = Grid(6)
    assert picture(grid).marks == {picture(grid).place(0): "S", picture(grid).place(35): "G"}


def test_rings_of_the_double_loop_touch_in_the_first_state() -> None:
    place = picture(DoubleLoop()).place
    for ring, middle in (((0, 1, 2, 3, 4), -2), ((0, 5, 6, 7, 8), 2)):
        assert [np.hypot(place(s)[0] - middle, place(s)[1]) for s in ring] == pytest.approx([2] * 5)


def test_worlds_without_a_picture() -> None:
    assert RandomMDP().scene() is None
