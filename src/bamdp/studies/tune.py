"""Choosing the best of an agent's settings in one domain.

The best of many noisy means looks better than it is, so it is run again with other seeds: that mean can be quoted.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from bamdp.agent import Agent
from bamdp.runs.runner import Job, Results, play, play_all

Setting = dict[str, Any]


@dataclass(frozen=True)
class TriedSetting:
    """One setting and the results of its runs."""

    setting: Setting
    done: Results


@dataclass(frozen=True)
class Tuning:
    """A trial of each setting, the best of them, that setting again with other seeds, and whether Ctrl-C ended the rest."""

    trials: list[TriedSetting]
    best: TriedSetting | None
    again: TriedSetting | None
    interrupted: bool


def points(grids: Iterable[Mapping[str, Sequence[Any]]], fixed: Collection[str] = ()) -> list[Setting]:
    """All combinations of each grid, without the settings that are fixed.

    Example:
        >>> points([{"models": (1, 2), "delta": (3, 5)}], fixed=["models"])
        [{'delta': 3}, {'delta': 5}]
    """
    settings: list[Setting] = []
    for grid in grids:
        free = {name: values for name, values in grid.items() if name not in fixed}
        settings += [dict(zip(free, point, strict=True)) for point in itertools.product(*free.values())]
    return [setting for i, setting in enumerate(settings) if setting and setting not in settings[:i]]


def tune(job: Job, make_agent: Callable[..., Agent], settings: Sequence[Setting]) -> Tuning:
    """Do the runs of a job with each setting, then those of the best again with other seeds.

    Args:
        job: the runs.
        make_agent: makes an agent from its seed and a setting, which are keyword arguments.
        settings: what to try.
    """
    done = play_all([replace(job, make_agent=partial(make_agent, **setting)) for setting in settings])
    trials = [TriedSetting(setting, of_setting) for setting, of_setting in zip(settings, done, strict=True)]
    best = max((trial for trial in trials if trial.done.mean), key=_mean, default=None)
    if best is None or best.done.interrupted:
        return Tuning(trials, best, None, done[0].interrupted)
    again = play(replace(best.done.job, seed=job.seed + 1))
    return Tuning(trials, best, TriedSetting(best.setting, again), again.interrupted)


def _mean(trial: TriedSetting) -> float:
    return trial.done.mean.value if trial.done.mean else -math.inf
