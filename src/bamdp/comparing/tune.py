"""Choosing the best of an agent's settings in one domain.

The best of many noisy means looks better than it is, so it is run again with other seeds: that mean
can be quoted.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, runtime_checkable

from bamdp.agent import Agent, Grid
from bamdp.comparing.engine import complete, progress_bar
from bamdp.comparing.planned import plays
from bamdp.comparing.table import Table
from bamdp.domain import Domain

Setting = dict[str, Any]


@runtime_checkable
class Tunable(Protocol):
    """A class of agents with a grid of its own, that of the literature."""

    grid: Grid


@dataclass(frozen=True)
class TriedSetting:
    """One setting and its runs."""

    setting: Setting
    done: Table


@dataclass(frozen=True)
class Tuning:
    """A trial of each setting, the best of them, that setting again with other seeds, and whether
    Ctrl-C ended the rest.
    """

    trials: list[TriedSetting]
    best: TriedSetting | None
    again: TriedSetting | None
    interrupted: bool


def points(
    grids: Iterable[Mapping[str, Sequence[Any]]], fixed: Collection[str] = ()
) -> list[Setting]:
    """All combinations of each grid, without the settings that are fixed.

    Example:
        >>> points([{"models": (1, 2), "delta": (3, 5)}], fixed=["models"])
        [{'delta': 3}, {'delta': 5}]
    """
    free = ({name: values for name, values in grid.items() if name not in fixed} for grid in grids)
    return [setting for setting in combinations(free) if setting]


def combinations(grids: Iterable[Mapping[str, Sequence[Any]]]) -> list[dict[str, Any]]:
    """All combinations of the values of each grid, each once.

    Example:
        >>> combinations([{"models": (1, 2), "delta": (3,)}, {"models": (2, 4), "delta": (3,)}])
        [{'models': 1, 'delta': 3}, {'models': 2, 'delta': 3}, {'models': 4, 'delta': 3}]
    """
    distinct: list[dict[str, Any]] = []
    for grid in grids:
        points = (
            dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())
        )
        distinct += [point for point in points if point not in distinct]
    return distinct


def tune(
    domain: Domain,
    make_agent: Callable[..., Agent],
    settings: Sequence[Setting],
    *,
    steps: int,
    runs: int,
    seed: int = 0,
    workers: int | None = None,
) -> Tuning:
    """Do some runs with each setting, then those of the best again with other seeds.

    Args:
        domain: the domain.
        make_agent: makes an agent from its seed and a setting, which are keyword arguments.
        settings: what to try.
        steps: steps of each run.
        runs: runs of each setting.
        seed: the seeds of all runs are derived from it.
        workers: runs at a time.
    """
    tasks = [
        plays(domain, partial(make_agent, **setting), steps, runs, seed, setting)
        for setting in settings
    ]
    with progress_bar(
        "steps"
    ) as show:  # run by run, so that after Ctrl-C all settings have about as many
        done = complete(
            [task for by_run in zip(*tasks, strict=True) for task in by_run],
            workers=workers,
            show=show,
        )
    trials = [
        TriedSetting(setting, done.table(some))
        for setting, some in zip(settings, tasks, strict=True)
    ]
    best = max((trial for trial in trials if trial.done.rows), key=_mean_total, default=None)
    if best is None or done.interrupted:
        return Tuning(trials, best, None, done.interrupted)
    again = plays(domain, partial(make_agent, **best.setting), steps, runs, seed + 1, best.setting)
    with progress_bar("steps") as show:
        rerun = complete(again, workers=workers, show=show).table(again)
    return Tuning(trials, best, TriedSetting(best.setting, rerun), rerun.interrupted)


def _mean_total(trial: TriedSetting) -> float:
    mean = trial.done.mean("total_reward")
    return mean.value if mean else -math.inf
