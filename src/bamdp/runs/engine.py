"""Many tasks in parallel, stored as they finish: on this machine's cores, or by any `concurrent.futures.Executor`.

A worker gets a batch, works for some seconds and returns the results and the tasks not started: so short tasks take few
messages, and durations need not be known. Tasks are pure, so a batch whose worker died is run again, task by task, to find
one that kills its worker; if both copies finish, the store counts one.
"""

from __future__ import annotations

import multiprocessing
from collections import Counter, deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, NamedTuple

from bamdp._validation import function, listed, positive_integer, real
from bamdp.executors.local import Processes, cores
from bamdp.runs.store import Row, Store
from bamdp.runs.task import Task, group_of
from bamdp.runs.worker import work

BATCH = 64  # tasks at most
ATTEMPTS = 3  # at a task whose worker dies, and at starting an executor

Show = Callable[["Progress"], None]


@dataclass
class Progress:
    """The progress of a sweep.

    Attributes:
        total: number of tasks not in the store at the start.
        done: number of tasks finished since.
        failed: the tasks that failed, each with its error.
        seconds_left: estimated from tasks of the same settings; None if unknown.
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
    timeout: float | None = None,
    show: Show = lambda progress: None,
) -> Progress:
    """Run those of `tasks` that are not in the store; each result is stored when it arrives.

    Ctrl-C ends the sweep at once; batches in flight are run again next time. A task that raises is reported in the result and
    the others continue.

    Args:
        tasks: the tasks.
        store: store of the results.
        executor: function that makes an executor, called again if that breaks; processes on this machine if not given.
        workers: number of batches in flight; if not given, the executor's own `workers`, or as many as this machine has cores.
        timeout: seconds after which the process of a task is killed and the task is tried again; none if not given. Threads
            can't be killed.
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
    if not isinstance(store, Store):
        raise TypeError(f"store must be a bamdp.runs.store.Store, got {store!r}")
    tasks = listed("tasks", tasks, Task)
    function("show", show)
    if executor is not None:
        function("executor", executor)
    workers = None if workers is None else positive_integer("workers", workers)
    timeout = None if timeout is None else real("timeout", timeout, 0, 1e9, open_low=True)
    with store:
        rows = store.rows()
        known = {row["key"] for row in rows}
        missing = list({task.key: task for task in tasks if task.key not in known}.values())
        return _Sweep(missing, rows, store, executor or Processes, workers, timeout, show).run()


class _Batch(NamedTuple):
    tasks: list[Task]
    since: float  # monotonic


class _Sweep:
    def __init__(
        self,
        missing: list[Task],
        rows: list[Row],
        store: Store,
        start: Callable[[], Executor],
        workers: int | None,
        timeout: float | None,
        show: Show,
    ) -> None:
        self.start, self.given_workers, self.timeout, self.store, self.show = start, workers, timeout, store, show
        self.waiting = deque(missing)
        self.flying: dict[Future[Any], _Batch] = {}
        self.attempts: Counter[str] = Counter()
        self.rejected = 0  # times in a row that an executor rejected a batch
        self.pace = _Pace(rows)
        self.progress = Progress(total=len(missing))

    @property
    def workers(self) -> int:
        """Number of batches in flight; that of a cluster may change."""
        return self.given_workers or getattr(self.executor, "workers", None) or cores()

    def run(self) -> Progress:
        if not self.waiting:
            return self.progress
        before = set(multiprocessing.active_children())
        self.executor = self.start()
        try:
            if self.timeout is not None and isinstance(self.executor, ThreadPoolExecutor):
                raise ValueError("timeout must be None with a ThreadPoolExecutor: a thread that hangs can't be killed")
            while self.waiting or self.flying:
                self._turn()
        except KeyboardInterrupt:
            self.progress.interrupted = True
        finally:
            for process in set(multiprocessing.active_children()) - before if self.flying else ():
                process.kill()  # its results are not needed
            self._shut_down()
        self.show(self.progress)
        return self.progress

    def _turn(self) -> None:
        """Submit batches, wait a little, collect results."""
        workers = self.workers
        while self.waiting and len(self.flying) < workers:
            self._submit(self._next_batch(workers))
        done, _ = wait(self.flying, timeout=0.5, return_when=FIRST_COMPLETED)
        self._collect(done)
        pending = [*self.waiting, *(task for batch in self.flying.values() for task in batch.tasks)]
        self.progress.seconds_left = self.pace.left(pending, workers)
        self.show(self.progress)

    def _next_batch(self, workers: int) -> list[Task]:
        """The next batch; a task whose worker has died before is alone."""
        share = max(1, min(BATCH, len(self.waiting) // (2 * workers)))
        batch = [self.waiting.popleft()]
        while len(batch) < share and not any(self.attempts[task.key] for task in (batch[0], self.waiting[0])):
            batch.append(self.waiting.popleft())
        return batch

    def _submit(self, tasks: list[Task]) -> None:
        try:
            future = self.executor.submit(work, tasks, self.timeout)
        except RuntimeError as error:  # also BrokenExecutor
            self.waiting.extendleft(reversed(tasks))
            self._renew(error)
        else:
            self.flying[future] = _Batch(tasks, monotonic())
            self.rejected = 0

    def _renew(self, error: RuntimeError) -> None:
        """Start another executor; the tasks of the broken one wait again."""
        self.rejected += 1
        if self.rejected == ATTEMPTS:
            raise error
        self._shut_down()
        self._collect(set(self.flying))
        self.executor = self.start()

    def _shut_down(self) -> None:
        for future in self.flying:
            future.cancel()
        self.executor.shutdown(wait=not self.flying)  # the only argument that all executors have

    def _collect(self, done: set[Future[Any]]) -> None:
        for future in done:
            batch = self.flying.pop(future)
            try:
                rows, failed, undone = future.result()
            except Exception as error:  # of the executor: a task's are caught by the worker
                self._again(batch, error)
                continue
            self.store.append(rows)
            self.pace.learn(rows)
            self.progress.done += len(rows)
            self.progress.failed += failed
            self.waiting.extendleft(reversed(undone))

    def _again(self, batch: _Batch, error: Exception) -> None:
        """Retry the tasks of a dead worker; after `ATTEMPTS` deaths they have failed."""
        seconds = monotonic() - batch.since
        limit = "" if self.timeout is None else f", where {self.timeout:g} s are allowed"
        for task in batch.tasks:
            self.attempts[task.key] += 1
            if self.attempts[task.key] < ATTEMPTS:
                self.waiting.append(task)
            else:
                why = f"its worker died {ATTEMPTS} times, the last one after {seconds:.1f} s{limit}: {error!r}"
                self.progress.failed.append((task, why))


class _Pace:
    """The duration of tasks, by group."""

    def __init__(self, rows: list[Row]) -> None:
        self.seconds: dict[str, list[float]] = {}
        self.learn(rows)

    def learn(self, rows: list[Row]) -> None:
        for row in rows:
            seconds = row.get("made", {}).get("seconds")
            if isinstance(seconds, int | float) and {"kind", "settings", "seed"} <= row.keys():
                group = group_of(row["kind"], row["settings"], row["seed"])
                self.seconds.setdefault(group, []).append(seconds)

    def left(self, tasks: list[Task], workers: int) -> float | None:
        """Estimated seconds of `tasks`; those of unknown groups count as the mean of the known ones."""
        known = [sum(s) / len(s) for task in tasks if (s := self.seconds.get(task.group))]
        return sum(known) / len(known) * len(tasks) / workers if known else None
