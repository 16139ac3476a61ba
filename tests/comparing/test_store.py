"""The store of results: nothing lost, nothing counted twice, whatever happens to the process or the
files.
"""

import gzip
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from bamdp.comparing.compare import compare
from bamdp.comparing.engine import complete
from bamdp.comparing.store import FILE, Store, StoreError, load_table


def row(key: str, reward: float = 1.0, **settings: Any) -> dict[str, Any]:
    given = {f"settings.{name}": value for name, value in settings.items()}
    return {
        "key": key,
        "kind": "play",
        "seed": 0,
        "run": 0,
        "version": "0",
        **given,
        "total_reward": reward,
    }


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


GOOD = {"key": "a", "kind": "play", "seed": 0, "run": 0, "version": "0", "total_reward": 1.0}
BAD: dict[str, Any] = {
    "key": 3,
    "kind": None,
    "seed": "0",
    "run": True,
    "version": {},
    "total_reward": float("nan"),
}
DAMAGED = [
    *(
        json.dumps({name: value for name, value in GOOD.items() if name != gone})
        for gone in list(GOOD)[:5]
    ),
    *(json.dumps({**GOOD, name: value}) for name, value in BAD.items()),
    json.dumps({**GOOD, "seed": -1}),
    json.dumps(GOOD).replace("1.0", "1e999"),
    json.dumps(
        {
            "key": "a",
            "kind": "play",
            "seed": 0,
            "run": 0,
            "settings": {},
            "result": {},
            "made": {"version": "0"},
        }
    ),
    "\udcff",
    "null",
    '["key"]',
    '{"key": "b", "torn',
    "[" * 100_000,
]


@pytest.mark.parametrize("line", DAMAGED, ids=lambda line: line[:60])
def test_a_line_that_is_not_a_row_is_counted_and_left_out(
    tmp_path: Path, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / FILE).write_bytes(line.encode(errors="surrogateescape") + b"\n")
    write(tmp_path, "b")
    store = Store(tmp_path)
    assert [row["key"] for row in store.rows()] == ["b"]
    assert store.bad_lines == 1
    assert complete([], store).total == 0, "a sweep reads it, too"
    assert capsys.readouterr().err.count("skipped: 1") == 1, "said once"


def test_a_damaged_row_is_run_again(tmp_path: Path) -> None:
    """The table is the same as without the damage."""
    tables = []
    for damage in ("key", "kye"):
        path = tmp_path / FILE
        if path.exists():
            path.write_text(path.read_text().replace('"key"', f'"{damage}"', 1))
        done = compare(
            "frozen-lake",
            ["posterior-mean", "random"],
            worlds=3,
            steps=200,
            store=tmp_path,
            workers=1,
        )
        tables.append([done.values(agent).tolist() for agent in done.agents])
    assert tables[0] == tables[1]


def test_all_stored_rows_can_be_read() -> None:
    store = Store(Path(__file__).parents[2] / "reproduction" / "results")
    assert (len(store.rows()) > 10_000, store.bad_lines) == (True, 0)


def test_merged_and_interleaved_stores_are_equal(tmp_path: Path) -> None:
    lines = [
        json.dumps(row(key, reward))
        for key, reward in (("a", 1), ("a", 2), ("b", 3), ("c", 4), ("c", 0))
    ]
    found = []
    for i, order in enumerate(itertools.permutations(lines)):
        folder = tmp_path / str(i)
        folder.mkdir()
        cut = i % len(order)
        (folder / "one.jsonl").write_text("".join(line + "\n" for line in order[:cut]))
        (folder / "two.jsonl.gz").write_bytes(
            gzip.compress("".join(line + "\n" for line in order[cut:]).encode())
        )
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
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(StoreError, match=r"can't read .*\.jsonl"):
        Store(tmp_path).rows()


def test_ctrl_c_keeps_what_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.fsync", interrupted)
    with pytest.raises(KeyboardInterrupt), Store(tmp_path) as store:
        store.append([row("a")])
    assert keys(tmp_path) == ["a"]


NOT_ROWS = [5, "x", [5], [{"key": "a"}], [{**row("a"), "seed": "0"}], [row("a", beta=1j)]]


@pytest.mark.parametrize("rows", NOT_ROWS, ids=str)
def test_a_row_that_could_not_be_read_is_not_written(tmp_path: Path, rows: Any) -> None:
    with Store(tmp_path) as store:
        store.append([row("a")])
        with pytest.raises((TypeError, ValueError), match="rows must"):
            store.append([row("b"), *rows] if isinstance(rows, list) else rows)
    assert keys(tmp_path) == ["a"]


def test_columns(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.append([row("a"), row("b", beta=0.5)])
    table = load_table(tmp_path)
    assert table.columns["total_reward"] == [1.0, 1.0]
    assert table.columns["settings.beta"] == [None, 0.5]
    assert table.to_pandas()["key"].tolist() == ["a", "b"]
