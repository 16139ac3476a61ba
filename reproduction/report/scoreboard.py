"""The scoreboard: for each problem and agent the scaled score with its interval, and who is best.

With a, r and o the discounted returns of the agent, of random actions and of the agent that knows
the world,

    score = (mean a − mean r) / (mean o − mean r)

over the worlds that all three have been in. Where the exact Bayes-optimal value is stored, that is
o, and a and r are variance-reduced returns (`reproduction.tasks.problems.expected_return`). The 95
% interval is by the delta method on the values of each world (`bamdp.statistics.ratio`). An agent
is best if no other is significantly better, by paired t-tests of all pairs of agents on the
problem, corrected by Holm for their number, at 5 %. Several may be best.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import floor, log10
from statistics import median
from typing import Any

from bamdp import statistics
from bamdp.statistics import Mean, duration
from reproduction.benchmark import BENCHMARK, BOUND, OPTIMUM, ORACLE, RANDOM, RETURN, TUNED
from reproduction.query import Measurement, Query
from reproduction.report.tables import TableRow, table_row
from reproduction.report.verdict import plus_minus

COLUMNS = {"given": "Agents as given", "tuned": "Agents at their best settings"}
LEVEL = 0.05  # of the tests on one problem together
ROUNDING = 1e-9  # half-width of an interval below which it is that of rounding errors
REFERENCES = (
    RANDOM,
    ORACLE,
)  # that are not compared: one does not learn, the other knows the world

Worlds = Mapping[int, float]  # the return in each


@dataclass(frozen=True)
class Score:
    """One agent on one problem, as given or at its best setting."""

    measurement: Measurement
    scaled: Mean | None  # None where there is no scale
    best: bool = False  # whether no other agent is significantly better

    @property
    def text(self) -> str:
        """The score with half of its interval; the discounted return if there is no score."""
        if self.scaled is None:
            return f"({self.mean})"
        half = self.scaled.half or 0.0
        if half < ROUNDING:
            return f"{self.scaled.value:z.2f}".replace("-", "−")
        digits = max(2, -floor(log10(half)))
        return f"{self.scaled.value:z.{digits}f} ± {half:.{digits}f}".replace("-", "−")

    @property
    def mean(self) -> str:
        """The mean discounted return with half of its interval."""
        return plus_minus(self.measurement.mean(RETURN))

    @property
    def worlds(self) -> int:
        return len(self.measurement.values(RETURN))

    @property
    def seconds(self) -> float:
        """The agent's own time per decision, the median of the blocks of worlds."""
        each = zip(
            self.measurement.values("agent_seconds"), self.measurement.values("steps"), strict=True
        )
        return median(seconds / steps for seconds, steps in each)


@dataclass(frozen=True)
class Standing:
    """The scores of one problem, by agent; at their best settings, agents without settings to try
    are as given.
    """

    problem: str
    given: dict[str, Score]
    tuned: dict[str, Score]  # empty if no agent has been tuned
    exact: bool  # whether 1 is the exact optimum
    bound: Mapping[str, float] | None = (
        None  # the most that can be earned; see `reproduction.tasks.problems.upper_bound`
    )

    @property
    def scale(self) -> str:
        """What 0 and 1 are, or that there is no scale, and the achievable range."""
        top = "the exact optimum" if self.exact else "knowing the world"
        text = f"0 is random play, 1 is {top}."
        scores = [score for name in COLUMNS for score in self.column(name).values()]
        if all(score.scaled is None for score in scores):
            text = "Numbers in brackets are discounted returns, not scores: "
            no_gain = f"{top} is not significantly better than random play."
            text += no_gain if ORACLE in self.agents else "no agent knows the world."
        if self.bound is None:
            return text
        most, knowing = self.bound["most"], self.bound.get("knowing")
        if knowing is None:
            return (
                f"{text} The exact optimum is {most:.4g}: no agent that has to learn the world can "
                "earn more on average."
            )
        return (
            f"{text} No agent that has to learn the world can earn more than {most:.3g} on average "
            "(95 % confidence): that is "
            f"the value of being told the world after {self.bound['delay']:.0f} steps. "
            f"Knowing it at once is worth {knowing:.3g}."
        )

    @property
    def agents(self) -> list[str]:
        return list(dict.fromkeys((*self.given, *self.tuned)))

    def column(self, name: str) -> dict[str, Score]:
        """One of `COLUMNS`."""
        return {"given": self.given, "tuned": self.tuned}[name]


def scoreboard(query: Query) -> list[Standing]:
    """The scores of all problems that have been run."""
    standings = [_standing(query, problem) for problem in BENCHMARK.entries]
    return [standing for standing in standings if standing.given or standing.tuned]


