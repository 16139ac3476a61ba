"""Figure 1 a and b: which agents make use of more planning time, on Grid5 and in the maze."""

from functools import partial

from bamdp import statistics
from bamdp.report.claim import Claim, Finding, all_of, any_of, less, missing, more, short, tenfold, trend
from bamdp.report.query import Measurement, Query
from bamdp.studies.paper.figure1 import FIGURE_1

MARGIN = 0.1  # of the mean reward, that counts as no gain
PANELS = {"grid5": "a: Grid5", "maze": "b: Maze"}


def seconds(measurement: Measurement) -> float:
    """Planning time per step."""
    return measurement.point.seconds_per_step


def bamcp(domain: str, query: Query) -> Finding:
    """BAMCP earns more the more time it has."""
    return trend(f"{domain}, BAMCP against planning time", query.measurements(FIGURE_1, PANELS[domain], "BAMCP"), seconds)


def sboss(domain: str, query: Query) -> Finding:
    """SBOSS earns less the more models it draws, at each δ."""
    measurements = query.measurements(FIGURE_1, PANELS[domain], "SBOSS")
    by_delta = {delta: [n for n in measurements if n.varied["delta"] == delta] for delta in (3, 5, 7)}
    findings = [
        trend(f"{domain}, SBOSS, δ = {d}, against K", ns, lambda n: n.varied["models"], -1) for d, ns in by_delta.items()
    ]
    return all_of(findings)


def bfs3(domain: str, query: Query) -> Finding:
    """BFS3 earns more the more trajectories it has, for at least one branching factor."""
    measurements = query.measurements(FIGURE_1, PANELS[domain], "BFS3")
    by_branching = {c: [n for n in measurements if n.varied["branching"] == c] for c in (2, 5, 10, 15)}
    name = f"{domain}, BFS3, C = {{}}, against trajectories"
    return any_of([trend(name.format(c), ns, lambda n: n.varied["trajectories"]) for c, ns in by_branching.items()])


def beb(domain: str, query: Query) -> Finding:
    """BEB has no setting that turns time into reward: ten times the time earns less than the margin more."""
    measurements = query.measurements(FIGURE_1, PANELS[domain], "BEB")
    times = [time for measurement in measurements if (time := seconds(measurement)) > 0]
    found = tenfold(f"{domain}, BEB against planning time", measurements, seconds)
    if found is None:
        return missing(f"{domain}, BEB")
    spread = (
        f"{domain}, BEB: the slowest of {len(times)} settings takes {max(times) / min(times):.2g} times as long as the fastest"
    )
    name, change = found
    margin = MARGIN * statistics.mean([abs(m.point.mean().value) for m in measurements]).value
    return all_of([Finding("held", (spread,)), more(f"{name}, less {short(margin)}", less(change, margin), -1, measurements)])


CLAIMS = (
    Claim("T2", "Figure 1 a", "On Grid5 BAMCP earns more the more planning time it has", partial(bamcp, "grid5")),
    Claim("T3 BAMCP", "Figure 1 b", "In the maze BAMCP earns more the more planning time it has", partial(bamcp, "maze")),
    Claim("T3 SBOSS", "Figure 1 b", "SBOSS gets worse with more models: it becomes too optimistic", partial(sboss, "maze")),
    Claim(
        "T3 BEB",
        "Figure 1 b",
        f"BEB can't use more planning time: ten times as much earns at most {MARGIN:.0%} more",
        partial(beb, "maze"),
    ),
    Claim("T3 BFS3", "Figure 1 b", "BFS3 generally improves with time, given suitable settings", partial(bfs3, "maze")),
    Claim("T3 SBOSS, Grid5", "Figure 1 a", "SBOSS gets worse with more models on Grid5 too", partial(sboss, "grid5")),
    Claim("T3 BFS3, Grid5", "Figure 1 a", "BFS3 improves with time on Grid5, given suitable settings", partial(bfs3, "grid5")),
)
