"""Runs of agents as jobs of the engine, and what is kept of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np

from bamdp.agent import Agent
from bamdp.comparing.engine import Job, RunError, SharedProgress, StoppedError, Unfinished
from bamdp.comparing.rows import Row, make_row, row_key
from bamdp.domain import Domain
from bamdp.runs.loop import Record, Run, run_steps, seeds
from bamdp.search.planning_agent import searches

CURVE = 100  # points of a learning curve, at most


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
        "simulations": searches(agent).simulations,
    }


def with_curve(record: Record, agent: Agent) -> dict[str, Any]:
    """`measures`, and the learning curve: mean rewards of up to `CURVE` parts of the run."""
    parts = np.array_split(record.rewards, min(CURVE, len(record.rewards)))
    return {**measures(record, agent), "curve": [float(part.mean()) for part in parts]}


@dataclass(frozen=True)
class PlannedRun(Job):
    """A run that is to be done, a pure function of its seed and number.

    Attributes:
        make: makes the agent and its world from their seeds.
        steps: steps of the run.
        seed: seed of the study, shared by its runs.
        run: number of the run, which its seeds are derived from.
        settings: columns of its row, which tell it from the runs of other agents.
        measures: what is kept of the run; plain values by name.
        failure: what is said if it fails, with {run} for its number.
        episodes: episodes of the run, which ends with the last of them; the problem's if None.
    """

    make: Callable[[int, int], tuple[Agent, Domain]]
    steps: int
    seed: int
    run: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    measures: Callable[[Record, Agent], dict[str, Any]] = measures
    failure: str = "run {run} failed"
    episodes: int | None = None

    kind = "compare"

    @cached_property
    def key(self) -> str:  # type: ignore[override]  # computed once
        """A hash of its settings, seed and number."""
        return row_key(self.kind, self.settings, self.seed, self.run, default=repr)

    def perform(self, board: SharedProgress) -> Row:
        """Do the run and return its row."""
        board.check()
        started = perf_counter()
        agent_seed, world_seed = seeds(self.seed, self.run)
        agent, domain = self.make(agent_seed, world_seed)
        agent.on_tick = board.check

        def on_step(steps: int, total: float) -> None:
            board.unfinished[self.key] = Unfinished(self.run, steps, total)
            board.check()

        try:
            record = run_steps(Run(agent, domain, world_seed, self.episodes), self.steps, on_step)
            result = self.measures(record, agent)
        except StoppedError:
            raise
        except (Exception, SystemExit) as error:
            failure = self.failure.replace("{run}", str(self.run))
            raise RunError(f"{failure}: {type(error).__name__}: {error}") from error
        seconds = perf_counter() - started
        return make_row(self.key, self.kind, self.settings, self.seed, self.run, result, seconds)


def plays(
    domain: Domain,
    make_agent: Callable[[int], Agent],
    steps: int,
    runs: int,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
    **more: Any,
) -> list[PlannedRun]:
    """Some runs of an agent, made from its seed, in one domain; `more` are other attributes of
    `PlannedRun`.
    """

    def make(agent_seed: int, world_seed: int) -> tuple[Agent, Domain]:
        return make_agent(agent_seed), domain

    return [PlannedRun(make, steps, seed, run, settings or {}, **more) for run in range(runs)]


def searches_natively(agent: Agent) -> bool:
    """Whether it searches in the core, without Python's lock."""
    return searches(agent).simulations is not None
