"""The function that a worker runs for a batch of tasks, on any machine."""

from __future__ import annotations

import json
import platform
import subprocess
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

from bamdp.runs.store import Row
from bamdp.runs.task import SETTING, Board, LocalTask, StoppedError, Task

PATIENCE = 5.0  # seconds after which a worker starts no new task


AnyTask = Task | LocalTask
Worked = tuple[list[Row], list[tuple[AnyTask, str]], list[AnyTask]]


def work(tasks: Sequence[AnyTask], board: Board | None = None, patience: float = PATIENCE) -> Worked:
    """Run tasks: the rows of those done, those that failed with their errors, and those not started.

    In a thread of the engine's process, with its `board`, errors are raised.
    """
    rows: list[Row] = []
    failed: list[tuple[AnyTask, str]] = []
    started = perf_counter()
    for i, task in enumerate(tasks):
        if i and perf_counter() - started > patience:
            return rows, failed, list(tasks[i:])
        try:
            rows.append(row(task, board))
        except StoppedError:
            return rows, failed, list(tasks[i:])
        except KeyboardInterrupt:
            raise
        except BaseException:  # whatever a task raises, SystemExit too: the engine continues and reports it
            if board is not None:
                raise
            failed.append((task, traceback.format_exc()))
    return rows, failed, []


def row(task: AnyTask, board: Board | None = None) -> Row:
    """Run a task and return its row."""
    started = perf_counter()
    if isinstance(task, LocalTask):
        result = task.perform(board or Board([task]))
    else:
        result = task.perform()
        json.dumps(result, allow_nan=False)  # a result that a store can't hold is a failure of the task, not of the engine
    settings = {f"{SETTING}{name}": value for name, value in task.settings.items()}
    what = {"key": task.key, "kind": task.kind, "seed": task.seed, "run": task.run}
    made = {**provenance(), "seconds": round(perf_counter() - started, 3), "date": datetime.now(UTC).date().isoformat()}
    return {**what, **settings, **result, **made}


@cache
def provenance() -> dict[str, Any]:
    """Provenance of results: the library's version, its commit if it is a checkout, and the processor."""
    from bamdp._version import __version__

    here = Path(__file__).parent
    git = ["git", "-C", str(here), "rev-parse", "--short", "HEAD"]
    in_checkout = (here.parents[2] / ".git").exists()  # src/bamdp/runs of a repository
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip() if in_checkout else ""
    return {"version": __version__, "commit": commit or None, "cpu": _cpu()}


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
