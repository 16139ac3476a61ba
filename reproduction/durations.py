"""How long tasks take, by those that are done: of the same settings or else, per step and
simulation, of the same agent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from typing import Any

from bamdp.comparing.rows import Row
from reproduction.task import Task

SIZES = ("steps", "worlds", "simulations")  # settings that the time grows with
RECENT = 10  # rows that a mean is of, about: those of this machine soon count more than stored ones


class DurationEstimate:
    """The seconds of tasks.

    Example:
        >>> row = {"kind": "play", "seed": 0, "run": 0, "settings.agent": "random",
        ...     "settings.steps": 20, "seconds": 4.0}
        >>> [DurationEstimate([row]).seconds(Task("play", {"agent": "random", "steps": n},
        ...     seed=0)) for n in (20, 40)]
        [4.0, 8.0]
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._means: dict[Any, tuple[float, int]] = {}  # and of how many rows, at most `RECENT`
        self.learn(rows)

    def learn(self, rows: Iterable[Row]) -> None:
        """Take rows into account, where they say how long they took."""
        for row in rows:
            if isinstance(seconds := row.get("seconds"), int | float):
                for like, size in _similarity_keys(Task.of(row)):
                    mean, count = self._means.get(like, (0.0, 0))
                    count = min(count + 1, RECENT)
                    self._means[like] = mean + (seconds / size - mean) / count, count

    def seconds(self, task: Task) -> float | None:
        """An estimate; None if there is no similar task."""
        for like, size in _similarity_keys(task):
            if like in self._means:
                return self._means[like][0] * size
        return None

    def left(self, tasks: Iterable[Task], workers: int) -> float | None:
        """Estimated seconds of `tasks`; one without similar tasks counts as the mean
        of the others.
        """
        estimates = [self.seconds(task) for task in tasks]
        known = [seconds for seconds in estimates if seconds is not None]
        return sum(known) / len(known) * len(estimates) / workers if known else None


def _similarity_keys(task: Task) -> Iterator[tuple[Any, float]]:
    """What makes tasks similar, the most similar ones first, and how large this one
    is among them.
    """
    yield task.group, 1.0
    settings = task.settings
    size = prod(
        float(value)
        for name in SIZES
        if isinstance(value := settings.get(name), int | float) and value > 0
    )
    agent = task.kind, str(settings.get("agent")), tuple(name in settings for name in SIZES)
    yield (*agent, str(settings.get("domain")), str(settings.get("problem"))), size
    yield agent, size
