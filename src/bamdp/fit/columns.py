"""The columns of a table of choices that a fit reads, and their cells.

One row is one trial. The columns, by their own names:

| column | |
|---|---|
| subject | the person; one for all rows if there is none |
| game | one world, learned from the start; one for each person if there is none |
| step | order of the trials of a game, whole numbers without gaps; the order of rows by default |
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
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.choice_rule import NO_ACTION
from bamdp.fit.reading import COLUMNS, column_names, is_missing, lookalike
from bamdp.validation import suggestion

REQUIRED = ("action", "reward")
DEFAULTS = {"subject": 1, "game": 1, "forced": 0, "timeout": 0}  # of columns that are missing
WITHOUT = {"subject": "all rows are one person", "game": "each person has one game"}
SHOWN = 10  # names of columns in a note, at most
LABELS = (
    "; the order of labels must be given to read_csv or from_table, actions=['left', 'right'], or "
    "by --actions left,right"
)


def choice_columns(data: Any, others: Sequence[str]) -> dict[str, NDArray[Any]]:
    """The columns that a fit reads, and `others`, with those that are missing made; None for
    missing cells.
    """
    keys = column_names(data)
    if missing := [name for name in REQUIRED if name not in keys]:
        raise ValueError(
            f"data must have the columns {', '.join(REQUIRED)}; missing: {', '.join(missing)}; "
            f"it has {', '.join(map(str, keys))}; read_csv and from_table take other names, "
            "action='choice', as does bamdp fit, --action choice"
        )
    if missing := [name for name in others if name not in keys]:
        hint = suggestion(missing[0], map(str, keys)) or f"; it has {', '.join(map(str, keys))}"
        raise ValueError(
            f"data must have the column {missing[0]}, which the model or the group reads{hint}"
        )
    _check_lookalikes(data, _unread(data, others))
    columns = {name: _plain_cells(name, data[name]) for name in (*COLUMNS, *others) if name in keys}
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
    for row, step in enumerate(columns["step"]):
        columns["step"][row] = whole_number(f"row {row + 1}", "step", step, -(2**62), 2**62)
    return columns


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


def constant_cell(
    columns: Mapping[str, NDArray[Any]], name: str, rows: Sequence[int], within: str
) -> Any:
    """The value of a column that is constant in some rows; `within` says what they are."""
    first = columns[name][rows[0]]
    for row in rows:
        if columns[name][row] != first:
            both = f"{short(columns[name][row])} here and {short(first)} in row {rows[0] + 1}"
            raise ValueError(
                f"row {row + 1}: {name} must be the same in all rows of {within}, got {both}"
            )
    return first


def is_missed(action: Any) -> bool:
    """Whether a cell says that there was no choice."""
    try:
        return is_missing(action) or float(action) == NO_ACTION
    except (TypeError, ValueError, OverflowError):
        return False


def whole_number(where: str, name: str, value: Any, low: int, high: int, hint: str = "") -> int:
    """A cell as a whole number."""
    number = value if isinstance(value, int) else finite_number(where, name, value)
    if number != int(number) or not low <= number <= high:
        raise ValueError(
            f"{where}: {name} must be an integer from {low} to {high}, got {short(value)}{hint}"
        )
    return int(number)


def finite_number(where: str, name: str, value: Any) -> float:
    """A cell as a number."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not np.isfinite(number):
        hint = LABELS if isinstance(value, str) else ""
        raise ValueError(f"{where}: {name} must be a number, got {short(value)}{hint}")
    return number


def _plain_cells(name: str, column: Any) -> NDArray[Any]:
    """Cells as Python's own numbers and texts, in which errors are readable; None for the missing
    ones of pandas.
    """
    cells = np.array(column, dtype=object)  # texts and NaN stay what they are
    if cells.ndim != 1:
        raise ValueError(
            f"data must have one column {name!r}, with one cell in each row, got shape "
            f"{cells.shape}"
        )
    for i, cell in enumerate(cells):
        if isinstance(cell, np.generic):
            cells[i] = cell.item()
        elif type(cell).__name__ in ("NAType", "NaTType"):
            cells[i] = None
    return cells


def _unread(data: Any, others: Sequence[str]) -> list[str]:
    return [str(name) for name in column_names(data) if name not in (*COLUMNS, *others)]


def _check_lookalikes(data: Any, unread: Sequence[str]) -> None:
    """Where one of our columns is missing, no other column, or index, may look like it."""
    missing = [name for name in COLUMNS if name not in column_names(data)]
    index = [str(name) for name in getattr(getattr(data, "index", None), "names", ()) if name]
    for name in (*unread, *index):
        if (ours := lookalike(name, missing)) is not None:
            how = "data.reset_index()"
            if name in unread:
                flag = f"--{ours.replace('_', '-')} {name}"
                how = f"{ours}={name!r} in read_csv or from_table, or {flag}"
            raise ValueError(
                f"data has no column {ours}, and {name!r} may be it: use {how}; if it is "
                "something else, rename it"
            )
