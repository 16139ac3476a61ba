"""Coverage-guided: any bytes as files of a store. Reading gives rows or a StoreError; a writer loses nothing that was there."""

import gzip
import json
import tempfile
from pathlib import Path

from bamdp.runs.durations import DurationEstimate
from bamdp.runs.store import FILE, Store, StoreError, export, load
from fuzz.targets.instrument import fuzz

MEMORY = "/dev/shm"  # where nothing waits for a disk
FOLDER = tempfile.TemporaryDirectory(prefix="bamdp-fuzz-", dir=MEMORY if Path(MEMORY).is_dir() else None)
NEW = {"key": "new", "kind": "fuzz", "seed": 0, "run": 0, "settings.steps": 9, "total_reward": 1.0, "version": "0"}
SEEDS = (b"\x00", b'\x00{"key": "a"}\n', b"\x01" + json.dumps(NEW).encode() + b"\n{}\n", b"\x02" + gzip.compress(b"{}\n"))


def one(data: bytes) -> None:
    """The first byte says what kind of file the others are."""
    kind, content = (data[0] % 3, data[1:]) if data else (0, b"")
    plain, packed = Path(FOLDER.name, FILE), Path(FOLDER.name, "more.jsonl.gz")
    plain.unlink(missing_ok=True)
    packed.unlink(missing_ok=True)
    if kind == 0:
        plain.write_bytes(content)
    else:
        packed.write_bytes(content if kind == 2 else gzip.compress(content, 1))
    store = Store(FOLDER.name)
    try:
        before = store.rows()
    except StoreError:
        return
    json.dumps(before, allow_nan=False)
    load(FOLDER.name)
    export(FOLDER.name, Path(FOLDER.name, "all.csv"))
    DurationEstimate(before)
    with store:
        store.append([NEW])
    after = {row["key"]: row for row in store.rows()}
    assert "new" in after
    assert all(row == after[row["key"]] for row in before if row["key"] != "new"), "a result was lost"


if __name__ == "__main__":
    fuzz(one, "bamdp.runs.store", "bamdp.runs.durations")
