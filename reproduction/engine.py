"""The engine of tasks: tasks in, rows out, on processes of this machine or by any other executor.

With a store, what it has is not run again, and each row is stored when it arrives; without one
there are no files.

A worker gets a batch, works for some seconds and returns the rows and the tasks not started: so
short tasks take few messages, and durations need not be known. Tasks are pure, so a batch whose
worker died is run again, task by task, to find one that kills its worker; if both copies finish,
the store counts one.
"""

from __future__ import annotations

import multiprocessing
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from bamdp.comparing.engine import interruptible
from bamdp.comparing.rows import Row
from bamdp.comparing.store import Store
from bamdp.comparing.table import Table
from bamdp.executors import cores
from bamdp.progress import progress
from bamdp.validation import function, listed, positive_integer
from reproduction.durations import DurationEstimate
from reproduction.executors import Processes
from reproduction.task import Task
from reproduction.worker import run_tasks

BATCH = 64  # tasks at most
ATTEMPTS = 3  # at a task whose worker dies, and at starting an executor
TURN, SHOW = 0.1, 0.5  # seconds between two looks at Ctrl-C, and between two reports

Show = Callable[["Sweep"], None]


@dataclass
class Sweep:
    """The progress of the engine, and what it gave in the end.

    Attributes:
        total: number of tasks not in the store at the start.
        done: number of tasks finished since.
        failed: the tasks that failed, each with its error.
        seconds_left: estimated from similar tasks; None if unknown.
        interrupted: whether Ctrl-C ended it.
        rows: rows of the tasks that are done, those of the store too, by key.
    """

    total: int
    done: int = 0
    failed: list[tuple[Task, str]] = field(default_factory=list)
    seconds_left: float | None = None
    interrupted: bool = False
    rows: dict[str, Row] = field(default_factory=dict)

    def table(self, tasks: Iterable[Task]) -> Table:
        """The rows of those of `tasks` that are done, in their order."""
        keys = [task.key for task in listed("tasks", tasks, Task)]
        return Table([self.rows[key] for key in keys if key in self.rows], self.interrupted)


@contextmanager
def progress_bar() -> Iterator[Show]:
    """A progress bar for the engine, in tasks."""
    with progress("tasks") as bar:

        def show(stage: Sweep) -> None:
            note = f"{len(stage.failed)} failed" if stage.failed else ""
            bar(note, stage.done, stage.total, stage.seconds_left)

        yield show


def complete(
    tasks: Iterable[Task],
    store: Store | None = None,
    *,
    executor: Callable[[], Executor] | None = None,
    workers: int | None = None,
    show: Show = lambda progress: None,
) -> Sweep:
    """Run those of `tasks` that are not in the store.

    Ctrl-C ends it at once; batches in flight are run again next time. A task that raises is
    reported in the result and the others continue.

    Args:
        tasks: the tasks.
        store: store of the results.
        executor: function that makes an executor, called again if that breaks; processes on this
            machine if not given.
        workers: number of batches in flight; if not given, the executor's own `workers`, or as many
            as this machine has cores.
        show: called about twice a second and at the end, to show the progress.

    Example:
        >>> tasks = [Task("play", {"domain": "chain", "agent": "random", "steps": 9}, seed=0,
        ...     run=run) for run in range(3)]
        >>> done = complete(tasks, workers=1)
        >>> [row["run"] for row in done.table(tasks).rows]
        [0, 1, 2]
    """
    if store is not None and not isinstance(store, Store):
        raise TypeError(f"store must be a bamdp.comparing.store.Store or None, got {store!r}")
    if executor is not None:
        function("executor", executor)
    workers = None if workers is None else positive_integer("workers", workers)
    wanted = {task.key: task for task in listed("tasks", tasks, Task)}
    with store or nullcontext():
        stored = [] if store is None else store.rows()
        known = {row["key"]: row for row in stored if row["key"] in wanted}
        missing = [task for key, task in wanted.items() if key not in known]
        if not missing:
            return Sweep(total=0, rows=known)
        start = executor or Processes
        engine = _Engine(missing, DurationEstimate(stored), store, start, workers, show)
        engine.progress.rows |= known
        return engine.run()


