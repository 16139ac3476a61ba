"""Trends of Figure 1 on rows made by hand."""

import pytest

from bamdp.report.claims import planning_time
from bamdp.report.query import Query
from report.crafted import figure_rows


@pytest.mark.parametrize(("gain", "verdict"), [(1e-2, "held"), (-1e-2, "not held"), (0, "open")])
def test_bamcp_against_planning_time(gain: float, verdict: str) -> None:
    found = figure_rows("a: Grid5", "BAMCP", lambda p: 50 + gain * p["simulations"], lambda p: p["simulations"] * 1e-6)
    assert planning_time.bamcp("grid5", Query(found)).verdict == verdict


def test_sboss_must_fall_at_each_delta() -> None:
    falls = figure_rows("b: Maze", "SBOSS", lambda p: 600 - 10 * p["models"])
    assert planning_time.sboss("maze", Query(falls)).verdict == "held"
    grows = figure_rows("b: Maze", "SBOSS", lambda p: 600 + (10 if p["delta"] == 5 else -10) * p["models"])
    finding = planning_time.sboss("maze", Query(grows))
    assert (finding.verdict, len(finding.evidence)) == ("not held", 3)


def test_bfs3_must_grow_for_one_branching_factor() -> None:
    found = figure_rows("b: Maze", "BFS3", lambda p: 200 + (p["trajectories"] / 100 if p["branching"] == 10 else 0))
    assert planning_time.bfs3("maze", Query(found)).verdict == "held"
    flat = figure_rows("b: Maze", "BFS3", lambda p: 200 - p["trajectories"] / 100)
    assert planning_time.bfs3("maze", Query(flat)).verdict == "not held"


@pytest.mark.parametrize(
    ("gain", "spread", "verdict"), [(0, 1, "held"), (-20, 1, "held"), (20, 1, "not held"), (0, 500, "open")]
)
def test_beb_must_not_gain_by_time(gain: float, spread: float, verdict: str) -> None:
    found = figure_rows("b: Maze", "BEB", lambda p: 150 + gain * p["beta"], lambda p: 0.001 * (1 + p["beta"] / 20), spread)
    finding = planning_time.beb("maze", Query(found))
    assert finding.verdict == verdict
    assert "1.95 times as long" in finding.evidence[0] or "2 times as long" in finding.evidence[0]
