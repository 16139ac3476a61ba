"""A run that is saved between two steps, and goes on elsewhere as if nothing had been: the agent, the world, the record so far.

The file has no settings to make agent and world from, only the command that made them: to go on is to give it again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bamdp.saving import archive
from bamdp.saving import state as learned
from bamdp.saving.archive import Arrays, Place, SavedFileError, understood

if TYPE_CHECKING:
    from bamdp.episode import Record, Run

_TRACKS = ("states", "actions", "rewards", "next_states", "terminated", "truncated")


def save_run(path: Place, command: Mapping[str, Any], course: Run, record: Record) -> None:
    """Write a run to a file.

    Args:
        path: where to.
        command: what made its agent and world, JSON values by name.
        course: the run, between two steps.
        record: of all its steps.

    Raises:
        TypeError: the agent or the world can't be saved.
        SavedFileError: the file can't be written.
    """
    arrays: Arrays = dict(zip(_TRACKS, record.tracks, strict=True))
    header = {"command": _plain(command), "learned": learned.state_of(course, arrays)}
    try:
        archive.write(path, "run", header, arrays)
    except OSError as error:
        raise SavedFileError(f"{path} can't be written: {error.strerror or error}") from error


def resume_run(path: Place, command: Mapping[str, Any], course: Run) -> list[NDArray[Any]]:
    """Put what was saved into a new run, made by the same command; returns the columns of its record so far.

    Raises:
        SavedFileError: the file can't be read or used, or is of another command.
    """
    try:
        header, arrays = archive.read(path, "run")
    except OSError as error:
        raise SavedFileError(f"{path} can't be read: {error.strerror or error}") from error
    understood(path, lambda: _compare(path, header["command"], _plain(command)))
    columns: list[NDArray[Any]] = understood(path, lambda: _restored(course, header, arrays))
    return columns


def _compare(path: Place, saved: dict[str, Any], command: dict[str, Any]) -> None:
    for name in {**saved, **command}:
        if saved.get(name) != command.get(name):
            raise SavedFileError(
                f"{path} is of another run: {name} was {saved.get(name)!r} then, and is {command.get(name)!r} now"
            )


def _restored(course: Run, header: dict[str, Any], arrays: Arrays) -> list[NDArray[Any]]:
    tracks = [arrays[name] for name in _TRACKS]
    kinds = [np.int64, np.int64, np.float64, np.int64, np.bool_, np.bool_]
    if any(t.shape != tracks[0].shape or t.ndim != 1 or t.dtype != kind for t, kind in zip(tracks, kinds, strict=True)):
        raise ValueError("its record must have one entry for each step")
    learned.restore(course, header["learned"], arrays)
    return tracks


def _plain(command: Mapping[str, Any]) -> dict[str, Any]:
    """As it comes out of JSON."""
    plain: dict[str, Any] = json.loads(json.dumps(dict(command)))
    return plain
