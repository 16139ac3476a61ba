"""A log of real steps as a table: read with the names of the problem, to learn from.

| column | |
|---|---|
| state, action | by name; or by number, from 0, where no name is a number |
| next_state | the state after the step; if the column is missing, that of the next row |
| reward | what it paid; if the column is missing, what the problem says |
| terminated | whether the step ended an episode; 0 or 1, or False or True |
| episode | machine, person or run, whose rows are in order; only without `next_state` |
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.problem import BAMDP, checked_problem
from bamdp.steps import Steps, checked_rows
from bamdp.validation import short_repr, suggestion

COLUMNS = ("state", "action", "reward", "next_state", "terminated", "episode")
TRUE, FALSE = ("1", "true", "yes"), ("0", "false", "no")

Table = dict[str, list[Any]]


def read_log(log: Any, problem: BAMDP, **columns: str) -> Steps:
    r"""The steps of a log, for `agent.observe_many(*steps)` or `belief.observe_many(*steps)`.

    Without a column `next_state` the state after a step is that of the next row of the same
    `episode`, and the last row of each episode, whose outcome the log doesn't have, is left out.

    Args:
        log: a CSV file with a first line of names, a `pandas.DataFrame`, or a dictionary of
            columns. Columns with other names are not read.
        problem: the problem, whose names of states and actions the log has.
        columns: name in the log of each column that has another one: `state="condition"`,
            `episode="machine"`.

    Raises:
        ValueError: a column is missing, or a cell is no state, action or number; with the row.

    Example:
        >>> import bamdp
        >>> problem = bamdp.BAMDP(bamdp.priors.Dirichlet(), [[0, -8], [-30, -38]], 0.9,
        ...     states=("works", "broken"), actions=("run", "service"))
        >>> log = {"machine": [1, 1, 1], "state": ["works", "works", "broken"],
        ...     "action": ["service", "run", "service"]}
        >>> steps = read_log(log, problem, episode="machine")
        >>> steps.states, steps.actions, steps.next_states
        (array([0, 0]), array([1, 0]), array([0, 1]))
        >>> agent = bamdp.agents.BayesAdaptive(problem)
        >>> agent.observe_many(*steps)
    """
    checked_problem(problem)
    if problem._numbers is not None:
        raise TypeError(
            f"problem must have numbered states for a log, got one of {problem.prior!r}: number "
            "them by problem.state, and pass columns to observe_many"
        )
    table = _renamed(_table(log), columns)
    for name in ("state", "action"):
        if name not in table:
            _missing(name, table)
    states = _places("state", table["state"], problem.states, problem.num_states)
    actions = _places("action", table["action"], problem.actions, problem.num_actions)
    rewards = _reals("reward", table["reward"]) if "reward" in table else None
    ended = _flags(table["terminated"]) if "terminated" in table else None
    if "next_state" in table:
        after = _places("next_state", table["next_state"], problem.states, problem.num_states)
        kept = np.arange(len(states))
    else:
        kept, following = _pairs(table.get("episode"), len(states), ended)
        after = states[following]
    return checked_rows(
        problem,
        states[kept],
        actions[kept],
        None if rewards is None else rewards[kept],
        after,
        None if ended is None else ended[kept],
    )


def csv_columns(path: str | os.PathLike[str]) -> Table:
    """The columns of a CSV file in UTF-8 with a first line of names, as texts."""
    file = validation.path("path", path)
    try:
        text = file.read_bytes().decode("utf-8-sig")  # spreadsheets may write a mark first
        lines = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(
            f"{file} must be a table in UTF-8, which spreadsheets save as 'CSV UTF-8': {error}"
        ) from error
    if len(lines) < 2:
        raise ValueError(f"{file} must have a first line of names, and rows")
    names, *rows = lines
    names = [name.strip() for name in names]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{file}: the first line must have each name once, got {twice!r} twice")
    for line, row in enumerate(rows, 2):
        if len(row) != len(names):
            raise ValueError(
                f"{file}, line {line}: there must be {len(names)} cells, as in the first line, got "
                f"{len(row)}"
            )
    return {name: [row[i].strip() for row in rows] for i, name in enumerate(names)}


def _table(log: Any) -> Table:
    """The columns of a file, a data frame or a dictionary, all of the same length."""
    if isinstance(log, str | os.PathLike):
        return csv_columns(log)
    if not hasattr(log, "keys"):
        raise TypeError(
            "log must be a CSV file, a pandas.DataFrame or a dictionary of columns, got "
            f"{short_repr(log)}"
        )
    table = {str(name): list(log[name]) for name in log.keys()}  # noqa: SIM118 - of a data frame
    lengths = {name: len(cells) for name, cells in table.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns of log must have the same length, got {lengths}")
    return table


def _renamed(table: Table, columns: Mapping[str, str]) -> Table:
    """The table with our names."""
    for ours, theirs in columns.items():
        if ours not in COLUMNS:
            hint = suggestion(ours, COLUMNS) or f"; the columns are {', '.join(COLUMNS)}"
            raise TypeError(f"read_log() has no column {ours!r}{hint}")
        if theirs not in table:
            _missing(theirs, table)
    renamed = {ours: table[theirs] for ours, theirs in columns.items()}
    return renamed | {
        name: cells
        for name, cells in table.items()
        if name not in renamed and name not in columns.values()
    }


def _missing(name: str, table: Table) -> NoReturn:
    hint = suggestion(name, table)
    raise ValueError(
        f"log must have a column {name!r}{hint}; it has {', '.join(map(repr, table))}; columns "
        "with other names are given as state='condition'"
    )


def _places(
    name: str, cells: list[Any], names: Sequence[Any] | None, count: int
) -> NDArray[np.int64]:
    """Each cell as a number, by its name or as a number; where a name is a number, by its name."""
    known = {str(text): i for i, text in enumerate(names or ())}
    numbered = {number: i for text, i in known.items() if (number := _whole(text)) is not None}
    places = np.empty(len(cells), np.int64)
    for row, cell in enumerate(cells):
        text = str(cell).strip()
        if text in known:
            places[row] = known[text]
        elif (number := _whole(text)) in numbered:
            places[row] = numbered[number]
        elif number is not None and not numbered and (not known or 0 <= number < count):
            places[row] = number
        else:
            accepted = ", ".join(known) if known else f"a number from 0 to {count - 1}"
            hint = suggestion(text, known) if known else ""
            raise ValueError(
                f"row {row + 1}: {name} must be one of {accepted}, got {short_repr(cell)}{hint}"
                if known
                else f"row {row + 1}: {name} must be {accepted}, got {short_repr(cell)}"
            )
    return places


def _whole(text: str) -> int | None:
    """A whole number, also as spreadsheets and data frames write it, 1.0."""
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else None


def _reals(name: str, cells: list[Any]) -> NDArray[np.float64]:
    numbers = np.empty(len(cells))
    for row, cell in enumerate(cells):
        try:
            numbers[row] = float(cell)
        except (TypeError, ValueError):
            numbers[row] = np.nan
        if not np.isfinite(numbers[row]):
            raise ValueError(f"row {row + 1}: {name} must be a number, got {short_repr(cell)}")
    return numbers


def _flags(cells: list[Any]) -> NDArray[np.bool_]:
    flags = np.empty(len(cells), np.bool_)
    for row, cell in enumerate(cells):
        text = str(cell).strip().lower().removesuffix(".0")
        if text not in (*TRUE, *FALSE):
            raise ValueError(
                f"row {row + 1}: terminated must be 0 or 1, or False or True, got "
                f"{short_repr(cell)}"
            )
        flags[row] = text in TRUE
    return flags


def _pairs(
    episodes: list[Any] | None, count: int, ended: NDArray[np.bool_] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows whose step is known, and the row after each within its episode."""
    last: dict[Any, int] = {}
    pairs = []
    for row, episode in enumerate([0] * count if episodes is None else episodes):
        before = last.get(episode)
        if before is not None:
            if ended is not None and ended[before]:
                raise ValueError(
                    f"row {row + 1}: its episode {short_repr(episode)} ended with row "
                    f"{before + 1}; rows after the end of an episode need another one, or a "
                    "column next_state"
                )
            pairs.append((before, row))
        last[episode] = row
    if not pairs:
        raise ValueError("log must have a column 'next_state', or two rows of one episode")
    kept, following = np.array(sorted(pairs), np.int64).T
    return kept, following
