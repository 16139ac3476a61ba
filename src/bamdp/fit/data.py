"""Choices of people as columns, checked and in order.

One row is one trial. A game is one world that the person learns about from the start; its trials are in the order of `step`,
and rows may come in any order. A missed trial (action −1 or NaN) is not a step of the task. A forced choice is one: the person
learns from it.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp import _validation
from bamdp._validation import _short
from bamdp.choice_rule import NO_ACTION
from bamdp.domain import UNBOUNDED, Domain

COLUMNS = ("subject", "game", "step", "state", "action", "reward", "next_state")
OPTIONAL = "forced"


@dataclass(frozen=True, eq=False)
class Game:
    """The trials of a person in one world, in order, without those that were missed.

    Attributes:
        subject: the person.
        game: name of the game.
        steps: number of each trial, as in the data. [n]
        states: state before each choice. [n]
        actions: the choices. [n]
        rewards: reward of each. [n]
        next_states: state after each. [n]
        counted: whether the choice was free, and so counts for the likelihood. [n]
    """

    subject: Any
    game: Any
    steps: NDArray[np.int64]
    states: NDArray[np.int64]
    actions: NDArray[np.int64]
    rewards: NDArray[np.float64]
    next_states: NDArray[np.int64]
    counted: NDArray[np.bool_]

    @property
    def last_actions(self) -> NDArray[np.int64]:
        """The action before each choice; `NO_ACTION` before the first. [n]"""
        return np.concatenate([[NO_ACTION], self.actions[:-1]])

    def where(self, index: int) -> str:
        """The trial, to begin an error with."""
        return f"subject {self.subject}, game {self.game}, step {self.steps[index]}"

    def rows(self) -> Iterator[tuple[int, int, float, int]]:
        """State, action, reward and next state of each trial."""
        columns = self.states, self.actions, self.rewards, self.next_states
        return zip(*(column.tolist() for column in columns), strict=True)


class Choices:
    """Checked data: the games of each person.

    Args:
        data: a dictionary of arrays or a `pandas.DataFrame` with the columns subject, game, step, state, action, reward,
            next_state, and perhaps forced (0 or 1).
        domain: the task, whose states and actions the data must have.

    Raises:
        ValueError: a value is impossible in the task; the message names subject, game and step.
    """

    def __init__(self, data: Any, domain: Domain) -> None:
        columns = _columns(data)
        order = sorted(range(len(columns["step"])), key=lambda i: _key(columns, i))
        self.games: list[Game] = []
        start = 0
        for end in range(1, len(order) + 1):
            if end == len(order) or _key(columns, order[end])[:2] != _key(columns, order[start])[:2]:
                game = _game(columns, order[start:end], domain)
                if len(game.actions):
                    self.games.append(game)
                start = end
        if not self.games or not any(game.counted.any() for game in self.games):
            raise ValueError("data has no free choice: every trial is forced or missed")

    @property
    def subjects(self) -> dict[Any, list[Game]]:
        """The games of each person."""
        found: dict[Any, list[Game]] = {}
        for game in self.games:
            found.setdefault(game.subject, []).append(game)
        return found


def read_csv(path: str | os.PathLike[str]) -> dict[str, list[Any]]:
    """The columns of a CSV file with a first line of names: numbers where all cells are, an empty cell is None.

    Args:
        path: the file.
    """
    with _validation.path("path", path).open(newline="", encoding="utf-8-sig") as file:  # spreadsheets may write a mark first
        rows = list(csv.DictReader(file))
    if not rows:
        raise ValueError(f"{path} has no rows")
    for line, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise ValueError(f"{path}, line {line}: there must be as many cells as in the first line")
    return {name: _cells([row[name] for row in rows]) for name in rows[0]}


def _cells(texts: list[Any]) -> list[Any]:
    cells = [text or None for text in texts]
    for number in (int, float):
        try:
            return [None if cell is None else number(cell) for cell in cells]
        except ValueError:
            continue
    return cells


def write_csv(data: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write columns to a CSV file.

    Args:
        data: columns of the same length, such as those of `simulate`.
        path: the file.
    """
    with _validation.path("path", path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(data)
        writer.writerows(zip(*data.values(), strict=True))


def _columns(data: Any) -> dict[str, NDArray[Any]]:
    if not hasattr(data, "keys"):
        what = "a dictionary of columns or a pandas.DataFrame, such as read_csv returns"
        raise TypeError(f"data must be {what}, got {_short(data)}")
    missing = [name for name in COLUMNS if name not in data]
    if missing:
        raise ValueError(f"data must have the columns {', '.join(COLUMNS)}; missing: {', '.join(missing)}")
    columns = {name: _plain(data[name]) for name in (*COLUMNS, *([OPTIONAL] if OPTIONAL in data else []))}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns of data must have the same length, got {lengths}")
    columns.setdefault(OPTIONAL, np.zeros(len(columns["step"])))
    return columns


def _plain(column: Any) -> NDArray[Any]:
    """Cells as Python's own numbers and texts, in which errors are readable; None for the missing ones of pandas."""
    cells = [None if type(cell).__name__ in ("NAType", "NaTType") else cell for cell in np.asarray(column).tolist()]
    made = np.empty(len(cells), dtype=object)
    made[:] = cells
    return made


def _key(columns: Mapping[str, NDArray[Any]], i: int) -> tuple[Any, ...]:
    """Subject, game and step, in an order that texts and numbers have."""
    parts = [columns[name][i] for name in COLUMNS[:3]]
    return tuple((isinstance(part, str), part) for part in parts)


def _game(columns: Mapping[str, NDArray[Any]], rows: list[int], domain: Domain) -> Game:
    subject, game = _key(columns, rows[0])[0][1], _key(columns, rows[0])[1][1]
    kept: dict[str, list[Any]] = {name: [] for name in ("step", "state", "action", "reward", "next_state", "free")}
    for i in rows:
        where = f"subject {subject}, game {game}, step {columns['step'][i]}"
        step = _whole(where, "step", columns["step"][i], -(2**62), 2**62)
        if kept["step"] and step == kept["step"][-1]:
            raise ValueError(f"{where}: there are two rows of this step")
        action = columns["action"][i]
        if _missed(action):
            continue
        low, high = (0, domain.num_states - 1) if domain.num_states < UNBOUNDED else (-(2**63), 2**63 - 1)
        kept["step"].append(step)
        kept["action"].append(_whole(where, "action", action, 0, domain.num_actions - 1))
        for name in ("state", "next_state"):
            kept[name].append(_whole(where, name, columns[name][i], low, high))
        kept["reward"].append(_number(where, "reward", columns["reward"][i]))
        kept["free"].append(_whole(where, OPTIONAL, columns[OPTIONAL][i], 0, 1) == 0)
        if kept["state"][-1] in domain.terminal:
            raise ValueError(f"{where}: no choice is made in the terminal state {kept['state'][-1]}")
    if domain.deadline is not None and len(kept["step"]) > domain.deadline:
        where = f"subject {subject}, game {game}, step {kept['step'][domain.deadline]}"
        raise ValueError(f"{where}: the game goes on after the deadline of {domain.deadline} steps")
    steps, states, actions, next_states = (np.array(kept[name], np.int64) for name in ("step", "state", "action", "next_state"))
    return Game(
        subject, game, steps, states, actions, np.array(kept["reward"], float), next_states, np.array(kept["free"], bool)
    )


def _missed(action: Any) -> bool:
    if action is None or (isinstance(action, str) and not action.strip()):
        return True
    try:
        return bool(np.isnan(number := float(action))) or number == NO_ACTION
    except (TypeError, ValueError):
        return False


def _number(where: str, name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise ValueError(f"{where}: {name} must be a number, got {_short(value)}")
    return number


def _whole(where: str, name: str, value: Any, low: int, high: int) -> int:
    number = _number(where, name, value)
    if number != int(number) or not low <= number <= high:
        raise ValueError(f"{where}: {name} must be an integer from {low} to {high}, got {_short(value)}")
    return int(number)
