"""`bamdp compare`: the table, JSON, pictures and a store."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bamdp

Shown = Callable[[str], str]
Result = Callable[[str], Any]


def test_the_numbers_are_those_of_bamdp_compare(result: Result) -> None:
    agents = ["posterior-mean", "bamcp:simulations=20,exploration=10", "oracle"]
    flags = "--worlds 5 --steps 20 --seed 2 --against oracle --workers 2"
    data = result(f"compare bbrl-gc:discount=0.9 {' '.join(agents)} {flags}")
    python = bamdp.compare(
        "bbrl-gc:discount=0.9", agents, worlds=5, steps=20, seed=2, against="oracle", workers=1
    )
    expected = json.loads(python.to_json())
    for measured in (data, expected):
        del measured["columns"]["seconds_per_decision"]
        for values in measured["results"].values():
            del values["agent_seconds"]
    assert data == expected
    assert data["reference"] == "oracle"


def test_the_table_and_the_picture(shown: Shown, tmp_path: Path) -> None:
    text = shown(
        "compare riverswim random posterior-mean --worlds 6 --steps 60 --picture "
        f"{tmp_path}/new/picture.svg"
    )
    assert text.startswith("riverswim: 6 worlds of 60 steps")
    assert "per episode" in text
    assert (tmp_path / "new" / "picture.svg").read_text(encoding="utf-8").startswith("<svg")
    shown(
        "compare riverswim random --worlds 5 --steps 60 --workers 1 --curves "
        f"{tmp_path}/other/curves.png"
    )
    assert (tmp_path / "other" / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_a_store_is_used_again(result: Result, tmp_path: Path) -> None:
    line = f"compare small-chain random --worlds 3 --workers 1 --store {tmp_path / 'results'}"
    first = result(line)
    stored = (tmp_path / "results" / "runs.jsonl").read_text()
    assert stored.count("\n") == 3
    assert result(line) == first, "times too: nothing was run"
    assert (tmp_path / "results" / "runs.jsonl").read_text() == stored
