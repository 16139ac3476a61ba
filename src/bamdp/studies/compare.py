"""Comparing agents fairly: the same worlds and the same random numbers for all, ties at random, paired differences.

Run i of every agent has the i-th world (`Problem.world`), in which the n-th outcome of a state and action is always the same,
and the same seed for its own choices. The differences in each world have far less variance than the returns.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium

from bamdp import validation
from bamdp.agent import Agent
from bamdp.config.choice import Choice, choose
from bamdp.config.names import GYMNASIUM, Found
from bamdp.domain import Domain
from bamdp.executors import cores
from bamdp.problem import BAMDP
from bamdp.problems import Problem
from bamdp.runs import engine
from bamdp.runs.engine import shown, threads
from bamdp.runs.loop import checked_steps, seeds
from bamdp.runs.source import source_hash
from bamdp.runs.store import Store
from bamdp.runs.task import MOST_RUNS, LocalTask, Task, measures, with_curve
from bamdp.studies.comparison import Comparison
from bamdp.studies.tasks import compare as names
from bamdp.validation import suggestion


@dataclass(frozen=True)
class Candidate:
    """An agent to compare: how it is made for a world, and by which name if it has one."""

    label: str
    make: names.Make
    choice: Choice | None = None

    def settings(self, problem: Choice) -> dict[str, Any]:
        """What a run depends on, the user's code as a hash; for an agent by name."""
        assert self.choice is not None
        source = source_hash([*_modules(problem), *_modules(self.choice)])
        return {
            "problem": problem.found.name,
            "problem_settings": dict(problem.settings),
            "agent": self.choice.found.name,
            "agent_settings": dict(self.choice.settings),
            **({} if source is None else {"source": source}),
        }


def compare(
    problem: str | BAMDP | Problem | Domain,
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

    Ties between actions are broken at random by every agent that has a setting `ties`, unless it is given.

    Args:
        problem: a problem, whose worlds are drawn from its prior; the name of one (`bamdp list`), perhaps with settings,
            "NAME:SETTING=VALUE"; a `bamdp.problems.Problem`; or a domain, by name or as an object, with its prior.
        agents: each a name, "bamcp" or "bamcp:simulations=300"; a name or class with settings, ("bamcp", {"simulations": 300});
            or a function of a domain, a prior and a seed that makes an agent. A dictionary gives them labels.
        worlds: number of worlds.
        seed: the seeds of worlds and agents are derived from it.
        steps: steps of each run; the problem's if not given.
        against: label of the agent that others are compared with; the best if not given.
        curves: whether to keep the mean reward along each run too; see `Comparison.plot_curves`.
        store: a folder that keeps each result as it arrives: the same call continues where it was stopped, also with more
            worlds or agents. For problems and agents by name. Your own code is run again after a change;
            rows of other versions of the library are reused, with a note.
        workers: runs at a time; one for each core if not given. The results don't depend on it, but measured times may.

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
        raise ValueError(f"against must be one of the agents, got {against!r}{suggestion(str(against), labels)}")
    by_name = named is not None and all(candidate.choice is not None for candidate in chosen)
    if store is not None and not by_name:
        raise ValueError("store is for problems and agents by name: objects and functions can't be stored; leave it out")
    for candidate in chosen:  # once, to fail fast
        names.draw(posed, candidate.make, *seeds(seed, 0))
    title = posed.name if named is None else str(named)
    names_only = named if by_name else None
    make = {of.label: _tasks(posed, names_only, of, steps, curves) for of in chosen}
    tasks = {(label, run): make[label](seed, run) for run in range(worlds) for label in labels}
    with shown("runs" if by_name else "steps") as show:
        done = engine.complete(tasks.values(), None if store is None else Store(store), workers=workers, show=show)
    for failed, error in done.failed:
        raise RuntimeError(f"{failed.settings['agent']} failed in world {failed.run} of {title}:\n{error}")
    runs = tuple(run for run in range(worlds) if all(tasks[label, run].key in done.rows for label in labels))
    if not runs:
        raise KeyboardInterrupt
    rows = {label: [done.rows[tasks[label, run].key] for run in runs] for label in labels}
    of_domain = isinstance(problem, Domain) if named is None else named.kind == "domain"
    return Comparison(title, rows, runs, steps, seed, against, done.interrupted, posed.domain.has_episodes, of_domain)


def _tasks(
    problem: Problem, named: Choice | None, candidate: Candidate, steps: int, curves: bool
) -> Callable[[int, int], Task | LocalTask]:
    """A function from seed and run to the task of an agent: by names unless `named` is None."""
    if named is None:
        make = partial(names.draw, problem, candidate.make)
        keep = with_curve if curves else measures
        return lambda seed, run: LocalTask(make, steps, seed, run, {"agent": candidate.label}, keep)
    settings = {**candidate.settings(named), "steps": steps, **({"curves": True} if curves else {})}
    return partial(Task, "compare", settings)


def _modules(choice: Choice) -> list[str]:
    """The modules of a name: that of `package.module:Name`, the two of `gym:package.module:ID`."""
    name = choice.found.name.removeprefix(GYMNASIUM)
    module, _, last = name.rpartition(":")
    if not module or name == choice.found.name:
        return [module] if module else []
    entry = gymnasium.spec(last).entry_point
    if isinstance(entry, str):
        return [module, entry.partition(":")[0]]
    return [module, getattr(entry, "__module__", module)]


def _problem(given: Any) -> tuple[Problem, Choice | None]:
    if isinstance(given, str):
        choice = names.choose_problem(given)
        return names.make_problem(choice), choice
    if isinstance(given, Domain | BAMDP):
        return Problem(given), None
    if not isinstance(given, Problem):
        raise TypeError(f"problem must be a name, a bamdp.BAMDP, a bamdp.problems.Problem or a bamdp.Domain, got {given!r}")
    return given, None


def _candidates(agents: Any) -> list[Candidate]:
    """The agents with their labels."""
    if isinstance(agents, Mapping):
        chosen = [_candidate(given, validation.text("each label of agents", label)) for label, given in agents.items()]
    else:
        given = None if isinstance(agents, str) else validation.listed("agents", agents)
        if given is None:
            raise TypeError(f"agents must be a list or a dictionary of agents, got {agents!r}")
        chosen = [_candidate(agent) for agent in given]
    labels = [candidate.label for candidate in chosen]
    if not chosen:
        raise ValueError("agents must not be empty, got none")
    if twice := sorted({label for label in labels if labels.count(label) > 1}):
        raise ValueError(f"agents must have different labels, got {twice[0]!r} twice; a dictionary gives them labels")
    return chosen


def _candidate(given: Any, label: str | None = None) -> Candidate:
    target, settings = given if isinstance(given, tuple) and len(given) == 2 else (given, {})
    if isinstance(target, str):
        choice = choose("agent", target, settings)
        return Candidate(label or (str(choice) if settings else target), partial(names.make_agent, choice), choice)
    settings = dict(validation.mapping("settings", settings))
    if inspect.isclass(target) and issubclass(target, Agent):
        return Candidate(
            label or target.__name__, partial(names.make_agent, Choice("agent", Found(target.__name__, target), settings))
        )
    if isinstance(target, Agent):
        raise TypeError(
            f"agents must be classes or functions that make an agent for each world, not an instance, got {target!r}"
        )
    if not callable(target):
        raise TypeError(f"each of agents must be a name, a class, either with settings, or a function, got {target!r}")
    return Candidate(label or str(getattr(target, "__name__", repr(target))), partial(target, **settings))
