"""Tables of choices as people have them: read from CSV, with columns of other names and labels of
choices.

The columns of the result are those of `bamdp.fit.columns`; `bamdp.fit.data` checks them against a
task.
"""

from __future__ import annotations

import csv
import difflib
import io
import os
import re
from collections import Counter
from collections.abc import Sequence
from reprlib import repr as short
from typing import Any

from bamdp import validation
from bamdp.validation import suggestion

COLUMNS = (
    "subject",
    "game",
    "step",
    "state",
    "action",
    "reward",
    "next_state",
    "forced",
    "timeout",
)
SYNONYMS = {  # names in lower-case letters and digits, a number or plural at the end left out
    "subject": "animal id monkey mouse participant patient person pid player ppid ppt prolificpid "
    "rat respondent sub subj user worker",
    "game": "blk block episode match round run session",
    "step": "t timestep trial turn",
    "forced": "forcedchoice instructed",
}
NOTHING = ("", "nan", "na", "<na>")  # of spreadsheets, R and pandas
TYPO = 0.82  # similarity by difflib; "stage" and "stake" have 0.8 with "state"


def read_csv(
    path: str | os.PathLike[str],
    *,
    actions: Sequence[Any] | None = None,
    states: Sequence[Any] | None = None,
    **columns: str,
) -> dict[str, list[Any]]:
    r"""The columns of a CSV file with a first line of names: numbers where all cells are, None for
    NA and empty cells.

    Subjects, games and labels are numbers only if all of them print back the same, so that 01 and 1
    stay two.

    Args:
        path: the file.
        actions: labels of the actions, in the order of the task's: `["left", "right"]`, or `[1, 2]`
            if they count from 1.
        states: labels of the states, in the order of the task's.
        columns: name in the file of each column that has another one: `subject="id"`,
            `step="trial"`; see `bamdp.fit.columns`.

    Raises:
        ValueError: the file is no such table, a column is missing, or a cell has none of the
            labels; with the row.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     with open(f"{folder}/bandit.csv", "w") as file:
        ...         _ = file.write("id,trial,choice,reward\nann,1,left,1\nann,2,right,0\n")
        ...     columns = {"subject": "id", "step": "trial", "action": "choice"}
        ...     data = read_csv(file.name, actions=["left", "right"], **columns)
        >>> data["action"], data["subject"]
        ([0, 1], ['ann', 'ann'])
    """
    try:
        content = validation.path("path", path).read_bytes()
        text = content.decode("utf-8-sig")  # spreadsheets may write a mark first
        names, *rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row] or [[]]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(
            f"{path} must be a table in UTF-8, which spreadsheets save as 'CSV UTF-8': {error}"
        ) from error
    if "\0" in text:
        raise ValueError(
            f"{path} must be a table in UTF-8, which spreadsheets save as 'CSV UTF-8', got UTF-16 "
            "or no text"
        )
    names = [name.strip() for name in names]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise ValueError(f"{path}: the first line must have each name once, got {twice[0]!r} twice")
    if not rows:
        raise ValueError(f"{path} has no rows")
    for line, row in enumerate(rows, 2):
        if len(row) != len(names):
            raise ValueError(
                f"{path}, line {line}: there must be as many cells as in the first line"
            )
    with_labels = ["subject", "game"]
    with_labels += ["action"] if actions is not None else []
    with_labels += ["state", "next_state"] if states is not None else []
    exact = {columns.get(name, name) for name in with_labels}
    by_name = zip(names, zip(*rows, strict=True), strict=True)
    table = {name: _cells(cells, name in exact) for name, cells in by_name}
    return from_table(table, actions=actions, states=states, **columns)


