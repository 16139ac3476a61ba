"""`bamdp tune DOMAIN AGENT`: every setting of an agent's grid in one domain, and the best of them.

The best of many noisy means looks better than it is, so it is run once more with other seeds: that mean can be quoted.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import sys
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from bamdp import statistics
from bamdp.cli.output import finite, mean_text, published_text
from bamdp.config import parameters
from bamdp.config.names import UsageError
from bamdp.config.parameters import Flag
from bamdp.config.setup import Request, common_flags, readable
from bamdp.runner import Job, Result, play, play_all
from bamdp.statistics import duration

Setting = dict[str, Any]


class TuneRequest(Request):
    """What `bamdp tune` was asked to do; a setting given as a flag is fixed and no longer part of the grid."""

    command: ClassVar[str] = "tune"

    def __init__(self, domain_name: str, agent_name: str, words: list[str]) -> None:
        super().__init__(domain_name, agent_name, words)
        typed = {word.partition("=")[0].removeprefix("--").replace("-", "_") for word in words if word.startswith("--")}
        names = parameters.names(self.groups)
        self.fixed = {name: value for name, value in self.values["agent"].items() if names["agent", name] in typed}

    def _run_flags(self) -> list[Flag]:
        grid = Flag(
            "grid", str | None, None, 'what to try instead of the agent\'s own grid, as "beta=0.5,1,2 ties=first,random"'
        )
        return [Flag("steps", int, self.domain.steps, "steps of each run"), *common_flags(runs=10), grid]

    def grid(self) -> list[Setting]:
        """All settings to try."""
        text = self.values["run"]["grid"]
        grids = getattr(self.found_agent.target, "grid", ()) if text is None else (self._typed(text),)
        settings: list[Setting] = []
        for grid in grids:
            free = {name: values for name, values in grid.items() if name not in self.fixed}
            settings += [dict(zip(free, point, strict=True)) for point in itertools.product(*free.values())]
        unique = [setting for i, setting in enumerate(settings) if setting not in settings[:i]]
        if not unique or unique == [{}]:
            raise UsageError(f"agent '{self.agent_name}' has no grid to search: give one, as --grid \"name=1,2,3\"")
        return unique

    def _typed(self, text: str) -> Mapping[str, tuple[Any, ...]]:
        known = {flag.parameter: flag for flag in self.groups["agent"]}
        grid: dict[str, tuple[Any, ...]] = {}
        for word in text.split():
            name, equals, values = word.replace("-", "_", word.partition("=")[0].count("-")).partition("=")
            if name not in known or not equals or not values:
                raise UsageError(f'grid must be like "name=1,2,3", with names of: {", ".join(known)}; got {word!r}')
            grid[name] = tuple(_value(known[name], value) for value in values.split(","))
        return grid

    def jobs(self) -> tuple[list[Setting], list[Job]]:
        """The settings and what to run for each; every setting is tried out first, so that mistakes show at once."""
        base, _ = self.job()
        settings = self.grid()
        with readable():
            for setting in settings:
                self.make_agent(0, **setting)
        return settings, [dataclasses.replace(base, make_agent=partial(self.make_agent, **setting)) for setting in settings]


def _value(flag: Flag, text: str) -> Any:
    """A word of the grid as what the flag takes."""
    kinds = typing.get_args(flag.type) or (flag.type,)
    if text == "None" and type(None) in kinds:
        return None
    for kind in (bool, int, float):
        if kind in kinds:
            try:
                return {"True": True, "False": False}[text] if kind is bool else kind(text)
            except (KeyError, ValueError):
                continue
    if any(kind in (int, float, bool) for kind in kinds):
        raise UsageError(f"grid: {flag.parameter} can't be {text!r}")
    return text


@dataclass(frozen=True)
class Trial:
    """One setting and what its runs gave."""

    setting: Setting
    results: list[Result]
    steps: int

    @property
    def mean(self) -> statistics.Mean | None:
        """Mean total reward; None if no run was completed."""
        return statistics.mean([result.total_reward for result in self.results]) if self.results else None

    @property
    def seconds_per_step(self) -> float | None:
        """The agent's own time."""
        return sum(r.seconds for r in self.results) / (self.steps * len(self.results)) if self.results else None

    def data(self) -> dict[str, Any]:
        """For JSON."""
        mean = self.mean
        return {
            "setting": self.setting,
            "total_rewards": [result.total_reward for result in self.results],
            "mean": mean.value if mean else None,
            "ci95": [mean.low, mean.high] if mean is not None and mean.low is not None else None,
            "seconds_per_step": self.seconds_per_step,
        }


def tune(request: TuneRequest) -> int:
    """Search the grid, run the best setting again, print both; returns the exit code."""
    settings, jobs = request.jobs()
    outcomes = play_all(jobs)
    trials = [Trial(s, o.results, j.steps) for s, o, j in zip(settings, outcomes, jobs, strict=True)]
    best = max((t for t in trials if t.mean), key=lambda t: t.mean.value if t.mean else 0.0, default=None)
    interrupted = outcomes[0].interrupted
    again: Trial | None = None
    if best is not None and not interrupted:
        job = dataclasses.replace(jobs[trials.index(best)], seed=jobs[0].seed + 1)
        outcome = play(job)
        again, interrupted = Trial(best.setting, outcome.results, job.steps), outcome.interrupted
    (_print_json if request.values["run"]["json"] else _print_table)(request, trials, best, again)
    return 130 if interrupted else 0


def _print_json(request: TuneRequest, trials: list[Trial], best: Trial | None, again: Trial | None) -> None:
    run = request.values["run"]
    data = {
        "domain": request.domain_name,
        "agent": request.agent_name,
        "trials": [trial.data() for trial in trials],
        "best": best.data() if best else None,
        "best_again": again.data() if again else None,
        "published": request.published(),
        "fixed": request.fixed,
        "runs": run["runs"],
        "seed": run["seed"],
        "steps": trials[0].steps,
    }
    print(json.dumps(finite(data), allow_nan=False))


def _print_table(request: TuneRequest, trials: list[Trial], best: Trial | None, again: Trial | None) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Column, Table

    names = list(dict.fromkeys(name for trial in trials for name in trial.setting))
    heads = [Column(head, no_wrap=True) for head in (*names, "mean total reward", "time per step", "")]
    title = f"{request.agent_name} in {request.domain_name}"
    table = Table(*heads, title=title, title_justify="left", box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for trial in trials:
        values = [str(trial.setting[name]) if name in trial.setting else "" for name in names]
        table.add_row(*values, mean_text(trial.mean), _time(trial), "← best" if trial is best else "")
    console = Console(markup=False, highlight=False, file=sys.stdout)
    needed = console.measure(table, options=console.options.update(max_width=10_000)).maximum
    console.width = max(console.width, needed)  # a cut number would be worse than a long line
    console.print(table)
    if again is not None:
        console.print(f"\nbest, with other seeds: {mean_text(again.mean)}", soft_wrap=True)
        console.print(f"  {_command(request, again)}", soft_wrap=True)
    if (published := request.published()) is not None:
        console.print(f"published: {published_text(published)}", soft_wrap=True)


def _time(trial: Trial) -> str:
    return "—" if trial.seconds_per_step is None else duration(trial.seconds_per_step)


def _command(request: TuneRequest, trial: Trial) -> str:
    """The line that plays the best setting again."""
    run = request.values["run"]
    settings = {**request.fixed, **trial.setting, "runs": run["runs"], "seed": run["seed"] + 1}
    return " ".join([f"bamdp play {request.domain_name} {request.agent_name}", *parameters.words(settings)])
