"""An agent in a block of worlds of a problem, as in `bamdp.compare`: what it earned in each, in few bytes."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter, process_time
from typing import Any

from bamdp.studies.tasks import compare
from bamdp.studies.tasks.bayes_optimal import expected_return, solution

DIGITS = 5  # significant, of what is stored


def perform(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """Lists by world, of the worlds from `run * worlds` on, and the steps and processor seconds of all together.

    All settings but `problem`, `agent`, `steps`, `worlds` and `exact` are the agent's; one that is None is not given. If
    `exact` is true, the problem is solved, and `expected_return` is stored too.

    Example:
        >>> found = perform({"problem": "small-chain", "agent": "beb", "beta": 2, "steps": 20, "worlds": 3}, seed=0, run=0)
        >>> len(found["discounted_return"]), found["steps"]
        (3, 60)
    """
    own = {name: value for name, value in settings.items() if value is not None}
    problem, agent, steps, worlds = (own.pop(name) for name in ("problem", "agent", "steps", "worlds"))
    optimum = solution(problem, steps) if own.pop("exact", False) else None
    one = {"problem": problem, "agent": agent, "agent_settings": own, "steps": steps}
    began, started = perf_counter(), process_time()
    found = []
    for i in range(worlds):
        record, made = compare.play(one, seed, run * worlds + i)
        exact = {} if optimum is None else {"expected_return": expected_return(record, optimum)}
        found.append({**compare.measured(record, made), **exact})
    episodes = ("episodes", "mean_episode_return") if any(of["episodes"] for of in found) else ()
    cpu = process_time() - started
    share = min(1.0, cpu / max(perf_counter() - began, 1e-9))  # of a processor, which other programs may use too
    stored = ("discounted_return", *(() if optimum is None else ("expected_return",)), "total_reward", *episodes)
    return {
        **{name: [_short(of[name]) for of in found] for name in stored},
        "steps": steps * worlds,
        "agent_seconds": round(share * sum(of["agent_seconds"] for of in found), 6),
        "cpu_seconds": round(cpu, 6),
    }


def _short(value: float | None) -> float | None:
    """A number with few digits; whole ones without a point."""
    short = value if value is None else float(f"{value:.{DIGITS}g}")
    return int(short) if short is not None and short.is_integer() else short