class _Engine:
    def __init__(
        self,
        missing: Sequence[Task],
        durations: DurationEstimate,
        store: Store | None,
        start: Callable[[], Executor],
        workers: int | None,
        show: Show,
    ) -> None:
        self.durations, self.store, self.start, self.given_workers = (
            durations,
            store,
            start,
            workers,
        )
        self.show, self.stop = show, threading.Event()
        self.waiting = deque(missing)
        self.in_flight: dict[Future[Any], list[Task]] = {}
        self.attempts: Counter[str] = Counter()
        self.rejected = 0  # times in a row that an executor rejected a batch
        self.next_show = 0.0  # monotonic
        self.progress = Sweep(total=len(missing))

    @property
    def workers(self) -> int:
        """Number of batches in flight; that of a cluster may change."""
        return self.given_workers or getattr(self.executor, "workers", None) or cores()

    def run(self) -> Sweep:
        before = set(multiprocessing.active_children())
        self.executor = self.start()
        with interruptible(self.stop) as interrupted:
            try:
                while (self.waiting or self.in_flight) and not self.stop.is_set():
                    self._turn()
            finally:
                self.stop.set()
                self.progress.interrupted = interrupted.is_set()
                for process in (
                    set(multiprocessing.active_children()) - before if self.in_flight else ()
                ):
                    process.kill()  # its results are not needed
                self._shut_down()
        self.show(self.progress)
        return self.progress

    def _turn(self) -> None:
        """Submit batches, wait a little, collect results."""
        workers = self.workers
        while self.waiting and len(self.in_flight) < workers:
            self._submit(self._next_batch(workers))
        done, _ = wait(self.in_flight, timeout=TURN, return_when=FIRST_COMPLETED)
        self._collect(done)
        if monotonic() < self.next_show:
            return
        self.next_show = monotonic() + SHOW
        pending = [*self.waiting, *(task for batch in self.in_flight.values() for task in batch)]
        left, shown = self.durations.left(pending, workers), self.progress.seconds_left
        if left is not None:  # smoothed, as tasks of different durations end in turn
            self.progress.seconds_left = (
                left if shown is None else 0.9 * max(0.0, shown - SHOW) + 0.1 * left
            )
        self.show(self.progress)

    def _next_batch(self, workers: int) -> list[Task]:
        """The next batch; a task whose worker has died before is alone."""
        share = max(1, min(BATCH, len(self.waiting) // (2 * workers)))
        batch = [self.waiting.popleft()]
        while len(batch) < share and not any(
            self.attempts[task.key] for task in (batch[0], self.waiting[0])
        ):
            batch.append(self.waiting.popleft())
        return batch

    def _submit(self, tasks: list[Task]) -> None:
        try:
            future = self.executor.submit(run_tasks, tasks)
        except RuntimeError as error:  # also BrokenExecutor
            self.waiting.extendleft(reversed(tasks))
            self._renew(error)
        else:
            self.in_flight[future] = tasks
            self.rejected = 0

    def _renew(self, error: RuntimeError) -> None:
        """Start another executor; the tasks of the broken one wait again."""
        self.rejected += 1
        if self.rejected == ATTEMPTS:
            raise error
        self._shut_down()
        self._collect(set(self.in_flight))
        self.executor = self.start()

    def _shut_down(self) -> None:
        for future in self.in_flight:
            future.cancel()
        self.executor.shutdown(wait=not self.in_flight)  # the only argument that all executors have

    def _collect(self, done: set[Future[Any]]) -> None:
        for future in done:
            batch = self.in_flight.pop(future)
            try:
                rows, failed, undone = future.result()
            except Exception as error:  # of the executor: a task's are caught by the worker
                self._again(batch, error)
                continue
            if self.store is not None:
                self.store.append(rows)
            self.durations.learn(rows)
            self.progress.rows |= {row["key"]: row for row in rows}
            self.progress.done += len(rows)
            self.progress.failed += failed
            self.waiting.extendleft(reversed(undone))

    def _again(self, batch: list[Task], error: Exception) -> None:
        """Retry the tasks of a dead worker; after `ATTEMPTS` deaths they have failed."""
        for task in batch:
            self.attempts[task.key] += 1
            if self.attempts[task.key] < ATTEMPTS:
                self.waiting.append(task)
            else:
                self.progress.failed.append((task, f"its worker died {ATTEMPTS} times: {error!r}"))