def by_world(measurement: Measurement) -> Worlds:
    """What counts in each world, by its number."""
    blocks = [(row["run"], row[measurement.entry.measure]) for row in measurement.rows]
    return {
        run * len(values) + i: value for run, values in blocks for i, value in enumerate(values)
    }


def scaled(agent: Worlds, low: Worlds, high: Worlds | float) -> Mean | None:
    """The score where `low` has 0 and `high` has 1; None if `high` is not above
    `low` beyond doubt.
    """
    worlds = [
        world for world in agent if world in low and (isinstance(high, float) or world in high)
    ]
    if not worlds:
        return None
    tops = [high if isinstance(high, float) else high[world] for world in worlds]
    ranges = [top - low[world] for top, world in zip(tops, worlds, strict=True)]
    width = statistics.mean(ranges)
    if not (width.value if width.low is None else width.low) > 0:
        return None
    return statistics.ratio([agent[world] - low[world] for world in worlds], ranges)


def best(agents: Mapping[str, Worlds]) -> set[str]:
    """The agents that no other is significantly better than, by the worlds that two
    have in common.
    """
    pairs = list(combinations(agents, 2))
    apart = [[x - agents[b][w] for w, x in agents[a].items() if w in agents[b]] for a, b in pairs]
    tested = zip(pairs, apart, statistics.holm([_p_value(values) for values in apart]), strict=True)
    return set(agents) - {
        a if sum(values) < 0 else b for (a, b), values, chance in tested if chance < LEVEL
    }


def agents_of(board: Sequence[Standing], name: str) -> list[str]:
    """All agents of a column, in the order of the first problem that has them."""
    return list(dict.fromkeys(agent for standing in board for agent in standing.column(name)))


def score_rows(board: Sequence[Standing]) -> list[TableRow]:
    """The numbers behind the scoreboard."""
    return [
        table_row(
            score.measurement,
            {"score": score.text, "best": "best" if score.best else "", "return": score.mean},
            runs=f"{score.worlds} worlds",
            time=duration(score.seconds),
        )
        for standing in board
        for scores in (standing.given, standing.tuned)
        for score in scores.values()
        if scores is standing.given or score.measurement.label.endswith(TUNED)
    ]


def columns(board: Sequence[Standing]) -> list[dict[str, Any]]:
    """The rows of `bamdp.results()`."""
    return [
        {
            "benchmark": standing.problem,
            "settings": name,
            "agent": agent,
            "score": "" if score.scaled is None else f"{score.scaled.value:.6g}",
            "score_half": "" if score.scaled is None else f"{score.scaled.half or 0:.2g}",
            "best": int(score.best),
            "mean_return": f"{(mean := score.measurement.mean(RETURN)).value:.6g}",
            "return_half": "" if mean.half is None else f"{mean.half:.2g}",
            "worlds": score.worlds,
            "seconds_per_decision": f"{score.seconds:.2g}",
        }
        for standing in board
        for name in COLUMNS
        for agent, score in standing.column(name).items()
    ]


def _standing(query: Query, problem: str) -> Standing:
    labels = [entry.label for entry in BENCHMARK.entries[problem]]
    measured = {
        label: m for label in labels if (m := query.best(BENCHMARK, problem, label)) is not None
    }
    optimum = measured.pop(OPTIMUM, None)
    exact = None if optimum is None else float(optimum.result["value"])
    bound = measured.pop(BOUND, None)
    worlds = {label: by_world(m) for label, m in measured.items()}
    high = worlds.get(ORACLE) if exact is None else exact
    given = [label for label in measured if not label.endswith(TUNED)]
    fixed = [label for label in given if label + TUNED not in labels]
    tuned = [label for label in measured if label.endswith(TUNED)]

    def scores(chosen: list[str]) -> dict[str, Score]:
        winners = best({label: worlds[label] for label in chosen if label not in REFERENCES})
        low = worlds.get(RANDOM)
        return {
            label.removesuffix(TUNED): Score(
                measured[label],
                None if low is None or high is None else scaled(worlds[label], low, high),
                label in winners,
            )
            for label in sorted(chosen, key=lambda label: labels.index(label.removesuffix(TUNED)))
        }

    most = None if bound is None else bound.result
    return Standing(
        problem, scores(given), scores([*fixed, *tuned]) if tuned else {}, exact is not None, most
    )


def _p_value(differences: Sequence[float]) -> float:
    """Of the paired t-test, but at least 2^(1 − n), the least that flipping signs could give: few
    equal values prove little.
    """
    p = statistics.mean(differences).p_value() if differences else None
    return 1.0 if p is None else max(p, 2.0 ** (1 - len(differences)))
