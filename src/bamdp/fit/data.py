"""The games of each person in a table of choices, in order, and checked against the task.

One row is one trial. The columns that a fit reads, by their own names:

| column | |
|---|---|
| subject | the person; one for all rows if there is none |
| game | one world, learned from the start; one for each person if there is none |
| step | order of the trials of a game, whole numbers without gaps; that of the rows if there is none |
| state, next_state | of the task; none for arms |
| action | the choice; empty, NA, NaN or −1 if there was none |
| reward | what it paid |
| forced | 1 if the choice was made for the person |
| timeout | 1 if the trial passed without a choice and took a step of the task |

A model may read other columns that are constant in a game (`Model.conditions`), and a group those
that are constant in a person; the rest are not read, and results name them. Where one of the
columns above is missing, another that may be it by its name (`Subject`, `participant`, `block`:
`SYNONYMS` of `bamdp.fit.reading`) is an error. Rows may come in any order. A missed trial (no
action) is not a step of the task, unless `timeout` says that it took one. A forced choice is one:
the person learns from it.

A step begins where the one before led to, unless an episode ended: in a terminal state, or after the `episode_length` of the
problem or the `time_limit` of the model. Where the prior is over terminal states, an episode was terminated if the next step
begins elsewhere.

The state of Beta arms is the last outcome, 1 for a success. Where a game has no `next_state`, or 0 for all, outcomes are those
that pay the rewards; where it has no `state`, or 0 for all, states are the outcomes before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from math import isclose, isnan, nan
from reprlib import repr as short
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bamdp.choice_rule import NO_ACTION
from bamdp.domain import UNBOUNDED
from bamdp.fit.model import Model
from bamdp.fit.reading import COLUMNS, column_names, is_missing, lookalike
from bamdp.fit.valuation import Game, beta_arms, seen
from bamdp.problem import BAMDP
from bamdp.runs.loop import Step
from bamdp.validation import suggestion

REQUIRED = ("action", "reward")
DEFAULTS = {"subject": 1, "game": 1, "forced": 0, "timeout": 0}  # of columns that are missing
WITHOUT = {"subject": "all rows are one person", "game": "each person has one game"}
SHOWN = 10  # names of columns in a note, at most
FROM_1 = "; choices that are counted from 1 need actions=[1, 2] in read_csv or from_table, or --actions 1,2"
LABELS = "; the order of labels must be given to read_csv or from_table, actions=['left', 'right'], or by --actions left,right"


class Choices:
    """Checked data: the games of each person.

    Args:
        data: a dictionary of arrays or a `pandas.DataFrame`.
        model: the model, whose task the choices must be possible in.
        parameters: its parameters, of which no observation may be impossible; the middle of each scale if not given.
        covariates: names of columns that are constant in a person, to be read.

    Raises:
        ValueError: a value is impossible in the task or under the prior; the message has the row, subject, game and step.
    """

    def __init__(
        self,
        data: Any,
        model: Model,
        parameters: Mapping[str, float] | None = None,
        covariates: Sequence[str] = (),
    ) -> None:
        columns = _checked_columns(data, (*model.conditions, *covariates))
        values = model.middle if parameters is None else parameters
        order = sorted(range(len(columns["step"])), key=lambda i: _key(columns, i))
        tasks: dict[Any, _Task] = {}
        self.games: list[Game] = []
        for _, group in groupby(order, key=lambda i: _key(columns, i)[:2]):
            rows = list(group)
            given = {name: _constant(columns, name, rows, "a game") for name in model.conditions}
            key = tuple(given.values())
            if key not in tasks:
                tasks[key] = _task(model, values, given)
            game = _game(columns, rows, tasks[key], given)
            if game.rows:
                _observe(game, tasks[key].problem)
                self.games.append(game)
        if not any(game.counted.any() for game in self.games):
            raise ValueError("data has no free choice: every trial is forced or missed")
        self.covariates: dict[Any, dict[str, Any]] = {}
        for subject in self.subjects:
            rows = np.flatnonzero(columns["subject"] == subject).tolist()
            self.covariates[subject] = {name: _constant(columns, name, rows, f"subject {subject}") for name in covariates}

    @property
    def subjects(self) -> dict[Any, list[Game]]:
        """The games of each person."""
        found: dict[Any, list[Game]] = {}
        for game in self.games:
            found.setdefault(game.subject, []).append(game)
        return found


class _Task(NamedTuple):
    """What trials are compared with: the problem, what is paid in it (NaN or empty where that is not known), a time limit."""

    problem: BAMDP
    paid: NDArray[np.float64]  # [S, A] or [S, A, S]
    time_limit: int | None


def _task(model: Model, parameters: Mapping[str, float], conditions: Mapping[str, Any]) -> _Task:
    """Rewards are NaN where they depend on the parameters, and empty where they are random or the prior's."""
    problem = model.problem_of({**parameters, **conditions})
    if problem.prior.unknown_rewards or problem.random_rewards or model.random_rewards:
        return _Task(problem, np.empty((0, problem.num_actions)), model.time_limit)
    ends = ({name: getattr(model.bounds(name), end) for name in model.parameters} for end in ("low", "high"))
    low, high = (model.problem_of({**values, **conditions}).rewards for values in ends)
    return _Task(problem, np.where(low == high, low, np.nan), model.time_limit)


