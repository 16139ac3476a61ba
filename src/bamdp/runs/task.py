"""Tasks, the units of work of the engine: a `Task` by names, for any machine, or a `LocalTask` of objects, for this process.

A task is a pure function of its settings and seed. The settings of a `Task` are plain JSON values, and each kind is a function
of `bamdp.studies.tasks`. `measures` is what is kept of a run.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from bamdp import validation
from bamdp.agent import Agent
from bamdp.domain import Domain
from bamdp.runs.loop import Record, Run, proceed, seeds

MOST_RUNS = 10**6
CURVE = 100  # points of a learning curve, at most
SETTING = "settings."  # before the names of settings in a row
FIXED = {"key", "kind", "seed", "run", "version", "commit", "cpu", "date", "seconds"}  # in a row: the task, and its provenance

OnStep = Callable[[int, float], None]


@dataclass(frozen=True)
class Task:
    """A task.

    Attributes:
        kind: a kind of `bamdp.studies.tasks`.
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
        if not validation.text("kind", self.kind).isidentifier():
            raise ValueError(f"kind must be the name of a function of bamdp.studies.tasks, got {self.kind!r}")
        validation.mapping("settings", self.settings)
        object.__setattr__(self, "seed", validation.seed(self.seed))  # a plain int, as JSON takes no other
        object.__setattr__(self, "run", validation.integer("run", self.run, 0))

    @cached_property
    def key(self) -> str:
        """A hash of kind, settings, seed and run, the same on any machine."""
        return _hash([self.kind, self.settings, self.seed, self.run])

    @cached_property
    def group(self) -> str:
        """A hash of kind, settings and seed, shared by all runs."""
        return _hash([self.kind, self.settings, self.seed])

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Task:
        """The task of a stored row."""
        settings = {name.removeprefix(SETTING): value for name, value in row.items() if name.startswith(SETTING)}
        return cls(row["kind"], settings, row["seed"], row["run"])

    def perform(self) -> dict[str, Any]:
        """Run the task and return its result."""
        found = import_module("bamdp.studies.tasks").find(self.kind)  # a room to the right, which nothing here depends on
        result: dict[str, Any] = found(self.settings, self.seed, self.run)
        return result


def measures(record: Record, agent: Agent) -> dict[str, Any]:
    """What is kept of a run: what the agent earned, and how long it took."""
    episodes: list[float] = record.episode_rewards.tolist()
    return {
        "discounted_return": record.discounted_return,
        "total_reward": record.total_reward,
        "episodes": len(episodes),
        "mean_episode_return": sum(episodes) / len(episodes) if episodes else None,
        "agent_seconds": round(record.seconds, 6),
        "steps": len(record.rewards),
        "simulations": getattr(agent, "simulations_done", None),
    }


def with_curve(record: Record, agent: Agent) -> dict[str, Any]:
    """The same, and the learning curve: the mean reward of each of `CURVE` parts of the run, in order."""
    parts = np.array_split(record.rewards, min(CURVE, len(record.rewards)))
    return {**measures(record, agent), "curve": [float(part.mean()) for part in parts]}


def measured(row: Mapping[str, Any]) -> dict[str, Any]:
    """What was measured, of all that is in a row."""
    return {name: value for name, value in row.items() if name not in FIXED and not name.startswith(SETTING)}


class Unfinished(NamedTuple):
    """A run that Ctrl-C ended: its number, the steps done and what they earned."""

    run: int
    steps: int
    total_reward: float


class StoppedError(Exception):
    """Ctrl-C, or the failure of another task, ended the run."""


class Board:
    """What threads report and the engine shows: plain assignments, so that a step costs next to nothing."""

    def __init__(self, tasks: Iterable[LocalTask]) -> None:
        self.stop = threading.Event()
        self.unfinished = {task.key: Unfinished(task.run, 0, 0.0) for task in tasks}

    def check(self) -> None:
        """Raise if it is time to stop."""
        if self.stop.is_set():
            raise StoppedError


@dataclass(frozen=True)
class LocalTask:
    """A run of objects and functions, in a thread of this process: the native search releases Python's lock.

    Attributes:
        make: makes the agent and its world from their seeds.
        steps: steps of the run.
        seed: seed of the study, shared by its runs.
        run: number of the run, which its seeds are derived from.
        settings: columns of its row, which tell it from the tasks of other agents.
        measures: what is kept of the run; JSON values by name.
    """

    make: Callable[[int, int], tuple[Agent, Domain]]
    steps: int
    seed: int
    run: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    measures: Callable[[Record, Agent], dict[str, Any]] = measures

    kind = "local"

    @cached_property
    def key(self) -> str:
        """What tells it from other tasks of the same call."""
        return repr((sorted(self.settings.items(), key=lambda item: item[0]), self.seed, self.run))

    def perform(self, board: Board) -> dict[str, Any]:
        """Do the run and return what is kept of it."""
        board.check()
        agent_seed, world_seed = seeds(self.seed, self.run)
        agent, domain = self.make(agent_seed, world_seed)
        if hasattr(agent, "on_tick"):
            agent.on_tick = board.check

        def on_step(steps: int, total: float) -> None:
            board.unfinished[self.key] = Unfinished(self.run, steps, total)
            board.check()

        return self.measures(proceed(Run(agent, domain, world_seed), self.steps, on_step), agent)


def plays(
    domain: Domain,
    make_agent: Callable[[int], Agent],
    steps: int,
    runs: int,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
    **more: Any,
) -> list[LocalTask]:
    """Some runs of an agent, made from its seed, in one domain; `more` is what they have beside that, see `LocalTask`."""

    def make(agent_seed: int, world_seed: int) -> tuple[Agent, Domain]:
        return make_agent(agent_seed), domain

    return [LocalTask(make, steps, seed, run, settings or {}, **more) for run in range(runs)]


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
