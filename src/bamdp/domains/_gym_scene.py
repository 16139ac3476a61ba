"""Pictures and descriptions of Gymnasium environments: the maps of FrozenLake, CliffWalking and Taxi, names, one sentence.

Everything is read once from the environment and kept as plain data; nothing of the environment is kept.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from bamdp.domain import Place, Scene, on_a_circle

END = "end of the episode"  # the label of a state that is no observation
LONGEST = 300  # characters of a sentence from the environment's documentation


@dataclass(frozen=True)
class EnvMap:
    """A map of cells, numbered row by row."""

    width: int
    height: int
    marks: dict[Place, str] = field(default_factory=dict)
    walls: tuple[tuple[Place, Place], ...] = ()
    names: dict[Place, str] = field(default_factory=dict)  # of some cells, for labels
    taxi: bool = False  # a state is also where the passenger is and wants to go

    def cell(self, state: int) -> int:
        return state // 20 if self.taxi else state

    def place(self, state: int) -> Place:
        """Column and row; of the extra state, a cell below the map."""
        row, column = divmod(self.cell(state), self.width)
        return column, min(row, self.height)

    def label(self, state: int) -> str:
        column, row = self.place(state)
        if row == self.height:
            return END
        where = f"({row:g}, {column:g})"
        if not self.taxi:
            return f"{where} {self.names[column, row]}" if (column, row) in self.names else where
        passenger, destination = divmod(state % 20, 4)
        return f"{where}, passenger {'in the taxi' if passenger == 4 else f'at {STOPS[passenger]}'}, to {STOPS[destination]}"


STOPS = "RGYB"


@dataclass(frozen=True)
class EnvAbout:
    """What is shown of an environment."""

    sentence: str  # on the world, the goal and the reward
    actions: tuple[str, ...] = ()  # their names; () if unknown
    map: EnvMap | None = None

    def scene(self, num_states: int, label: Callable[[int], str]) -> Scene | None:
        """How to draw it; None if there is nothing to tell."""
        if self.map is not None:
            drawn = self.map
            extra: dict[Place, str] = {drawn.place(num_states - 1): "end"} if drawn.label(num_states - 1) == END else {}
            return Scene("map", drawn.place, drawn.label, self.actions, {**drawn.marks, **extra}, drawn.walls)
        return Scene("graph", on_a_circle(num_states).place, label, self.actions)


def read(env: Any, name: str, *, plain: bool) -> EnvAbout:
    """What is known of an environment; `plain` if no wrapper can have changed its observations and actions."""
    own = env.unwrapped
    classes = {cls.__name__ for cls in type(own).__mro__}
    known = next((make for of, make in KNOWN.items() if of in classes), None) if plain else None
    return known(own) if known is not None else EnvAbout(_sentence(own, name), _actions(env))


def _frozen_lake(env: Any) -> EnvAbout:
    rows = [[letter.decode() for letter in row] for row in np.asarray(env.desc, dtype="S1")]
    kinds = {"S": "start", "H": "hole", "G": "goal"}
    marks: dict[Place, str] = {(x, y): k for y, row in enumerate(rows) for x, k in enumerate(row) if k in kinds}
    names = {place: kinds[mark] for place, mark in marks.items()}
    pays = max((r for row in env.P.values() for outcomes in row.values() for _, _, r, _ in outcomes), default=1)
    slips = any(len({s for _, s, _, _ in outcomes}) > 1 for row in env.P.values() for outcomes in row.values())
    ice = "slippery ice, where a move may go sideways" if slips else "ice that isn't slippery"
    return EnvAbout(
        f"A frozen lake: walk from S to G over {ice}, without falling into a hole H, which ends the episode; "
        f"reaching the goal pays {pays:g}.",
        ("left", "down", "right", "up"),
        EnvMap(len(rows[0]), len(rows), marks, names=names),
    )


def _cliff_walking(env: Any) -> EnvAbout:
    height, width = env.shape
    start, goal = divmod(int(env.start_state_index), width), (height - 1, width - 1)
    cliff: dict[Place, str] = {(int(x), int(y)): "C" for y, x in np.argwhere(env._cliff)}
    marks: dict[Place, str] = {**cliff, (start[1], start[0]): "S", (goal[1], goal[0]): "G"}
    names = {place: {"C": "cliff", "S": "start", "G": "goal"}[mark] for place, mark in marks.items()}
    slips = " on slippery ground" if env.is_slippery else ""
    return EnvAbout(
        f"A cliff C along the way from S to G: reach the goal{slips} without falling off; every step costs 1, and a fall costs "
        "100 and leads back to the start.",
        ("up", "right", "down", "left"),
        EnvMap(width, height, marks, names=names),
    )


def _taxi(env: Any) -> EnvAbout:
    rows = ["".join(letter.decode() for letter in row)[1:-1] for row in np.asarray(env.desc, dtype="S1")[1:-1]]
    marks: dict[Place, str] = {(x, y): STOPS[i] for i, (y, x) in enumerate(env.locs)}
    walls = tuple(((i // 2, y), (i // 2 + 1, y)) for y, row in enumerate(rows) for i, c in enumerate(row) if i % 2 and c == "|")
    return EnvAbout(
        "A taxi among walls: fetch a passenger at R, G, Y or B and bring them to another of these; every step costs 1, a wrong "
        "pick-up or drop-off 10, and the right drop-off pays 20 and ends the episode.",
        ("down", "up", "right", "left", "pick up", "drop off"),
        EnvMap((len(rows[0]) + 1) // 2, len(rows), marks, walls, taxi=True),
    )


def _blackjack(env: Any) -> EnvAbout:
    natural = ", 1.5 with a natural blackjack," if env.natural else ""
    return EnvAbout(
        "Blackjack: take cards (hit) or stop (stick), to come closer to 21 than the dealer without going over; winning pays "
        f"1{natural} and losing costs 1.",
        ("stick", "hit"),
    )


KNOWN: dict[str, Callable[[Any], EnvAbout]] = {
    "FrozenLakeEnv": _frozen_lake,
    "CliffWalkingEnv": _cliff_walking,
    "TaxiEnv": _taxi,
    "BlackjackEnv": _blackjack,
}


def _sentence(env: Any, name: str) -> str:
    """The first sentence of the environment's documentation, if there is one, and what is to be done."""
    own = (cls.__doc__ for cls in type(env).__mro__ if cls.__module__ not in ("gymnasium.core", "typing", "builtins"))
    paragraphs = [part.strip() for part in inspect.cleandoc(next(filter(None, own), "")).split("\n\n")]
    text = next((" ".join(part.split()) for part in paragraphs if part and not part.startswith(("#", "!", "|", ":", "<"))), "")
    first = re.match(r".*?[.!?](?=\s|$)", text)
    about = (first[0][:-1] if first else text)[:LONGEST] or f"The Gymnasium environment {name}"
    return f"{about}; the goal is to collect as much of its reward as possible."


def _actions(env: Any) -> tuple[str, ...]:
    """The names of the actions, if the environment has an enumeration of them, as those of MiniGrid have."""
    names, space = getattr(env.unwrapped, "actions", None), env.action_space
    if not (inspect.isclass(names) and issubclass(names, Enum)) or getattr(space, "n", None) != len(names):
        return ()
    return tuple(action.name for action in sorted(names, key=lambda action: action.value))
