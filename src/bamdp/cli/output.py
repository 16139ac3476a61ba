"""What commands print at the end: a table, or one JSON object."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bamdp import statistics
from bamdp.statistics import duration

if TYPE_CHECKING:
    from bamdp.runner import Result


@dataclass(frozen=True)
class Summary:
    """The runs of one agent in one domain.

    Attributes:
        title: the agent and the domain.
        results: the results of the completed runs.
        runs: number of runs, completed or not.
        steps: number of steps of each run.
        settings: the value of every setting, by name.
        published: the published mean total reward and its ±, if there is one.
    """

    title: str
    results: list[Result]
    runs: int
    steps: int
    settings: Mapping[str, Any]
    published: tuple[float, float] | None = None

    @property
    def total_rewards(self) -> list[float]:
        """Total reward of each completed run."""
        return [result.total_reward for result in self.results]

    @property
    def mean(self) -> statistics.Mean | None:
        """Mean total reward; None if no run was completed."""
        return statistics.mean(self.total_rewards) if self.results else None

    @property
    def episode_rewards(self) -> list[float]:
        """Sum of rewards of each episode that ended."""
        return [reward for result in self.results for reward in result.episode_rewards]

    @property
    def seconds_per_step(self) -> float | None:
        """The agent's own time."""
        return sum(r.seconds for r in self.results) / (self.steps * len(self.results)) if self.results else None

    @property
    def simulations_per_second(self) -> float | None:
        """Simulations per second of the agent's own time; None if it doesn't plan."""
        seconds = sum(r.seconds for r in self.results)
        simulations = [r.simulations for r in self.results if r.simulations is not None]
        return sum(simulations) / seconds if simulations and seconds > 0 else None

    @property
    def full_searches(self) -> int:
        """Number of decisions for which the search used up its memory."""
        return sum(r.full_searches for r in self.results)

    def print_json(self) -> None:
        """One object on standard output."""
        data = {
            "total_rewards": self.total_rewards,
            "mean": self.mean.value if self.mean else None,
            "ci95": interval(self.mean),
            **({"episode_rewards": [list(r.episode_rewards) for r in self.results]} if self.episode_rewards else {}),
            "seconds_per_step": self.seconds_per_step,
            "simulations_per_second": self.simulations_per_second,
            **({"full_searches": self.full_searches} if self.full_searches else {}),
            "settings": dict(self.settings),
        }
        print_json(data)

    def print_table(self) -> None:
        """A table on standard output."""
        print_rows(self.title, self._rows())

    def _rows(self) -> list[tuple[str, str]]:
        rows = [("mean total reward", mean_text(self.mean))]
        if self.published is not None:
            rows.append(("published", published_text(self.published)))
        stopped = f"{len(self.results)} done of " if len(self.results) < self.runs else ""
        rows.append(("runs", f"{stopped}{self.runs}, each of {self.steps} steps"))
        rows.append(("total rewards", ", ".join(f"{total:g}" for total in self.total_rewards) or "—"))
        if episodes := self.episode_rewards:
            rows.append(("episodes", f"{len(episodes)}, mean reward of each {statistics.mean(episodes).value:.6g}"))
        if self.seconds_per_step is not None:
            rows.append(("time per step", duration(self.seconds_per_step)))
        if self.simulations_per_second is not None:
            rows.append(("simulations per second", f"{self.simulations_per_second:,.0f}"))
        if self.full_searches:
            decisions = self.steps * len(self.results)
            rows.append(("memory", f"full in {self.full_searches} of {decisions} decisions; --memory sets the bound"))
        return rows + setting_rows(self.settings)


def setting_rows(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The last rows of a table: domain, agent and prior, then the settings."""
    named = ("domain", "agent", "prior")
    others = ", ".join(f"{name}={value}" for name, value in settings.items() if name not in named)
    return [*((name, str(settings[name])) for name in named), ("settings", others)]


def print_rows(title: str, rows: list[tuple[str, str]]) -> None:
    """A table of names and texts on standard output."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table("", title, box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name, text in rows:
        table.add_row(name, text)
    Console(markup=False, highlight=False, file=sys.stdout).print(table)


def print_json(data: Mapping[str, Any]) -> None:
    """One object on standard output, with null for every number that JSON doesn't have."""
    print(json.dumps(_finite(dict(data)), allow_nan=False))


def interval(mean: statistics.Mean | None) -> list[float | None] | None:
    """The ends of a mean's interval, if it has one."""
    return None if mean is None or mean.low is None else [mean.low, mean.high]


def mean_text(mean: statistics.Mean | None) -> str:
    """A mean with its interval."""
    if mean is None:
        return "—"
    if mean.low is None or mean.high is None:
        return f"{mean.value:.6g}   no interval from fewer than {statistics.FEWEST} runs"
    return f"{mean.value:.6g}   95 % interval {mean.low:.6g} … {mean.high:.6g}"


def published_text(published: tuple[float, float]) -> str:
    """A published mean with its ± and its source."""
    return "{:g} ± {:g}   (Guez, Silver, Dayan 2012, Table 1)".format(*published)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
