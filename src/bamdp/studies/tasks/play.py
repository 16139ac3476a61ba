"""One run of an agent in a world: what `bamdp play` does with these flags, in its run of this number."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from time import process_time
from typing import Any

from bamdp.config import parameters
from bamdp.config.setup import Request
from bamdp.episode import run as run_episode
from bamdp.runner import seeds


def perform(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """What the agent earned and how long it took.

    Example:
        >>> perform({"domain": "chain", "agent": "random", "steps": 50}, seed=0, run=0)["steps"]
        50
    """
    request = _request(json.dumps(words(settings)))
    agent_seed, world_seed = seeds(seed, run)
    agent = request.make_agent(agent_seed)
    started = process_time()
    record = run_episode(agent, request.domain, request.values["run"]["steps"], world_seed)
    return {
        "steps": len(record.rewards),
        "total_reward": record.total_reward,
        "discounted_return": round(record.discounted_return, 6),
        "agent_seconds": round(record.seconds, 6),
        "cpu_seconds": round(process_time() - started, 6),  # of the world too, but not of other programs
        "simulations": getattr(agent, "simulations_done", None),
    }


def command(settings: Mapping[str, Any], seed: int, runs: int) -> str:
    """A line for the shell that does the first `runs` runs.

    Example:
        >>> command({"domain": "grid5", "agent": "sboss", "models": 2, "delta": 3}, seed=1, runs=10)
        'bamdp play grid5 sboss --models 2 --delta 3 --runs 10 --seed 1'
    """
    return " ".join(["bamdp play", *words(settings), f"--runs {runs} --seed {seed}"])


def words(settings: Mapping[str, Any]) -> list[str]:
    """The settings as they are typed: domain, agent, flags."""
    if missing := {"domain", "agent"} - settings.keys():
        raise ValueError(f"settings must have {' and '.join(sorted(missing))}, got {dict(settings)}")
    rest = {name: value for name, value in settings.items() if name not in ("domain", "agent")}
    return [str(settings["domain"]), str(settings["agent"]), *parameters.words(rest)]


@lru_cache(maxsize=64)
def _request(typed: str) -> Request:
    domain, agent, *given = json.loads(typed)
    try:
        return Request(domain, agent, given)
    except SystemExit:
        raise ValueError(f"settings must be flags of `bamdp play {domain} {agent}`, got {' '.join(given)}") from None
