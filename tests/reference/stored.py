"""Rows made by hand, as a store has them."""

from collections.abc import Sequence
from typing import Any

from bamdp.comparing.rows import Row
from reproduction.experiment import Entry, Experiment
from reproduction.task import Task

MADE = {
    "commit": "abc1234",
    "cpu": "a processor",
    "seconds": 1.0,
    "version": "0.1.0",
    "date": "2026-11-01",
}


def row_of(task: Task, result: dict[str, Any]) -> Row:
    settings = {f"settings.{name}": value for name, value in task.settings.items()}
    return {
        "key": task.key,
        "kind": task.kind,
        "seed": task.seed,
        "run": task.run,
        **settings,
        **result,
        **MADE,
    }


def rows(
    kind: str, settings: Any, seed: int, results: Sequence[dict[str, Any]], first: int = 0
) -> list[Row]:
    """One row a result, of the runs from `first` on."""
    return [
        row_of(Task(kind, settings, seed, run), result) for run, result in enumerate(results, first)
    ]


def played(
    settings: Any, seed: int, rewards: Sequence[float], seconds: float = 0.001, **more: Any
) -> list[Row]:
    """Runs of `bamdp play` that earned `rewards` in 1000 steps of `seconds` each."""
    result = {
        "steps": 1000,
        "cpu_seconds": 1000 * seconds,
        "agent_seconds": 1000 * seconds,
        "simulations": 1000,
        **more,
    }
    results = [
        {"total_reward": float(reward), "discounted_return": reward / 10, **result}
        for reward in rewards
    ]
    return rows("play", settings, seed, results)


def entry_points(
    experiment: Experiment, panel: str, label: str, scale: Any
) -> tuple[Entry, list[dict[str, Any]]]:
    """An entry and the settings of its points."""
    entry = experiment.entry(panel, label)
    return entry, entry.points(scale)
