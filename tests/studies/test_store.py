"""The store of results: nothing lost, nothing counted twice, whatever happens to the process or the files."""

import csv
import gzip
import itertools
import json
import multiprocessing
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from bamdp.studies.store import FILE, LONGEST, Store, StoreError, export, load


def row(key: str, reward: float = 1.0) -> dict[str, Any]:
    what = {"kind": "play", "settings": {"domain": "chain"}, "seed": 0, "run": 0}
    return {"key": key, **what, "result": {"total_reward": reward}, "made": {"version": "0", "seconds": 1.0}}


def write(folder: Path, *keys: str) -> None:
    with Store(folder) as store:
        store.append([row(key) for key in keys])


def keys(folder: Path) -> list[str]:
    return [row["key"] for row in Store(folder).rows()]


def test_rows_come_back(tmp_path: Path) -> None:
    write(tmp_path / "new" / "folder", "b", "a")
    assert Store(tmp_path / "new" / "folder").rows() == [row("a"), row("b")]


def test_a_torn_line_is_not_read_and_is_cut_by_the_next_writer(tmp_path: Path) -> None:
    write(tmp_path, "a", "b")
    path = tmp_path / FILE
    whole = path.read_bytes()
    for length in range(len(whole) // 2 + 1, len(whole)):  # killed anywhere within the second line
        path.write_bytes(whole[:length])
        assert keys(tmp_path) == ["a"]
    write(tmp_path, "c")
    assert keys(tmp_path) == ["a", "c"]
    assert Store(tmp_path).rows() == [json.loads(line) for line in path.read_text().splitlines()]


def test_lines_that_are_no_rows_are_counted_and_left_out(tmp_path: Path) -> None:
    write(tmp_path, "a")
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'\xff\xfe\n[1]\n{"key": 3}\nnull\n{"key": "b", "torn\n')
    write(tmp_path, "c")
    store = Store(tmp_path)
    assert [row["key"] for row in store.rows()] == ["a", "c"]
    assert store.bad_lines == 5


def test_merged_and_interleaved_stores_are_equal(tmp_path: Path) -> None:
    lines = [json.dumps(row(key, reward)) for key, reward in (("a", 1), ("a", 2), ("b", 3), ("c", 4), ("c", 0))]
    found = []
    for i, order in enumerate(itertools.permutations(lines)):
        folder = tmp_path / str(i)
        folder.mkdir()
        cut = i % len(order)
        (folder / "one.jsonl").write_text("".join(line + "\n" for line in order[:cut]))
        (folder / "two.jsonl.gz").write_bytes(gzip.compress("".join(line + "\n" for line in order[cut:]).encode()))
        found.append(Store(folder).rows())
    assert all(rows == found[0] for rows in found)
    assert [row["key"] for row in found[0]] == ["a", "b", "c"]


def _try_to_write(folder: Path, answer: Any) -> None:
    try:
        write(folder, "other")
        answer.put("written")
    except StoreError as error:
        answer.put(str(error))


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    answer = context.Queue()
    with Store(tmp_path) as store:
        store.append([row("a")])
        process = context.Process(target=_try_to_write, args=(tmp_path, answer))
        process.start()
        assert "another process writes to the store" in answer.get(timeout=60)
        process.join()
        assert keys(tmp_path) == ["a"]  # reading is always possible
    write(tmp_path, "b")
    assert keys(tmp_path) == ["a", "b"]


def test_what_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(StoreError, match="must be a folder"):
        Store(file)
    with pytest.raises(StoreError, match="open for reading only"):
        Store(tmp_path).append([row("a")])
    with pytest.raises(StoreError, match="can't write to the store"), Store(file / "below"):
        pass
    with Store(tmp_path) as store, pytest.raises(ValueError, match="JSON"):
        store.append([row("a", float("nan"))])
    (tmp_path / "bad.jsonl.gz").write_bytes(b"no gzip")
    with pytest.raises(StoreError, match=r"can't read .*bad\.jsonl\.gz"):
        Store(tmp_path).rows()


def test_ctrl_c_keeps_what_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupted)
    with pytest.raises(KeyboardInterrupt), Store(tmp_path) as store:
        store.append([row("a")])
    assert keys(tmp_path) == ["a"]


def test_a_file_larger_than_memory(tmp_path: Path) -> None:
    """A line without end, packed into little, is left out without being held in memory."""
    with gzip.open(tmp_path / "bomb.jsonl.gz", "wb", 1) as file:
        for _ in range(10):
            file.write(b"x" * LONGEST)
        file.write(b"\n" + json.dumps(row("a")).encode() + b"\n")
    tracemalloc.start()
    try:
        store = Store(tmp_path)
        assert [found["key"] for found in store.rows()] == ["a"]
        assert tracemalloc.get_traced_memory()[1] < 5 * LONGEST
    finally:
        tracemalloc.stop()
    assert store.bad_lines == 1


def test_a_row_that_could_not_be_read_is_not_written(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.append([row("a")])
        with pytest.raises(ValueError, match=f"shorter than {LONGEST} bytes"):
            store.append([{**row("b"), "settings": {"text": "x" * LONGEST}}])
    assert [found["key"] for found in Store(tmp_path).rows()] == ["a"]


def test_columns(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.append([row("a"), {**row("b"), "settings": {"total_reward": 7, "beta": 0.5}}])
    columns = load(tmp_path)
    assert columns["total_reward"] == [1.0, 1.0]
    assert columns["settings.total_reward"] == [None, 7]
    assert columns["beta"] == [None, 0.5]
    assert columns["key"] == ["a", "b"]


def test_export(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.append(
            [row("a"), {**row("b", 2.5), "settings": {"rows": [1, 2], "vmax": "none"}}, {**row("c"), "settings": {"vmax": 3}}]
        )
    assert export(tmp_path, tmp_path / "rows.csv") == 3
    with (tmp_path / "rows.csv").open(newline="") as file:
        assert [line["total_reward"] for line in csv.DictReader(file)] == ["1.0", "2.5", "1.0"]
    (tmp_path / "other").mkdir()
    assert export(tmp_path, tmp_path / "other" / "rows.jsonl.gz") == 3
    assert Store(tmp_path / "other").rows() == Store(tmp_path).rows()
    parquet = pytest.importorskip("pyarrow.parquet")
    assert export(tmp_path, tmp_path / "rows.parquet") == 3
    assert parquet.read_table(tmp_path / "rows.parquet")["total_reward"].to_pylist() == [1.0, 2.5, 1.0]
    with pytest.raises(ValueError, match="ending must be one of"):
        export(tmp_path, tmp_path / "rows.xls")
