"""Tables of choices as they come: columns of any name, labels in place of numbers, CSV files.

The columns that a fit reads, by their own names:

| column | |
|---|---|
| subject | the person; one for all rows if there is none |
| game | one world, learned from the start; one for each person if there is none |
| step | order of the trials of a game, whole numbers without gaps; that of the rows if there is none |
| state, next_state | of the task; none for arms |
| action | the choice; empty, NaN or −1 if there was none |
| reward | what it paid |
| forced | 1 if the choice was made for the person |
| timeout | 1 if the trial passed without a choice and took a step of the task |

Other columns are kept: a model may read those that are constant in a game (`Model.conditions`), and a group those that are
constant in a person.
"""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.validation import suggestion

REQUIRED = ("action", "reward")
OPTIONAL = ("subject", "game", "step", "state", "next_state", "forced", "timeout")
COLUMNS = ("subject", "game", "step", "state", "action", "reward", "next_state")  # of simulated people


def read_csv(
    path: str | os.PathLike[str],
    *,
    actions: Sequence[Any] | None = None,
    states: Sequence[Any] | None = None,
    **columns: str,
) -> dict[str, list[Any]]:
    r"""The columns of a CSV file with a first line of names: numbers where all cells are, an empty cell is None.

    Args:
        path: the file.
        actions: labels of the actions, in the order of the task's: `["left", "right"]`, or `[1, 2]` if they count from 1.
        states: labels of the states, in the order of the task's.
        columns: name in the file of each column that has another one: `subject="id"`, `step="trial"`; see `bamdp.fit.table`.

    Raises:
        ValueError: the file is no such table, a column is missing, or a cell has none of the labels; with the row.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     with open(f"{folder}/bandit.csv", "w") as file:
        ...         _ = file.write("id,trial,choice,reward\nann,1,left,1\nann,2,right,0\n")
        ...     data = read_csv(file.name, subject="id", step="trial", action="choice", actions=["left", "right"])
        >>> data["action"], data["subject"]
        ([0, 1], ['ann', 'ann'])
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
    table = {name: _cells(list(cells)) for name, cells in zip(names, zip(*rows, strict=True), strict=True)}
    return from_table(table, actions=actions, states=states, **columns)


def from_table(
    data: Any, *, actions: Sequence[Any] | None = None, states: Sequence[Any] | None = None, **columns: str
) -> dict[str, list[Any]]:
    """The columns of a `pandas.DataFrame` or a dictionary under the names that a fit reads, with numbers in place of labels.

    Args:
        data: the table.
        actions: labels of the actions, as in `read_csv`.
        states: labels of the states.
        columns: name in the table of each column that has another one.

    Example:
        >>> from_table({"id": [1], "choice": ["b"], "reward": [1]}, subject="id", action="choice", actions="ab")["action"]
        [1]
    """
    table = {str(name): list(data[name]) for name in _keys(data)}
    for ours, theirs in columns.items():
        if ours not in (*REQUIRED, *OPTIONAL):
            known = ", ".join((*REQUIRED, *OPTIONAL))
            raise ValueError(f"columns must be some of {known}, got {ours!r}{suggestion(ours, (*REQUIRED, *OPTIONAL))}")
        if theirs not in table:
            hint = suggestion(str(theirs), table) or f"; it has {', '.join(table)}"
            raise ValueError(f"{ours} must be a column of the table, got {theirs!r}{hint}")
    used = set(columns.values())
    renamed = {ours: table[theirs] for ours, theirs in columns.items()}
    made = renamed | {name: cells for name, cells in table.items() if name not in renamed and name not in used}
    for name, labels in (("action", actions), ("state", states), ("next_state", states)):
        if labels is not None and name in made:
            made[name] = _numbered(name, made[name], list(labels), "states" if "state" in name else "actions")
    return made


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


def checked_columns(data: Any, others: Sequence[str] = ()) -> dict[str, NDArray[Any]]:
    """The columns that a fit reads, and `others`, with those that are missing made; None for missing cells."""
    keys = _keys(data)
    if missing := [name for name in REQUIRED if name not in keys]:
        hint = next(filter(None, (suggestion(name, map(str, keys)) for name in missing)), "")
        how = "read_csv and from_table take other names: action='choice'"
        raise ValueError(f"data must have the columns {', '.join(REQUIRED)}; missing: {', '.join(missing)}{hint}; {how}")
    if missing := [name for name in others if name not in keys]:
        raise ValueError(
            f"data must have the column {missing[0]}, which the model or the group reads; it has {', '.join(keys)}"
        )
    columns = {name: _plain(name, data[name]) for name in (*REQUIRED, *OPTIONAL, *others) if name in keys}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns of data must have the same length, got {lengths}")
    n = len(columns["action"])
    for name, value in (("subject", 1), ("game", 1), ("forced", 0), ("timeout", 0)):
        columns.setdefault(name, np.full(n, value, dtype=object))
    for row in range(n):
        for name in ("subject", "game", "step", *others):
            if name in columns and missing_cell(columns[name][row]):
                raise ValueError(f"row {row + 1}: {name} is missing")
    if "step" not in columns:
        rows: Counter[Any] = Counter()
        columns["step"] = np.zeros(n, dtype=object)
        for row in range(n):
            rows[game := (columns["subject"][row], columns["game"][row])] += 1
            columns["step"][row] = rows[game]
    for row in range(n):
        columns["step"][row] = whole(f"row {row + 1}", "step", columns["step"][row], -(2**62), 2**62)
    return columns


def constant(columns: Mapping[str, NDArray[Any]], name: str, rows: Sequence[int], within: str) -> Any:
    """The value of a column that is constant in some rows; `within` says what they are."""
    first = columns[name][rows[0]]
    for row in rows:
        if columns[name][row] != first:
            both = f"{short(columns[name][row])} here and {short(first)} in row {rows[0] + 1}"
            raise ValueError(f"row {row + 1}: {name} must be the same in all rows of {within}, got {both}")
    return first


def missing_cell(cell: Any) -> bool:
    """Whether a cell is empty."""
    return cell is None or str(cell).strip().lower() in ("", "nan")


def number(where: str, name: str, value: Any) -> float:
    """A cell as a number."""
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        found = np.nan
    if not np.isfinite(found):
        raise ValueError(f"{where}: {name} must be a number, got {short(value)}{LABELS if isinstance(value, str) else ''}")
    return found


def whole(where: str, name: str, value: Any, low: int, high: int) -> int:
    """A cell as a whole number."""
    found = value if isinstance(value, int) else number(where, name, value)
    if found != int(found) or not low <= found <= high:
        raise ValueError(f"{where}: {name} must be an integer from {low} to {high}, got {short(value)}")
    return int(found)


LABELS = "; labels are numbered by read_csv and from_table: actions=['left', 'right']"


def _keys(data: Any) -> list[Any]:
    if not hasattr(data, "keys"):
        what = "a dictionary of columns or a pandas.DataFrame, such as read_csv returns"
        raise TypeError(f"data must be {what}, got {short(data)}")
    return list(data.keys())


def _numbered(name: str, cells: list[Any], labels: list[Any], argument: str) -> list[Any]:
    """The place of each label; None where a cell is empty."""
    places, numbered = {str(label): i for i, label in enumerate(labels)}, list[Any]()
    if len(places) < len(labels):
        raise ValueError(f"{argument} must be different labels, got {labels!r}")
    for row, cell in enumerate(cells, 1):
        if missing_cell(cell):
            numbered.append(None)
            continue
        text = str(int(cell)) if isinstance(cell, float) and cell.is_integer() and str(cell) not in places else str(cell)
        if text not in places:
            hint = suggestion(text, places) or f"; {argument} are {', '.join(places)}"
            raise ValueError(f"row {row}: {name} must be one of {argument}, got {short(cell)}{hint}")
        numbered.append(places[text])
    return numbered


def _cells(texts: list[str]) -> list[Any]:
    cells = [text or None for text in texts]
    for kind in (int, float):
        try:
            return [None if cell is None else kind(cell) for cell in cells]
        except ValueError:
            continue
    return cells


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