def _key(columns: Mapping[str, NDArray[Any]], i: int) -> tuple[Any, ...]:
    """Subject, game and step, in an order that texts and numbers have."""
    parts = [columns[name][i] for name in ("subject", "game", "step")]
    return tuple((isinstance(part, str), part) for part in parts)


def _game(columns: Mapping[str, NDArray[Any]], given: list[int], task: _Task, conditions: Mapping[str, Any]) -> Game:
    problem = task.problem
    subject, name = columns["subject"][given[0]], columns["game"][given[0]]
    if problem.num_states > 1 and not beta_arms(problem) and not {"state", "next_state"} <= columns.keys():
        raise ValueError(f"data must have the columns state and next_state: the task has {problem.num_states} states")
    low, high = (0, problem.num_states - 1) if problem.num_states < UNBOUNDED else (-(2**63), 2**63 - 1)
    steps, rows, free, passed = list[int](), list[Step](), list[bool](), list[int]()
    places, elapsed = list[int](), 0
    for before, i in zip([-1, *given], given, strict=False):
        cells = {column: values[i] for column, values in columns.items()}
        where = f"row {i + 1}, subject {subject}, game {name}, step {cells['step']}"
        if before >= 0:
            _check_order(where, int(columns["step"][before]), int(cells["step"]), before)
        lost = _whole(where, "timeout", cells["timeout"], 0, 1)
        if _missed(cells["action"]):
            elapsed += lost
            continue
        if lost:
            raise ValueError(f"{where}: timeout is 1, and there is an action: leave it empty where there was none")
        action = _whole(where, "action", cells["action"], 0, problem.num_actions - 1, FROM_1)
        state, next_state = (_whole(where, column, cells.get(column, 0), low, high) for column in ("state", "next_state"))
        rows.append(Step(state, action, _number(where, "reward", cells["reward"]), next_state, False, False))
        steps.append(int(cells["step"]))
        places.append(i + 1)
        passed.append(elapsed)
        elapsed += 1
        free.append(_whole(where, "forced", cells["forced"], 0, 1) == 0)
    if beta_arms(problem):
        rows = _coded(rows, task.paid)
    rows = _with_ends(rows, problem, task.time_limit if problem.episode_length is None else problem.episode_length)
    game = Game(subject, name, steps, rows, np.array(free, bool), np.array(passed, np.int64), conditions, places)
    for index in range(len(rows)):
        if wrong := _contradiction(game, index, task):
            raise ValueError(f"{game.where(index)}: {wrong}")
    return game


def _observe(game: Game, problem: BAMDP) -> None:
    """Check that no trial is impossible under the prior."""
    belief = problem.belief()
    for index, row in enumerate(game.rows):
        try:
            belief.observe(*seen(row))
        except ValueError as error:
            raise ValueError(f"{game.where(index)}: {error}") from error


def _check_order(where: str, before: int, step: int, row: int) -> None:
    if step == before:
        how = "name the column that tells blocks or games apart: game='block', or --game block"
        raise ValueError(f"{where}: there are two rows of this step; the other is row {row + 1}. If both are right, {how}")
    if step != before + 1:
        out = "a trial without a choice is a row with an empty action, and without a column step the rows are in order"
        raise ValueError(f"{where}: step {before + 1} is missing, the one before is step {before} in row {row + 1}; {out}")


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
        if problem.prior.unknown_terminal:
            truncated |= index + 1 == len(rows)  # here as at a time limit, the data don't tell whether it was terminated
            terminated = not truncated and rows[index + 1].state != row.next_state
        made.append(row._replace(terminated=terminated, truncated=truncated and not terminated))
        length = 0 if truncated or terminated else length
    return made


def _contradiction(game: Game, index: int, task: _Task) -> str | None:
    """What is impossible in the task about a trial."""
    problem, row, before = task.problem, game.rows[index], game.rows[index - 1]
    due, named = _due(task.paid, row), problem.describe_state
    start = None if problem.episode_length is None else problem.start

    if problem.horizon is not None and game.elapsed[index] >= problem.horizon:
        return f"the game goes on after the horizon of {problem.horizon} steps"
    if row.state in problem.terminal:
        return f"no choice is made in the terminal state {named(row.state)}"
    if index and not (before.terminated or before.truncated) and row.state != before.next_state:
        return f"state is {named(row.state)}, and the step before led to {named(before.next_state)}, where no episode ended"
    if index and before.truncated and start is not None and row.state != start:
        return f"state is {named(row.state)}, and episodes start in state {named(start)}"
    if not isnan(due) and not _same(row.reward, due):
        if beta_arms(problem):
            pays = [_due(task.paid, row._replace(next_state=outcome)) for outcome in (0, 1)]
            if not any(_same(row.reward, each) for each in pays):
                action = problem.describe_action(row.action)
                return f"reward is {row.reward:g}, and action {action} pays {pays[0]:g} or {pays[1]:g}"
        where = f"action {problem.describe_action(row.action)} in state {named(row.state)}"
        return f"reward is {row.reward:g}, and {where} pays {due:g} with next_state {named(row.next_state)}"
    return None


