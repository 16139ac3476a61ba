"""Choices of people as columns, checked and in order.

One row is one trial. A game is one world that the person learns about from the start; its trials are in the order of `step`,
and rows may come in any order. A missed trial (action −1 or NaN) is not a step of the task. A forced choice is one: the person
learns from it.

A step begins where the one before led to, unless an episode ended: in a terminal state, or after the `episode_length` of the
problem or the `time_limit` of the model. Where the prior is over terminal states, an episode was terminated if the next step
begins elsewhere.

The state of Beta arms is the last outcome, 1 for a success. Where a game has 0 for every `next_state`, outcomes are those that
pay the rewards; where it has 0 for every `state`, states are the outcomes before.
"""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import isclose, isnan, nan
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.choice_rule import NO_ACTION
from bamdp.domain import UNBOUNDED
from bamdp.problem import BAMDP
from bamdp.runs.loop import Step

COLUMNS = ("subject", "game", "step", "state", "action", "reward", "next_state")
OPTIONAL = "forced"


@dataclass(frozen=True, eq=False)
class Game:
    """The trials of a person in one world, in order, without those that were missed.

    Attributes:
        subject: the person.
        game: name of the game.
        steps: number of each trial, as in the data. [n]
        rows: the trials.
        counted: whether the choice was free, and so counts for the likelihood. [n]
    """

    subject: Any
    game: Any
    steps: Sequence[int]
    rows: Sequence[Step]
    counted: NDArray[np.bool_]

    @cached_property
    def actions(self) -> NDArray[np.int64]:
        """The choices. [n]"""
        return np.array([row.action for row in self.rows], np.int64)

    @property
    def last_actions(self) -> NDArray[np.int64]:
        """The action before each choice; `NO_ACTION` before the first. [n]"""
        return np.concatenate([[NO_ACTION], self.actions[:-1]])

    def where(self, index: int) -> str:
        """The trial, to begin an error with."""
        return f"subject {self.subject}, game {self.game}, step {self.steps[index]}"


class Choices:
    """Checked data: the games of each person.

    Args:
        data: a dictionary of arrays or a `pandas.DataFrame` with the columns subject, game, step, state, action, reward,
            next_state, and perhaps forced (0 or 1).
        problem: the task, whose states and actions the data must have.
        paid: reward of each state and action [S, A] or of each transition [S, A, S]; NaN where it is not known, empty if
            none is.
        time_limit: number of steps after which an episode is truncated; never if not given.

    Raises:
        ValueError: a value is impossible in the task; the message names subject, game and step.
    """

    def __init__(self, data: Any, problem: BAMDP, paid: NDArray[np.float64], time_limit: int | None = None) -> None:
        columns = _columns(data)
        order = sorted(range(len(columns["step"])), key=lambda i: _key(columns, i))
        self.games: list[Game] = []
        start = 0
        for end in range(1, len(order) + 1):
            if end == len(order) or _key(columns, order[end])[:2] != _key(columns, order[start])[:2]:
                game = _game(columns, order[start:end], problem, paid, time_limit)
                if game.rows:
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
    try:
        text = validation.path("path", path).read_bytes().decode("utf-8-sig")  # spreadsheets may write a mark first
        names, *rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row] or [[]]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path} must be a table in UTF-8, which spreadsheets save as 'CSV UTF-8': {error}") from error
    if "\0" in text:
        raise ValueError(f"{path} must be a table in UTF-8, which spreadsheets save as 'CSV UTF-8', got UTF-16 or no text")
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise ValueError(f"{path}: the first line must have each name once, got {twice[0]!r} twice")
    if not rows:
        raise ValueError(f"{path} has no rows")
    for line, row in enumerate(rows, 2):
        if len(row) != len(names):
            raise ValueError(f"{path}, line {line}: there must be as many cells as in the first line")
    return {name: _cells(list(cells)) for name, cells in zip(names, zip(*rows, strict=True), strict=True)}


