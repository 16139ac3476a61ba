"""The command `python -m reproduction NAME...`: tables and figures of the paper."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from shlex import quote
from typing import TYPE_CHECKING, Any

from bamdp.cli import Usage
from bamdp.cli.parser import UsageError, command, user_errors
from bamdp.config.parameters import Parameter
from reproduction.cli import PROGRAM, STORE

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from bamdp.comparing.store import Store
    from reproduction.engine import Sweep

FLAGS = [
    Parameter("scale", str, "quick", "size of the experiments: smoke, quick or paper"),
    STORE,
    Parameter(
        "workers", int | None, None, "number of tasks at the same time; one per core if not given"
    ),
    Parameter(
        "dry_run",
        bool,
        False,
        "only say how many tasks are done and missing, and how long these may take",
    ),
    Parameter(
        "on",
        str,
        "local",
        "where to run: local, ray (a new Ray cluster on this machine), or ray://HOST:PORT",
    ),
]


@command(
    FLAGS,
    usage=Usage(PROGRAM, "NAME...", "run the experiments behind a table or figure of the paper"),
    about=(
        "Run the experiments behind a table or figure of the paper. Finished tasks are stored: "
        "stop it at any time, start it "
        "again, and it continues. To see the results, use `report`."
    ),
    example=f"{PROGRAM} table1 --scale quick",
    notes=lambda: _names(),
)
def run_experiments(words: list[str], values: dict[str, Any]) -> int:
    """Run what is missing; the exit code is 1 if a task failed, 130 after Ctrl-C."""
    from bamdp.comparing.engine import threads
    from bamdp.comparing.store import Store
    from bamdp.executors import cores
    from reproduction.experiment import checked
    from reproduction.experiments import named
    from reproduction.reproduce import forecast, reproduce, summary

    workers = values["workers"]
    with user_errors():
        experiments, scale, store = named(words), checked(values["scale"]), Store(values["store"])
        if values["dry_run"]:
            print(
                forecast(
                    experiments,
                    scale,
                    store.rows(),
                    cores() if workers is None else threads(workers),
                )
            )
            return 0
        with _executor(values["on"], workers) as executor:
            stages = reproduce(experiments, scale, store, executor=executor, workers=workers)
    print(summary(experiments, scale, store.rows()), end="\n\n")
    return _report(stages, store, scale)


def _names() -> str:
    """All experiments and scales."""
    from reproduction.experiment import SCALES
    from reproduction.experiments import ALL

    listed = [
        "names:",
        "  all",
        *(f"  {name}: {study.title} ({study.source})" for name, study in ALL.items()),
    ]
    part = (
        "A part of an experiment is NAME/PANEL or NAME/PANEL/ENTRY, as table1/grid10 and "
        "'table1/grid10/Bayesian DP'."
    )
    return "\n".join(
        [*listed, part, "", "scales:", *(f"  {name}: {text}" for name, text in SCALES.items())]
    )


@contextmanager
def _executor(where: str, workers: int | None) -> Iterator[Callable[[], Executor] | None]:
    """What runs the tasks, from the start of the block to its end."""
    from bamdp import executors as cluster
    from reproduction.executors import RayExecutor

    if where == "local":
        yield None
    elif where == "ray" or where.startswith("ray://"):
        with cluster.connected("local" if where == "ray" else where, workers):
            yield RayExecutor
    else:
        raise UsageError(f"--on must be local, ray or ray://HOST:PORT, got '{where}'")


def _report(stages: list[Sweep], store: Store, scale: str) -> int:
    failed = [failure for stage in stages for failure in stage.failed]
    for task, error in failed:
        print(
            f"failed: {task.kind} {dict(task.settings)}, seed {task.seed}, run {task.run}\n{error}",
            file=sys.stderr,
        )
    done, stopped = sum(stage.done for stage in stages), stages[-1].interrupted
    hint = ", stopped: start again to continue" if stopped else ""
    print(f"{done} tasks done, {len(failed)} failed{hint}; rows in {store.folder}")
    show = " --scale smoke" if scale == "smoke" else ""
    print(f"To see the results: {PROGRAM} report --store {quote(str(store.folder))}{show}")
    return 130 if stopped else 1 if failed else 0
