"""Running experiments: the tasks not yet in the store.

Settings are chosen with one set of seeds and evaluated with another, so a study has two stages: the tasks of the second are
known when the results of the first are stored. It can be stopped at any time and continues when started again.

An executor runs the tasks; by default this machine's cores do. On a cluster, from Python:

    reproduce(experiments, "paper", Store("results"), executor=make, workers=64)

    make = bamdp.executors.ray.RayExecutor                           # Ray: within `with connected(address):`
    make = dask.distributed.Client("scheduler:8786").get_executor    # dask
    make = lambda: loky.ProcessPoolExecutor(64)                      # loky
    make = lambda: mpi4py.futures.MPIPoolExecutor(64)                # MPI: mpiexec -n 65 python -m mpi4py.futures study.py

All but the first need `workers`, the number of batches in flight, as they don't tell their size. A worker needs only the same
version of bamdp.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace

from bamdp import _validation
from bamdp._optional import require
from bamdp._validation import suggestion
from bamdp.runs import engine
from bamdp.runs.engine import Progress
from bamdp.runs.store import Store
from bamdp.studies.experiment import Experiment, Scale, checked

NEEDS = {"vpi": ("scipy.special", "VPI needs SciPy", "vpi")}  # packages of agents, looked for before the first task


def reproduce(
    experiments: Sequence[Experiment],
    scale: Scale,
    store: Store,
    *,
    executor: Callable[[], Executor] | None = None,
    workers: int | None = None,
    timeout: float | None = None,
) -> list[Progress]:
    """Run the experiments to completion, stage by stage.

    Args:
        experiments: the experiments.
        scale: "smoke", "quick" or "paper"; see `bamdp.studies.experiment.SCALES`.
        store: store of the results.
        executor: function that makes any `concurrent.futures.Executor`; this machine's cores if not given.
        workers: number of batches in flight; see `bamdp.runs.engine.complete`.
        timeout: time limit of a task in seconds; see there, too.

    Raises:
        ImportError: an agent needs a package that is not installed; no task has been run.

    Returns:
        The progress of each stage; the last one has no tasks, unless some failed.

    Example:
        >>> import tempfile
        >>> from bamdp.studies.experiments import ALL
        >>> folder = tempfile.TemporaryDirectory()
        >>> stages = reproduce([ALL["lazy"]], "smoke", Store(folder.name), workers=1)
        >>> stages[0].done, stages[-1].total
        (3, 0)
        >>> folder.cleanup()
    """
    experiments = _validation.listed("experiments", experiments, Experiment)
    checked(scale)
    if not isinstance(store, Store):
        raise TypeError(f"store must be a bamdp.runs.store.Store, got {store!r}")
    stages: list[Progress] = []
    while not stages or (stages[-1].total and not stages[-1].failed and not stages[-1].interrupted):
        rows = store.rows()
        tasks = [task for experiment in experiments for task in experiment.tasks(scale, rows)]
        known = {row["key"] for row in rows}
        for agent in NEEDS.keys() & {task.settings.get("agent") for task in tasks if task.key not in known}:
            require(*NEEDS[agent])
        with engine.shown("tasks") as show:
            stages.append(engine.complete(tasks, store, executor=executor, workers=workers, timeout=timeout, show=show))
    return stages


def named(names: Sequence[str]) -> list[Experiment]:
    """The experiments with these names; `all` is all of them, `NAME/PANEL` and `NAME/PANEL/ENTRY` are parts of one.

    Example:
        >>> [part] = named(["table1/grid10/BAMCP"])
        >>> {panel: [entry.label for entry in entries] for panel, entries in part.entries.items()}
        {'grid10': ['BAMCP']}
    """
    from bamdp.studies.experiments import ALL

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
    """The known name that matches `name`, case-insensitive; the part before its colon is enough."""
    for candidate in known:
        if name.lower() in (candidate.lower(), candidate.lower().split(":")[0]):
            return candidate
    raise ValueError(f"unknown {what}: '{name}'{suggestion(name, known) or '.'} Known: {'; '.join(known)}{more}")
