"""Figure 1 a and b: who makes use of more planning time, on Grid5 and in the maze."""

from __future__ import annotations

from functools import partial

from bamdp import statistics
from bamdp.report.claim import Claim, Outcome, all_of, any_of, less, missing, more, short, tenfold, trend
from bamdp.report.query import Number, Stored
from bamdp.studies.paper.figure1 import FIGURE

MARGIN = 0.1  # of the mean reward, that counts as no gain
PANELS = {"grid5": "a: Grid5", "maze": "b: Maze"}


def seconds(number: Number) -> float:
    """Of planning, a step."""
    return number.point.seconds_per_step


def bamcp(world: str, stored: Stored) -> Outcome:
    """Earns more the more time it has."""
    return trend(f"{world}, BAMCP against planning time", stored.numbers(FIGURE, PANELS[world], "BAMCP"), seconds)


def sboss(world: str, stored: Stored) -> Outcome:
    """Earns less the more models it draws, at each δ."""
    numbers = stored.numbers(FIGURE, PANELS[world], "SBOSS")
    by_delta = {delta: [n for n in numbers if n.varied["delta"] == delta] for delta in (3, 5, 7)}
    outcomes = [
        trend(f"{world}, SBOSS, δ = {d}, against K", ns, lambda n: n.varied["models"], -1) for d, ns in by_delta.items()
    ]
    return all_of(outcomes)


def bfs3(world: str, stored: Stored) -> Outcome:
    """Earns more the more trajectories it has, for one branching factor at least."""
    numbers = stored.numbers(FIGURE, PANELS[world], "BFS3")
    by_branching = {c: [n for n in numbers if n.varied["branching"] == c] for c in (2, 5, 10, 15)}
    name = f"{world}, BFS3, C = {{}}, against trajectories"
    return any_of([trend(name.format(c), ns, lambda n: n.varied["trajectories"]) for c, ns in by_branching.items()])


def beb(world: str, stored: Stored) -> Outcome:
    """Has no setting that turns time into reward: ten times the time earns less than the margin more."""
    numbers = stored.numbers(FIGURE, PANELS[world], "BEB")
    times = [time for number in numbers if (time := seconds(number)) > 0]
    found = tenfold(f"{world}, BEB against planning time", numbers, seconds)
    if found is None:
        return missing(f"{world}, BEB")
    spread = (
        f"{world}, BEB: the slowest of {len(times)} settings takes {max(times) / min(times):.2g} times as long as the fastest"
    )
    name, change = found
    margin = MARGIN * statistics.mean([abs(number.point.mean().value) for number in numbers]).value
    return all_of([Outcome("held", (spread,)), more(f"{name}, less {short(margin)}", less(change, margin), -1, numbers)])


CLAIMS = (
    Claim("T2", "Figure 1 a", "On Grid5 BAMCP earns more the more planning time it has", partial(bamcp, "grid5")),
    Claim("T3 BAMCP", "Figure 1 b", "In the maze BAMCP earns more the more planning time it has", partial(bamcp, "maze")),
    Claim("T3 SBOSS", "Figure 1 b", "SBOSS gets worse with more models: it becomes too optimistic", partial(sboss, "maze")),
    Claim(
        "T3 BEB",
        "Figure 1 b",
        f"BEB can't make any use of more planning time: ten times as much earns at most {MARGIN:.0%} more",
        partial(beb, "maze"),
    ),
    Claim("T3 BFS3", "Figure 1 b", "BFS3 generally improves with time, given suitable settings", partial(bfs3, "maze")),
    Claim("T3 SBOSS, Grid5", "Figure 1 a", "SBOSS gets worse with more models on Grid5 too", partial(sboss, "grid5")),
    Claim("T3 BFS3, Grid5", "Figure 1 a", "BFS3 improves with time on Grid5, given suitable settings", partial(bfs3, "grid5")),
)