def _due(paid: NDArray[np.float64], row: Step) -> float:
    """The reward of a step; NaN if it is not known."""
    place = (row.state, row.action, row.next_state)[: paid.ndim]
    return float(paid[place]) if paid.size else nan


def _same(reward: float, due: float) -> bool:
    return isclose(reward, due, rel_tol=1e-6, abs_tol=1e-12)  # tables may be rounded


def _checked_columns(data: Any, others: Sequence[str]) -> dict[str, NDArray[Any]]:
    """The columns that a fit reads, and `others`, with those that are missing made; None for missing cells."""
    keys = column_names(data)
    if missing := [name for name in REQUIRED if name not in keys]:
        how = "read_csv and from_table take other names, action='choice', as does bamdp fit, --action choice"
        has = f"it has {', '.join(map(str, keys))}"
        raise ValueError(f"data must have the columns {', '.join(REQUIRED)}; missing: {', '.join(missing)}; {has}; {how}")
    if missing := [name for name in others if name not in keys]:
        hint = suggestion(missing[0], map(str, keys)) or f"; it has {', '.join(map(str, keys))}"
        raise ValueError(f"data must have the column {missing[0]}, which the model or the group reads{hint}")
    _check_lookalikes(data, _unread(data, others))
    columns = {name: _plain(name, data[name]) for name in (*COLUMNS, *others) if name in keys}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns of data must have the same length, got {lengths}")
    n = len(columns["action"])
    for name, value in DEFAULTS.items():
        columns.setdefault(name, np.full(n, value, dtype=object))
    for name in ("subject", "game", "step", *others):
        for row, cell in enumerate(columns.get(name, ()), 1):
            if is_missing(cell):
                raise ValueError(f"row {row}: {name} is missing")
    if "step" not in columns:
        rows: Counter[Any] = Counter()
        columns["step"] = np.zeros(n, dtype=object)
        for row, game in enumerate(zip(columns["subject"], columns["game"], strict=True)):
            rows[game] += 1
            columns["step"][row] = rows[game]
    for row in range(n):
        columns["step"][row] = _whole(f"row {row + 1}", "step", columns["step"][row], -(2**62), 2**62)
    return columns


def _unread(data: Any, others: Sequence[str]) -> list[str]:
    return [str(name) for name in column_names(data) if name not in (*COLUMNS, *others)]


def unread_notes(data: Any, others: Sequence[str]) -> tuple[str, ...]:
    """A note on columns that are not read, if any; `others` are, beside those of a fit."""
    unread = _unread(data, others)
    if not unread:
        return ()
    rest = f" and {len(unread) - SHOWN} more" if len(unread) > SHOWN else ""
    note = f"columns that were not read: {', '.join(unread[:SHOWN])}{rest}"
    for name, default in WITHOUT.items():
        if name not in column_names(data):
            note += f"; there is no column {name}: {default}"
    return (note,)


def _check_lookalikes(data: Any, unread: Sequence[str]) -> None:
    """Where one of our columns is missing, no other column, or index, may look like it."""
    missing = [name for name in COLUMNS if name not in column_names(data)]
    index = [str(name) for name in getattr(getattr(data, "index", None), "names", ()) if name]
    for name in (*unread, *index):
        if (ours := lookalike(name, missing)) is not None:
            how = f"{ours}={name!r} in read_csv or from_table, or --{ours.replace('_', '-')} {name}"
            how = how if name in unread else "data.reset_index()"
            what = f"data has no column {ours}, and {name!r} may be it"
            raise ValueError(f"{what}: use {how}; if it is something else, rename it")


def _constant(columns: Mapping[str, NDArray[Any]], name: str, rows: Sequence[int], within: str) -> Any:
    """The value of a column that is constant in some rows; `within` says what they are."""
    first = columns[name][rows[0]]
    for row in rows:
        if columns[name][row] != first:
            both = f"{short(columns[name][row])} here and {short(first)} in row {rows[0] + 1}"
            raise ValueError(f"row {row + 1}: {name} must be the same in all rows of {within}, got {both}")
    return first


def _missed(action: Any) -> bool:
    try:
        return is_missing(action) or float(action) == NO_ACTION
    except (TypeError, ValueError, OverflowError):
        return False


def _number(where: str, name: str, value: Any) -> float:
    """A cell as a number."""
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        found = np.nan
    if not np.isfinite(found):
        raise ValueError(f"{where}: {name} must be a number, got {short(value)}{LABELS if isinstance(value, str) else ''}")
    return found


def _whole(where: str, name: str, value: Any, low: int, high: int, hint: str = "") -> int:
    """A cell as a whole number."""
    found = value if isinstance(value, int) else _number(where, name, value)
    if found != int(found) or not low <= found <= high:
        raise ValueError(f"{where}: {name} must be an integer from {low} to {high}, got {short(value)}{hint}")
    return int(found)


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
