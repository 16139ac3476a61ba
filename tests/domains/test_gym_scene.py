"""Gymnasium environments as pictures: maps are those of the environment, actions have the names of what they do."""

from enum import IntEnum
from typing import Any

import gymnasium
import numpy as np
import pytest

from bamdp.domain import Scene
from bamdp.domains import Gymnasium

MOVES = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}


def scene_of(domain: Gymnasium) -> Scene:
    scene = domain.scene()
    assert scene is not None
    return scene


@pytest.mark.parametrize("name", ["FrozenLake-v1", "FrozenLake8x8-v1", "CliffWalking-v1", "Taxi-v4"])
def test_moves_go_where_their_names_say(name: str) -> None:
    """Or nowhere, into a wall, or elsewhere over the cliff: where the table leads, without slips."""
    settings: Any = {"is_slippery": False} if name.startswith("Frozen") else {}
    domain = Gymnasium(name, **settings)
    scene = scene_of(domain)
    assert domain.table is not None
    assert scene.kind == "map"
    assert len(scene.actions) == domain.num_actions
    walls = {frozenset(wall) for wall in scene.walls}
    moved = 0
    for state in set(range(domain.num_states)) - domain.terminal:
        for action, (dx, dy) in ((a, MOVES[n]) for a, n in enumerate(scene.actions) if n in MOVES):
            next_state = int(domain.table.successors[state, action, 0])
            (x, y), there = scene.place(state), scene.place(next_state)
            wanted = (x + dx, y + dy)
            blocked = frozenset([(x, y), wanted]) in walls
            fell = "C" in (scene.marks.get(wanted), scene.marks.get((x, y)))
            if not fell:
                assert there == ((x, y) if blocked else wanted) or there == (x, y)
            assert not (blocked and there == wanted)
            moved += there == wanted
    assert moved > domain.num_states


def test_marks_are_those_of_the_environment() -> None:
    lake = gymnasium.make("FrozenLake-v1")
    scene = scene_of(Gymnasium("FrozenLake-v1"))
    for (y, x), letter in np.ndenumerate(lake.unwrapped.desc):  # type: ignore[attr-defined]
        assert scene.marks.get((x, y), "F") == letter.decode()
    assert scene.label(15) == "(3, 3) goal"
    cliff = scene_of(Gymnasium("CliffWalking-v1"))
    assert [cliff.label(s) for s in (36, 37, 47)] == ["(3, 0) start", "(3, 1) cliff", "(3, 11) goal"]
    env: Any = gymnasium.make("Taxi-v4").unwrapped
    taxi = scene_of(Gymnasium("Taxi-v4"))
    for state in range(500):
        row, column, passenger, destination = env.decode(state)
        assert taxi.place(state) == (column, row)
        assert taxi.label(state).endswith(f"to {'RGYB'[destination]}")
        assert ("in the taxi" in taxi.label(state)) == (passenger == 4)


def test_others_have_names() -> None:
    scene = scene_of(Gymnasium("Blackjack-v1"))
    assert (scene.kind, scene.actions, scene.label(27)) == ("graph", ("stick", "hit"), "(1, 2, 1)")
    assert scene_of(Gymnasium(Turtle)).actions == ("forward", "turn")
    assert scene_of(Gymnasium(lambda: Relabelled(gymnasium.make("FrozenLake-v1")))).kind == "graph"


class Turtle(gymnasium.Env[Any, Any]):
    """Turns."""

    class actions(IntEnum):  # noqa: N801 - as MiniGrid has it
        turn = 1
        forward = 0

    observation_space = gymnasium.spaces.Discrete(2)
    action_space = gymnasium.spaces.Discrete(2)


class Relabelled(gymnasium.ActionWrapper[int, int, int]):
    """Other actions: the map's names would be wrong."""

    def action(self, action: int) -> int:
        return 3 - action
