"""The contract of a task: one unit of work of a study, a pure function of its settings and seed.

Settings are plain JSON values. Each kind of task is a file of its name in `bamdp.studies.tasks`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from bamdp import _validation


@dataclass(frozen=True)
class Task:
    """A task.

    Attributes:
        kind: a module of `bamdp.studies.tasks`.
        settings: everything the result depends on, except the seed.
        seed: seed of the study, shared by its runs.
        run: index of the run.

    Example:
        >>> task = Task("play", {"domain": "chain", "agent": "random", "steps": 50}, seed=0, run=3)
        >>> task.key == Task("play", {"steps": 50.0, "agent": "random", "domain": "chain"}, seed=0, run=3).key
        True
        >>> task.perform()["steps"]
        50
    """

    kind: str
    settings: Mapping[str, Any]
    seed: int
    run: int = 0

    def __post_init__(self) -> None:
        if not _validation.text("kind", self.kind).isidentifier():
            raise ValueError(f"kind must be the name of a module of bamdp.studies.tasks, got {self.kind!r}")
        _validation.mapping("settings", self.settings)
        object.__setattr__(self, "seed", _validation.seed(self.seed))  # a plain int, as JSON takes no other
        object.__setattr__(self, "run", _validation.integer("run", self.run, 0))

    @cached_property
    def key(self) -> str:
        """A hash of kind, settings, seed and run, the same on any machine."""
        return _hash([self.kind, self.settings, self.seed, self.run])

    @cached_property
    def group(self) -> str:
        """A hash of kind, settings and seed, shared by all runs."""
        return group_of(self.kind, self.settings, self.seed)

    def perform(self) -> dict[str, Any]:
        """Run the task and return its result."""
        try:
            module = import_module(f"bamdp.studies.tasks.{self.kind}")
        except ModuleNotFoundError as error:
            if error.name != f"bamdp.studies.tasks.{self.kind}":  # a dependency of the module
                raise
            raise ValueError(f"kind must be the name of a module of bamdp.studies.tasks, got {self.kind!r}") from None
        result: dict[str, Any] = module.perform(self.settings, self.seed, self.run)
        return result


def group_of(kind: str, settings: Mapping[str, Any], seed: int) -> str:
    """The group of tasks with these settings; see `Task.group`."""
    return _hash([kind, settings, seed])


def _hash(value: Any) -> str:
    try:
        text = json.dumps(_canonical(value), sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"kind, settings and seed must be JSON values: {error}") from None
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _canonical(value: Any) -> Any:
    """A canonical form of equal values: 1.0 as 1, tuples as lists, and None left out."""
    if isinstance(value, Mapping):
        return {str(name): _canonical(item) for name, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_canonical(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
