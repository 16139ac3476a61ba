"""All stored results in one file."""

from __future__ import annotations

import csv
import gzip
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bamdp import validation
from bamdp.comparing.store import Store, StoreError


def export(store: str | os.PathLike[str], path: str | os.PathLike[str]) -> int:
    """Write all results to one file and return the number of rows.

    Args:
        store: the folder of the results.
        path: the file; the suffix is the format: `.csv`, or `.gz`, compressed JSON lines; named
            `.jsonl.gz`, it can be a file of a store.
    """
    path = validation.path("path", path)
    kind = validation.one_of("the file's ending", path.suffix, (".csv", ".gz"))
    rows = Store(validation.path("store", store)).rows()
    with _replacing(path) as part:
        if kind == ".gz":
            lines = [json.dumps(row, sort_keys=True, allow_nan=False) + "\n" for row in rows]
            part.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
            return len(rows)
        with part.open("w", newline="", encoding="utf-8", errors="backslashreplace") as file:
            writer = csv.DictWriter(file, sorted({name for row in rows for name in row}))
            writer.writeheader()
            writer.writerows(rows)
    return len(rows)


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A temporary file that replaces `path` when complete: a partial file in a store could not be
    read.
    """
    part = path.with_name(path.name + ".part")
    try:
        yield part
        part.replace(path)
    except OSError as error:
        raise StoreError(f"can't write {path}: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
