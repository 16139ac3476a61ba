"""Tasks on problems: agents in the same worlds with the same random numbers, and the most that can
be earned there.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from time import perf_counter, process_time
from typing import Any

from bamdp import exact
from bamdp.agent import Agent
from bamdp.comparing.candidates import benchmark_of, draw, make_candidate
from bamdp.comparing.planned import measures
from bamdp.comparing.regret import Optimum, regret_of
from bamdp.config.names import AGENTS
from bamdp.config.spec import Spec, parse_spec
from bamdp.domains import Tabular
from bamdp.exact import BayesOptimal
from bamdp.priors.world_domain import WorldDomain
from bamdp.runs.loop import Record, seeds
from bamdp.runs.loop import run as run_episode
from bamdp.suite import Benchmark
from reproduction.tasks import kind

DIGITS = 5  # significant, of stored returns; expected ones are as near to each other as rounding is


@kind
def scores(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """An agent in a block of worlds of a problem, as in `bamdp.compare`: what it earned in each, in
    few bytes.

    Lists by world, of the worlds from `run * worlds` on, and the steps and processor seconds of all
    together.

    All settings but `problem`, `agent`, `steps`, `worlds` and `exact` are the agent's; one that is
    None is not given. If `exact` is true, the problem is solved, and `expected_return` is stored
    too.

    Example:
        >>> row = scores({"problem": "small-chain", "agent": "beb", "beta": 2, "steps": 20,
        ...     "worlds": 3}, seed=0, run=0)
        >>> len(row["discounted_return"]), row["steps"]
        (3, 60)
    """
    own = {name: value for name, value in settings.items() if value is not None}
    problem, agent, steps, worlds = (
        own.pop(name) for name in ("problem", "agent", "steps", "worlds")
    )
    optimum = solution(problem, steps) if own.pop("exact", False) else None
    choice = parse_spec(AGENTS, agent, own)
    began, started = perf_counter(), process_time()
    runs = []
    for i in range(worlds):
        record, made = run_in_world(problem, choice, steps, seed, run * worlds + i)
        exact = {} if optimum is None else {"expected_return": expected_return(record, optimum)}
        runs.append({**measures(record, made), **exact})
    episodes = ("episodes", "mean_episode_return") if any(of["episodes"] for of in runs) else ()
    cpu = process_time() - started
    share = min(
        1.0, cpu / max(perf_counter() - began, 1e-9)
    )  # of a processor, which other programs may use too
    returns = ("discounted_return", "total_reward", *episodes)
    exact_returns = () if optimum is None else ("expected_return",)
    return {
        **{name: [_short(of[name]) for of in runs] for name in returns},
        **{name: [of[name] for of in runs] for name in exact_returns},
        "steps": steps * worlds,
        "agent_seconds": round(share * sum(of["agent_seconds"] for of in runs), 6),
        "cpu_seconds": round(cpu, 6),
    }


def run_in_world(
    problem: str, agent: Spec, steps: int, seed: int, run: int
) -> tuple[Record, Agent]:
    """The run of `bamdp.compare` with this number, and the agent after it."""
    agent_seed, world_seed = seeds(seed, run)
    benchmark = benchmark_of(problem)
    made, world = draw(benchmark, partial(make_candidate, agent), agent_seed, world_seed)
    return run_episode(made, world, steps, world_seed), made


def _short(value: float | None) -> float | None:
    """A number with few digits; whole ones without a point."""
    short = value if value is None else float(f"{value:.{DIGITS}g}")
    return int(short) if short is not None and short.is_integer() else short


@kind
def bayes_optimal(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """The exact Bayes-optimal value of a small problem: the most that an agent can earn, in the
    mean over worlds.

    The value of `steps` steps from the start.

    Example:
        >>> bayes_optimal({"problem": "two-arms", "steps": 1}, seed=0, run=0)
        {'value': 0.5, 'belief_states': 1}
    """
    optimum = solution(settings["problem"], settings["steps"])
    return {"value": optimum.value, "belief_states": optimum.belief_states}


@lru_cache(maxsize=1)
def solution(problem: str, steps: int) -> BayesOptimal:
    """The solution of a problem by name, for a run of `steps` steps."""
    posed = benchmark_of(problem)
    return exact.bayes_optimal(posed.problem, start_of(posed), steps)


def start_of(posed: Benchmark) -> int:
    """The state that runs start in."""
    assert isinstance(posed.domain, Tabular | WorldDomain)
    return posed.domain.start


def expected_return(record: Record, optimum: BayesOptimal) -> float:
    """The optimum less the regret of every action, Σ_t γᵗ (V(h_t) − Q(h_t, a_t)).

    It has the same mean over worlds as the discounted return (`bamdp.comparing.regret`), for an
    agent that does not know the world, and far less variance.
    """
    return optimum.value - regret_of(record, Optimum.of(optimum))


@kind
def upper_bound(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """The most that an agent without knowledge of the world can earn on a problem, on average: a
    bound, or the exact optimum.

    The bound for `steps` steps from the start and, where it is not exact, the mean value of knowing
    the world.

    A problem with episodes in one world is solved exactly; for another one the world is told some
    steps late.

    Example:
        >>> row = upper_bound({"problem": "bbrl-gdl", "steps": 20, "limit": 10**5}, seed=0, run=0)
        >>> round(row["most"], 1), round(row["knowing"], 1), row["delay"]
        (2.1, 2.2, 5)
    """
    posed = benchmark_of(settings["problem"])
    assert isinstance(posed.domain, Tabular)
    start = posed.domain.start
    if posed.problem.episode_length is not None:
        return {"most": exact.bayes_optimal(posed.problem, start, settings["steps"]).value}
    limit = {"limit": settings["limit"]} if "limit" in settings else {}
    bound = exact.upper_bound(posed.problem, start, horizon=settings["steps"], seed=seed, **limit)
    return {"most": bound.high, "knowing": bound.perfect_information.value, "delay": bound.delay}
