"""Faults of sweeps, each a real one: tasks that raise and kill their process; disks that are full
or read-only.
"""

import errno
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import loky
import pytest

from bamdp.comparing.store import FILE, Store, StoreError
from reproduction import engine
from reproduction.cli import main as cli
from reproduction.experiment import Entry, Experiment
from reproduction.experiments import ALL
from reproduction.export import export
from reproduction.task import Task
from reproduction.worker import run_tasks

pytestmark = pytest.mark.slow

FAULTY = """
import os, signal
from pathlib import Path
import bamdp

class Faulty(bamdp.agents.Random):
    \"\"\"Does something bad when it should act.\"\"\"

    def __init__(
        self, num_actions: int, *, how: str = "well", number: int = 0, seed: int = 0
    ) -> None:
        super().__init__(num_actions, seed=seed)
        self.how = how

    def act(self, state):
        how, _, once = self.how.partition(" ")
        if once and Path("happened").exists():
            how = "well"
        Path("happened").touch()
        if how == "raises":
            raise ZeroDivisionError("as planned")
        if how == "exits":
            raise SystemExit(7)
        if how == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(state)
"""
SETTINGS = {"domain": "chain", "agent": "faulty:Faulty", "steps": 3}


def some(*hows: str) -> list[Task]:
    return [
        Task("play", {**SETTINGS, "how": how, "number": i}, seed=0) for i, how in enumerate(hows)
    ]


def results(tasks: list[Task]) -> dict[str, float]:
    return {task.key: task.perform()["total_reward"] for task in tasks}


def stored(folder: Path | str) -> dict[str, float]:
    return {row["key"]: row["total_reward"] for row in Store(folder).rows()}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the faulty agent in it; no process may be left in the end, but those that are
    just dying.
    """
    (tmp_path / "faulty.py").write_text(FAULTY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "faulty", raising=False)
    before = set(multiprocessing.active_children())
    yield tmp_path
    for process in set(multiprocessing.active_children()) - before:
        process.join(60)
        assert process.exitcode is not None


@pytest.fixture
def reproduce(here: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """`python -m reproduction` of runs that behave as told."""

    def run(hows: tuple[str, ...], *words: str) -> int:
        entry = Entry("faulty", SETTINGS, ({"number": (0,), "how": hows}, {"number": (1, 2, 3)}))
        monkeypatch.setitem(
            ALL, "faulty", Experiment("faulty", "", "", {"": (entry,)}, {"quick": 1})
        )
        return cli.main(["faulty", "--store", "store", "--workers", "2", *words])

    return run


@pytest.mark.parametrize(
    ("how", "says"), [("raises", "ZeroDivisionError: as planned"), ("exits", "SystemExit: 7")]
)
def test_a_task_that_fails(
    reproduce: Callable[..., int], capfd: pytest.CaptureFixture[str], how: str, says: str
) -> None:
    """It is reported with its traceback, and the others go on."""
    assert reproduce(("well", how)) == 1
    out, err = capfd.readouterr()
    assert "4 tasks done, 1 failed" in out
    assert err.count("failed: ") == 1
    assert (
        f"failed: play { ({**SETTINGS, 'number': 0, 'how': how}) }, seed 0, run 0\nTraceback" in err
    )
    assert says in err
    assert len(stored("store")) == 4


def test_a_result_that_no_store_can_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = some("well", "well")
    results = iter([{"total_reward": float("nan")}, {"total_reward": 1.0}])
    monkeypatch.setattr(Task, "perform", lambda task: next(results))
    rows, failed, undone = run_tasks(tasks)
    assert [row["key"] for row in rows] == [tasks[1].key]
    assert [task for task, _ in failed] == tasks[:1]
    assert "not JSON compliant" in failed[0][1]
    assert undone == []


@pytest.mark.parametrize("workers", [1, 2])
def test_who_dies_takes_nobody_along(here: Path, workers: int) -> None:
    """Neither its neighbours in the batch, nor the batches that fly beside it."""
    tasks = some("dies", *["well"] * 129)
    progress = engine.complete(tasks, Store("store"), workers=workers)
    assert [task for task, _ in progress.failed] == tasks[:1]
    assert "died 3 times" in progress.failed[0][1]
    assert stored("store") == results(tasks[1:])


def pool() -> Executor:
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


@pytest.mark.parametrize(
    "make", [pool, lambda: loky.ProcessPoolExecutor(2)], ids=["concurrent.futures", "loky"]
)
def test_executors_of_others(here: Path, make: Callable[[], Executor]) -> None:
    """They break as a whole when a process of theirs dies; then they are made anew."""
    tasks = some("dies once", *["well"] * 11)
    progress = engine.complete(tasks, Store("store"), executor=make, workers=2)
    assert progress.failed == []
    assert stored("store") == results(tasks)


class Closed(Executor):
    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        with ThreadPoolExecutor(1) as closed:
            pass
        return closed.submit(fn, *args, **kwargs)


def test_an_executor_that_takes_nothing_is_an_error(here: Path) -> None:
    with pytest.raises(RuntimeError, match="cannot schedule new futures"):
        engine.complete(some("well"), Store("store"), executor=Closed)


def test_bad_arguments(
    here: Path, reproduce: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert reproduce(("well",), "--workers", "0") == 2
    assert "workers must be" in capsys.readouterr().err
    assert stored("store") == {}


# --- disks

BLOCK = resource.getpagesize()

SWEEP = """
import sys
from reproduction.cli import main as cli
from reproduction.experiment import Entry, Experiment
from reproduction.experiments import ALL
from reproduction.export import export

