"""The commands `bamdp reproduce` and `bamdp export`: what is typed, and what is said at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from bamdp.config import parameters
from bamdp.config.names import UsageError
from bamdp.config.parameters import Flag
from bamdp.config.setup import readable
from bamdp.executors import ray as cluster
from bamdp.studies.store import Store, export
from bamdp.studies.sweep import Progress

STORE = Flag("store", str, "results", "folder of the results")


def reproduce(words: Sequence[str]) -> int:
    """`bamdp reproduce NAME...`; the exit code is 1 if a task failed, 130 after Ctrl-C."""
    from bamdp.studies import reproduce as module
    from bamdp.studies.experiment import SCALES
    from bamdp.studies.paper import ALL

    about = [
        "Do what a table or figure of the paper takes and the store does not have yet. It can be ended at any time; started",
        "again, it goes on. See what came out with bamdp report.",
        "\n\nnames:\n  all",
        *(f"\n  {name}: {experiment.title} ({experiment.source})" for name, experiment in ALL.items()),
        "\n\nparts of one: NAME/PANEL and NAME/PANEL/ENTRY, as in table1/grid10 and 'table1/grid10/Bayesian DP'",
        "\n\nscales:",
        *(f"\n  {name}: {text}" for name, text in SCALES.items()),
        "\n\nexample:\n  bamdp reproduce table1 --scale quick",
    ]
    known = [
        Flag("scale", str, "quick", f"how large: {', '.join(SCALES)}"),
        STORE,
        Flag("workers", int | None, None, "tasks at a time; if not given, one for each core, here or of the cluster"),
        Flag("timeout", float | None, None, "seconds that a task may take, or its process is killed and it is tried again"),
        Flag("on", str, "local", "where: local, ray (a cluster on this machine), or ray://HOST:PORT"),
    ]
    names, values = parse("bamdp reproduce NAME...", words, known, "".join([" ".join(about[:2]), *about[2:]]))
    if not names:
        raise UsageError(f"reproduce needs a name: all, {', '.join(ALL)}. See bamdp reproduce --help")
    experiments, scale = module.named(names), module.scale_of(values["scale"])
    workers, timeout = values["workers"], values["timeout"]
    with readable(), _executor(values["on"], workers) as executor:
        store = Store(values["store"])
        stages = module.reproduce(experiments, scale, store, executor=executor, workers=workers, timeout=timeout)
    return _said(stages, store)


def export_results(words: Sequence[str]) -> int:
    """`bamdp export FILE`."""
    kinds = "All stored results in one file: .csv, .parquet (extra parquet), or .jsonl.gz, a store by itself."
    about = f"{kinds}\n\nexample:\n  bamdp export rows.csv"
    names, values = parse("bamdp export FILE", words, [STORE], about)
    if len(names) != 1:
        raise UsageError("export needs one file, as in: bamdp export rows.csv")
    with readable():
        rows = export(values["store"], names[0])
    print(f"{rows} rows in {names[0]}")
    return 0


def parse(prog: str, words: Sequence[str], known: list[Flag], about: str) -> tuple[list[str], dict[str, Any]]:
    """What was typed: the names, which come first, and the values of the flags."""
    first = next((i for i, word in enumerate(words) if word.startswith("-")), len(words))
    values: dict[str, Any] = parameters.parse({"options": known}, words[first:], prog, about)["options"]
    return list(words[:first]), values


@contextmanager
def _executor(where: str, workers: int | None) -> Iterator[Callable[[], Executor] | None]:
    """What runs the tasks, from the start of the block to its end."""
    if where == "local":
        yield None
    elif where == "ray" or where.startswith("ray://"):
        with cluster.connected("local" if where == "ray" else where, workers):
            yield cluster.RayExecutor
    else:
        raise UsageError(f"--on must be local, ray or ray://HOST:PORT, got '{where}'")


def _said(stages: list[Progress], store: Store) -> int:
    failed = [failure for stage in stages for failure in stage.failed]
    for task, error in failed:
        print(f"failed: {task.kind} {dict(task.settings)}, seed {task.seed}, run {task.run}\n{error}", file=sys.stderr)
    done = sum(stage.done for stage in stages)
    stopped = stages[-1].interrupted
    print(
        f"{done} tasks done, {len(failed)} failed{', stopped: start again to go on' if stopped else ''}; rows in {store.folder}"
    )
    return 130 if stopped else 1 if failed else 0
