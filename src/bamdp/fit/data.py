"""The games of each person in a table of choices, in order, and checked against the task.

The columns of the table are those of `bamdp.fit.columns`.

A step begins where the one before led to, unless an episode ended: in a terminal state, or after
the `episode_length` of the problem or the `time_limit` of the model. Where the prior is over
terminal states, an episode was terminated if the next step begins elsewhere.

The state of Beta arms is the last outcome, 1 for a success. Where a game has no `next_state`, or 0
for all, outcomes are those that pay the rewards; where it has no `state`, or 0 for all, states are
the outcomes before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from math import isclose, isnan, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp.domain import UNBOUNDED
from bamdp.fit.arms import beta_arms
from bamdp.fit.columns import (
    choice_columns,
    constant_cell,
    finite_number,
    is_missed,
    whole_number,
)
from bamdp.fit.model import Model
from bamdp.fit.valuation import Game
from bamdp.problem import BAMDP
from bamdp.spaces import describe_action, describe_state
from bamdp.steps import Step

FROM_1 = (
    "; choices that are counted from 1 need actions=[1, 2] in read_csv or from_table, or "
    "--actions 1,2"
)


class Choices:
    """Checked data: the games of each person.

    Args:
        data: a dictionary of arrays or a `pandas.DataFrame`.
        model: the model, whose task the choices must be possible in.
        parameters: its parameters, of which no observation may be impossible; the middle of each
            scale if not given.
        covariates: names of columns that are constant in a person, to be read.

    Raises:
        ValueError: a value is impossible in the task or under the prior; the message has the row,
            subject, game and step.
    """

    def __init__(
        self,
        data: Any,
        model: Model,
        parameters: Mapping[str, float] | None = None,
        covariates: Sequence[str] = (),
    ) -> None:
        columns = choice_columns(data, (*model.conditions, *covariates))
        values = model.middle if parameters is None else parameters
        order = sorted(range(len(columns["step"])), key=lambda i: _key(columns, i))
        tasks: dict[Any, _Task] = {}
        self.games: list[Game] = []
        for _, group in groupby(order, key=lambda i: _key(columns, i)[:2]):
            rows = list(group)
            conditions = {
                name: constant_cell(columns, name, rows, "a game") for name in model.conditions
            }
            key = tuple(conditions.values())
            if key not in tasks:
                tasks[key] = _task(model, values, conditions)
            game = _game(columns, rows, tasks[key], conditions)
            if game.rows:
                _observe(game, tasks[key].problem)
                self.games.append(game)
        if not any(game.counted.any() for game in self.games):
            raise ValueError("data has no free choice: every trial is forced or missed")
        self.covariates: dict[Any, dict[str, Any]] = {}
        for subject in self.subjects:
            rows = np.flatnonzero(columns["subject"] == subject).tolist()
            within = f"subject {subject}"
            self.covariates[subject] = {
                name: constant_cell(columns, name, rows, within) for name in covariates
            }

    @property
    def subjects(self) -> dict[Any, list[Game]]:
        """The games of each person."""
        by_subject: dict[Any, list[Game]] = {}
        for game in self.games:
            by_subject.setdefault(game.subject, []).append(game)
        return by_subject


class _Task(NamedTuple):
    """What trials are compared with: the problem, what is paid in it (NaN or empty where that is
    not known), a time limit.
    """

    problem: BAMDP
    paid: NDArray[np.float64]  # [S, A] or [S, A, S]
    time_limit: int | None


def _task(model: Model, parameters: Mapping[str, float], conditions: Mapping[str, Any]) -> _Task:
    """Rewards are NaN where they depend on the parameters, and empty where they are random or the
    prior's.
    """
    problem = model.problem_of({**parameters, **conditions})
    if problem.prior.unknown_rewards or problem.random_rewards or model.random_rewards:
        return _Task(problem, np.empty((0, problem.num_actions)), model.time_limit)
    bounds = {name: model.bounds(name) for name in model.parameters}
    lowest = {name: each.low for name, each in bounds.items()}
    highest = {name: each.high for name, each in bounds.items()}
    low, high = (model.problem_of({**values, **conditions}).rewards for values in (lowest, highest))
    return _Task(problem, np.where(low == high, low, np.nan), model.time_limit)


def _key(columns: Mapping[str, NDArray[Any]], i: int) -> tuple[Any, ...]:
    """Subject, game and step, in an order that texts and numbers have."""
    parts = [columns[name][i] for name in ("subject", "game", "step")]
    return tuple((isinstance(part, str), part) for part in parts)


def _game(
    columns: Mapping[str, NDArray[Any]],
    lines: list[int],
    task: _Task,
    conditions: Mapping[str, Any],
) -> Game:
    """The game of some rows of the table, counted from 0."""
    problem = task.problem
    subject, name = columns["subject"][lines[0]], columns["game"][lines[0]]
    is_arms = beta_arms(problem)
    if problem.num_states > 1 and not is_arms and not {"state", "next_state"} <= columns.keys():
        raise ValueError(
            f"data must have the columns state and next_state: the task has {problem.num_states} "
            "states"
        )
    low, high = 0, problem.num_states - 1
    if problem.num_states >= UNBOUNDED:
        low, high = -(2**63), 2**63 - 1
    rows: list[Step] = []
    steps: list[int] = []
    places: list[int] = []  # lines with a choice, counted from 1
    free: list[bool] = []
    passed: list[int] = []  # steps of the task before each choice
    elapsed = 0
    for before, i in zip([None, *lines], lines, strict=False):
        cells = {column: values[i] for column, values in columns.items()}
        where = f"row {i + 1}, subject {subject}, game {name}, step {cells['step']}"
        if before is not None:
            _check_order(where, int(columns["step"][before]), int(cells["step"]), before)
        timeout = whole_number(where, "timeout", cells["timeout"], 0, 1)
        if is_missed(cells["action"]):
            elapsed += timeout
            continue
        if timeout:
            raise ValueError(
                f"{where}: timeout is 1, and there is an action: leave it empty where there was "
                "none"
            )
        action = whole_number(where, "action", cells["action"], 0, problem.num_actions - 1, FROM_1)
        state = whole_number(where, "state", cells.get("state", 0), low, high)
        next_state = whole_number(where, "next_state", cells.get("next_state", 0), low, high)
        reward = finite_number(where, "reward", cells["reward"])
        rows.append(Step(state, action, reward, next_state))
        steps.append(int(cells["step"]))
        places.append(i + 1)
        passed.append(elapsed)
        elapsed += 1
        free.append(whole_number(where, "forced", cells["forced"], 0, 1) == 0)
    if is_arms:
        rows = _with_outcomes(rows, task.paid)
    limit = task.time_limit if problem.episode_length is None else problem.episode_length
    rows, ends = _with_ends(rows, problem, limit)
    game = Game(
        subject=subject,
        game=name,
        steps=steps,
        rows=rows,
        ends=ends,
        counted=np.array(free, bool),
        elapsed=np.array(passed, np.int64),
        conditions=conditions,
        places=places,
    )
    for index in range(len(rows)):
        if wrong := _contradiction(game, index, task):
            raise ValueError(f"{game.where(index)}: {wrong}")
    return game


def _observe(game: Game, problem: BAMDP) -> None:
    """Check that no trial is impossible under the prior."""
    belief = problem.belief()
    for index, row in enumerate(game.rows):
        try:
            belief.observe(*row)
        except ValueError as error:
            raise ValueError(f"{game.where(index)}: {error}") from error


def _check_order(where: str, before: int, step: int, row: int) -> None:
    if step == before:
        raise ValueError(
            f"{where}: there are two rows of this step; the other is row {row + 1}. If both are "
            "right, name the column that tells blocks or games apart: game='block', or "
            "--game block"
        )
    if step != before + 1:
        raise ValueError(
            f"{where}: step {before + 1} is missing, the one before is step {before} in row "
            f"{row + 1}; a trial without a choice is a row with an empty action, and without a "
            "column step the rows are in order"
        )


def _with_outcomes(rows: list[Step], paid: NDArray[np.float64]) -> list[Step]:
    """The trials of arms: outcomes from the rewards, and states from the outcomes, where the data
    have 0 throughout.
    """
    if not any(row.next_state for row in rows):
        rows = [row._replace(next_state=_outcome(row, paid)) for row in rows]
    if not any(row.state for row in rows):
        states = [0, *(row.next_state for row in rows)]
        rows = [row._replace(state=state) for row, state in zip(rows, states, strict=False)]
    return rows


def _outcome(row: Step, paid: NDArray[np.float64]) -> int:
    """Whether an arm succeeded, by what it paid; an unknown payoff, NaN, is any other."""
    failure, success = _payoffs(paid, row)
    if _paid(row, failure):
        return 0
    return int(_paid(row, success) or (isnan(success) and not isnan(failure)))


def _payoffs(paid: NDArray[np.float64], row: Step) -> list[float]:
    """What an arm pays for a failure and for a success."""
    return [_due(paid, row._replace(next_state=outcome)) for outcome in (0, 1)]


def _with_ends(
    rows: list[Step], problem: BAMDP, limit: int | None
) -> tuple[list[Step], NDArray[np.bool_]]:
    """The trials, with whether each terminated, and whether an episode ended after each. [n]"""
    followed: list[Step] = []
    ends: list[bool] = []
    length = 0
    for index, row in enumerate(rows):
        length += 1
        truncated, terminated = length == limit, row.next_state in problem.terminal
        if problem.prior.unknown_terminal:  # at the last trial the data don't tell
            truncated |= index + 1 == len(rows)
            terminated = not truncated and rows[index + 1].state != row.next_state
        unknown = truncated and not terminated
        followed.append(row._replace(terminated=None if unknown else terminated))
        ends.append(truncated or terminated)
        if ends[-1]:
            length = 0
    return followed, np.array(ends, bool)


def _contradiction(game: Game, index: int, task: _Task) -> str | None:
    """What is impossible in the task about a trial."""
    problem, row, before = task.problem, game.rows[index], game.rows[index - 1]
    due, named = _due(task.paid, row), partial(describe_state, problem)
    action = f"action {describe_action(problem, row.action)}"
    start = None if problem.episode_length is None else problem.start

    if problem.horizon is not None and game.elapsed[index] >= problem.horizon:
        return f"the game continues after the horizon of {problem.horizon} steps"
    if row.state in problem.terminal:
        return f"no choice is made in the terminal state {named(row.state)}"
    if index and not game.ends[index - 1] and row.state != before.next_state:
        return (
            f"state is {named(row.state)}, and the step before led to {named(before.next_state)}, "
            "where no episode ended"
        )
    if index and before.terminated is None and start is not None and row.state != start:
        return f"state is {named(row.state)}, and episodes start in state {named(start)}"
    if not isnan(due) and not _paid(row, due):
        if beta_arms(problem):
            failure, success = _payoffs(task.paid, row)
            if not _paid(row, failure) and not _paid(row, success):
                return f"reward is {row.reward:g}, and {action} pays {failure:g} or {success:g}"
        return (
            f"reward is {row.reward:g}, and {action} in state {named(row.state)} pays {due:g} "
            f"with next_state {named(row.next_state)}"
        )
    return None


def _due(paid: NDArray[np.float64], row: Step) -> float:
    """The reward of a step; NaN if it is not known."""
    place = (row.state, row.action, row.next_state)[: paid.ndim]
    return float(paid[place]) if paid.size else nan


def _paid(row: Step, due: float) -> bool:
    """Whether a step paid what is due; tables may be rounded."""
    return row.reward is not None and isclose(row.reward, due, rel_tol=1e-6, abs_tol=1e-12)
