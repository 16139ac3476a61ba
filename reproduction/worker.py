"""The function that a worker runs for a batch of tasks, on any machine."""

from __future__ import annotations

import json
import traceback
from collections.abc import Sequence
from time import perf_counter

from bamdp.comparing.rows import Row, make_row
from reproduction.task import Task

BATCH_SECONDS = 5.0  # after which a worker starts no new task

Worked = tuple[list[Row], list[tuple[Task, str]], list[Task]]


def run_tasks(tasks: Sequence[Task], batch_seconds: float = BATCH_SECONDS) -> Worked:
    """Run tasks: the rows of those done, those that failed with their errors, and those not
    started.
    """
    rows: list[Row] = []
    failed: list[tuple[Task, str]] = []
    started = perf_counter()
    for i, task in enumerate(tasks):
        if i and perf_counter() - started > batch_seconds:
            return rows, failed, list(tasks[i:])
        try:
            rows.append(task_row(task))
        except KeyboardInterrupt:
            raise
        except BaseException:  # SystemExit too: the engine continues and reports it
            failed.append((task, traceback.format_exc()))
    return rows, failed, []


def task_row(task: Task) -> Row:
    """Run a task and return its row."""
    started = perf_counter()
    result = task.perform()
    json.dumps(result, allow_nan=False)  # what a store can't hold is a failure of the task
    seconds = perf_counter() - started
    return make_row(task.key, task.kind, task.settings, task.seed, task.run, result, seconds)