def _cells(texts: list[str]) -> list[Any]:
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
    with validation.path("path", path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(data)
        writer.writerows(zip(*data.values(), strict=True))


def _columns(data: Any) -> dict[str, NDArray[Any]]:
    if not hasattr(data, "keys"):
        what = "a dictionary of columns or a pandas.DataFrame, such as read_csv returns"
        raise TypeError(f"data must be {what}, got {short(data)}")
    missing = [name for name in COLUMNS if name not in data]
    if missing:
        raise ValueError(f"data must have the columns {', '.join(COLUMNS)}; missing: {', '.join(missing)}")
    columns = {name: _plain(name, data[name]) for name in (*COLUMNS, *([OPTIONAL] if OPTIONAL in data else []))}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns of data must have the same length, got {lengths}")
    columns.setdefault(OPTIONAL, np.zeros(len(columns["step"])))
    for row in range(len(columns["step"])):
        where = f"row {row} of data, counted from 0"
        for name in ("subject", "game", "step"):
            if _missing(columns[name][row]):
                raise ValueError(f"{where}: {name} is missing")
        columns["step"][row] = _whole(where, "step", columns["step"][row], -(2**62), 2**62)
    return columns


def _plain(name: str, column: Any) -> NDArray[Any]:
    """Cells as Python's own numbers and texts, in which errors are readable; None for the missing ones of pandas."""
    cells = np.array(column, dtype=object)  # texts and NaN stay what they are
    if cells.ndim != 1:
        raise ValueError(f"data must have one column {name!r}, with one cell in each row, got shape {cells.shape}")
    for i, cell in enumerate(cells):
        if isinstance(cell, np.generic):
            cells[i] = cell.item()
        elif type(cell).__name__ in ("NAType", "NaTType"):
            cells[i] = None
    return cells


def _key(columns: Mapping[str, NDArray[Any]], i: int) -> tuple[Any, ...]:
    """Subject, game and step, in an order that texts and numbers have."""
    parts = [columns[name][i] for name in COLUMNS[:3]]
    return tuple((isinstance(part, str), part) for part in parts)


def _game(
    columns: Mapping[str, NDArray[Any]], given: list[int], problem: BAMDP, paid: NDArray[np.float64], time_limit: int | None
) -> Game:
    subject, name = columns["subject"][given[0]], columns["game"][given[0]]
    low, high = (0, problem.num_states - 1) if problem.num_states < UNBOUNDED else (-(2**63), 2**63 - 1)
    steps, rows, free = list[int](), list[Step](), list[bool]()
    for before, i in pairwise([None, *given]):
        cells = {column: values[i] for column, values in columns.items()}
        where = f"subject {subject}, game {name}, step {cells['step']}"
        if before is not None and cells["step"] == columns["step"][before]:
            raise ValueError(f"{where}: there are two rows of this step")
        if _missed(cells["action"]):
            continue
        action = _whole(where, "action", cells["action"], 0, problem.num_actions - 1)
        state, next_state = (_whole(where, column, cells[column], low, high) for column in ("state", "next_state"))
        rows.append(Step(state, action, _number(where, "reward", cells["reward"]), next_state, False, False))
        steps.append(int(cells["step"]))
        free.append(_whole(where, OPTIONAL, cells[OPTIONAL], 0, 1) == 0)
    if arms(problem):
        rows = _coded(rows, paid)
    rows = _with_ends(rows, problem, time_limit if problem.episode_length is None else problem.episode_length)
    game = Game(subject, name, steps, rows, np.array(free, bool))
    for index in range(len(rows)):
        if wrong := _contradiction(rows, index, problem, paid):
            raise ValueError(f"{game.where(index)}: {wrong}")
    return game


def arms(problem: BAMDP) -> bool:
    """Whether these are arms: the state, the last outcome, says nothing."""
    return problem.prior.independent_arms and problem.num_states == 2 and np.array_equal(*problem.rewards)


def _coded(rows: list[Step], paid: NDArray[np.float64]) -> list[Step]:
    """The trials of arms: outcomes from the rewards, and states from the outcomes, where the data have 0 throughout."""
    if not any(row.next_state for row in rows):
        pays = [[_due(paid, row._replace(next_state=outcome)) for outcome in (0, 1)] for row in rows]
        rows = [row._replace(next_state=_outcome(row.reward, *due)) for row, due in zip(rows, pays, strict=True)]
    if not any(row.state for row in rows):
        rows = [row._replace(state=state) for row, state in zip(rows, [0, *(row.next_state for row in rows)], strict=False)]
    return rows


def _outcome(reward: float, failure: float, success: float) -> int:
    """Whether an arm succeeded that pays so much; an unknown payoff, NaN, is any other."""
    return int(not _same(reward, failure) and (_same(reward, success) or (isnan(success) and not isnan(failure))))


def _with_ends(rows: list[Step], problem: BAMDP, limit: int | None) -> list[Step]:
    """The trials, with the ends of episodes."""
    made, length = list[Step](), 0
    for index, row in enumerate(rows):
        length += 1
        truncated, terminated = length == limit, row.next_state in problem.terminal
        if problem.prior.has_ends:
            truncated |= index + 1 == len(rows)  # here as at a time limit, the data don't tell whether it was terminated
            terminated = not truncated and rows[index + 1].state != row.next_state
        made.append(row._replace(terminated=terminated, truncated=truncated and not terminated))
        length = 0 if truncated or terminated else length
    return made


def _contradiction(rows: Sequence[Step], index: int, problem: BAMDP, paid: NDArray[np.float64]) -> str | None:
    """What is impossible in the task about a trial."""
    row, before, due = rows[index], rows[index - 1], _due(paid, rows[index])
    start = None if problem.episode_length is None else problem.start

    def named(state: int) -> str:
        return _named(state, problem.state_name(state))

    if problem.horizon is not None and index >= problem.horizon:
        return f"the game goes on after the horizon of {problem.horizon} steps"
    if row.state in problem.terminal:
        return f"no choice is made in the terminal state {named(row.state)}"
    if index and not (before.terminated or before.truncated) and row.state != before.next_state:
        return f"state is {named(row.state)}, and the step before led to {named(before.next_state)}, where no episode ended"
    if index and before.truncated and start is not None and row.state != start:
        return f"state is {named(row.state)}, and episodes start in state {named(start)}"
    if not isnan(due) and not _same(row.reward, due):
        action = _named(row.action, problem.action_name(row.action))
        step = f"action {action} in state {named(row.state)} pays {due:g} with next_state {named(row.next_state)}"
        return f"reward is {row.reward:g}, and {step}"
    return None


def _named(number: int, name: str) -> str:
    """A state or action as it is in the data, with its name if it has one."""
    return str(number) if name == str(number) else f"{number} ({name})"


def seen(row: Step) -> tuple[Any, ...]:
    """What a belief or an agent observes of a trial; None where the data don't tell whether an episode was terminated."""
    return (*row[:4], None if row.truncated else row.terminated)


def _due(paid: NDArray[np.float64], row: Step) -> float:
    """The reward of a step; NaN if it is not known."""
    place = (row.state, row.action, row.next_state)[: paid.ndim]
    return float(paid[place]) if paid.size else nan


def _same(reward: float, due: float) -> bool:
    return isclose(reward, due, rel_tol=1e-6, abs_tol=1e-12)  # tables may be rounded


def _missing(cell: Any) -> bool:
    return cell is None or str(cell).strip().lower() in ("", "nan")


def _missed(action: Any) -> bool:
    try:
        return _missing(action) or float(action) == NO_ACTION
    except (TypeError, ValueError, OverflowError):
        return False


def _number(where: str, name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not np.isfinite(number):
        raise ValueError(f"{where}: {name} must be a number, got {short(value)}")
    return number


def _whole(where: str, name: str, value: Any, low: int, high: int) -> int:
    number = value if isinstance(value, int) else _number(where, name, value)
    if number != int(number) or not low <= number <= high:
        raise ValueError(f"{where}: {name} must be an integer from {low} to {high}, got {short(value)}")
    return int(number)
