"""How an agent and the world of a run are made, from objects or from names."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from bamdp.agent import Agent
from bamdp.config.names import BENCHMARKS, DOMAINS
from bamdp.config.spec import Spec, parse_spec
from bamdp.domain import Domain
from bamdp.prior import Prior
from bamdp.problem import BAMDP
from bamdp.suite import Benchmark

MakeAgent = Callable[[Domain, Prior, int], Agent]


def draw(
    problem: Benchmark, make: MakeAgent, agent_seed: int, world_seed: int
) -> tuple[Agent, Domain]:
    """The world of a seed, and an agent that has seen what comes before the run."""
    world = problem.world(world_seed)
    agent = make(world, problem.problem.prior, agent_seed)
    if not isinstance(agent, Agent):
        raise TypeError(f"agents must make a bamdp.Agent, got {agent!r}")
    problem.prepare(agent, world_seed)
    return agent, world


def make_candidate(choice: Spec, world: Domain, prior: Prior, seed: int) -> Agent:
    """An agent for a world; ties are broken at random unless its settings say otherwise."""
    ties = {"ties": "random"} if choice.takes("ties") else {}
    return choice.make_agent(world, prior, seed, **ties)


def choose_problem(name: str, settings: Mapping[str, Any] | None = None) -> Spec:
    """The problem of this name or, if there is none, the domain, whose worlds are then drawn from
    its prior.
    """
    return parse_spec((BENCHMARKS, DOMAINS), name, settings)


def make_problem(choice: Spec) -> Benchmark:
    """The problem, or that of a domain."""
    made = choice.make()
    return made if isinstance(made, Benchmark) else Benchmark(made)


def benchmark_with_prior(
    problem: BAMDP | Domain | Benchmark, prior: Prior | None = None
) -> Benchmark:
    """A problem or domain as a benchmark, or a benchmark itself; with another prior if one is
    given.
    """
    if not isinstance(problem, Benchmark):
        return Benchmark(problem, prior)
    if prior is None:
        return problem
    return Benchmark(problem.domain, prior, problem.draw, steps=problem.steps)


def draw_named(
    name: str, settings: str, make: MakeAgent, agent_seed: int, world_seed: int
) -> tuple[Agent, Domain]:
    """`draw` for a benchmark by name, with settings as JSON, on any process."""
    return draw(benchmark_of(name, settings), make, agent_seed, world_seed)


@lru_cache(maxsize=64)
def benchmark_of(name: str, settings: str = "{}") -> Benchmark:
    """The benchmark of a name and its settings as JSON, made once in a process."""
    return make_problem(choose_problem(name, json.loads(settings)))
