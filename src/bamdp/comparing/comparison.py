"""The result of a comparison: agents in the same worlds, with means, paired differences, a table, a
picture and JSON.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bamdp import statistics
from bamdp.comparing import table as tables
from bamdp.comparing.rows import machine, measured
from bamdp.comparing.table import (
    Column,
    Rows,
    average_of,
    difference_of,
    mean_or_point,
    per_episode,
    per_step,
)
from bamdp.pictures.markup import Interval
from bamdp.result import IntervalResult, new_figure
from bamdp.statistics import FEWEST, Mean, digits, duration
from bamdp.validation import one_of, suggestion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = (  # what agents are sorted by comes first
    Column("return", "discounted return", mean_or_point("discounted_return"), interval=True),
    Column("difference", "minus {reference}", difference_of("discounted_return"), interval=True),
    Column(
        "return_per_episode",
        "return per episode",
        per_episode,
        interval=True,
        of_episodes=True,
    ),
    Column("episodes", "episodes", average_of("episodes"), digits, of_episodes=True),
    Column("total", "total", mean_or_point("total_reward"), interval=True),
    Column("seconds_per_decision", "time per decision", per_step, duration),
)


@dataclass(frozen=True)
class Comparison(IntervalResult):
    """Agents in the same worlds, the best first.

    Attributes:
        problem: name of the problem.
        results: rows of each world by agent, flat dictionaries: what was measured (see `measures`),
            settings, and where they come from.
        runs: numbers of the worlds.
        steps: steps of each run.
        seed: seed of worlds and agents.
        against: the agent that others are compared with; the best if None.
        interrupted: whether Ctrl-C ended it before all worlds were done.
        has_episodes: whether episodes may end before the run does; the table then shows them.
        of_domain: whether a domain was given, whose worlds are drawn from its prior.
    """

    problem: str
    results: Mapping[str, Sequence[Mapping[str, Any]]]
    runs: tuple[int, ...]
    steps: int
    seed: int
    against: str | None = None
    interrupted: bool = False
    has_episodes: bool = False
    of_domain: bool = False

    @cached_property
    def agents(self) -> tuple[str, ...]:
        """The agents, by mean discounted return."""
        return tuple(sorted(self.results, key=lambda agent: -self.mean(agent).value))

    @property
    def worlds(self) -> int:
        """Number of worlds."""
        return len(self.runs)

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """What was measured in each world."""
        return tuple(
            dict.fromkeys(
                name for rows in self.results.values() for row in rows for name in measured(row)
            )
        )

    @cached_property
    def other_versions(self) -> dict[str, int]:
        """Number of rows, reused from a store, of each other version or commit of the library."""
        made = Counter(_version(row) for rows in self.results.values() for row in rows)
        del made[_version(machine())]
        return dict(sorted(made.items()))

    @property
    def reference(self) -> str:
        """The agent that others are compared with."""
        return self.agents[0] if self.against is None else self.against

    def values(self, agent: str, measure: str = "discounted_return") -> NDArray[np.float64]:
        """A measurement of each world, NaN where there is none. [worlds]"""
        return tables.values(self._rows_of(agent, measure), measure)

    def mean(self, agent: str, measure: str = "discounted_return") -> Mean:
        """The mean over the worlds, with its 95 % interval."""
        mean: Mean = mean_or_point(measure)(self._rows_of(agent, measure), ())
        return mean

    def difference(
        self, agent: str, other: str | None = None, measure: str = "discounted_return"
    ) -> Mean:
        """The mean of the differences in each world to another agent, with its 95 % interval.

        Args:
            agent: the agent.
            other: the other agent; `reference` if not given.
            measure: what is compared.
        """
        rows = (
            self._rows_of(of, measure) for of in (agent, self.reference if other is None else other)
        )
        difference: Mean = difference_of(measure)(*rows)
        return difference

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The table as columns, a value for each agent; None where there is none.

        `difference` is the paired difference to `reference`; `return_per_episode` is the mean over
        all episodes that ended.
        """
        reference = self.results[self.reference]
        cells = [
            {
                "agent": agent,
                **{
                    name: v
                    for c in COLUMNS
                    for name, v in c.data(self.results[agent], reference).items()
                },
            }
            for agent in self.agents
        ]
        return {
            **{name: [row[name] for row in cells] for name in cells[0]},
            "worlds": [self.worlds] * len(self.agents),
        }

    def to_json(self) -> str:
        """Everything as JSON: the table, and the measurements of each world."""
        data = {
            "problem": self.problem,
            "worlds": self.worlds,
            "steps": self.steps,
            "seed": self.seed,
            "reference": self.reference,
            "interrupted": self.interrupted,
            "other_versions": self.other_versions,
            "has_episodes": self.has_episodes,
            "columns": self.columns,
            "runs": list(self.runs),
            "results": {
                agent: {m: [r.get(m) for r in self.results[agent]] for m in self.measures}
                for agent in self.agents
            },
        }
        return json.dumps(data, allow_nan=False)

    @property
    def curves(self) -> dict[str, list[Any]]:
        """Learning curves as columns: agent, step, and the mean `reward` of all steps so far, with
        its 95 % interval.

        A curve has at most 100 points and ends at the total of the table, divided by the steps.
        """
        columns: dict[str, list[Any]] = {
            name: [] for name in ("agent", "step", "reward", "reward_low", "reward_high")
        }
        for agent in self.agents:
            if any("curve" not in row for row in self.results[agent]):
                raise ValueError("there are no learning curves: give curves=True to bamdp.compare")
            parts = np.array(
                [row["curve"] for row in self.results[agent]]
            )  # mean reward of each part of a run [worlds, parts]
            lengths = np.array(
                [len(part) for part in np.array_split(np.arange(self.steps), parts.shape[1])]
            )
            ends = lengths.cumsum()
            for step, values in zip(
                ends.tolist(), ((parts * lengths).cumsum(axis=1) / ends).T, strict=True
            ):
                mean = statistics.mean(values.tolist())
                for name, value in zip(
                    columns, (agent, step, mean.value, mean.low, mean.high), strict=True
                ):
                    columns[name].append(value)
        return columns

    def plot_curves(self) -> Figure:
        """Learning curves, a line and its 95 % band for each agent, as a Matplotlib figure; needs
        the extra `report`.
        """
        columns = self.curves
        figure: Figure = new_figure(7, 4)
        axes = figure.subplots()
        for agent in self.agents:
            at = [i for i, name in enumerate(columns["agent"]) if name == agent]
            step, reward, low, high = ([columns[name][i] for i in at] for name in list(columns)[1:])
            (line,) = axes.plot(step, reward, label=agent)
            if None not in low:
                axes.fill_between(step, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
        axes.set(
            xlabel="step",
            ylabel="mean reward of all steps so far, 95 % band",
            title=self.title().replace(": ", "\n", 1),
        )
        axes.legend()
        return figure

    def __repr__(self) -> str:
        return (
            f"<Comparison of {len(self.agents)} agents in {self.worlds} worlds of {self.problem}, "
            f"best {self.agents[0]}>"
        )

    def intervals(self) -> tuple[Sequence[str], dict[str, list[Interval]]]:
        """The returns, and the paired differences to `reference`."""
        means = {
            "discounted return, 95 % interval": [self.mean(agent) for agent in self.agents],
            f"difference to {self.reference}": [self.difference(agent) for agent in self.agents],
        }
        return self.agents, {
            heading: [(mean.value, mean.low, mean.high) for mean in some]
            for heading, some in means.items()
        }

    def title(self) -> str:
        """Of how many worlds it is."""
        worlds = "1 world" if self.worlds == 1 else f"{self.worlds} worlds"
        return f"{self.problem}: {worlds} of {self.steps} steps, the same for every agent"

    @property
    def _columns(self) -> list[Column]:
        return [column for column in COLUMNS if self._shows_episodes or not column.of_episodes]

    @property
    def _shows_episodes(self) -> bool:
        return self.has_episodes or any(
            row.get("episodes") for rows in self.results.values() for row in rows
        )

    def table(self) -> list[list[str]]:
        """A row for each agent, the best first."""
        columns, reference = self._columns, self.results[self.reference]
        heads = [column.heading.format(reference=self.reference) for column in columns]
        rows = [
            [
                agent,
                *(
                    "" if self._is_own(column, agent) else column.show(rows, reference)
                    for column in columns
                ),
            ]
            for agent in self.agents
            for rows in [self.results[agent]]
        ]
        return [["agent", *heads], *rows]

    def _is_own(self, column: Column, agent: str) -> bool:
        """Whether it is the difference of the reference to itself."""
        return column.name == "difference" and agent == self.reference

    def _rows_of(self, agent: str, measure: str = "discounted_return") -> Rows:
        if agent not in self.results:
            raise ValueError(
                f"unknown agent '{agent}'{suggestion(str(agent), self.results) or '.'} Known: "
                f"{', '.join(self.results)}"
            )
        one_of("measure", measure, self.measures)
        return self.results[agent]

    def notes(self) -> list[str]:
        """How to read the table."""
        notes = (
            ["Worlds are drawn from the domain's prior; bamdp play acts in the domain itself."]
            if self.of_domain
            else []
        )
        if self.worlds < FEWEST:
            notes.append(f"No intervals from fewer than {FEWEST} worlds.")
        elif any(
            self.difference(agent).low is None for agent in self.agents if agent != self.reference
        ):
            notes.append("A difference without interval is the same in every world.")
        if self._shows_episodes:
            notes.append(
                "Episodes: those that ended, per world. Where each pays 0 or 1, the return is the "
                "success rate."
            )
        if self.interrupted:
            notes.append("Interrupted: the worlds that were done.")
        if self.other_versions:
            reused = ", ".join(f"{n} of {version}" for version, n in self.other_versions.items())
            this = f"this is {_version(machine())}"
            notes.append(f"Rows of other versions, reused from the store: {reused}; {this}.")
        return ["±: 95 % intervals; differences are paired.", *notes]


def _version(made: Mapping[str, Any]) -> str:
    """The version of the library that made a row, with its commit if it was a checkout."""
    commit = f" (commit {made['commit']})" if made.get("commit") else ""
    return f"version {made['version']}{commit}"
