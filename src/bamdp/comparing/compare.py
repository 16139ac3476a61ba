"""Comparing agents fairly: the same worlds and the same random numbers for all, ties at random,
paired differences.

Run i of every agent has the i-th world (`Benchmark.world`), in which the n-th outcome of a state
and action is always the same, and the same seed for its own choices. The differences in each world
have far less variance than the returns.
"""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium

from bamdp import validation
from bamdp.agent import Agent
from bamdp.comparing import engine
from bamdp.comparing.candidates import (
    MakeAgent,
    choose_problem,
    draw,
    draw_named,
    make_candidate,
    make_problem,
)
from bamdp.comparing.comparison import Comparison
from bamdp.comparing.engine import is_portable, progress_bar, threads
from bamdp.comparing.planned import PlannedRun, measures, searches_natively, with_curve
from bamdp.comparing.rows import MOST_RUNS
from bamdp.comparing.source import source_hash
from bamdp.comparing.store import Store
from bamdp.config.names import AGENTS, DOMAINS, GYMNASIUM
from bamdp.config.registry import Entry
from bamdp.config.spec import Spec, parse_spec
from bamdp.domain import Domain
from bamdp.executors import cores
from bamdp.problem import BAMDP
from bamdp.runs.loop import checked_steps, has_episodes, seeds
from bamdp.suite.benchmark import Benchmark
from bamdp.validation import suggestion


@dataclass(frozen=True)
class Candidate:
    """An agent to compare: how it is made for a world, and by which name if it has one."""

    label: str
    make: MakeAgent
    choice: Spec | None = None

    def settings(self, problem: Spec | None, steps: int, curves: bool) -> dict[str, Any]:
        """What a run depends on, the user's code as a hash, where all is by name."""
        if problem is None or self.choice is None:
            return {"agent": self.label}
        source = source_hash([*_modules(problem), *_modules(self.choice)])
        return {
            "problem": problem.name,
            "problem_settings": dict(problem.settings),
            "agent": self.choice.name,
            "agent_settings": dict(self.choice.settings),
            **({} if source is None else {"source": source}),
            "steps": steps,
            **({"curves": True} if curves else {}),
        }


def compare(
    problem: str | BAMDP | Benchmark | Domain,
    agents: Iterable[Any] | Mapping[str, Any],
    *,
    worlds: int = 100,
    seed: int = 0,
    steps: int | None = None,
    against: str | None = None,
    curves: bool = False,
    store: str | os.PathLike[str] | None = None,
    workers: int | None = None,
) -> Comparison:
    """Compare agents in the same worlds with the same random numbers.

    Ties between actions are broken at random by every agent that has a setting `ties`, unless it is
    given.

    Args:
        problem: a problem, whose worlds are drawn from its prior; the name of one (`bamdp list`),
            perhaps with settings, "NAME:SETTING=VALUE"; a `bamdp.suite.Benchmark`; or a domain, by
            name or as an object, with its prior.
        agents: each a name, "bamcp" or "bamcp:simulations=300"; a name or class with settings,
            ("bamcp", {"simulations": 300}); or a function of a domain, a prior and a seed that
            makes an agent. A dictionary gives them labels.
        worlds: number of worlds.
        seed: the seeds of worlds and agents are derived from it.
        steps: steps of each run; the problem's if not given.
        against: label of the agent that others are compared with; the best if not given.
        curves: whether to keep the mean reward along each run too; see `Comparison.plot_curves`.
        store: a folder that keeps each result as it arrives: the same call continues where it was
            stopped, also with more worlds or agents. For problems and agents by name. Your own code
            is run again after a change; rows of other versions of the library are reused, with a
            note.
        workers: runs at a time; one for each core if not given. The results don't depend on it, but
            measured times may.

    Returns:
        A table that prints itself; see `Comparison`.

    Example:
        >>> result = compare("small-chain", ["posterior-mean", "random"], worlds=50, workers=1)
        >>> result.agents
        ('posterior-mean', 'random')
        >>> result.difference("random").high < 0
        True
    """
    posed, named = _problem(problem)
    chosen = _candidates(agents)
    worlds = validation.positive_integer("worlds", worlds, MOST_RUNS)
    seed = validation.seed(seed)
    steps = checked_steps(posed.steps if steps is None else steps, posed.domain)
    curves = validation.boolean("curves", curves)
    workers = threads(cores() if workers is None else workers)
    labels = [candidate.label for candidate in chosen]
    if against is not None and against not in labels:
        raise ValueError(
            f"against must be one of the agents, got {against!r}{suggestion(str(against), labels)}"
        )
    by_name = named is not None and all(candidate.choice is not None for candidate in chosen)
    if store is not None and not by_name:
        raise ValueError(
            "store is for problems and agents by name: objects and functions can't be stored; "
            "leave it out"
        )
    agents = [  # made once here, to fail fast
        draw(posed, candidate.make, *seeds(seed, 0))[0] for candidate in chosen
    ]
    title = posed.name if named is None else str(named)
    plan = {of.label: _plan(of, posed, named, title, steps, curves) for of in chosen}
    planned = {
        (label, run): plan[label](seed=seed, run=run) for run in range(worlds) for label in labels
    }
    processes = all(is_portable(planned[label, 0]) for label in labels) and (
        (workers > 1 and not all(map(searches_natively, agents)))
        or any("source" in planned[label, 0].settings for label in labels)  # read it again
    )
    with progress_bar("runs" if processes else "steps") as show:
        done = engine.complete(
            planned.values(),
            None if store is None else Store(store),
            processes=processes,
            workers=workers,
            show=show,
        )
    runs = tuple(
        run
        for run in range(worlds)
        if all(planned[label, run].key in done.rows for label in labels)
    )
    if not runs:
        raise KeyboardInterrupt
    rows = {label: [done.rows[planned[label, run].key] for run in runs] for label in labels}
    of_domain = isinstance(problem, Domain) if named is None else named.registry is DOMAINS
    return Comparison(
        title,
        rows,
        runs,
        steps,
        seed,
        against,
        done.interrupted,
        has_episodes(posed.domain),
        of_domain,
    )


