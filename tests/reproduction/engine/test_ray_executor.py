"""Sweeps on Ray, on real clusters: every task once, whatever dies."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import wait
from pathlib import Path
from typing import Any

import pytest

from bamdp import executors as cluster
from bamdp.comparing.store import FILE, Store
from engine.test_faults import FAULTY, results, some, stored
from reference.processes import alive, children, wait_until
from reference.ray_cluster import free_port, machines, power_off
from reference.signals import hear_interrupts
from reproduction import engine
from reproduction.executors import RayExecutor

ray = pytest.importorskip("ray")
pytestmark = [
    pytest.mark.heavy,
    pytest.mark.filterwarnings("ignore"),
]  # Ray has warnings of its own


def rows(folder: Path) -> dict[str, Any]:
    """All that doesn't depend on the machine and its mood."""
    varying = {"version", "commit", "cpu", "date", "seconds"}
    kept = [
        {k: v for k, v in row.items() if k not in varying and not k.endswith("_seconds")}
        for row in Store(folder).rows()
    ]
    return {row["key"]: row for row in kept}


def lines(folder: Path) -> int:
    return (folder / FILE).read_bytes().count(b"\n") if (folder / FILE).exists() else 0


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    line = [
        sys.executable,
        "-m",
        "reproduction",
        "table1",
        "--scale",
        "smoke",
        "--store",
        str(folder),
        *words,
    ]
    return subprocess.Popen(
        line,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hear_interrupts,
    )


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("undisturbed")
    process = start(folder, "--workers", "2")
    process.communicate(timeout=600)
    assert process.returncode == 0
    return rows(folder)


def test_a_machine_dies_in_the_middle_of_a_sweep(
    tmp_path: Path, undisturbed: dict[str, Any]
) -> None:
    port = free_port()
    with machines(2, port) as (made, (victim, _)):
        process = start(tmp_path, "--on", f"ray://127.0.0.1:{port}")
        wait_until(lambda: lines(tmp_path) > 40 or process.poll() is not None, 300)
        when = lines(tmp_path)
        if process.poll() is None:
            power_off(made, victim)
        out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    assert 40 < when < len(undisturbed)
    assert "failed; rows in" in out
    assert rows(tmp_path) == undisturbed


def test_ctrl_c_and_going_on(tmp_path: Path, undisturbed: dict[str, Any]) -> None:
    process = start(tmp_path, "--on", "ray", "--workers", "1")
    wait_until(lambda: lines(tmp_path) > 0, 300)
    parts = children(process.pid)
    assert parts, "a cluster of its own"
    os.kill(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "start again to continue" in out
    wait_until(lambda: not any(map(alive, parts)))
    process = start(tmp_path, "--workers", "2")
    process.communicate(timeout=600)
    assert rows(tmp_path) == undisturbed


@pytest.fixture
def local() -> Iterator[None]:
    with cluster.connected(cpus=2):
        yield


@pytest.mark.usefixtures("local")
def test_executor(tmp_path: Path) -> None:
    with cluster.connected("whatever: there is a connection"), RayExecutor() as executor:
        assert executor.workers == 2
        assert [
            future.result() for future in [executor.submit(divmod, 7, n) for n in (1, 2, 3)]
        ] == [(7, 0), (3, 1), (2, 1)]
        assert executor.submit(int, "11", base=2).result() == 3
        with pytest.raises(ZeroDivisionError):
            executor.submit(divmod, 7, 0).result()
        with pytest.raises(ray.exceptions.WorkerCrashedError):
            executor.submit(os._exit, 1).result()
        assert executor.submit(os.getenv, "OMP_NUM_THREADS").result() == "1"
    assert ray.is_initialized(), "it was there before"
    executor = RayExecutor()
    sleepers = [
        executor.submit(time.sleep, 10**6) for _ in range(3)
    ]  # one of them waits for a core
    executor.shutdown(wait=False)
    assert not wait(sleepers, timeout=60).not_done


def test_faults_of_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "faulty.py").write_text(FAULTY)
    monkeypatch.chdir(
        tmp_path
    )  # before there is a cluster: its processes look for modules where this one does
    monkeypatch.syspath_prepend(str(tmp_path))
    tasks = some("dies", "raises", "well", "dies once", "well")
    with cluster.connected(cpus=2):
        progress = engine.complete(tasks, Store("store"), executor=RayExecutor)
    assert sorted(task.settings["how"] for task, _ in progress.failed) == ["dies", "raises"]
    assert sum("died 3 times" in error for _, error in progress.failed) == 1
    assert sum("as planned" in error for _, error in progress.failed) == 1
    assert stored("store") == results(tasks[2:])


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(cluster.ClusterError, match="no connection to Ray: use `with"):
        RayExecutor()
    with (
        pytest.raises(cluster.ClusterError, match="must be local or ray://HOST:PORT"),
        cluster.connected("127.0.0.1:6379"),
    ):
        pass
    assert not ray.is_initialized()
    process = start(tmp_path, "--on", "ray://127.0.0.1:1")
    _, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert err.startswith("bamdp: error: no answer")
