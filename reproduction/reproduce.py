"""Running experiments: the tasks not yet in the store.

Settings are chosen with one set of seeds and evaluated with another, so a study has two stages: the
tasks of the second are known when the results of the first are stored. It can be stopped at any
time and continues when started again.

An executor runs the tasks; by default this machine's cores do. On a cluster, from Python:

    reproduce(experiments, "paper", Store("results"), executor=make, workers=64)

    # Ray: within `with connected(address):`
    make = reproduction.executors.RayExecutor
    make = dask.distributed.Client("scheduler:8786").get_executor    # dask
    make = lambda: loky.ProcessPoolExecutor(64)                      # loky
    # MPI: mpiexec -n 65 python -m mpi4py.futures study.py
    make = lambda: mpi4py.futures.MPIPoolExecutor(64)

All but the first need `workers`, the number of batches in flight, as they don't tell their size. A
worker needs only the same version of bamdp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor

from bamdp import validation
from bamdp.comparing.rows import Row, measured
from bamdp.comparing.store import Store
from bamdp.progress import rounded
from bamdp.result import align
from bamdp.validation import require
from reproduction import engine
from reproduction.durations import DurationEstimate
from reproduction.engine import Sweep
from reproduction.experiment import Entry, Experiment, Scale, checked
from reproduction.query import Query

NEEDS = {
    "vpi": ("scipy.special", "VPI needs SciPy", "vpi")
}  # packages of agents, looked for before the first task


def reproduce(
    experiments: Sequence[Experiment],
    scale: Scale,
    store: Store,
    *,
    executor: Callable[[], Executor] | None = None,
    workers: int | None = None,
) -> list[Sweep]:
    """Run the experiments to completion, stage by stage.

    Args:
        experiments: the experiments.
        scale: "smoke", "quick" or "paper"; see `reproduction.experiment.SCALES`.
        store: store of the results.
        executor: function that makes any `concurrent.futures.Executor`; this machine's cores if not
            given.
        workers: number of batches in flight; see `reproduction.engine.complete`.

    Raises:
        ImportError: an agent needs a package that is not installed; no task has been run.

    Returns:
        The progress of each stage; the last one has no tasks, unless some failed.

    Example:
        >>> import tempfile
        >>> from reproduction.experiments import ALL
        >>> folder = tempfile.TemporaryDirectory()
        >>> stages = reproduce([ALL["lazy"]], "smoke", Store(folder.name), workers=1)
        >>> stages[0].done, stages[-1].total
        (3, 0)
        >>> folder.cleanup()
    """
    experiments = validation.listed("experiments", experiments, Experiment)
    checked(scale)
    if not isinstance(store, Store):
        raise TypeError(f"store must be a bamdp.comparing.store.Store, got {store!r}")
    stages: list[Sweep] = []
    while not stages or (stages[-1].total and not stages[-1].failed and not stages[-1].interrupted):
        rows = store.rows()
        tasks = [task for experiment in experiments for task in experiment.tasks(scale, rows)]
        known = {row["key"] for row in rows}
        for agent in NEEDS.keys() & {
            task.settings.get("agent") for task in tasks if task.key not in known
        }:
            require(*NEEDS[agent])
        with engine.progress_bar() as show:
            stages.append(
                engine.complete(tasks, store, executor=executor, workers=workers, show=show)
            )
    return stages


def summary(experiments: Sequence[Experiment], scale: Scale, rows: Sequence[Row]) -> str:
    """What the rows say, as text: of each entry its best setting or, where none is chosen, all of
    them.
    """
    query, parts = Query(rows, (scale,)), []
    for experiment in experiments:
        lines = [
            [", ".join(filter(None, (panel, entry.label))), *texts]
            for panel, entries in experiment.entries.items()
            for entry in entries
            for texts in _results(query, experiment, panel, entry)
        ]
        heads = ["", "setting", "result", "runs", "published"]
        shown = [i for i in range(len(heads)) if any(line[i] for line in lines)]
        table = (
            align([[line[i] for i in shown] for line in [heads, *lines]])
            if lines
            else ["nothing yet"]
        )
        parts.append(
            "\n".join([f"{experiment.name}, {experiment.title}, at scale {scale}:", *table])
        )
    return "\n\n".join(parts)


def _results(query: Query, experiment: Experiment, panel: str, entry: Entry) -> list[list[str]]:
    best = query.best(experiment, panel, entry.label) if experiment.final else None
    measurements = (
        [best]
        if best
        else []
        if experiment.final
        else query.measurements(experiment, panel, entry.label)
    )
    shown = entry.published if query.scales != ("smoke",) else None  # whose runs are cut short
    published = "{:g} ± {:g}".format(*shown) if shown else ""
    varied = {name for grid in entry.grid for name in grid}
    lines = []
    for m in measurements:
        numeric = [
            name for name, value in measured(m.result).items() if isinstance(value, int | float)
        ]
        names = [entry.measure] if entry.measure in m.result else numeric
        setting = ", ".join(
            f"{name}={value}" for name, value in m.settings.items() if name in varied
        )
        text = ", ".join(f"{name.replace('_', ' ')} {m.mean(name)}" for name in names)
        lines.append([setting, text, str(m.runs), published])
    return lines or [["", "not finished", "", published]]


def forecast(
    experiments: Sequence[Experiment], scale: Scale, rows: Sequence[Row], workers: int
) -> str:
    """How many tasks are done and missing, and how long these may take, by the seconds of similar
    tasks, as text.
    """
    known, durations = {row["key"] for row in rows}, DurationEstimate(rows)
    tasks = {experiment.name: experiment.tasks(scale, rows) for experiment in experiments}
    if len(tasks) > 1:
        tasks["all"] = list({task.key: task for some in tasks.values() for task in some}.values())
    lines = [["", "done", "missing", "time"]]
    for name, wanted in tasks.items():
        missing = [task for task in wanted if task.key not in known]
        seconds = [durations.seconds(task) for task in missing]
        sure = [s for s in seconds if s is not None]
        at_least = "at least " if len(sure) < len(seconds) else ""
        time = f"{at_least}{rounded(sum(sure) / workers)}" if sure else "unknown" if missing else ""
        lines.append([name, str(len(wanted) - len(missing)), str(len(missing)), time])
    notes = [
        f"Time: on {workers} cores, by similar tasks. Runs of the best settings are listed once "
        "these are known."
    ]
    return "\n".join([*align(lines), *notes])
