"""Figure 1 c and d and the text beside it: what the parts of BAMCP give, and whether its constant matters."""

from __future__ import annotations

from functools import partial
from math import exp, log

from bamdp import statistics
from bamdp.report.claim import Claim, Outcome, about, all_of, beats, interval, less, missing, more
from bamdp.report.query import Number, Stored
from bamdp.statistics import Mean
from bamdp.studies.paper.figure1 import EXPLORATION, FIGURE, LAZY
from bamdp.studies.paper.published import LAZY_SPEEDUP

BA_UCT, BAMCP = "c: Maze, BA-UCT", "d: Maze, BAMCP"
MARGIN = 0.1  # of the reward, that counts as similar


def learning(panel: str, with_it: str, without: str, stored: Stored) -> Outcome:
    """Roll-out learning earns more, at the largest budget that both have."""
    first, second = ({n.varied["simulations"]: n for n in stored.numbers(FIGURE, panel, label)} for label in (with_it, without))
    budgets = sorted(first.keys() & second.keys())
    if not budgets:
        return missing(panel)
    largest = budgets[-1]
    where = f"{panel}, {largest:,} simulations"
    return beats(where, (with_it, without), (first[largest], second[largest]))


def time(number: Number) -> list[float]:
    """Processor time of a simulation, in each run."""
    pairs = zip(number.point.values("cpu_seconds"), number.point.values("simulations"), strict=True)
    return [seconds / simulations for seconds, simulations in pairs]


def speedup(stored: Stored) -> Mean | None:
    """How many times as fast lazy sampling is as full sampling: a difference of logarithms, brought back."""
    full, lazy = (next(iter(stored.numbers(LAZY, "maze", label)), None) for label in ("full", "lazy"))
    if full is None or lazy is None:
        return None
    ratio = statistics.difference([log(t) for t in time(full)], [log(t) for t in time(lazy)])
    return Mean(exp(ratio.value), *(None if end is None else exp(end) for end in (ratio.low, ratio.high)))


def faster(stored: Stored) -> Outcome:
    """It is faster at all."""
    ratio = speedup(stored)
    if ratio is None:
        return missing("time of a simulation")
    found = more("", less(ratio, 1))
    return Outcome(found.verdict, (f"full to lazy, time of a simulation in the maze: {interval(ratio)} times",))


def by_so_much(stored: Stored) -> Outcome:
    """It is as much faster as published, or more."""
    ratio = speedup(stored)
    if ratio is None:
        return missing("time of a simulation")
    found = more("", less(ratio, LAZY_SPEEDUP))
    lines = (f"{interval(ratio)} times, published: {LAZY_SPEEDUP}. What a machine and a program make of it, not of the method",)
    return Outcome(found.verdict, lines)


def constant(world: str, stored: Stored) -> Outcome:
    """Other exploration constants earn as much as c = 3."""
    numbers = {n.varied["exploration"]: n for n in stored.numbers(EXPLORATION, world, "BAMCP")}
    if 3 not in numbers or len(numbers) < 2:
        return missing(world)
    usual = numbers[3].point
    margin = MARGIN * abs(usual.mean().value)
    return all_of(
        [
            about(
                f"{world}, c = {c} less c = 3 ({n.runs} runs each, {n.scale})",
                statistics.difference(n.point.values(), usual.values()),
                margin,
                [n],
            )
            for c, n in sorted(numbers.items())
            if c != 3
        ]
    )


CLAIMS = (
    Claim(
        "T4",
        "Figure 1 c",
        "BA-UCT in the maze earns more with roll-out learning than without",
        partial(learning, BA_UCT, "with roll-out learning", "without"),
    ),
    Claim(
        "T5",
        "Figure 1 d",
        "BAMCP in the maze earns more with roll-out learning than without, lazy sampling in both",
        partial(learning, BAMCP, "lazy, roll-out learning", "lazy"),
    ),
    Claim("T6", "Section 4.1", "Lazy sampling makes BAMCP faster in the maze", faster, "tests/search/test_sampling_schemes.py"),
    Claim("T6 factor", "Section 4.1", f"It makes it {LAZY_SPEEDUP} times as fast, or more", by_so_much),
    *(
        Claim(
            f"T7 {world}",
            "Section 4.1",
            f"c = 0.5, 1 and 5 earn as much as c = 3, within {MARGIN:.0%}",
            partial(constant, world),
        )
        for world in EXPLORATION.entries
    ),
)
