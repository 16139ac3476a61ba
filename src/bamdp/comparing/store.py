"""The store of results: JSON lines in a folder, one for each finished task, append-only.

Rows are those of `bamdp.comparing.rows`. A folder may hold several files, `*.jsonl` and
`*.jsonl.gz`: they are one store, and copying files of another store into it merges the two. Rows of
the same key are the same task done twice: one of them counts, the same one in any order of files
and lines. A process that is killed leaves at most an incomplete last line, which readers ignore and
the next writer cuts off.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from io import FileIO

from bamdp import validation
from bamdp.comparing.rows import Row, check_identity
from bamdp.comparing.table import Table

FILE = "runs.jsonl"  # appended to by the writer


class StoreError(OSError):
    """The store can't be read or written; the message says why and what to do."""


class Store:
    """A folder of results. There is one writer at a time, and any number of readers.

    Example:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> with Store(folder.name) as store:
        ...     store.append([{"key": "a", "kind": "play", "seed": 0, "run": 0, "version": "0.1.0",
        ...     "total_reward": 3.0}])
        >>> [row["total_reward"] for row in Store(folder.name).rows()]
        [3.0]
        >>> folder.cleanup()
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = validation.path("folder", folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise StoreError(f"store must be a folder, but {self.folder} is a file")
        self._file: FileIO | None = None
        self._warned = False

    def rows(self) -> list[Row]:
        """All rows, one for each key, sorted by key; damaged ones are skipped, counted in
        `bad_lines`, and warned of once.
        """
        chosen: dict[str, tuple[str, Row]] = {}
        self.bad_lines = 0
        for line in self._lines():
            row = _parsed_row(line)
            if row is None:
                self.bad_lines += 1
            elif (key := row["key"]) not in chosen or line < chosen[key][
                0
            ]:  # first in alphabetical order, not in the file
                chosen[key] = line, row
        if self.bad_lines and not self._warned:
            self._warned = True
            print(
                f"bamdp: warning: damaged rows of {self.folder}, skipped: {self.bad_lines}",
                file=sys.stderr,
            )
        return [chosen[key][1] for key in sorted(chosen)]

    def append(self, rows: Iterable[Row]) -> None:
        """Write rows and wait until they are on the disk; only inside `with store:`."""
        if self._file is None:
            raise StoreError("the store is open for reading only: write inside `with store:`")
        lines = b"".join(map(_line, validation.listed("rows", rows)))
        end = self._file.seek(0, os.SEEK_END)
        try:
            while lines:
                lines = lines[self._file.write(lines) :]  # a full disk may take only a part
            os.fsync(self._file.fileno())
        except BaseException as error:
            if lines or isinstance(error, OSError):  # complete lines are kept after Ctrl-C
                with suppress(OSError):
                    self._file.truncate(end)
            if isinstance(error, OSError):
                raise StoreError(
                    f"can't write to the store {self.folder}: {error.strerror}; what it has is safe"
                ) from error
            raise

    def __enter__(self) -> Store:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            file = (self.folder / FILE).open("ab+", buffering=0)  # unbuffered: written at once
        except OSError as error:
            raise StoreError(f"can't write to the store {self.folder}: {error.strerror}") from error
        if not _lock(file):
            file.close()
            raise StoreError(
                f"another process writes to the store {self.folder}: wait for it, or choose "
                "another folder"
            )
        _cut_incomplete_line(file)
        self._file = file
        return self

    def __exit__(self, *exception: object) -> None:
        if self._file is not None:
            self._file.close()  # releases the lock, too
            self._file = None

    def _lines(self) -> Iterator[str]:
        for path in sorted([*self.folder.glob("*.jsonl"), *self.folder.glob("*.jsonl.gz")]):
            try:
                with path.open("rb") as file:
                    for line in gzip.GzipFile(fileobj=file) if path.suffix == ".gz" else file:
                        if line.endswith(b"\n") and len(line) > 1:  # but for an incomplete last one
                            yield line[:-1].decode(errors="replace")
            except (OSError, EOFError, zlib.error) as error:
                raise StoreError(f"can't read {path}: {error}") from error


def load_table(store: str | os.PathLike[str] = "results") -> Table:
    """All results as a table, with `columns` and `to_pandas()`.

    Example:
        >>> import bamdp.comparing.store
        >>> bamdp.comparing.store.load_table("an/empty/folder").columns
        {}
    """
    return Table(Store(validation.path("store", store)).rows())


def _line(row: Row) -> bytes:
    """A row as a line, if it can be read again."""
    try:
        line = json.dumps(row, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"rows must be JSON values: {error}") from None
    if _parsed_row(line) is None:
        raise ValueError(f"rows must have a key, kind, seed, run and version, got {line[:200]}")
    return line.encode() + b"\n"


def _parsed_row(line: str) -> Row | None:
    """The row of a line, or None if it is damaged: it must be that of a task,
    with finite numbers.
    """
    try:
        row: Row = json.loads(line, parse_constant=_finite_number, parse_float=_finite_number)
        check_identity(row["kind"], row["seed"], row["run"])
        return row if isinstance(row["key"], str) and isinstance(row["version"], str) else None
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return None


def _finite_number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number


def _lock(file: FileIO) -> bool:
    """Try to take the lock, which is released when the process ends; return whether it was free."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        lock, once = msvcrt.locking, msvcrt.LK_NBLCK  # type: ignore[attr-defined]
        take = partial(lock, file.fileno(), once, 1)
    else:
        take = partial(fcntl.flock, file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        take()
    except OSError:
        return False
    return True


def _cut_incomplete_line(file: FileIO) -> None:
    file.seek(0)
    content = file.read()
    file.truncate(content.rfind(b"\n") + 1)
    file.seek(0, os.SEEK_END)
