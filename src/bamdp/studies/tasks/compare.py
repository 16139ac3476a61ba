"""Tasks on problems: agents in the same worlds with the same random numbers, and the most that can be earned there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from time import perf_counter, process_time
from typing import Any

from bamdp import exact
from bamdp.agent import Agent
from bamdp.config.choice import Choice, choose
from bamdp.domain import Domain
from bamdp.exact.bayes_optimal import BayesOptimal
from bamdp.prior import Prior
from bamdp.problems import Problem
from bamdp.runs.loop import Record, seeds
from bamdp.runs.loop import run as run_episode
from bamdp.runs.task import measures, with_curve
from bamdp.studies.regret import regret_of
from bamdp.studies.tasks import kind

DIGITS = 5  # significant, of stored returns; expected ones are as near to each other as rounding is

Make = Callable[[Domain, Prior, int], Agent]


@kind
def compare(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """One run of an agent in one world of a problem: what it earned and how long it took.

    Example:
        >>> compare({"problem": "small-chain", "agent": "random", "steps": 20}, seed=0, run=0)["steps"]
        20
    """
    record, agent = play(settings, seed, run)
    return (with_curve if settings.get("curves") else measures)(record, agent)


def play(settings: Mapping[str, Any], seed: int, run: int) -> tuple[Record, Agent]:
    """The run, and the agent after it."""
    problem = _problem(settings["problem"], json.dumps(settings.get("problem_settings") or {}))
    choice = choose("agent", settings["agent"], settings.get("agent_settings"))
    agent_seed, world_seed = seeds(seed, run)
    agent, world = draw(problem, partial(make_agent, choice), agent_seed, world_seed)
    return run_episode(agent, world, settings.get("steps") or problem.steps, world_seed), agent


def draw(problem: Problem, make: Make, agent_seed: int, world_seed: int) -> tuple[Agent, Domain]:
    """The world of a seed, and an agent that has seen what comes before the run."""
    world = problem.world(world_seed)
    agent = make(world, problem.problem.prior, agent_seed)
    if not isinstance(agent, Agent):
        raise TypeError(f"agents must make a bamdp.Agent, got {agent!r}")
    problem.prepare(agent, world_seed)
    return agent, world


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


@kind
def scores(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """An agent in a block of worlds of a problem, as in `bamdp.compare`: what it earned in each, in few bytes.

    Lists by world, of the worlds from `run * worlds` on, and the steps and processor seconds of all together.

    All settings but `problem`, `agent`, `steps`, `worlds` and `exact` are the agent's; one that is None is not given. If
    `exact` is true, the problem is solved, and `expected_return` is stored too.

    Example:
        >>> found = scores({"problem": "small-chain", "agent": "beb", "beta": 2, "steps": 20, "worlds": 3}, seed=0, run=0)
        >>> len(found["discounted_return"]), found["steps"]
        (3, 60)
    """
    own = {name: value for name, value in settings.items() if value is not None}
    problem, agent, steps, worlds = (own.pop(name) for name in ("problem", "agent", "steps", "worlds"))
    optimum = solution(problem, steps) if own.pop("exact", False) else None
    one = {"problem": problem, "agent": agent, "agent_settings": own, "steps": steps}
    began, started = perf_counter(), process_time()
    runs = []
    for i in range(worlds):
        record, made = play(one, seed, run * worlds + i)
        exact = {} if optimum is None else {"expected_return": expected_return(record, optimum)}
        runs.append({**measures(record, made), **exact})
    episodes = ("episodes", "mean_episode_return") if any(of["episodes"] for of in runs) else ()
    cpu = process_time() - started
    share = min(1.0, cpu / max(perf_counter() - began, 1e-9))  # of a processor, which other programs may use too
    returns = ("discounted_return", "total_reward", *episodes)
    exact_returns = () if optimum is None else ("expected_return",)
    return {
        **{name: [_short(of[name]) for of in runs] for name in returns},
        **{name: [of[name] for of in runs] for name in exact_returns},
        "steps": steps * worlds,
        "agent_seconds": round(share * sum(of["agent_seconds"] for of in runs), 6),
        "cpu_seconds": round(cpu, 6),
    }


def _short(value: float | None) -> float | None:
    """A number with few digits; whole ones without a point."""
    short = value if value is None else float(f"{value:.{DIGITS}g}")
    return int(short) if short is not None and short.is_integer() else short


@kind
def bayes_optimal(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """The exact Bayes-optimal value of a small problem: the most that an agent can earn, in the mean over worlds.

    The value of `steps` steps from the start.

    Example:
        >>> bayes_optimal({"problem": "two-arms", "steps": 1}, seed=0, run=0)
        {'value': 0.5, 'belief_states': 1}
    """
    found = solution(settings["problem"], settings["steps"])
    return {"value": found.value, "belief_states": found.belief_states}


@lru_cache(maxsize=1)
def solution(problem: str, steps: int) -> BayesOptimal:
    """The solution of a problem by name, for a run of `steps` steps."""
    posed = make_problem(choose_problem(problem))
    assert posed.domain.start is not None
    return exact.bayes_optimal(posed.problem, posed.domain.start, steps)


def expected_return(record: Record, optimum: BayesOptimal) -> float:
    """The optimum less the regret of every action, Σ_t γᵗ (V(h_t) − Q(h_t, a_t)).

    It has the same mean over worlds as the discounted return (`bamdp.studies.regret`), for an agent that does not know the
    world, and far less variance.
    """
    return optimum.value - regret_of(record, optimum)


@kind
def upper_bound(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """The most that an agent without knowledge of the world can earn on a problem, on average: a bound, or the exact optimum.

    The bound for `steps` steps from the start and, where it is not exact, the mean value of knowing the world.

    A problem with episodes in one world is solved exactly; for another one the world is told some steps late.

    Example:
        >>> found = upper_bound({"problem": "bbrl-gdl", "steps": 20, "limit": 10**5}, seed=0, run=0)
        >>> round(found["most"], 1), round(found["knowing"], 1), found["delay"]
        (2.1, 2.2, 5)
    """
    posed = make_problem(choose_problem(settings["problem"]))
    start = posed.domain.start
    assert start is not None
    if posed.problem.episode_length is not None:
        return {"most": exact.bayes_optimal(posed.problem, start, settings["steps"]).value}
    limit = {"limit": settings["limit"]} if "limit" in settings else {}
    bound = exact.upper_bound(posed.problem, start, horizon=settings["steps"], seed=seed, **limit)
    return {"most": bound.high, "knowing": bound.knowing.value, "delay": bound.delay}