def from_table(
    data: Any,
    *,
    actions: Sequence[Any] | None = None,
    states: Sequence[Any] | None = None,
    **columns: str,
) -> dict[str, list[Any]]:
    """The columns of a `pandas.DataFrame` or a dictionary under the names that a fit reads, with
    numbers in place of labels.

    Args:
        data: the table.
        actions: labels of the actions, as in `read_csv`.
        states: labels of the states.
        columns: name in the table of each column that has another one.

    Example:
        >>> from_table({"id": [1], "choice": ["b"], "reward": [1]}, subject="id", action="choice",
        ...     actions="ab")["action"]
        [1]
    """
    table = {str(name): list(data[name]) for name in column_names(data)}
    for ours, theirs in columns.items():
        if ours not in COLUMNS:
            hint = suggestion(ours, COLUMNS)
            raise ValueError(f"columns must be some of {', '.join(COLUMNS)}, got {ours!r}{hint}")
        if theirs not in table:
            hint = suggestion(str(theirs), table) or f"; it has {', '.join(table)}"
            raise ValueError(f"{ours} must be a column of the table, got {theirs!r}{hint}")
    renamed = {ours: table[theirs] for ours, theirs in columns.items()}
    used = {*renamed, *columns.values()}
    result = renamed | {name: cells for name, cells in table.items() if name not in used}
    for argument, labels, names in (
        ("actions", actions, ["action"]),
        ("states", states, ["state", "next_state"]),
    ):
        for name in names if labels is not None else ():
            if name in result:
                result[name] = _numbered(name, result[name], list(labels or ()), argument)
    return result


def column_names(data: Any) -> list[Any]:
    """The names of the columns."""
    if not hasattr(data, "keys"):
        what = "a dictionary of columns or a pandas.DataFrame, such as read_csv returns"
        raise TypeError(f"data must be {what}, got {short(data)}")
    return list(data.keys())


def lookalike(name: str, columns: Sequence[str]) -> str | None:
    """The one of our `columns` that a name probably means: by case, by a synonym, or by a typo.

    Example:
        >>> lookalike("Participant ID", COLUMNS), lookalike("age", COLUMNS)
        ('subject', None)
    """
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    short_names = {plain, re.sub(r"(?<=.)(id|nr|no|num|number|index|code|name|s)$", "", plain)}
    for ours in columns:
        if short_names & {ours.replace("_", ""), *SYNONYMS.get(ours, "").split()}:
            return ours
    near = {ours.replace("_", ""): ours for ours in columns}
    return next((near[n] for n in difflib.get_close_matches(plain, near, 1, TYPO)), None)


def is_missing(cell: Any) -> bool:
    """Whether a cell is empty."""
    return cell is None or str(cell).strip().lower() in NOTHING


def _numbered(name: str, cells: list[Any], labels: list[Any], argument: str) -> list[Any]:
    """The place of each label; None where a cell is empty."""
    places = {str(label): i for i, label in enumerate(labels)}
    numbered: list[Any] = []
    if len(places) < len(labels):
        raise ValueError(f"{argument} must be different labels, got {labels!r}")
    for row, cell in enumerate(cells, 1):
        if is_missing(cell):
            numbered.append(None)
            continue
        text = str(cell) if str(cell) in places else _plain_number(cell)
        if text not in places:
            hint = suggestion(text, places) or f"; {argument} are {', '.join(places)}"
            raise ValueError(
                f"row {row}: {name} must be one of {argument}, got {short(cell)}{hint}"
            )
        numbered.append(places[text])
    return numbered


def _plain_number(cell: Any) -> str:
    """A number as Python prints it, without a fraction of 0; any other text as it is."""
    try:
        number = _parsed(str(cell), float)
    except ValueError:
        return str(cell)
    return str(int(number)) if number.is_integer() else str(number)


def _cells(texts: Sequence[str], exact: bool) -> list[Any]:
    """Numbers if all cells are; if `exact`, only if all print back the same."""
    cells = [None if is_missing(text) else text.strip() for text in texts]
    for kind in (int, float):
        try:
            numbers = [None if cell is None else _parsed(cell, kind) for cell in cells]
        except ValueError:
            continue
        if not exact or [None if n is None else str(n) for n in numbers] == cells:
            return numbers
    return list(cells)


def _parsed(text: str, kind: type[float]) -> float:
    if "_" in text:  # Python reads 1_11 as 111
        raise ValueError(text)
    return kind(text)
