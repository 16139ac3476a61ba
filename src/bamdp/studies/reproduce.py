"""`bamdp reproduce NAME`: do what an experiment takes and the store does not have yet, and say what came out.

Settings are chosen by one set of seeds and judged by another, so a study has two stages: what the second takes is known
when the first is stored. The command can be ended at any time; started again, it goes on.

Where the tasks run is up to an executor; this machine's cores are the default. On a cluster, from Python:

    reproduce(experiments, "paper", Store("results"), executor=make, workers=64)

    make = bamdp.executors.ray.RayExecutor                           # Ray: within `with connected(address):`
    make = dask.distributed.Client("scheduler:8786").get_executor    # dask
    make = lambda: loky.ProcessPoolExecutor(64)                      # loky
    make = lambda: mpi4py.futures.MPIPoolExecutor(64)                # MPI: mpiexec -n 65 python -m mpi4py.futures study.py

All but the first need `workers`, the number of batches in flight: nobody else tells how many fit. A worker needs nothing
but the same version of bamdp.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from time import monotonic

from bamdp import _validation
from bamdp.config.names import UsageError
from bamdp.studies import sweep
from bamdp.studies.experiment import SCALES, Experiment, Scale, checked
from bamdp.studies.store import Store
from bamdp.studies.sweep import Progress

PLAIN_SECONDS = 10.0  # between two lines of progress where there is no terminal


def reproduce(
    experiments: Sequence[Experiment],
    scale: Scale,
    store: Store,
    *,
    executor: Callable[[], Executor] | None = None,
    workers: int | None = None,
    timeout: float | None = None,
) -> list[Progress]:
    """Complete the experiments, stage by stage; each stage's progress, the last one with nothing left to do unless it failed.

    Args:
        experiments: what is wanted.
        scale: how large.
        store: where results are, and go.
        executor: what runs the tasks: any `concurrent.futures.Executor`, made by a function; this machine's cores if not given.
        workers: tasks at a time; see `bamdp.studies.sweep.complete`.
        timeout: seconds that a task may take; see there, too.

    Example:
        >>> import tempfile
        >>> from bamdp.studies.paper import ALL
        >>> folder = tempfile.TemporaryDirectory()
        >>> stages = reproduce([ALL["lazy"]], "smoke", Store(folder.name), workers=1)
        >>> stages[0].done, stages[-1].total
        (3, 0)
        >>> folder.cleanup()
    """
    experiments = _validation.listed("experiments", experiments, Experiment)
    checked(scale)
    if not isinstance(store, Store):
        raise TypeError(f"store must be a bamdp.studies.store.Store, got {store!r}")
    stages: list[Progress] = []
    while not stages or (stages[-1].total and not stages[-1].failed and not stages[-1].interrupted):
        rows = store.rows()
        tasks = [task for experiment in experiments for task in experiment.tasks(scale, rows)]
        with _progress() as show:
            stages.append(sweep.complete(tasks, store, executor=executor, workers=workers, timeout=timeout, show=show))
    return stages


def named(names: Sequence[str]) -> list[Experiment]:
    """The experiments of these names; `all` is all of them, `NAME/PANEL` and `NAME/PANEL/ENTRY` are parts of one.

    Example:
        >>> [part] = named(["table1/grid10/BAMCP"])
        >>> {panel: [entry.label for entry in entries] for panel, entries in part.entries.items()}
        {'grid10': ['BAMCP']}
    """
    from bamdp.studies.paper import ALL

    if "all" in names:
        return list(ALL.values())
    return [_part(ALL, *name.split("/", 2)) for name in names]


def _part(known: Mapping[str, Experiment], name: str, *inside: str) -> Experiment:
    experiment = known[_one_of("experiment", name, tuple(known), " or all")]
    if not inside:
        return experiment
    panel = _one_of(f"part of {name}", inside[0], tuple(experiment.entries))
    entries = {entry.label: entry for entry in experiment.entries[panel]}
    labels = [_one_of(f"entry of {name}/{panel}", label, tuple(entries)) for label in inside[1:]]
    return replace(experiment, entries={panel: tuple(entries[label] for label in labels or entries)})


def _one_of(what: str, name: str, known: Sequence[str], more: str = "") -> str:
    """The known name that is meant: `name`, in whatever case, or the one that begins with it and a colon."""
    for candidate in known:
        if name.lower() in (candidate.lower(), candidate.lower().split(":")[0]):
            return candidate
    raise UsageError(f"unknown {what}: '{name}'. Known: {'; '.join(known)}{more}")


def scale_of(name: str) -> Scale:
    """The scale of this name."""
    for scale in SCALES:
        if scale == name:
            return scale
    raise UsageError(f"unknown scale '{name}'. Known: {', '.join(SCALES)}")


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None]]:
    if sys.stderr.isatty():
        with _bar() as show:
            yield show
    else:
        yield _lines()


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("tasks ·"),
        TimeElapsedColumn(),
        TextColumn("· {task.fields[left]}"),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, left="")

        def show(progress: Progress) -> None:
            bar.update(task, total=progress.total, completed=progress.done, left=_left(progress))

        yield show


def _lines() -> Callable[[Progress], None]:
    last = monotonic()

    def show(progress: Progress) -> None:
        nonlocal last
        if monotonic() - last >= PLAIN_SECONDS:
            last = monotonic()
            print(f"{progress.done}/{progress.total} tasks, {_left(progress)}", file=sys.stderr, flush=True)

    return show


def _left(progress: Progress) -> str:
    failed = f"{len(progress.failed)} failed, " if progress.failed else ""
    if progress.seconds_left is None:
        return f"{failed}time left unknown"
    minutes, seconds = divmod(round(progress.seconds_left), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{failed}about {f'{hours} h {minutes:02} min' if hours else f'{minutes} min {seconds:02} s'} left"
