"""The export of a store to one file: every row, whatever its text, or an error."""

import csv
from pathlib import Path
from typing import Any

import pytest

from bamdp.comparing.store import Store
from reproduction.export import export


def row(key: str, reward: float = 1.0, **settings: Any) -> dict[str, Any]:
    named = {f"settings.{name}": value for name, value in settings.items()}
    identity = {"key": key, "kind": "play", "seed": 0, "run": 0, "version": "0"}
    return {**identity, **named, "total_reward": reward}


def write(folder: Path, *rows: dict[str, Any]) -> None:
    with Store(folder) as store:
        store.append(rows)


def test_text_that_is_not_unicode(tmp_path: Path) -> None:
    write(tmp_path, row("\ud800"))
    assert export(tmp_path, tmp_path / "all.csv") == 1


def test_export(tmp_path: Path) -> None:
    write(tmp_path, row("a"), row("b", 2.5, rows=[1, 2], vmax="none"), row("c", vmax=3))
    assert export(tmp_path, tmp_path / "rows.csv") == 3
    with (tmp_path / "rows.csv").open(newline="") as file:
        assert [line["total_reward"] for line in csv.DictReader(file)] == ["1.0", "2.5", "1.0"]
    (tmp_path / "other").mkdir()
    assert export(tmp_path, tmp_path / "other" / "rows.jsonl.gz") == 3
    assert Store(tmp_path / "other").rows() == Store(tmp_path).rows()
    with pytest.raises(ValueError, match="ending must be one of"):
        export(tmp_path, tmp_path / "rows.xls")
    with pytest.raises(TypeError, match="path must be a path"):
        export(tmp_path, None)  # type: ignore[arg-type]
