"""Several runs of one agent in one domain, on threads, with live progress. Every run goes through the loop of `bamdp.run`.

Threads are enough: the native search releases Python's lock. The seeds of run i don't depend on the number of workers.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from bamdp import _validation, statistics
from bamdp._progress import progress
from bamdp.agent import Agent
from bamdp.domain import Domain
from bamdp.runs.loop import EndRun, Record, Run, proceed, seeds
from bamdp.saving.archive import SavedFileError
from bamdp.saving.run_file import resume_run, save_run

MOST_RUNS = 10**6
MOST_THREADS = 1024


@dataclass(frozen=True)
class Job:
    """Several runs of one agent in one domain.

    Attributes:
        domain: the domain.
        make_agent: makes an agent from its seed.
        steps: number of steps of each run.
        runs: number of runs.
        seed: the seeds of all runs are derived from it.
        workers: number of runs at a time.
        draw: makes the agent and the world of a run from their seeds, where each run has its own world.
        save: a file for the run, which must be the only one, when it is done or interrupted; Ctrl-C then waits for the decision
            under way.
        resume: the file of a saved run to continue.
        command: what makes agent and domain, for these files: a run continues only by the same command.
        first: number of the first run, which its seeds are derived from.
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
    first: int = 0


@dataclass(frozen=True)
class Result:
    """The result of one run.

    Attributes:
        total_reward: sum of rewards, undiscounted.
        discounted_return: sum of rewards, each discounted by the steps before it.
        seconds: time that the agent spent acting and learning.
        simulations: number of the agent's simulations; None if it doesn't plan.
        episode_rewards: undiscounted sums of rewards of the episodes that ended.
        regret: against the Bayes-optimal policy; None if it wasn't measured (see `bamdp.studies.regret`).
        full_searches: number of decisions for which the search used up its memory.
        run: number of the run.
    """

    total_reward: float
    discounted_return: float
    seconds: float
    simulations: int | None
    episode_rewards: tuple[float, ...] = ()
    regret: float | None = None
    full_searches: int = 0
    run: int = 0

    @classmethod
    def of(cls, record: Record, agent: Agent, run: int = 0) -> Result:
        """The result of the run with this record."""
        return cls(
            record.total_reward,
            record.discounted_return,
            record.seconds,
            getattr(agent, "simulations_done", None),
            tuple(record.episode_rewards.tolist()),
            getattr(agent, "regret", None),
            getattr(agent, "full_searches", 0),
            run,
        )


class Unfinished(NamedTuple):
    """A run that Ctrl-C ended: its number, the steps done and what they earned."""

    run: int
    steps: int
    total_reward: float


@dataclass(frozen=True)
class Results:
    """The results of the completed runs of a job, in their order, whether Ctrl-C ended the rest, and what those had earned.

    Means over runs are None if no run was completed; `simulations_per_second` also if the agent doesn't plan.
    """

    job: Job
    results: list[Result]
    interrupted: bool = False
    unfinished: list[Unfinished] = field(default_factory=list)

    @property
    def episodes(self) -> int:
        """Number of episodes that ended, over all runs."""
        return sum(len(result.episode_rewards) for result in self.results)

    @property
    def return_per_episode(self) -> statistics.Mean | None:
        """Mean return of the episodes that ended, with an interval from the differences between runs; None if none ended."""
        if not self.episodes:
            return None
        returns = [result.episode_rewards for result in self.results]
        mean = statistics.ratio([sum(some) for some in returns], [float(len(some)) for some in returns])
        return mean if mean.half else statistics.Mean(mean.value, None, None)  # one of width zero would claim certainty

    @property
    def success_rate(self) -> float | None:
        """Share of the episodes that paid 1, where each paid 0 or 1 in all; else None."""
        returns = {reward for result in self.results for reward in result.episode_rewards}
        mean = self.return_per_episode
        return mean.value if mean is not None and returns <= {0.0, 1.0} else None

    @property
    def total_rewards(self) -> list[float]:
        return [result.total_reward for result in self.results]

    @property
    def mean(self) -> statistics.Mean | None:
        return statistics.mean(self.total_rewards) if self.results else None

    @property
    def seconds_per_step(self) -> float | None:
        return sum(r.seconds for r in self.results) / (self.job.steps * len(self.results)) if self.results else None

    @property
    def simulations_per_second(self) -> float | None:
        seconds = sum(r.seconds for r in self.results)
        simulations = [r.simulations for r in self.results if r.simulations is not None]
        return sum(simulations) / seconds if simulations and seconds > 0 else None


class _StoppedError(Exception):
    pass