entry = Entry("", {"domain": "chain", "agent": "random", "steps": 3})
ALL["tiny"] = Experiment("tiny", "", "", {"": (entry,)}, {"quick": 3})
sys.exit(cli.main(["tiny", "--store", "store", "--workers", "1"]))
"""
TINY = [
    Task("play", {"domain": "chain", "agent": "random", "steps": 3}, seed=0, run=run)
    for run in range(3)
]


def tiny(folder: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-c", SWEEP]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=300, **more)


def assert_fails(folder: Path, says: str, **more: Any) -> None:
    process = tiny(folder, **more)
    assert process.returncode == 2
    assert says in process.stderr
    assert "Traceback" not in process.stderr


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    """As on a full disk: an error that says so, nothing half written, and later it goes on."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (BLOCK, BLOCK))

    path = tmp_path / "store" / FILE
    path.parent.mkdir()
    before = (
        b"no row but nearly a block, so that the next one takes another".ljust(BLOCK - 10) + b"\n"
    )
    path.write_bytes(before)
    assert_fails(
        tmp_path,
        f"bamdp: error: can't write to the store store: {os.strerror(errno.EFBIG)}",
        preexec_fn=limited,
    )
    assert path.read_bytes() == before
    assert tiny(tmp_path).returncode == 0
    assert stored(tmp_path / "store") == results(TINY)


@pytest.fixture
def nobody() -> Iterator[None]:
    """Not root, who may write anywhere."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)


@pytest.mark.skipif(os.name != "posix", reason="folders have other permissions there")
def test_a_read_only_folder(nobody: None) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name) / "store"
        folder.mkdir()
        folder.chmod(0o555)
        for path in (folder, folder / "new"):
            with pytest.raises(
                StoreError, match=f"can't write to the store {path}: {os.strerror(errno.EACCES)}"
            ):
                engine.complete(TINY, Store(path), workers=1)
        assert list(folder.iterdir()) == []


def test_two_sweeps_at_a_time(tmp_path: Path) -> None:
    """One writes; reading is always possible."""
    with Store(tmp_path / "store"):
        assert_fails(tmp_path, "another process writes to the store store: wait for it")
        assert stored(tmp_path / "store") == {}
    assert tiny(tmp_path).returncode == 0
    assert stored(tmp_path / "store") == results(TINY)


def test_an_export_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of a compressed file in a store would make all of it unreadable."""
    with Store(tmp_path) as store:
        store.append(
            [{"key": "a", "kind": "play", "seed": 0, "run": 0, "version": "0", "total_reward": 1.0}]
        )
    with monkeypatch.context() as full:
        full.setattr(Path, "write_bytes", half_written)
        with pytest.raises(StoreError, match=os.strerror(errno.ENOSPC)):
            export(tmp_path, tmp_path / "all.jsonl.gz")
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    assert export(tmp_path, tmp_path / "all.jsonl.gz") == 1
    assert len(Store(tmp_path).rows()) == 1
    with pytest.raises(StoreError, match=os.strerror(errno.ENOENT)):
        export(tmp_path, tmp_path / "nowhere" / "all.csv")


def half_written(path: Path, data: bytes) -> int:
    with path.open("wb") as file:
        file.write(data[: len(data) // 2])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
