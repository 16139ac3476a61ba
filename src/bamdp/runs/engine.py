"""The one engine of runs: tasks in, rows out, on threads, on processes of this machine, or by any other executor.

A `Task` goes to processes, or to any `concurrent.futures.Executor`; a `LocalTask`, which has objects, to threads. With a
store, what it has is not run again, and each row is stored when it arrives; without one there are no files.

A worker gets a batch, works for some seconds and returns the rows and the tasks not started: so short tasks take few messages,
and durations need not be known. Tasks are pure, so a batch whose worker died is run again, task by task, to find one that kills
its worker; if both copies finish, the store counts one.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any

from bamdp import statistics
from bamdp.executors import Processes, cores
from bamdp.progress import progress
from bamdp.runs.durations import DurationEstimate
from bamdp.runs.store import Row, Store
from bamdp.runs.table import Table
from bamdp.runs.task import Board, LocalTask, Task, Unfinished
from bamdp.runs.worker import AnyTask, work
from bamdp.validation import function, listed, positive_integer

BATCH = 64  # tasks at most
ATTEMPTS = 3  # at a task whose worker dies, and at starting an executor
TURN, SHOW = 0.1, 0.5  # seconds between two looks at Ctrl-C, and between two reports
MOST_THREADS = 1024

Show = Callable[["Progress"], None]


@dataclass
class Progress:
    """The progress of the engine, and what it gave in the end.

    Attributes:
        total: number of tasks not in the store at the start.
        done: number of tasks finished since.
        failed: the tasks that failed, each with its error.
        seconds_left: estimated from similar tasks; None if unknown.
        interrupted: whether Ctrl-C ended it.
        rows: rows of the tasks that are done, those of the store too, by key.
        unfinished: the local tasks under way when it was interrupted, by key.
        steps: steps that local tasks have done, and those that they have in all.
        reward: what these have earned.
    """

    total: int
    done: int = 0
    failed: list[tuple[AnyTask, str]] = field(default_factory=list)
    seconds_left: float | None = None
    interrupted: bool = False
    rows: dict[str, Row] = field(default_factory=dict)
    unfinished: dict[str, Unfinished] = field(default_factory=dict)
    steps: tuple[int, int] = (0, 0)
    reward: float = 0.0

    def table(self, tasks: Iterable[AnyTask]) -> Table:
        """The rows of those of `tasks` that are done, in their order."""
        keys = [task.key for task in _listed(tasks)]
        rows = [self.rows[key] for key in keys if key in self.rows]
        return Table(rows, self.interrupted, [self.unfinished[key] for key in keys if key in self.unfinished])


@contextmanager
def shown(unit: str) -> Iterator[Show]:
    """A progress bar for the engine, in tasks or runs; in steps, if its tasks are local."""
    with progress(unit) as bar:

        def show(stage: Progress) -> None:
            if stage.steps[1]:
                bar(f"reward {statistics.digits(stage.reward)}", *stage.steps)
            else:
                bar(f"{len(stage.failed)} failed" if stage.failed else "", stage.done, stage.total, stage.seconds_left)

        yield show


def threads(workers: int) -> int:
    """`workers`, if it is a number of runs at a time."""
    return positive_integer("workers", workers, MOST_THREADS)


def complete(
    tasks: Iterable[AnyTask],
    store: Store | None = None,
    *,
    executor: Callable[[], Executor] | None = None,
    workers: int | None = None,
    show: Show = lambda progress: None,
) -> Progress:
    """Run those of `tasks` that are not in the store.

    Ctrl-C ends it at once; batches in flight are run again next time, but threads keep the runs that they have done. A `Task`
    that raises is reported in the result and the others continue; an error of a `LocalTask` is raised.

    Args:
        tasks: the tasks, all of them `Task` or all `LocalTask`.
        store: store of the results; for `LocalTask` there is none.
        executor: function that makes an executor, called again if that breaks; processes on this machine if not given.
        workers: number of batches in flight; if not given, the executor's own `workers`, or as many as this machine has cores.
        show: called about twice a second and at the end, to show the progress.

    Example:
        >>> tasks = [Task("play", {"domain": "chain", "agent": "random", "steps": 9}, seed=0, run=run) for run in range(3)]
        >>> done = complete(tasks, workers=1)
        >>> [row["run"] for row in done.table(tasks).rows]
        [0, 1, 2]
    """
    if store is not None and not isinstance(store, Store):
        raise TypeError(f"store must be a bamdp.runs.store.Store or None, got {store!r}")
    asked = _listed(tasks)
    local = bool(asked) and isinstance(asked[0], LocalTask)
    if local and (store is not None or executor is not None):
        raise ValueError("store and executor must be None for tasks of objects, which run on threads of this process")
    if executor is not None:
        function("executor", executor)
    workers = None if workers is None else positive_integer("workers", workers)
    wanted: dict[str, Any] = {task.key: task for task in asked}
    with store or nullcontext():
        stored = [] if store is None else store.rows()
        known = {row["key"]: row for row in stored if row["key"] in wanted}
        missing = [task for key, task in wanted.items() if key not in known]
        if not missing:
            return Progress(total=0, rows=known)
        start = partial(ThreadPoolExecutor, workers or cores()) if local else executor or Processes
        board = Board(missing) if local else None
        engine = _Engine(missing, DurationEstimate(stored), store, start, workers, show, board)
        engine.progress.rows |= known
        return engine.run()


def _listed(tasks: Any) -> list[Any]:
    """`tasks` as a list, if all are of the same kind of task."""
    found = listed("tasks", tasks)
    return listed("tasks", found, LocalTask if found and isinstance(found[0], LocalTask) else Task)


class _Engine:
    def __init__(
        self,
        missing: Sequence[AnyTask],
        durations: DurationEstimate,
        store: Store | None,
        start: Callable[[], Executor],
        workers: int | None,
        show: Show,
        board: Board | None,
    ) -> None:
        self.durations, self.store, self.start, self.given_workers = durations, store, start, workers
        self.show, self.board = show, board
        self.stop = threading.Event() if board is None else board.stop
        self.waiting = deque(missing)
        self.in_flight: dict[Future[Any], list[AnyTask]] = {}
        self.attempts: Counter[str] = Counter()
        self.rejected = 0  # times in a row that an executor rejected a batch
        self.next_show = 0.0  # monotonic
        self.progress = Progress(total=len(missing))
        self.all_steps = sum(task.steps for task in missing if isinstance(task, LocalTask))

    @property
    def workers(self) -> int:
        """Number of batches in flight; that of a cluster may change."""
        return self.given_workers or getattr(self.executor, "workers", None) or cores()

    def run(self) -> Progress:
        before = set(multiprocessing.active_children())
        self.executor = self.start()
        with _interruptible(self.stop) as interrupted:
            try:
                while (self.waiting or self.in_flight) and not self.stop.is_set():
                    self._turn()
                if self.board is not None:
                    self._collect(wait(self.in_flight).done)  # what the threads have done before they stopped
            finally:
                self.stop.set()
                self.progress.interrupted = interrupted.is_set()
                if self.board is not None:
                    wait(self.in_flight)
                for process in set(multiprocessing.active_children()) - before if self.in_flight else ():
                    process.kill()  # its results are not needed
                self._shut_down()
        if self.board is not None:
            stopped = {key: at for key, at in self.board.unfinished.items() if at.steps and key not in self.progress.rows}
            self.progress.unfinished = stopped
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
        if self.board is None:
            pending = [*self.waiting, *(task for batch in self.in_flight.values() for task in batch)]
            left = self.durations.left((task for task in pending if isinstance(task, Task)), workers)
            shown = self.progress.seconds_left
            if left is not None:  # smoothed, as tasks of different durations end in turn
                self.progress.seconds_left = left if shown is None else 0.9 * max(0.0, shown - SHOW) + 0.1 * left
        else:
            runs = self.board.unfinished.values()
            self.progress.steps = sum(run.steps for run in runs), self.all_steps
            self.progress.reward = sum(run.total_reward for run in runs)
        self.show(self.progress)

    def _next_batch(self, workers: int) -> list[AnyTask]:
        """The next batch; a task whose worker has died before is alone."""
        share = max(1, min(BATCH, len(self.waiting) // (2 * workers)))
        batch = [self.waiting.popleft()]
        while len(batch) < share and not any(self.attempts[task.key] for task in (batch[0], self.waiting[0])):
            batch.append(self.waiting.popleft())
        return batch

    def _submit(self, tasks: list[AnyTask]) -> None:
        try:
            future = self.executor.submit(work, tasks, self.board)
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
                if self.board is not None:
                    raise
                self._again(batch, error)
                continue
            if self.store is not None:
                self.store.append(rows)
            if self.board is None:
                self.durations.learn(rows)
            self.progress.rows |= {row["key"]: row for row in rows}
            self.progress.done += len(rows)
            self.progress.failed += failed
            self.waiting.extendleft(reversed(undone))

    def _again(self, batch: list[AnyTask], error: Exception) -> None:
        """Retry the tasks of a dead worker; after `ATTEMPTS` deaths they have failed."""
        for task in batch:
            self.attempts[task.key] += 1
            if self.attempts[task.key] < ATTEMPTS:
                self.waiting.append(task)
            else:
                self.progress.failed.append((task, f"its worker died {ATTEMPTS} times: {error!r}"))


@contextmanager
def _interruptible(stop: threading.Event) -> Iterator[threading.Event]:
    """Ctrl-C sets `stop`, and what this gives, instead of raising in the middle of something; a second one raises as usual."""
    interrupted = threading.Event()
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # ignored in the background of a shell script
        yield interrupted
        return

    def handle(number: int, frame: Any) -> None:
        interrupted.set()
        stop.set()
        signal.signal(signal.SIGINT, previous)

    previous = signal.signal(signal.SIGINT, handle)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, previous)
