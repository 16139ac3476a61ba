"""The engine of runs: what `bamdp.compare`, `bamdp tune`, `bamdp play` and `bamdp regret` do at the
same time, on threads or on processes of this machine.

Native searches release Python's lock, and threads do. Agents that hold it, those in Python, share
one core on threads; they run on processes where everything can be sent there. With a store, runs
that it has are not done again, and each row is stored when it arrives. The engine knows nothing of
agents: a `Job` does its own run (`bamdp.comparing.planned`).
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, NamedTuple

from bamdp import statistics, validation
from bamdp.comparing.rows import Row
from bamdp.comparing.store import Store
from bamdp.comparing.table import Table
from bamdp.executors import ProcessPool, cores
from bamdp.progress import progress

BATCH = 64  # runs at most
BATCH_SECONDS = 5.0  # after which a worker starts no new run
TURN, SHOW = 0.1, 0.5  # seconds between two looks at Ctrl-C, and between two reports
MOST_THREADS = 1024

Show = Callable[["Progress"], None]


class RunError(RuntimeError):
    """A run failed; the message says which, and `__cause__` is the error of the agent or world."""


class StoppedError(Exception):
    """Ctrl-C, or the failure of another run, ended the run."""


class Job(ABC):
    """What the engine does: one run, a pure function of what is in its key.

    Attributes:
        steps: steps of the run.
        key: what tells it from other runs, in a store too.
    """

    steps: int
    key: str

    @abstractmethod
    def perform(self, board: SharedProgress) -> Row:
        """Do the run and return its row, reporting its steps; a `RunError` if it fails."""


class Unfinished(NamedTuple):
    """A run that Ctrl-C ended: its number, the steps done and what they earned."""

    run: int
    steps: int
    total_reward: float


class SharedProgress:
    """What threads report and the engine shows: plain assignments, so that a step costs next to
    nothing.
    """

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.unfinished: dict[str, Unfinished] = {}

    def check(self) -> None:
        """Raise if it is time to stop."""
        if self.stop.is_set():
            raise StoppedError


@dataclass
class Progress:
    """How far the engine is, and what it gave in the end.

    Attributes:
        total: number of runs that were not in the store at the start.
        done: number of runs finished since.
        interrupted: whether Ctrl-C ended it.
        rows: rows of the runs that are done, those of the store too, by key.
        unfinished: the runs under way when it was interrupted, by key; on threads only.
        steps: steps done on threads, and the steps of all runs; 0, 0 on processes.
        reward: what these steps have earned.
    """

    total: int
    done: int = 0
    interrupted: bool = False
    rows: dict[str, Row] = field(default_factory=dict)
    unfinished: dict[str, Unfinished] = field(default_factory=dict)
    steps: tuple[int, int] = (0, 0)
    reward: float = 0.0

    def table(self, runs: Iterable[Job]) -> Table:
        """The rows of those of `runs` that are done, in their order."""
        keys = [run.key for run in runs]
        rows = [self.rows[key] for key in keys if key in self.rows]
        unfinished = [self.unfinished[key] for key in keys if key in self.unfinished]
        return Table(rows, self.interrupted, unfinished)


@contextmanager
def progress_bar(unit: str) -> Iterator[Show]:
    """A progress bar for the engine, in steps on threads or runs on processes."""
    with progress(unit) as bar:

        def show(stage: Progress) -> None:
            if unit == "steps":
                bar(f"reward {statistics.digits(stage.reward)}", *stage.steps)
            else:
                bar("", stage.done, stage.total)

        yield show


def threads(workers: int) -> int:
    """`workers`, if it is a number of runs at a time."""
    return validation.positive_integer("workers", workers, MOST_THREADS)


def is_portable(value: Any) -> bool:
    """Whether another process can make `value`: it can be pickled, and is not of the user's script,
    which the other process doesn't run.
    """
    try:
        return b"__main__" not in pickle.dumps(value)
    except Exception:  # whatever an object of the user raises
        return False


def complete(
    runs: Iterable[Job],
    store: Store | None = None,
    *,
    processes: bool = False,
    workers: int | None = None,
    show: Show = lambda progress: None,
) -> Progress:
    """Do those of `runs` that are not in the store.

    Ctrl-C ends it at once, with the runs that are done. The first error ends it, too: a `RunError`
    where a run fails, else that of making its agent and world.

    Args:
        runs: the runs.
        store: keeps the rows; runs with a row in it are not done again.
        processes: whether to work on processes, for runs that are portable, instead of threads.
        workers: number of runs at a time; one for each core if not given.
        show: called about twice a second and at the end, to show the progress.

    Example:
        >>> import bamdp
        >>> from bamdp.comparing.planned import plays
        >>> chain = bamdp.domains.Chain()
        >>> runs = plays(chain, lambda seed: bamdp.agents.Random(chain.problem(), seed=seed), 9, 3)
        >>> [row["run"] for row in complete(runs, workers=1).table(runs).rows]
        [0, 1, 2]
    """
    if store is not None and not isinstance(store, Store):
        raise TypeError(f"store must be a Store of bamdp.comparing.store or None, got {store!r}")
    planned = {run.key: run for run in validation.listed("runs", runs, Job)}
    workers = cores() if workers is None else threads(workers)
    with store or nullcontext():
        stored = [] if store is None else store.rows()
        known = {row["key"]: row for row in stored if row["key"] in planned}
        missing = [run for key, run in planned.items() if key not in known]
        stage = Progress(len(missing), rows=known)
        if missing:
            _work(missing, stage, store, processes, workers, show)
    return stage


def _work(
    missing: Sequence[Job],
    stage: Progress,
    store: Store | None,
    processes: bool,
    workers: int,
    show: Show,
) -> None:
    board = SharedProgress()
    executor: Executor = ProcessPool(workers) if processes else ThreadPoolExecutor(workers)
    waiting, in_flight = deque(missing), set[Future[Any]]()
    all_steps, next_show = sum(run.steps for run in missing), 0.0

    def collect(done: Iterable[Future[Any]]) -> None:
        for future in done:
            in_flight.discard(future)
            rows, undone = future.result()
            if store is not None:
                store.append(rows)
            stage.rows |= {row["key"]: row for row in rows}
            stage.done += len(rows)
            waiting.extendleft(reversed(undone))

    before = set(multiprocessing.active_children())
    with interruptible(board.stop) as interrupted:
        try:
            while (waiting or in_flight) and not board.stop.is_set():
                while waiting and len(in_flight) < workers:
                    batch = _next_batch(waiting, workers)
                    in_flight.add(executor.submit(run_batch, batch, None if processes else board))
                collect(wait(in_flight, timeout=TURN, return_when=FIRST_COMPLETED).done)
                if monotonic() >= next_show:
                    next_show = monotonic() + SHOW
                    _note_steps(stage, board, all_steps)
                    show(stage)
            if not processes:
                collect(wait(in_flight).done)  # what threads have done before they stopped
        except BrokenProcessPool as error:
            raise RunError("a worker process died: was it killed, or out of memory?") from error
        finally:
            board.stop.set()
            stage.interrupted = interrupted.is_set()
            if processes and in_flight:
                for process in set(multiprocessing.active_children()) - before:
                    process.kill()  # its results are not needed
            executor.shutdown(wait=True, cancel_futures=True)
    _note_steps(stage, board, all_steps)
    stage.unfinished = {
        key: run for key, run in board.unfinished.items() if run.steps and key not in stage.rows
    }
    show(stage)


def _note_steps(stage: Progress, board: SharedProgress, all_steps: int) -> None:
    under_way = list(board.unfinished.values())
    stage.steps = sum(run.steps for run in under_way), all_steps
    stage.reward = sum(run.total_reward for run in under_way)


def _next_batch(waiting: deque[Job], workers: int) -> list[Job]:
    """Short runs travel together, so that they take few messages."""
    count = max(1, min(BATCH, len(waiting) // (2 * workers)))
    return [waiting.popleft() for _ in range(count)]


def run_batch(
    runs: Sequence[Job], board: SharedProgress | None = None
) -> tuple[list[Row], list[Job]]:
    """The rows of the runs that are done, and the runs that are not: after some seconds no other
    one is started.
    """
    board, rows, started = board or SharedProgress(), list[Row](), monotonic()
    for i, run in enumerate(runs):
        if i and monotonic() - started > BATCH_SECONDS:
            return rows, list(runs[i:])
        try:
            rows.append(run.perform(board))
        except StoppedError:
            return rows, list(runs[i:])
    return rows, []


@contextmanager
def interruptible(stop: threading.Event) -> Iterator[threading.Event]:
    """Ctrl-C sets `stop`, and what this gives, instead of raising in the middle of something; a
    second one raises as usual.
    """
    interrupted = threading.Event()
    in_main = threading.current_thread() is threading.main_thread()
    if (
        not in_main or signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    ):  # ignored in the background of a shell script
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
