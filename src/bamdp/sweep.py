"""Many tasks, done side by side and stored as they finish: on this machine's cores, or by any `concurrent.futures.Executor`.

A worker is handed a batch, works for some seconds and gives back what it has done and what it has not: so that short tasks
don't drown in messages, and nobody needs to know beforehand how long one takes. Tasks are pure, so a batch whose worker died is
simply done again; should both copies finish, the store counts one.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import signal
import subprocess
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

from bamdp.results import Row, Store
from bamdp.task import Task, group_of

BATCH = 64  # tasks at most
PATIENCE = 5.0  # seconds after which a worker begins nothing new
ATTEMPTS = 3  # of a batch whose worker dies

Show = Callable[["Progress"], None]


@dataclass
class Progress:
    """How far a sweep is.

    Attributes:
        total: tasks that were missing at first.
        done: tasks finished since.
        failed: tasks that were given up, each with what went wrong.
        seconds_left: by what such tasks have taken so far; None if nobody knows yet.
        interrupted: whether Ctrl-C ended it.
    """

    total: int
    done: int = 0
    failed: list[tuple[Task, str]] = field(default_factory=list)
    seconds_left: float | None = None
    interrupted: bool = False


def complete(
    tasks: Iterable[Task],
    store: Store,
    *,
    executor: Callable[[], Executor] | None = None,
    workers: int | None = None,
    show: Show = lambda progress: None,
) -> Progress:
    """Do those of `tasks` that the store does not have yet; each result is stored when it arrives.

    Ctrl-C ends the sweep at once; what was in flight is done again next time. A task that raises is reported in the result and
    the others go on.

    Args:
        tasks: what is wanted.
        store: where results are, and go.
        executor: makes what runs the tasks, and makes it anew should it break; processes on this machine if not given.
        workers: batches in flight; as many as there are cores if not given.
        show: called about twice a second and at the end, to show the progress.

    Example:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> tasks = [Task("play", {"domain": "chain", "agent": "random", "steps": 9}, seed=0, run=run) for run in range(3)]
        >>> complete(tasks, Store(folder.name), workers=1).done
        3
        >>> complete(tasks, Store(folder.name)).total
        0
        >>> folder.cleanup()
    """
    workers = cores() if workers is None else workers
    with store:
        rows = store.rows()
        known = {row["key"] for row in rows}
        missing = list({task.key: task for task in tasks if task.key not in known}.values())
        sweep = _Sweep(missing, rows, store, executor or (lambda: _processes(workers)), workers, show)
        return sweep.run()


def work(tasks: Sequence[Task], patience: float = PATIENCE) -> tuple[list[Row], list[tuple[Task, str]], list[Task]]:
    """What a worker does with a batch: the rows of what it did, what raised and how, and what it had no time for."""
    rows: list[Row] = []
    failed: list[tuple[Task, str]] = []
    started = perf_counter()
    for i, task in enumerate(tasks):
        if i and perf_counter() - started > patience:
            return rows, failed, list(tasks[i:])
        try:
            rows.append(row(task))
        except Exception:  # whatever a task raises is its own affair: the sweep goes on and tells
            failed.append((task, traceback.format_exc()))
    return rows, failed, []


def row(task: Task) -> Row:
    """Do a task; its result with everything that belongs to it."""
    started = perf_counter()
    result = task.perform()
    made = {**provenance(), "seconds": round(perf_counter() - started, 3)}
    what = {"key": task.key, "kind": task.kind, "settings": dict(task.settings), "seed": task.seed, "run": task.run}
    return {**what, "result": result, "made": made}


@cache
def provenance() -> dict[str, Any]:
    """Where results come from: the library's version, its commit if it is a checkout, and the processor."""
    from bamdp import __version__

    here = Path(__file__).parent
    git = ["git", "-C", str(here), "rev-parse", "--short", "HEAD"]
    in_checkout = (here.parents[1] / ".git").exists()
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip() if in_checkout else ""
    return {"version": __version__, "commit": commit or None, "cpu": _cpu()}


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Sweep:
    def __init__(
        self,
        missing: list[Task],
        rows: list[Row],
        store: Store,
        start: Callable[[], Executor],
        workers: int,
        show: Show,
    ) -> None:
        self.start, self.workers, self.store, self.show = start, workers, store, show
        self.waiting = deque(missing)
        self.flying: dict[Future[Any], list[Task]] = {}
        self.attempts: Counter[str] = Counter()
        self.pace = _Pace(rows)
        self.progress = Progress(total=len(missing))

    def run(self) -> Progress:
        if not self.waiting:
            return self.progress
        before = set(multiprocessing.active_children())
        executor = self.start()
        try:
            while self.waiting or self.flying:
                if not self._turn(executor):
                    executor.shutdown(wait=False, cancel_futures=True)
                    executor = self.start()
        except KeyboardInterrupt:
            self.progress.interrupted = True
        finally:
            unfinished = bool(self.flying)
            for process in set(multiprocessing.active_children()) - before if unfinished else ():
                process.kill()  # it would go on with its batch, for nobody
            executor.shutdown(wait=not unfinished, cancel_futures=True)
        self.show(self.progress)
        return self.progress

    def _turn(self, executor: Executor) -> bool:
        """Hand out, wait a little, take in; False if the executor is broken."""
        try:
            while self.waiting and len(self.flying) < self.workers:
                batch = self._next_batch()
                self.flying[executor.submit(work, batch)] = batch
        except (BrokenExecutor, RuntimeError):  # it broke since it was last asked
            self.waiting.extendleft(reversed(batch))
            return self._take_in(set(self.flying))
        done, _ = wait(self.flying, timeout=0.5, return_when=FIRST_COMPLETED)
        sound = self._take_in(done)
        pending = [*self.waiting, *(task for batch in self.flying.values() for task in batch)]
        self.progress.seconds_left = self.pace.left(pending, self.workers)
        self.show(self.progress)
        return sound

    def _next_batch(self) -> list[Task]:
        share = max(1, min(BATCH, len(self.waiting) // (2 * self.workers)))
        return [self.waiting.popleft() for _ in range(min(share, len(self.waiting)))]

    def _take_in(self, done: set[Future[Any]]) -> bool:
        sound = True
        for future in done:
            batch = self.flying.pop(future)
            try:
                rows, failed, undone = future.result()
            except Exception as error:  # not the task's: those are caught in `work`
                sound = sound and not isinstance(error, BrokenExecutor)
                self._again(batch, error)
                continue
            self.store.append(rows)
            self.pace.learn(rows)
            self.progress.done += len(rows)
            self.progress.failed += failed
            self.waiting.extendleft(reversed(undone))
        return sound

    def _again(self, batch: list[Task], error: Exception) -> None:
        """Try tasks again whose worker died; those that keep killing theirs are given up."""
        for task in batch:
            self.attempts[task.key] += 1
            if self.attempts[task.key] < ATTEMPTS:
                self.waiting.append(task)
            else:
                self.progress.failed.append((task, f"its worker died {ATTEMPTS} times: {error!r}"))


class _Pace:
    """How long tasks take, by those of the same settings."""

    def __init__(self, rows: list[Row]) -> None:
        self.seconds: dict[str, list[float]] = {}
        self.learn(rows)

    def learn(self, rows: list[Row]) -> None:
        for row in rows:
            seconds = row.get("made", {}).get("seconds")
            if seconds is not None:
                group = group_of(row["kind"], row["settings"], row["seed"])
                self.seconds.setdefault(group, []).append(seconds)

    def left(self, tasks: list[Task], workers: int) -> float | None:
        """Seconds that `tasks` will take; those of unknown settings count as the mean of the known ones among them."""
        known = [sum(s) / len(s) for task in tasks if (s := self.seconds.get(task.group))]
        return sum(known) / len(known) * len(tasks) / workers if known else None


def _processes(workers: int) -> Executor:
    context = multiprocessing.get_context("spawn")  # a fork of a process with threads may hang
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_serve)


def _serve() -> None:
    """A worker lives and dies with its driver: Ctrl-C is for the driver alone, and one that was killed has no use for it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    driver = multiprocessing.parent_process()
    if driver is not None:
        threading.Thread(target=_follow, args=(driver,), daemon=True).start()


def _follow(driver: Any) -> None:
    driver.join()
    os._exit(1)


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
