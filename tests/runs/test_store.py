"""The store of results: nothing lost, nothing counted twice, whatever happens to the process or the files."""

import csv
import gzip
import itertools
import json
import re
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from bamdp.cli import main as cli
from bamdp.runs.engine import complete
from bamdp.runs.store import FILE, LONGEST, RESULTS, Store, StoreError, export, load
from bamdp.studies import modules, tasks
from bamdp.studies.compare import compare


def row(key: str, reward: float = 1.0) -> dict[str, Any]:
    what = {"kind": "play", "settings": {"domain": "chain"}, "seed": 0, "run": 0}
    result = {"steps": 9, "total_reward": reward, "discounted_return": 0.5, "agent_seconds": None, "simulations": None}
    return {"key": key, **what, "result": result, "made": {"version": "0", "seconds": 1.0}}


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


BAD_LINES = [
    b"\xff\xfe",
    b"null",
    b'["key"]',
    b'{"key": 3}',
    b'{"key": "b", "torn',
    b"[" * 100_000,
    b'{"key": "a", "result": []}',
    b'{"key": "a", "settings": 3}',
    b'{"key": "a", "made": null}',
    b'{"key": "a", "seed": "0"}',
    b'{"key": "a", "run": true}',
    b'{"key": "a", "result": {"x": NaN}}',
    b'{"key": "a", "result": {"x": 1e999}}',
]


@pytest.mark.parametrize("line", BAD_LINES, ids=lambda line: str(line)[:40])
def test_a_line_that_is_not_a_row_is_counted_and_left_out(tmp_path: Path, line: bytes) -> None:
    (tmp_path / FILE).write_bytes(line + b'\n{"key": "b", "made": {"seconds": "x"}}\n')
    write(tmp_path, "c")
    store = Store(tmp_path)
    assert [row["key"] for row in store.rows()] == ["b", "c"]
    assert store.bad_lines == 1
    assert load(tmp_path)["key"] == ["b", "c"]
    assert complete([], store).total == 0, "a sweep reads it, too"


FIELDS = ["kind", "settings", "seed", "run", "result"]
MEASURES = ["discounted_return", "total_reward", "episodes", "mean_episode_return", "agent_seconds", "steps", "simulations"]


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """The lines of a stored comparison, in which the agents are posterior-mean and random."""
    folder = tmp_path_factory.mktemp("compared")
    compare("frozen-lake", ["posterior-mean", "random"], worlds=3, steps=200, store=folder, workers=1)
    return tuple((folder / FILE).read_text().splitlines())


@pytest.mark.parametrize("name", [*FIELDS, *MEASURES])
@pytest.mark.parametrize("damage", ["renamed", None, "x", True, [1], {}, 10**400], ids=lambda damage: repr(damage)[:9])
def test_a_damaged_row_is_skipped_and_counted(compared: tuple[str, ...], name: str, damage: Any, tmp_path: Path) -> None:
    damaged = json.loads(compared[0])
    part = damaged if name in FIELDS else damaged["result"]
    if damage == "renamed":
        part[f"{name[:-1]}_"] = part.pop(name)
    elif (name, damage) in [("settings", {}), ("kind", "x"), ("seed", 10**400), ("run", 10**400), ("simulations", None)]:
        return  # of the right type
    else:
        part[name] = damage
    (tmp_path / FILE).write_text("\n".join([json.dumps(damaged), *compared[1:], ""]))
    store = Store(tmp_path)
    assert (len(store.rows()), store.bad_lines) == (5, 1)


@pytest.mark.parametrize("damage", ['"discounted_return": null', '"discountfd_return": 1.0', '"discounted_return": "x"'])
def test_a_damaged_row_is_run_again(
    compared: tuple[str, ...], damage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table is the same as without the damage, the exit code is 0, and the number of damaged rows is said once."""
    tables = []
    for lines in (compared, (re.sub(r'"discounted_return": [^,]+', damage, compared[0]), *compared[1:])):
        (tmp_path / FILE).write_text("\n".join([*lines, ""]))
        command = ["compare", "frozen-lake", "posterior-mean", "random", "--worlds", "3", "--steps", "200", "--workers", "1"]
        assert cli.main([*command, "--store", str(tmp_path)]) == 0
        said = capsys.readouterr()
        tables.append([line.split()[:-2] for line in said.out.splitlines()])  # without the times
    assert tables[0] == tables[1]
    assert said.err.count("skipped: 1") == said.err.count("damaged rows") == 1


def test_every_kind_of_task_says_what_its_results_have() -> None:
    modules(tasks.__name__)  # imported, all their kinds are known
    assert set(tasks.KINDS) == set(RESULTS)
    store = Store(Path(__file__).parents[2] / "results")
    assert (len(store.rows()) > 10_000, store.bad_lines) == (True, 0)


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


def test_rejected(tmp_path: Path) -> None:
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
    broken_inside = bytearray(gzip.compress(b'{"key": "a"}\n' * 100))
    broken_inside[12] ^= 0xFF
    for content in (b"no gzip", broken_inside):
        (tmp_path / "bad.jsonl.gz").write_bytes(content)
        with pytest.raises(StoreError, match=r"can't read .*bad\.jsonl\.gz"):
            Store(tmp_path).rows()


def test_ctrl_c_keeps_what_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupted)
    with pytest.raises(KeyboardInterrupt), Store(tmp_path) as store:
        store.append([row("a")])
    assert keys(tmp_path) == ["a"]


@pytest.mark.slow
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


NOT_ROWS = [5, "x", [5], [{"result": {}}], [{"key": "a", "seed": "0"}], [{"key": "a", "made": {0: 1j}}]]


@pytest.mark.parametrize(
    "rows", [*NOT_ROWS, [{**row("c"), "settings": {"text": "x" * LONGEST}}]], ids=lambda rows: str(rows)[:40]
)
def test_a_row_that_could_not_be_read_is_not_written(tmp_path: Path, rows: Any) -> None:
    with Store(tmp_path) as store:
        store.append([row("a")])
        with pytest.raises((TypeError, ValueError), match=f"rows must be|shorter than {LONGEST} bytes"):
            store.append([row("b"), *rows] if isinstance(rows, list) else rows)
    assert keys(tmp_path) == ["a"]


def test_text_that_is_not_unicode(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"key": "\\ud800"}\n')
    assert export(tmp_path, tmp_path / "all.csv") == 1


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
