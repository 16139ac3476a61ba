"""Sweeps: every task once, whatever fails; a killed driver or worker changes nothing in the final
table.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

import bamdp
from bamdp.comparing.rows import measured
from bamdp.comparing.store import FILE, Store
from reference.processes import alive, children, wait_until
from reference.signals import hear_interrupts
from reproduction import engine, worker
from reproduction.durations import DurationEstimate
from reproduction.task import Task

ROOT = Path(__file__).parents[2]
SETTINGS = {"domain": "chain", "agent": "random", "steps": 20}


def some(n: int, **more: Any) -> list[Task]:
    return [Task("play", {**SETTINGS, **more}, seed=0, run=run) for run in range(n)]


def table(folder: Path) -> dict[str, Any]:
    """What doesn't depend on the machine and its mood."""
    return {row["key"]: timeless(measured(row)) for row in Store(folder).rows()}


def timeless(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if not name.endswith("_seconds")}


def expected(wanted: list[Task]) -> dict[str, Any]:
    return {task.key: timeless(task.perform()) for task in wanted}


def test_what_is_stored_is_not_done_again(tmp_path: Path) -> None:
    assert (
        engine.complete(some(5), Store(tmp_path), executor=lambda: ThreadPoolExecutor(2)).done == 5
    )
    progress = engine.complete(
        [*some(8), *some(8)], Store(tmp_path), executor=lambda: ThreadPoolExecutor(2)
    )
    assert (progress.total, progress.done) == (3, 3)
    assert table(tmp_path) == expected(some(8))


def test_rows_say_where_they_come_from(tmp_path: Path) -> None:
    engine.complete(some(1), Store(tmp_path), executor=lambda: ThreadPoolExecutor(1))
    (row,) = Store(tmp_path).rows()
    assert (Task.of(row).settings, row["version"], row["seconds"] >= 0) == (
        SETTINGS,
        bamdp.__version__,
        True,
    )
    assert row["cpu"]
    assert abs(date.fromisoformat(row["date"]) - date.today()) <= timedelta(days=1)
    if (ROOT / ".git").exists():
        head = subprocess.run(
            ["git", "-C", ROOT, "rev-parse", "--short", "HEAD"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert row["commit"] == head.stdout.strip()


def test_short_tasks_travel_together_and_long_ones_alone() -> None:
    rows, failed, undone = worker.run_tasks(some(5), batch_seconds=1e9)
    assert (len(rows), failed, undone) == (5, [], [])
    rows, failed, undone = worker.run_tasks(some(5), batch_seconds=0.0)
    assert (len(rows), failed, undone) == (1, [], some(5)[1:])


def test_time_left_is_by_similar_tasks() -> None:
    """Of the same settings or else, by steps, of the same agent; one of another counts
    as the mean.
    """
    durations = DurationEstimate([{**worker.task_row(task), "seconds": 4.0} for task in some(2)])
    assert durations.left(some(6), workers=2) == 12.0
    assert durations.left([*some(1), *some(2, steps=5)], workers=1) == 6.0
    assert durations.left(some(6, agent="beb"), workers=2) is None
    assert durations.left([*some(1), *some(1, agent="beb")], workers=1) == 8.0


def test_the_time_left_follows_the_rows_of_this_machine() -> None:
    stored, now = (
        [{**worker.task_row(task), "seconds": seconds} for task in some(n)]
        for n, seconds in ((400, 60.0), (30, 1.0))
    )
    durations = DurationEstimate(stored)
    durations.learn(now)
    left = durations.left(some(1), workers=1)
    assert left == pytest.approx(1.0, abs=5.0)  # a mean of all rows would say 56


DRIVER = """
import json, sys
from bamdp.comparing.store import Store
from reproduction.engine import complete
from reproduction.task import Task

if __name__ == "__main__":
    tasks = [Task("play", json.loads(sys.argv[2]), 0, run) for run in range(int(sys.argv[3]))]
    complete(tasks, Store(sys.argv[1]), workers=2)
"""
SLOW = {"domain": "grid5", "agent": "bamcp", "simulations": 300, "steps": 150}


def start_driver(tmp_path: Path, store: Path, runs: int) -> subprocess.Popen[bytes]:
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    return subprocess.Popen([sys.executable, str(script), str(store), json.dumps(SLOW), str(runs)])


@pytest.mark.heavy
@pytest.mark.skipif(
    not Path("/proc").exists(), reason="looks at processes the way Linux shows them"
)
@pytest.mark.parametrize("victim", ["driver", "worker"])
def test_kill_9_changes_nothing_in_the_end(tmp_path: Path, victim: str) -> None:
    store, runs = tmp_path / "store", 24
    driver = start_driver(tmp_path, store, runs)
    wait_until(lambda: (store / FILE).exists() and (store / FILE).read_bytes().count(b"\n") >= 2)
    workers = children(driver.pid)
    os.kill(driver.pid if victim == "driver" else workers[-1], signal.SIGKILL)
    if victim == "driver":
        driver.wait()
        wait_until(lambda: not any(map(alive, workers)))  # nobody works on for a dead driver
        before = Store(store).rows()
        assert 2 <= len(before) < runs
        driver = start_driver(tmp_path, store, runs)
    assert driver.wait(timeout=300) == 0
    tasks = [Task("play", SLOW, 0, run) for run in range(runs)]
    assert table(store) == expected(tasks)


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc").exists(), reason="looks at processes the way Linux shows them"
)
def test_ctrl_c_keeps_what_is_done_and_leaves_no_worker(tmp_path: Path) -> None:
    store = tmp_path / "store"
    command = [
        sys.executable,
        "-m",
        "reproduction",
        "exploration",
        "--scale",
        "quick",
        "--store",
        str(store),
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, preexec_fn=hear_interrupts
    )
    wait_until(lambda: (store / FILE).exists() and (store / FILE).read_bytes().count(b"\n") >= 1)
    workers = children(process.pid)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "start again to continue" in output
    wait_until(lambda: not any(map(alive, workers)))
    assert len(Store(store).rows()) >= 1


def test_rows_need_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for workers in (1, 2):
        table = engine.complete(tasks := some(6), workers=workers).table(tasks)
        assert {row["key"]: timeless(measured(row)) for row in table.rows} == expected(tasks)
    assert list(tmp_path.iterdir()) == []
