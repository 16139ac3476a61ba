"""Comparing agents fairly: the same worlds and the same random numbers for all, ties at random,
paired differences.

Run i of every agent has the i-th world (`Benchmark.world`), in which the n-th outcome of a state
and action is always the same, and the same seed for its own choices. The differences in each world
have far less variance than the returns.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bamdp import validation
from bamdp.agent import Agent
from bamdp.comparing import engine
from bamdp.comparing.candidates import Candidate, Posed, all_candidates, draw
from bamdp.comparing.comparison import Comparison
from bamdp.comparing.engine import Progress, is_portable, progress_bar, threads
from bamdp.comparing.planned import PlannedRun, measures, searches_natively, with_curve
from bamdp.comparing.rows import MOST_RUNS
from bamdp.comparing.store import Store
from bamdp.domain import Domain
from bamdp.executors import cores
from bamdp.problem import BAMDP, checked_episodes
from bamdp.runs.loop import checked_steps, has_episodes, seeds
from bamdp.suite.benchmark import Benchmark
from bamdp.validation import SeedLike, suggestion

Planned = Mapping[str, Sequence[PlannedRun]]  # the runs of each agent, one for each world


def compare(
    problem: str | BAMDP | Benchmark | Domain,
    agents: Iterable[Any] | Mapping[str, Any],
    *,
    worlds: int = 100,
    seed: SeedLike = 0,
    steps: int | None = None,
    episodes: int | None = None,
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
        episodes: episodes of each run, which ends with the last of them; the problem's if not
            given.
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
    posed, candidates = Posed.of(problem), all_candidates(agents)
    benchmark = posed.benchmark
    worlds = validation.positive_integer("worlds", worlds, MOST_RUNS)
    seed = validation.integer_seed(seed)
    steps = checked_steps(benchmark.steps if steps is None else steps, benchmark.domain)
    episodes = checked_episodes(episodes)
    curves = validation.boolean("curves", curves)
    workers = threads(cores() if workers is None else workers)
    labels = [candidate.label for candidate in candidates]
    if against is not None and against not in labels:
        raise ValueError(
            f"against must be one of the agents, got {against!r}{suggestion(str(against), labels)}"
        )
    by_name = posed.spec is not None and all(each.spec is not None for each in candidates)
    if store is not None and not by_name:
        raise ValueError(
            "store is for problems and agents by name: objects and functions can't be stored; "
            "leave it out"
        )
    opened = None if store is None else Store(store)
    first = [  # to fail fast
        draw(benchmark, each.make, *seeds(seed, 0))[0] for each in candidates
    ]
    planned = {
        each.label: _world_runs(each, posed, range(worlds), seed, steps, curves, episodes)
        for each in candidates
    }
    done = _done(planned, first, opened, workers)
    runs = tuple(
        run
        for run in range(worlds)
        if all(planned[label][run].key in done.rows for label in labels)
    )
    if not runs:
        raise KeyboardInterrupt
    return Comparison(
        problem=posed.title,
        results={label: [done.rows[planned[label][run].key] for run in runs] for label in labels},
        runs=runs,
        steps=steps,
        seed=seed,
        against=against,
        interrupted=done.interrupted,
        has_episodes=has_episodes(benchmark.domain),
        of_domain=posed.of_domain,
    )


def _world_runs(
    candidate: Candidate,
    posed: Posed,
    worlds: range,
    seed: int,
    steps: int,
    curves: bool,
    episodes: int | None,
) -> list[PlannedRun]:
    """The run of an agent in each world."""
    make, settings = posed.draw(candidate.make), candidate.row_settings(posed.spec, steps, curves)
    if episodes is not None:
        settings = {**settings, "episodes": episodes}
    return [
        PlannedRun(
            make,
            steps,
            seed,
            run,
            settings=settings,
            measures=with_curve if curves else measures,
            failure=f"{candidate.label} failed in world {{run}} of {posed.title}",
            episodes=episodes,
        )
        for run in worlds
    ]


def _done(planned: Planned, agents: Sequence[Agent], store: Store | None, workers: int) -> Progress:
    """The runs, world by world: on processes where all can be sent there, and either an agent in
    Python would hold the lock of threads, or the user's code is to be read again.
    """
    firsts = [runs[0] for runs in planned.values()]
    in_python = workers > 1 and not all(map(searches_natively, agents))
    has_source = any("source" in run.settings for run in firsts)
    processes = all(map(is_portable, firsts)) and (in_python or has_source)
    by_world = [run for of_world in zip(*planned.values(), strict=True) for run in of_world]
    with progress_bar("runs" if processes else "steps") as show:
        return engine.complete(by_world, store, processes=processes, workers=workers, show=show)