def _plan(
    candidate: Candidate,
    problem: Benchmark,
    named: Spec | None,
    title: str,
    steps: int,
    curves: bool,
) -> Callable[..., PlannedRun]:
    """A function of seed and run; `named` is the problem by name, if it has one."""
    if named is None:
        make: Any = partial(draw, problem, candidate.make)
    else:
        settings = json.dumps(dict(named.settings))
        make = partial(draw_named, named.name, settings, candidate.make)
    return partial(
        PlannedRun,
        make,
        steps,
        settings=candidate.settings(named, steps, curves),
        measures=with_curve if curves else measures,
        failure=f"{candidate.label} failed in world {{run}} of {title}",
    )


def _modules(choice: Spec) -> list[str]:
    """The modules of a name: that of `package.module:Name`, the two of `gym:package.module:ID`."""
    name = choice.name.removeprefix(GYMNASIUM)
    module, _, last = name.rpartition(":")
    if not module or name == choice.name:
        return [module] if module else []
    entry = gymnasium.spec(last).entry_point
    if isinstance(entry, str):
        return [module, entry.partition(":")[0]]
    return [module, getattr(entry, "__module__", module)]


def _problem(given: Any) -> tuple[Benchmark, Spec | None]:
    if isinstance(given, str):
        choice = choose_problem(given)
        return make_problem(choice), choice
    if isinstance(given, Domain | BAMDP):
        return Benchmark(given), None
    if not isinstance(given, Benchmark):
        raise TypeError(
            "problem must be a name, a bamdp.BAMDP, a bamdp.suite.Benchmark or a bamdp.Domain, "
            f"got {given!r}"
        )
    return given, None


def _candidates(agents: Any) -> list[Candidate]:
    """The agents with their labels."""
    if isinstance(agents, Mapping):
        chosen = [
            _candidate(given, validation.text("each label of agents", label))
            for label, given in agents.items()
        ]
    else:
        given = None if isinstance(agents, str) else validation.listed("agents", agents)
        if given is None:
            raise TypeError(f"agents must be a list or a dictionary of agents, got {agents!r}")
        chosen = [_candidate(agent) for agent in given]
    labels = [candidate.label for candidate in chosen]
    if not chosen:
        raise ValueError("agents must not be empty, got none")
    if twice := sorted({label for label in labels if labels.count(label) > 1}):
        raise ValueError(
            f"agents must have different labels, got {twice[0]!r} twice; a dictionary gives them "
            "labels"
        )
    return chosen


def _candidate(given: Any, label: str | None = None) -> Candidate:
    target, settings = given if isinstance(given, tuple) and len(given) == 2 else (given, {})
    if isinstance(target, str):
        choice = parse_spec(AGENTS, target, settings)
        return Candidate(
            label or (str(choice) if settings else target),
            partial(make_candidate, choice),
            choice,
        )
    settings = dict(validation.mapping("settings", settings))
    if inspect.isclass(target) and issubclass(target, Agent):
        return Candidate(
            label or target.__name__,
            partial(make_candidate, Spec(AGENTS, Entry(target.__name__, target), settings)),
        )
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
    return Candidate(
        label or str(getattr(target, "__name__", repr(target))), partial(target, **settings)
    )