class _Board:
    """What the workers report and the main thread shows: plain assignments, so that a step costs next to nothing."""

    def __init__(self, runs: int) -> None:
        self.stop = threading.Event()
        self.steps = [0] * runs
        self.rewards = [0.0] * runs

    def check(self) -> None:
        if self.stop.is_set():
            raise _StoppedError

    def reporter(self, index: int, save: bool) -> Callable[[int, float], None]:
        def report(steps: int, total: float) -> None:
            self.steps[index], self.rewards[index] = steps, total
            if save and self.stop.is_set():
                raise EndRun
            self.check()

        return report


def threads(workers: int) -> int:
    """`workers`, if it is a number of runs at a time."""
    return _validation.positive_integer("workers", workers, MOST_THREADS)


def play(job: Job, first: Agent | None = None) -> Results:
    """Do all runs of a job; Ctrl-C ends them within a tenth of a second or so and keeps the results of those completed.

    Args:
        job: what to run.
        first: the agent of run 0, if it was made already to check its settings.
    """
    return play_all([job], first)[0]


def play_all(jobs: Sequence[Job], first: Agent | None = None) -> list[Results]:
    """Do all runs of several jobs in parallel, with one progress bar; see `play`.

    Args:
        jobs: what to run; the number of workers is that of the first.
        first: the agent of run 0 of the first job, if it was made already.
    """
    board = _Board(sum(job.runs for job in jobs))
    numbers = count()
    with ThreadPoolExecutor(jobs[0].workers) as pool, _on_interrupt(board.stop) as was_interrupted:
        futures: list[list[Future[Result]]] = [[] for _ in jobs]
        for i in range(max(job.runs for job in jobs)):  # run by run, so that after Ctrl-C all jobs have about as many
            for job, some in zip(jobs, futures, strict=True):
                if i < job.runs:
                    some.append(pool.submit(_one, job, i, board, next(numbers), first))
        try:
            _watch([future for some in futures for future in some], sum(job.steps * job.runs for job in jobs), board)
        finally:
            board.stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
    return [_results(job, some, was_interrupted()) for job, some in zip(jobs, futures, strict=True)]


def _one(job: Job, index: int, board: _Board, number: int, first: Agent | None) -> Result:
    board.check()
    agent_seed, world_seed = seeds(job.seed, job.first + index)
    domain = job.domain
    if job.draw is not None:
        agent, domain = job.draw(agent_seed, world_seed)
    else:
        agent = first if first is not None and number == 0 else job.make_agent(agent_seed)
    if hasattr(agent, "on_tick") and job.save is None:
        agent.on_tick = board.check
    try:
        record = _record(job, Run(agent, domain, world_seed), board.reporter(number, save=job.save is not None))
        if len(record.rewards) < job.steps:
            raise _StoppedError
    except _StoppedError:
        raise _StoppedError(Unfinished(job.first + index, board.steps[number], board.rewards[number])) from None
    return Result.of(record, agent, job.first + index)


def _record(job: Job, run: Run, on_step: Callable[[int, float], None]) -> Record:
    before = None if job.resume is None else Record.of(resume_run(job.resume, job.command, run), run)
    if before is not None and len(before.rewards) > job.steps:
        raise SavedFileError(f"steps must be at least the {len(before.rewards)} that {job.resume} has, got {job.steps}")
    record = proceed(run, job.steps, on_step, before)
    if job.save is not None:
        save_run(job.save, job.command, run, record)
    return record


def _results(job: Job, futures: list[Future[Result]], interrupted: bool) -> Results:
    """What was completed, and what was under way when it was stopped."""
    results, unfinished = [], []
    for future in futures:
        error = None if future.cancelled() else future.exception()
        if isinstance(error, _StoppedError):
            unfinished += [run for run in error.args if run.steps]
        elif error is not None:
            raise error
        elif not future.cancelled():
            results.append(future.result())
    return Results(job, results, interrupted, unfinished)


def _watch(futures: list[Future[Result]], total: int, board: _Board) -> None:
    """Show progress until all runs are done, one has failed or Ctrl-C was pressed."""
    with progress("steps") as show:
        while not board.stop.is_set():
            done, pending = wait(futures, timeout=0.1, return_when=FIRST_EXCEPTION)
            show(f"reward {statistics.digits(sum(board.rewards))}", sum(board.steps), total)
            if not pending or any(future.exception() for future in done):
                return


@contextmanager
def _on_interrupt(stop: threading.Event) -> Iterator[Callable[[], bool]]:
    """Ctrl-C sets `stop` instead of raising in the middle of something; a second one raises as usual."""
    interrupted = threading.Event()
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # ignored in the background of a shell script
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
