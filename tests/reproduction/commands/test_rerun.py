"""`python -m reproduction NAME`: it prints what came out, and beforehand what there is to do."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bamdp.comparing.store import Store
from bamdp.statistics import mean
from reference.stored import row_of
from reproduction.experiment import Entry, Experiment
from reproduction.experiments import ALL
from reproduction.reproduce import forecast

CHAIN = {"domain": "chain", "agent": "beb"}
GRID = Entry("BEB", CHAIN, ({"beta": (0.5, 2)},), published=(3.5, 0.5))
ONE = Entry("random", {"domain": "chain", "agent": "random"})
TINY = Experiment("tiny", "Two agents", "", {"a": (GRID, ONE)}, {"smoke": 2}, {"smoke": 5})


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ALL, "tiny", TINY)


@pytest.mark.usefixtures("tiny")
def test_it_prints_its_result(shown: Callable[[str], str], tmp_path: Path) -> None:
    lines = shown(f"tiny --scale smoke --workers 1 --store {tmp_path}").splitlines()
    assert lines[0] == "tiny, Two agents, at scale smoke:"
    assert lines[1].split() == ["setting", "result", "runs"], (
        "no published numbers beside runs that are cut short"
    )
    rows = [
        row
        for row in Store(tmp_path).rows()
        if row["seed"] == 1 and row["settings.agent"] == "random"
    ]
    totals = mean([row["total_reward"] for row in rows])
    assert lines[3].split() == ["a,", "random", "total", "reward", *str(totals).split(), "5"]
    assert lines[2].startswith("a, BEB")
    assert "beta=" in lines[2]
    assert lines[2].endswith("  5")
    assert lines[5] == f"14 tasks done, 0 failed; rows in {tmp_path}"


@pytest.mark.usefixtures("tiny")
def test_a_dry_run_says_what_is_missing_and_how_long_it_takes(
    shown: Callable[[str], str], tmp_path: Path
) -> None:
    store = tmp_path / "new"
    line = f"tiny lazy --scale smoke --workers 2 --store {store} --dry-run"
    assert shown(line).splitlines()[1:4] == [
        "tiny     0        9  unknown",
        "lazy     0        3  unknown",
        "all      0       12  unknown",
    ]
    assert not store.exists()
    shown(f"tiny --scale smoke --workers 1 --store {store}")
    assert shown(line).splitlines()[1].split() == ["tiny", "14", "0"]


def test_time_is_by_similar_tasks() -> None:
    """Those of the same settings; else per step and simulation."""
    steps = Entry(
        "", {"domain": "chain", "agent": "bamcp"}, ({"simulations": (10, 100), "steps": (20,)},)
    )
    study = Experiment("study", "", "", {"": (steps,)}, {"quick": 3})
    first = study.tasks("quick", [])[0]
    text = forecast([study], "quick", [{**row_of(first, {}), "seconds": 3.0}], workers=2)
    assert text.splitlines()[1].split() == ["study", "1", "5", "48", "s"], "(2 · 3 + 3 · 30) / 2"
