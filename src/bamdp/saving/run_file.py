"""Saving a run between two steps and resuming it: the agent, the domain and the record so far.

The file has no settings to make agent and domain from, only the command that made them, which must be given again to resume.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from bamdp.saving import archive
from bamdp.saving import state as states
from bamdp.saving.archive import Arrays, FilePath, SavedFileError, understood

if TYPE_CHECKING:
    from bamdp.runs.loop import Record, Run

_COLUMNS = ("states", "actions", "rewards", "next_states", "terminated", "truncated")


def save_run(path: FilePath, command: Mapping[str, Any], run: Run, record: Record) -> None:
    """Write a run to a file, between two steps, with the record so far and the command, JSON values by name.

    Raises:
        TypeError: the agent or the domain can't be saved.
        SavedFileError: the file can't be written.
    """
    arrays: Arrays = dict(zip(_COLUMNS, record.columns, strict=True))
    header = {"command": _plain(command), "learned": states.state_of(run, arrays)}
    try:
        archive.write(path, "run", header, arrays)
    except OSError as error:
        raise SavedFileError(f"{path} can't be written: {error.strerror or error}") from error


def resume_run(path: FilePath, command: Mapping[str, Any], run: Run) -> list[NDArray[Any]]:
    """Restore a saved run into a new one, made by the same command; return the columns of its record so far.

    Raises:
        SavedFileError: the file can't be read or used, or has another command.
    """
    try:
        header, arrays = archive.read(path, "run")
    except OSError as error:
        raise SavedFileError(f"{path} can't be read: {error.strerror or error}") from error
    understood(path, lambda: _compare(path, header["command"], _plain(command)))
    return cast(list[NDArray[Any]], understood(path, lambda: _restored(run, header, arrays)))


def _compare(path: FilePath, saved: dict[str, Any], command: dict[str, Any]) -> None:
    for name in {**saved, **command}:
        if saved.get(name) != command.get(name):
            raise SavedFileError(
                f"{path} was saved by another command: {name} was {saved.get(name)!r} then and is {command.get(name)!r} now"
            )


def _restored(run: Run, header: dict[str, Any], arrays: Arrays) -> list[NDArray[Any]]:
    columns = [arrays[name] for name in _COLUMNS]
    kinds = [np.int64, np.int64, np.float64, np.int64, np.bool_, np.bool_]
    if any(c.shape != columns[0].shape or c.ndim != 1 or c.dtype != kind for c, kind in zip(columns, kinds, strict=True)):
        raise ValueError("its record must have one entry for each step")
    states.restore(run, header["learned"], arrays)
    return columns


def _plain(command: Mapping[str, Any]) -> dict[str, Any]:
    """`command` after a round trip through JSON."""
    return cast(dict[str, Any], json.loads(json.dumps(dict(command))))
