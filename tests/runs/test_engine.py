"""Sweeps: every task once, whatever fails; a killed driver or worker changes nothing in the final table."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

import bamdp
from bamdp.agents import Random
from bamdp.domains import Chain
from bamdp.runs import engine, worker
from bamdp.runs.durations import DurationEstimate
from bamdp.runs.store import FILE, Store
from bamdp.runs.task import LocalTask, Task, measured, plays
from reference.signals import hear_interrupts

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
    assert engine.complete(some(5), Store(tmp_path), executor=lambda: ThreadPoolExecutor(2)).done == 5
    progress = engine.complete([*some(8), *some(8)], Store(tmp_path), executor=lambda: ThreadPoolExecutor(2))
    assert (progress.total, progress.done) == (3, 3)
    assert table(tmp_path) == expected(some(8))


def test_rows_say_where_they_come_from(tmp_path: Path) -> None:
    engine.complete(some(1), Store(tmp_path), executor=lambda: ThreadPoolExecutor(1))
    (row,) = Store(tmp_path).rows()
    assert (Task.of(row).settings, row["version"], row["seconds"] >= 0) == (SETTINGS, bamdp.__version__, True)
    assert row["cpu"]
    assert abs(date.fromisoformat(row["date"]) - date.today()) <= timedelta(days=1)
    if (ROOT / ".git").exists():
        head = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
        assert row["commit"] == head.stdout.strip()


def test_short_tasks_travel_together_and_long_ones_alone() -> None:
    rows, failed, undone = worker.work(some(5), patience=1e9)
    assert (len(rows), failed, undone) == (5, [], [])
    rows, failed, undone = worker.work(some(5), patience=0.0)
    assert (len(rows), failed, undone) == (1, [], some(5)[1:])


def test_time_left_is_by_similar_tasks() -> None:
    """Of the same settings or else, by steps, of the same agent; one of another counts as the mean."""
    durations = DurationEstimate([{**worker.row(task), "seconds": 4.0} for task in some(2)])
    assert durations.left(some(6), workers=2) == 12.0
    assert durations.left([*some(1), *some(2, steps=5)], workers=1) == 6.0
    assert durations.left(some(6, agent="beb"), workers=2) is None
    assert durations.left([*some(1), *some(1, agent="beb")], workers=1) == 8.0


def test_the_time_left_follows_the_rows_of_this_machine() -> None:
    stored, now = ([{**worker.row(task), "seconds": seconds} for task in some(n)] for n, seconds in ((400, 60.0), (30, 1.0)))
    durations = DurationEstimate(stored)
    durations.learn(now)
    left = durations.left(some(1), workers=1)
    assert left == pytest.approx(1.0, abs=5.0)  # a mean of all rows would say 56


DRIVER = """
import json, sys
from bamdp.runs.store import Store
from bamdp.runs.engine import complete
from bamdp.runs.task import Task

if __name__ == "__main__":
    tasks = [Task("play", json.loads(sys.argv[2]), 0, run) for run in range(int(sys.argv[3]))]
    complete(tasks, Store(sys.argv[1]), workers=2)
"""
SLOW = {"domain": "grid5", "agent": "bamcp", "simulations": 300, "steps": 150}


def start_driver(tmp_path: Path, store: Path, runs: int) -> subprocess.Popen[bytes]:
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    return subprocess.Popen([sys.executable, str(script), str(store), json.dumps(SLOW), str(runs)])


def children(pid: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout
    return [int(word) for word in listed.split()]


def wait_until(condition: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.heavy
@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes the way Linux shows them")
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
@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes the way Linux shows them")
def test_ctrl_c_keeps_what_is_done_and_leaves_no_worker(tmp_path: Path) -> None:
    store = tmp_path / "store"
    command = [sys.executable, "-m", "bamdp", "reproduce", "exploration", "--scale", "quick", "--store", str(store)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=hear_interrupts)
    wait_until(lambda: (store / FILE).exists() and (store / FILE).read_bytes().count(b"\n") >= 1)
    workers = children(process.pid)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "start again to continue" in output
    wait_until(lambda: not any(map(alive, workers)))
    assert len(Store(store).rows()) >= 1


# --- tasks of objects, on threads


class Broken(Random):
    """Fails at once in the run of this seed."""

    def act(self, state: int) -> int:
        raise RuntimeError("broken")


def local(kind: type[Random], runs: int = 6) -> list[LocalTask]:
    return plays(Chain(), lambda seed: kind(Chain().problem(), seed=seed), steps=20, runs=runs)


def test_objects_give_the_rows_of_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In threads or processes, with a store or without any file."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tables = [engine.complete(tasks, workers=workers).table(tasks) for tasks in (local(Random), some(6)) for workers in (1, 2)]
    assert list(tmp_path.iterdir()) == []
    for table in tables:
        assert [row["run"] for row in table.rows] == list(range(6))
        assert table.values("total_reward").tolist() == tables[0].values("total_reward").tolist()
        assert table.to_pandas()["steps"].tolist() == [20] * 6
        assert {row["version"] for row in table.rows} == {bamdp.__version__}


def test_an_error_of_an_object_is_raised() -> None:
    with pytest.raises(RuntimeError, match="broken"):
        engine.complete(local(Broken), workers=2)
    with pytest.raises(ValueError, match="store and executor must be None for tasks of objects"):
        engine.complete(local(Random), executor=lambda: ThreadPoolExecutor(1))
    with pytest.raises(ValueError, match=r"measure must be one of agent_seconds, .*, got 'luck'"):
        engine.complete(tasks := local(Random)).table(tasks).values("luck")
