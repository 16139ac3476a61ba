"""Tasks, the units of work of the rerun.

A task is a pure function of its settings, which are plain JSON values, and its seed; each kind is a
function of `reproduction.tasks`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bamdp import validation
from bamdp.comparing.rows import check_identity, row_key, row_settings
from reproduction.tasks import find


@dataclass(frozen=True)
class Task:
    """A task.

    Attributes:
        kind: a kind of `reproduction.tasks`.
        settings: everything the result depends on, except the seed.
        seed: seed of the study, shared by its runs.
        run: index of the run.

    Example:
        >>> task = Task("play", {"domain": "chain", "agent": "random", "steps": 50}, seed=0, run=3)
        >>> task.key == Task("play", {"steps": 50.0, "agent": "random", "domain": "chain"}, seed=0,
        ...     run=3).key
        True
        >>> task.perform()["steps"]
        50
    """

    kind: str
    settings: Mapping[str, Any]
    seed: int
    run: int = 0

    def __post_init__(self) -> None:
        validation.mapping("settings", self.settings)
        seed, run = check_identity(self.kind, self.seed, self.run)
        object.__setattr__(self, "seed", seed)
        object.__setattr__(self, "run", run)

    @cached_property
    def key(self) -> str:
        """A hash of kind, settings, seed and run, the same on any machine."""
        return row_key(self.kind, self.settings, self.seed, self.run)

    @cached_property
    def group(self) -> str:
        """A hash of kind, settings and seed, shared by all runs."""
        return row_key(self.kind, self.settings, self.seed)

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Task:
        """The task of a stored row."""
        return cls(row["kind"], row_settings(row), row["seed"], row["run"])

    def perform(self) -> dict[str, Any]:
        """Run the task and return its result."""
        return find(self.kind)(self.settings, self.seed, self.run)
