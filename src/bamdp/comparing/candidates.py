"""What is compared, as objects: the problem and the agents, from names or from the user's objects.

Names become objects here, once. A worker process makes a problem by name again, also once, so that
it has the user's code as it is now.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import gymnasium

from bamdp import validation
from bamdp.agent import Agent
from bamdp.comparing.source import source_hash
from bamdp.config.names import AGENTS, BENCHMARKS, DOMAINS, GYMNASIUM
from bamdp.config.registry import Entry
from bamdp.config.spec import Spec, parse_spec
from bamdp.domain import Domain
from bamdp.prior import Prior
from bamdp.problem import BAMDP
from bamdp.suite.benchmark import Benchmark

MakeAgent = Callable[[Domain, Prior, int], Agent]
Draw = Callable[[int, int], tuple[Agent, Domain]]  # from the seeds of agent and world


@dataclass(frozen=True)
class Posed:
    """The problem of a comparison.

    Attributes:
        benchmark: the problem, with its worlds.
        spec: its name with settings; None for an object.
        of_domain: whether a domain was given, whose worlds are drawn from its prior.
    """

    benchmark: Benchmark
    spec: Spec | None
    of_domain: bool

    @classmethod
    def of(cls, target: Any) -> Posed:
        """A problem by name, or as one of the objects that `bamdp.compare` takes."""
        if isinstance(target, str):
            spec = problem_spec(target)
            return cls(make_problem(spec), spec, spec.registry is DOMAINS)
        if isinstance(target, Domain | BAMDP):
            return cls(Benchmark(target), None, isinstance(target, Domain))
        if not isinstance(target, Benchmark):
            raise TypeError(
                "problem must be a name, a bamdp.BAMDP, a bamdp.suite.Benchmark or a bamdp.Domain, "
                f"got {target!r}"
            )
        return cls(target, None, False)

    @property
    def title(self) -> str:
        """What it is called in the table."""
        return self.benchmark.name if self.spec is None else str(self.spec)

    def draw(self, make: MakeAgent) -> Draw:
        """A function that makes an agent and its world from their seeds, in any process if all is
        by name.
        """
        if self.spec is None:
            return partial(draw, self.benchmark, make)
        return partial(draw_named, self.spec.name, json.dumps(dict(self.spec.settings)), make)


@dataclass(frozen=True)
class Candidate:
    """An agent to compare.

    Attributes:
        label: its label in the table.
        make: makes it for a world.
        spec: its name with settings; None for a class or function.
    """

    label: str
    make: MakeAgent
    spec: Spec | None = None

    @classmethod
    def of(cls, target: Any, label: str | None = None) -> Candidate:
        """An agent by name, a class or a function, perhaps as a pair with settings."""
        target, settings = (
            target if isinstance(target, tuple) and len(target) == 2 else (target, {})
        )
        if isinstance(target, str):
            spec = parse_spec(AGENTS, target, settings)
            label = label or (str(spec) if settings else target)
            return cls(label, partial(make_candidate, spec), spec)
        settings = dict(validation.mapping("settings", settings))
        if inspect.isclass(target) and issubclass(target, Agent):
            own = Spec(AGENTS, Entry(target.__name__, target), settings)
            return cls(label or target.__name__, partial(make_candidate, own))
        if isinstance(target, Agent):
            raise TypeError(
                "agents must be classes or functions that make an agent for each world, not an "
                f"instance, got {target!r}"
            )
        if not callable(target):
            raise TypeError(
                "each of agents must be a name, a class, either with settings, or a function, got "
                f"{target!r}"
            )
        label = label or str(getattr(target, "__name__", repr(target)))
        return cls(label, partial(target, **settings))

    def row_settings(self, problem: Spec | None, steps: int, curves: bool) -> dict[str, Any]:
        """What a run depends on, the user's code as a hash, where all is by name."""
        if problem is None or self.spec is None:
            return {"agent": self.label}
        source = source_hash([*_modules(problem), *_modules(self.spec)])
        return {
            "problem": problem.name,
            "problem_settings": dict(problem.settings),
            "agent": self.spec.name,
            "agent_settings": dict(self.spec.settings),
            **({} if source is None else {"source": source}),
            "steps": steps,
            **({"curves": True} if curves else {}),
        }


def all_candidates(agents: Any) -> list[Candidate]:
    """The agents of a list or a dictionary, with different labels."""
    if isinstance(agents, Mapping):
        candidates = [
            Candidate.of(target, validation.text("each label of agents", label))
            for label, target in agents.items()
        ]
    else:
        if isinstance(agents, str):
            raise TypeError(f"agents must be a list or a dictionary of agents, got {agents!r}")
        candidates = [Candidate.of(target) for target in validation.listed("agents", agents)]
    labels = [candidate.label for candidate in candidates]
    if not candidates:
        raise ValueError("agents must not be empty, got none")
    if twice := sorted({label for label in labels if labels.count(label) > 1}):
        raise ValueError(
            f"agents must have different labels, got {twice[0]!r} twice; a dictionary gives them "
            "labels"
        )
    return candidates


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


def make_candidate(spec: Spec, world: Domain, prior: Prior, seed: int) -> Agent:
    """An agent for a world; ties are broken at random unless its settings say otherwise."""
    ties = {"ties": "random"} if spec.takes("ties") else {}
    return spec.make_agent(world, prior, seed, **ties)


def problem_spec(name: str, settings: Mapping[str, Any] | None = None) -> Spec:
    """The benchmark of this name or, if there is none, the domain, whose worlds are then drawn from
    its prior.
    """
    return parse_spec((BENCHMARKS, DOMAINS), name, settings)


def make_problem(spec: Spec) -> Benchmark:
    """The benchmark, or that of a domain."""
    made = spec.make()
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
    return make_problem(problem_spec(name, json.loads(settings)))


def _modules(spec: Spec) -> list[str]:
    """The modules of a name: that of `package.module:Name`, the two of `gym:package.module:ID`."""
    name = spec.name.removeprefix(GYMNASIUM)
    module, _, last = name.rpartition(":")
    if not module or name == spec.name:
        return [module] if module else []
    entry = gymnasium.spec(last).entry_point
    if isinstance(entry, str):
        return [module, entry.partition(":")[0]]
    return [module, getattr(entry, "__module__", module)]
