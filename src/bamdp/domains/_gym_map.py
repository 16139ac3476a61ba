"""The maps of FrozenLake, CliffWalking and Taxi, read once from the environment and kept as plain
data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Place = tuple[float, float]  # column and row
END = "end of the episode"  # the label of a state that is no observation
STOPS = "RGYB"  # of the taxi
NAMES = {"S": "start", "G": "goal", "H": "hole", "C": "cliff"}


@dataclass(frozen=True)
class EnvMap:
    """A map of cells, numbered row by row."""

    sentence: str  # on the world, the goal and the reward
    actions: tuple[str, ...]
    width: int
    height: int
    marks: dict[Place, str]
    walls: tuple[tuple[Place, Place], ...] = ()
    taxi: bool = False  # a state is also where the passenger is and wants to go

    def place(self, state: int) -> Place:
        """Column and row; of the extra state, a cell below the map."""
        row, column = divmod(state // 20 if self.taxi else state, self.width)
        return column, min(row, self.height)

    def label(self, state: int) -> str:
        column, row = self.place(state)
        if row == self.height:
            return END
        where = f"({row:g}, {column:g})"
        if not self.taxi:
            return (
                f"{where} {NAMES[self.marks[column, row]]}"
                if (column, row) in self.marks
                else where
            )
        passenger, destination = divmod(state % 20, 4)
        return (
            f"{where}, passenger {'in the taxi' if passenger == 4 else f'at {STOPS[passenger]}'}, "
            f"to {STOPS[destination]}"
        )


def read_map(env: Any) -> EnvMap | None:
    """The map of an environment without wrappers that change it, if it is known."""
    classes = {cls.__name__ for cls in type(env).__mro__}
    return next((read(env) for name, read in KNOWN.items() if name in classes), None)


def _frozen_lake(env: Any) -> EnvMap:
    letters = np.asarray(env.desc, dtype="S1").astype(str)
    marks: dict[Place, str] = {
        (x, y): str(letter) for (y, x), letter in np.ndenumerate(letters) if letter in NAMES
    }
    pays = max(
        (r for row in env.P.values() for outcomes in row.values() for _, _, r, _ in outcomes),
        default=1,
    )
    slips = any(
        len({s for _, s, _, _ in outcomes}) > 1
        for row in env.P.values()
        for outcomes in row.values()
    )
    ice = "slippery ice, where a move may go sideways" if slips else "ice that isn't slippery"
    sentence = (
        f"A frozen lake: walk from S to G over {ice}, without falling into a hole H, which ends "
        "the episode; "
        f"reaching the goal pays {pays:g}."
    )
    return EnvMap(
        sentence, ("left", "down", "right", "up"), letters.shape[1], letters.shape[0], marks
    )


def _cliff_walking(env: Any) -> EnvMap:
    height, width = env.shape
    row, column = divmod(int(env.start_state_index), width)
    marks: dict[Place, str] = {(int(x), int(y)): "C" for y, x in np.argwhere(env._cliff)}
    marks |= {(column, row): "S", (width - 1, height - 1): "G"}
    sentence = (
        "A cliff C along the way from S to G: reach the "
        f"goal{' on slippery ground' * env.is_slippery} without falling off; "
        "every step costs 1, and a fall costs 100 and leads back to the start."
    )
    return EnvMap(sentence, ("up", "right", "down", "left"), width, height, marks)


def _taxi(env: Any) -> EnvMap:
    rows = ["".join(row)[1:-1] for row in np.asarray(env.desc, dtype="S1").astype(str)[1:-1]]
    marks: dict[Place, str] = {(x, y): STOPS[i] for i, (y, x) in enumerate(env.locs)}
    walls = tuple(
        ((i // 2, y), (i // 2 + 1, y))
        for y, row in enumerate(rows)
        for i, c in enumerate(row)
        if i % 2 and c == "|"
    )
    sentence = (
        "A taxi among walls: fetch a passenger at R, G, Y or B and bring them to another of these; "
        "every step costs 1, a wrong "
        "pick-up or drop-off 10, and the right drop-off pays 20 and ends the episode."
    )
    actions = ("down", "up", "right", "left", "pick up", "drop off")
    return EnvMap(sentence, actions, (len(rows[0]) + 1) // 2, len(rows), marks, walls, taxi=True)


KNOWN = {"FrozenLakeEnv": _frozen_lake, "CliffWalkingEnv": _cliff_walking, "TaxiEnv": _taxi}
