"""Figure 1 c and d and section 4.1: BAMCP and BA-UCT without some of their parts, and other exploration constants."""

from dataclasses import replace
from functools import partial
from math import exp, log

from bamdp import statistics
from bamdp.report.claim import Claim, Finding, about, all_of, beats, interval, less, missing, more
from bamdp.report.query import Measurement, Query
from bamdp.statistics import Mean
from bamdp.studies.paper.figure1 import EXPLORATION, FIGURE_1, LAZY
from bamdp.studies.paper.published import LAZY_SPEEDUP

BA_UCT, BAMCP = "c: Maze, BA-UCT", "d: Maze, BAMCP"
MARGIN = 0.1  # of the reward, that counts as similar


def learning(panel: str, with_it: str, without: str, query: Query) -> Finding:
    """Roll-out learning earns more, at the largest budget that both have."""
    first, second = (
        {n.varied["simulations"]: n for n in query.measurements(FIGURE_1, panel, label)} for label in (with_it, without)
    )
    budgets = sorted(first.keys() & second.keys())
    if not budgets:
        return missing(panel)
    largest = budgets[-1]
    where = f"{panel}, {largest:,} simulations"
    return beats(where, (with_it, without), (first[largest], second[largest]))


def seconds_per_simulation(measurement: Measurement) -> list[float]:
    """Processor time of a simulation, in each run."""
    pairs = zip(measurement.point.values("cpu_seconds"), measurement.point.values("simulations"), strict=True)
    return [seconds / simulations for seconds, simulations in pairs]


def log_speedup(query: Query) -> Mean | None:
    """The logarithm of how many times as fast lazy sampling is as full sampling."""
    full, lazy = (next(iter(query.measurements(LAZY, "maze", label)), None) for label in ("full", "lazy"))
    if full is None or lazy is None:
        return None
    return statistics.difference(*([log(t) for t in seconds_per_simulation(m)] for m in (full, lazy)))


def times(ratio: Mean) -> str:
    """A factor with its interval, from its logarithm."""
    low, high = (None if end is None else exp(end) for end in (ratio.low, ratio.high))
    return interval(Mean(exp(ratio.value), low, high))


def faster(query: Query) -> Finding:
    """Lazy sampling is faster than full sampling."""
    ratio = log_speedup(query)
    if ratio is None:
        return missing("time of a simulation")
    lines = (f"full to lazy, time of a simulation in the maze: {times(ratio)} times",)
    return replace(more("", ratio), evidence=lines)


def as_fast_as_published(query: Query) -> Finding:
    """Lazy sampling is faster by the published factor, or more."""
    ratio = log_speedup(query)
    if ratio is None:
        return missing("time of a simulation")
    lines = (f"{times(ratio)} times, published: {LAZY_SPEEDUP}; the factor depends on the machine and the program",)
    return replace(more("", less(ratio, log(LAZY_SPEEDUP))), evidence=lines)


def constant(domain: str, query: Query) -> Finding:
    """Other exploration constants earn as much as c = 3."""
    measurements = {n.varied["exploration"]: n for n in query.measurements(EXPLORATION, domain, "BAMCP")}
    if 3 not in measurements or len(measurements) < 2:
        return missing(domain)
    usual = measurements[3].point
    margin = MARGIN * abs(usual.mean().value)
    return all_of(
        [
            about(
                f"{domain}, c = {c} minus c = 3 ({n.runs} runs each, {n.scale})",
                statistics.difference(n.point.values(), usual.values()),
                margin,
                [n],
            )
            for c, n in sorted(measurements.items())
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
    Claim(
        "T6 factor", "Section 4.1", f"Lazy sampling makes BAMCP {LAZY_SPEEDUP} times as fast, or faster", as_fast_as_published
    ),
    *(
        Claim(
            f"T7 {domain}",
            "Section 4.1",
            f"c = 0.5, 1 and 5 earn as much as c = 3, within {MARGIN:.0%}",
            partial(constant, domain),
        )
        for domain in EXPLORATION.entries
    ),
)
