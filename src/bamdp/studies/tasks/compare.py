"""One run of an agent in one world of a problem: for every agent the same world and the same random numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from bamdp.agent import Agent
from bamdp.config.choice import Choice, choose
from bamdp.domain import Domain
from bamdp.prior import Prior
from bamdp.problems import Problem
from bamdp.runs.loop import Record, seeds
from bamdp.runs.loop import run as run_episode
from bamdp.runs.task import measures


def perform(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """What the agent earned and how long it took.

    Example:
        >>> perform({"problem": "small-chain", "agent": "random", "steps": 20}, seed=0, run=0)["steps"]
        20
    """
    record, agent = play(settings, seed, run)
    return measured(record, agent)


def play(settings: Mapping[str, Any], seed: int, run: int) -> tuple[Record, Agent]:
    """The run, and the agent after it."""
    problem = _problem(settings["problem"], json.dumps(settings.get("problem_settings") or {}))
    agent_seed, world_seed = seeds(seed, run)
    world = problem.world(world_seed)
    agent = make_agent(
        choose("agent", settings["agent"], settings.get("agent_settings")), world, problem.problem.prior, agent_seed
    )
    problem.prepare(agent, world_seed)
    return run_episode(agent, world, settings.get("steps") or problem.steps, world_seed), agent


def measured(record: Record, agent: Agent) -> dict[str, Any]:
    """What is stored of a run."""
    return {**measures(record, agent), "agent_seconds": round(record.seconds, 6)}


def make_agent(choice: Choice, world: Domain, prior: Prior, seed: int) -> Agent:
    """An agent for a world; ties are broken at random unless its settings say otherwise."""
    ties = {"ties": "random"} if choice.takes("ties") else {}
    return choice.make_agent(world, prior, seed, **ties)


def choose_problem(name: str, settings: Mapping[str, Any] | None = None) -> Choice:
    """The problem of this name or, if there is none, the domain, whose worlds are then drawn from its prior."""
    return choose(("problem", "domain"), name, settings)


def make_problem(choice: Choice) -> Problem:
    """The problem, or that of a domain."""
    made = choice.make()
    return made if isinstance(made, Problem) else Problem(made)


@lru_cache(maxsize=64)
def _problem(name: str, settings: str) -> Problem:
    """A problem is the same for all its runs."""
    return make_problem(choose_problem(name, json.loads(settings)))
