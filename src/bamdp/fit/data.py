"""Choices of people as games, checked and in order.

One row is one trial; `bamdp.fit.table` has the columns. A game is one world that the person learns about from the start; its
trials are in the order of `step`, and rows may come in any order. A missed trial (no action) is not a step of the task, unless
`timeout` says that it took one. A forced choice is one: the person learns from it.

A step begins where the one before led to, unless an episode ended: in a terminal state, or after the `episode_length` of the
problem or the `time_limit` of the model. Where the prior is over terminal states, an episode was terminated if the next step
begins elsewhere.

The state of Beta arms is the last outcome, 1 for a success. Where a game has no `next_state`, or 0 for all, outcomes are those
that pay the rewards; where it has no `state`, or 0 for all, states are the outcomes before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isclose, isnan, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp.choice_rule import NO_ACTION
from bamdp.domain import UNBOUNDED
from bamdp.fit.table import checked_columns, constant, missing_cell, number, whole
from bamdp.problem import BAMDP
from bamdp.runs.loop import Step


@dataclass(frozen=True, eq=False)
class Game:
    """The trials of a person in one world, in order, without those that were missed.

    Attributes:
        subject: the person.
        game: name of the game.
        steps: number of each trial, as in the data. [n]
        rows: the trials.
        counted: whether the choice was free, and so counts for the likelihood. [n]
        elapsed: number of steps of the task before each trial, time-outs included; those of the trials if empty. [n]
        conditions: columns that are constant in the game and that the model reads.
        places: row of the table of each trial, counted from 1; none of a simulated game.
    """

    subject: Any
    game: Any
    steps: Sequence[int]
    rows: Sequence[Step]
    counted: NDArray[np.bool_]
    elapsed: Sequence[int] = ()
    conditions: Mapping[str, Any] = field(default_factory=dict)
    places: Sequence[int] = ()

    @cached_property
    def actions(self) -> NDArray[np.int64]:
        """The choices. [n]"""
        return np.array([row.action for row in self.rows], np.int64)

    @cached_property
    def rewards(self) -> NDArray[np.float64]:
        """What they paid. [n]"""
        return np.array([row.reward for row in self.rows])

    @property
    def last_actions(self) -> NDArray[np.int64]:
        """The action before each choice; `NO_ACTION` before the first. [n]"""
        return np.concatenate([[NO_ACTION], self.actions[:-1]])

    @cached_property
    def passed(self) -> NDArray[np.int64]:
        """Number of steps of the task before each trial. [n]"""
        return np.asarray(self.elapsed or range(len(self.rows)), np.int64)

    def before(self, measure: NDArray[np.float64], num_actions: int) -> NDArray[np.float64]:
        """The sum over earlier trials of a measure of each trial, of each action. [n, A]"""
        of = np.zeros((len(self.rows) + 1, num_actions))
        of[np.arange(1, len(self.rows) + 1), self.actions] = measure
        return np.asarray(of.cumsum(axis=0)[:-1])

    def where(self, index: int) -> str:
        """The trial, to begin an error with."""
        row = f"row {self.places[index]}, " if len(self.places) else ""
        return f"{row}subject {self.subject}, game {self.game}, step {self.steps[index]}"


class GameTask(NamedTuple):
    """What trials are compared with: the problem, what is paid in it (NaN or empty where that is not known), a time limit."""

    problem: BAMDP
    paid: NDArray[np.float64]  # [S, A] or [S, A, S]
    time_limit: int | None


class Choices:
    """Checked data: the games of each person.

    Args:
        data: a dictionary of arrays or a `pandas.DataFrame`; see `bamdp.fit.table`.
        task: the task of a game, given its conditions.
        conditions: names of the columns that are conditions.
        covariates: names of columns that are constant in a person, to be read.

    Raises:
        ValueError: a value is impossible in the task; the message has the row, subject, game and step.
    """

    def __init__(
        self,
        data: Any,
        task: Callable[[Mapping[str, Any]], GameTask],
        conditions: Sequence[str] = (),
        covariates: Sequence[str] = (),
    ) -> None:
        columns = checked_columns(data, (*conditions, *covariates))
        order = sorted(range(len(columns["step"])), key=lambda i: _key(columns, i))
        self.games: list[Game] = []
        self.covariates: dict[Any, dict[str, Any]] = {}
        start = 0
        for end in range(1, len(order) + 1):
            if end == len(order) or _key(columns, order[end])[:2] != _key(columns, order[start])[:2]:
                rows = order[start:end]
                given = {name: constant(columns, name, rows, "a game") for name in conditions}
                game = _game(columns, rows, task(given), given)
                if game.rows:
                    self.games.append(game)
                start = end
        if not any(game.counted.any() for game in self.games):
            raise ValueError("data has no free choice: every trial is forced or missed")
        if covariates:
            of = {subject: np.flatnonzero(columns["subject"] == subject).tolist() for subject in self.subjects}
            self.covariates = {
                subject: {name: constant(columns, name, rows, f"subject {subject}") for name in covariates}
                for subject, rows in of.items()
            }

    @property
    def subjects(self) -> dict[Any, list[Game]]:
        """The games of each person."""
        found: dict[Any, list[Game]] = {}
        for game in self.games:
            found.setdefault(game.subject, []).append(game)
        return found


def _key(columns: Mapping[str, NDArray[Any]], i: int) -> tuple[Any, ...]:
    """Subject, game and step, in an order that texts and numbers have."""
    parts = [columns[name][i] for name in ("subject", "game", "step")]
    return tuple((isinstance(part, str), part) for part in parts)


def _game(columns: Mapping[str, NDArray[Any]], given: list[int], task: GameTask, conditions: Mapping[str, Any]) -> Game:
    problem, paid, _ = task
    subject, name = columns["subject"][given[0]], columns["game"][given[0]]
    if problem.num_states > 1 and not arms(problem) and not {"state", "next_state"} <= columns.keys():
        raise ValueError(f"data must have the columns state and next_state: the task has {problem.num_states} states")
    low, high = (0, problem.num_states - 1) if problem.num_states < UNBOUNDED else (-(2**63), 2**63 - 1)
    steps, rows, free, passed = list[int](), list[Step](), list[bool](), list[int]()
    places, elapsed = list[int](), 0
    for before, i in zip([-1, *given], given, strict=False):
        cells = {column: values[i] for column, values in columns.items()}
        where = f"row {i + 1}, subject {subject}, game {name}, step {cells['step']}"
        if before >= 0:
            _check_order(where, int(columns["step"][before]), int(cells["step"]), before)
        lost = whole(where, "timeout", cells["timeout"], 0, 1)
        if _missed(cells["action"]):
            elapsed += lost
            continue
        if lost:
            raise ValueError(f"{where}: timeout is 1, and there is an action: leave it empty where there was none")
        action = whole(where, "action", cells["action"], 0, problem.num_actions - 1)
        state, next_state = (whole(where, column, cells.get(column, 0), low, high) for column in ("state", "next_state"))
        rows.append(Step(state, action, number(where, "reward", cells["reward"]), next_state, False, False))
        steps.append(int(cells["step"]))
        places.append(i + 1)
        passed.append(elapsed)
        elapsed += 1
        free.append(whole(where, "forced", cells["forced"], 0, 1) == 0)
    if arms(problem):
        rows = _coded(rows, paid)
    rows = _with_ends(rows, problem, task.time_limit if problem.episode_length is None else problem.episode_length)
    game = Game(subject, name, steps, rows, np.array(free, bool), passed, conditions, places)
    for index in range(len(rows)):
        if wrong := _contradiction(game, index, task):
            raise ValueError(f"{game.where(index)}: {wrong}")
    return game


def _check_order(where: str, before: int, step: int, row: int) -> None:
    if step == before:
        raise ValueError(f"{where}: there are two rows of this step; the other is row {row + 1}. Games are told apart by game")
    if step != before + 1:
        out = "a trial without a choice is a row with an empty action, and without a column step the rows are in order"
        raise ValueError(f"{where}: step {before + 1} is missing, the one before is step {before} in row {row + 1}; {out}")


def arms(problem: BAMDP) -> bool:
    """Whether these are Beta arms: the state, the last outcome, says nothing."""
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


def _contradiction(game: Game, index: int, task: GameTask) -> str | None:
    """What is impossible in the task about a trial."""
    problem, paid, _ = task
    row, before, due = game.rows[index], game.rows[index - 1], _due(paid, game.rows[index])
    start = None if problem.episode_length is None else problem.start

    if problem.horizon is not None and game.passed[index] >= problem.horizon:
        return f"the game goes on after the horizon of {problem.horizon} steps"
    if row.state in problem.terminal:
        return f"no choice is made in the terminal state {problem.told_state(row.state)}"
    named = problem.told_state
    if index and not (before.terminated or before.truncated) and row.state != before.next_state:
        return f"state is {named(row.state)}, and the step before led to {named(before.next_state)}, where no episode ended"
    if index and before.truncated and start is not None and row.state != start:
        return f"state is {named(row.state)}, and episodes start in state {named(start)}"
    if not isnan(due) and not _same(row.reward, due):
        where = f"action {problem.told_action(row.action)} in state {named(row.state)}"
        return f"reward is {row.reward:g}, and {where} pays {due:g} with next_state {named(row.next_state)}"
    return None


def seen(row: Step) -> tuple[Any, ...]:
    """What a belief or an agent observes of a trial; None where the data don't tell whether an episode was terminated."""
    return (*row[:4], None if row.truncated else row.terminated)


def _due(paid: NDArray[np.float64], row: Step) -> float:
    """The reward of a step; NaN if it is not known."""
    place = (row.state, row.action, row.next_state)[: paid.ndim]
    return float(paid[place]) if paid.size else nan


def _same(reward: float, due: float) -> bool:
    return isclose(reward, due, rel_tol=1e-6, abs_tol=1e-12)  # tables may be rounded


def _missed(action: Any) -> bool:
    try:
        return missing_cell(action) or float(action) == NO_ACTION
    except (TypeError, ValueError, OverflowError):
        return False
