"""Several runs of one agent in one domain, on threads, with live progress. Every run goes through the loop of `bamdp.run`.

Threads are enough: the native search releases Python's lock. The seeds of run i don't depend on the number of workers.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from time import monotonic
from typing import Any

import numpy as np

from bamdp import _validation
from bamdp.agent import Agent
from bamdp.domain import Domain
from bamdp.episode import EndRun, Record, Run, proceed
from bamdp.saving.archive import SavedFileError
from bamdp.saving.run_file import resume_run, save_run

PLAIN_SECONDS = 10.0  # between two lines of progress where there is no terminal
MOST_RUNS = 10**6
MOST_THREADS = 1024


@dataclass(frozen=True)
class Job:
    """What is to be run.

    Attributes:
        domain: where.
        make_agent: an agent from its seed.
        steps: of each run.
        runs: how many.
        seed: from which the seeds of all runs are derived.
        workers: how many runs at a time.
        draw: the agent and the world of a run from their seeds, where each run has a world of its own.
        save: the file that the run, one alone, is saved in when it is done or interrupted; Ctrl-C then waits for the decision
            under way.
        resume: the file of a run that is to go on.
        command: what makes agent and world, for these files: a run can go on by the same command alone.
    """

    domain: Domain
    make_agent: Callable[[int], Agent]
    steps: int
    runs: int
    seed: int
    workers: int
    draw: Callable[[int, int], tuple[Agent, Domain]] | None = None
    save: str | None = None
    resume: str | None = None
    command: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """What one run gave.

    Attributes:
        total_reward: undiscounted.
        discounted_return: each reward discounted by the steps before it.
        seconds: that the agent spent acting and learning.
        simulations: that the agent ran; None if it doesn't plan.
        episode_rewards: undiscounted sums of the episodes that ended.
        regret: what it gave away against the Bayes-optimal policy; None if nobody watched (see `bamdp.studies.regret`).
        full_searches: decisions for which the search used up its memory.
    """

    total_reward: float
    discounted_return: float
    seconds: float
    simulations: int | None
    episode_rewards: tuple[float, ...] = ()
    regret: float | None = None
    full_searches: int = 0


@dataclass
class Outcome:
    """The results of the runs that were completed, in their order, and whether Ctrl-C ended the rest."""

    results: list[Result]
    interrupted: bool


class _StoppedError(Exception):
    pass


class _Board:
    """What the workers report and the main thread shows: plain assignments, so that a step pays next to nothing."""

    def __init__(self, runs: int) -> None:
        self.stop = threading.Event()
        self.steps = [0] * runs
        self.rewards = [0.0] * runs

    def check(self) -> None:
        if self.stop.is_set():
            raise _StoppedError

    def reporter(self, index: int, gently: bool) -> Callable[[int, float], None]:
        def report(steps: int, total: float) -> None:
            self.steps[index], self.rewards[index] = steps, total
            if gently and self.stop.is_set():
                raise EndRun
            self.check()

        return report


def threads(workers: int) -> int:
    """`workers` as a number of runs at a time."""
    return _validation.positive_integer("workers", workers, MOST_THREADS)


def seeds(seed: int, index: int) -> tuple[int, int]:
    """The seeds of the agent and of the world in run `index`.

    Example:
        >>> seeds(0, 0) == seeds(0, 0), seeds(0, 0) == seeds(0, 1), seeds(0, 1) == seeds(1, 0)
        (True, False, False)
    """
    agent, world = np.random.SeedSequence([seed, index]).spawn(2)
    return int(agent.generate_state(1, np.uint64)[0]), int(world.generate_state(1, np.uint64)[0])


def play(job: Job, first: Agent | None = None) -> Outcome:
    """Do all runs; Ctrl-C ends them within a tenth of a second or so and keeps the results of those completed.

    Args:
        job: what to run.
        first: the agent of run 0, if it was made already to see whether its settings are right.
    """
    return play_all([job], first)[0]


def play_all(jobs: Sequence[Job], first: Agent | None = None) -> list[Outcome]:
    """Do all runs of several jobs side by side, with one progress bar; see `play`.

    Args:
        jobs: what to run; the number of workers is that of the first.
        first: the agent of run 0 of the first job, if it was made already.
    """
    board = _Board(sum(job.runs for job in jobs))
    numbers = count()
    with ThreadPoolExecutor(jobs[0].workers) as pool, _on_interrupt(board.stop) as was_interrupted:
        futures = [[pool.submit(_one, job, i, board, next(numbers), first) for i in range(job.runs)] for job in jobs]
        try:
            _watch([future for some in futures for future in some], sum(job.steps * job.runs for job in jobs), board)
        finally:
            board.stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
    return [Outcome(_completed(some), was_interrupted()) for some in futures]


def _one(job: Job, index: int, board: _Board, number: int, first: Agent | None) -> Result:
    board.check()
    agent_seed, world_seed = seeds(job.seed, index)
    domain = job.domain
    if job.draw is not None:
        agent, domain = job.draw(agent_seed, world_seed)
    else:
        agent = first if first is not None and number == 0 else job.make_agent(agent_seed)
    if hasattr(agent, "on_tick") and job.save is None:
        agent.on_tick = board.check
    record = _record(job, Run(agent, domain, world_seed), board.reporter(number, gently=job.save is not None))
    if len(record.rewards) < job.steps:
        raise _StoppedError
    return Result(
        record.total_reward,
        record.discounted_return,
        record.seconds,
        getattr(agent, "simulations_done", None),
        tuple(record.episode_rewards.tolist()),
        getattr(agent, "regret", None),
        getattr(agent, "full_searches", 0),
    )


def _record(job: Job, course: Run, on_step: Callable[[int, float], None]) -> Record:
    before = None if job.resume is None else Record.of(resume_run(job.resume, job.command, course), course)
    if before is not None and len(before.rewards) > job.steps:
        raise SavedFileError(f"steps must be at least the {len(before.rewards)} that {job.resume} has, got {job.steps}")
    record = proceed(course, job.steps, on_step, before)
    if job.save is not None:
        save_run(job.save, job.command, course, record)
    return record


def _completed(futures: list[Future[Result]]) -> list[Result]:
    results = []
    for future in futures:
        error = None if future.cancelled() else future.exception()
        if error is not None and not isinstance(error, _StoppedError):
            raise error
        if error is None and not future.cancelled():
            results.append(future.result())
    return results


def _watch(futures: list[Future[Result]], total: int, board: _Board) -> None:
    """Show progress until all runs are done, one has failed or Ctrl-C was pressed."""
    with _progress(total) as show:
        while not board.stop.is_set():
            done, pending = wait(futures, timeout=0.1, return_when=FIRST_EXCEPTION)
            show(sum(board.steps), sum(board.rewards))
            if not pending or any(future.exception() for future in done):
                return


@contextmanager
def _on_interrupt(stop: threading.Event) -> Iterator[Callable[[], bool]]:
    """Ctrl-C sets `stop` instead of raising in the middle of something; a second one raises as usual."""
    interrupted = threading.Event()
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell script
        yield interrupted.is_set
        return

    def handle(number: int, frame: Any) -> None:
        interrupted.set()
        stop.set()
        signal.signal(signal.SIGINT, previous)

    previous = signal.signal(signal.SIGINT, handle)
    try:
        yield interrupted.is_set
    finally:
        signal.signal(signal.SIGINT, previous)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int, float], None]]:
    if sys.stderr.isatty():
        with _bar(total) as show:
            yield show
    else:
        yield _lines(total)


@contextmanager
def _bar(total: int) -> Iterator[Callable[[int, float], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("steps · reward {task.fields[reward]:.6g} · {task.fields[speed]:.3g} steps/s ·"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    started = monotonic()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=total, reward=0.0, speed=0.0)

        def show(steps: int, reward: float) -> None:
            progress.update(task, completed=steps, reward=reward, speed=steps / (monotonic() - started))

        yield show


def _lines(total: int) -> Callable[[int, float], None]:
    started = last = monotonic()

    def show(steps: int, reward: float) -> None:
        nonlocal last
        if monotonic() - last < PLAIN_SECONDS or steps == 0:
            return
        last = monotonic()
        left = (last - started) * (total - steps) / steps
        print(f"{steps}/{total} steps, reward {reward:.6g}, {left:.0f} s left", file=sys.stderr, flush=True)

    return show
