"""Table 1 on rows made by hand: orders, published numbers, and smaller budgets."""

import pytest

from bamdp.report.claim import Finding, any_of
from bamdp.report.claims import table1
from bamdp.report.comparison import agrees
from bamdp.report.query import Query
from bamdp.studies.paper.table1 import TABLE
from report.crafted import around, table_rows


@pytest.mark.parametrize(
    ("bamcp", "bfs3", "verdict"),
    [
        ([72, 73, 74, 73] * 5, [60, 61, 62, 61] * 5, "held"),
        ([60, 61, 62, 61] * 5, [72, 73, 74, 73] * 5, "not held"),
        ([60, 70, 80, 65] * 5, [60, 71, 79, 65] * 5, "open"),
        ([72], [60, 61, 62, 61] * 5, "not enough data"),
    ],
)
def test_an_order_by_the_interval_of_the_difference(bamcp: list[float], bfs3: list[float], verdict: str) -> None:
    query = Query(table_rows("grid5", {"BAMCP": bamcp, "BFS3": bfs3}))
    finding = table1.ordered("grid5", [("BAMCP", "BFS3")], query)
    assert finding.verdict == verdict
    assert "BAMCP − BFS3" in finding.evidence[0]


def test_who_is_missing_is_named() -> None:
    query = Query(table_rows("grid5", {"BAMCP": [72, 73, 74]}))
    finding = table1.ordered("grid5", [("BAMCP", "SBOSS"), ("BFS3", "BEB")], query)
    assert finding == Finding("not enough data", ("grid5, SBOSS: not enough runs", "grid5, BFS3 and BEB: not enough runs"))


def test_one_failure_decides() -> None:
    query = Query(table_rows("grid5", {"BAMCP": around(73), "BFS3": around(61), "BEB": around(91)}))
    pairs = [("BAMCP", "BFS3"), ("BAMCP", "BEB"), ("BAMCP", "SBOSS")]
    assert table1.ordered("grid5", pairs, query).verdict == "not held"
    assert any_of([table1.ordered("grid5", [pair], query) for pair in pairs]).verdict == "held"


def test_published_numbers_agree_or_not() -> None:
    """Within a tenth of each, by the interval of the difference; the published ones are 72.9, 66, 59.3 and 67.5."""
    rewards = {"BAMCP": around(73), "BFS3": around(66), "SBOSS": around(59), "BEB": around(67)}
    assert table1.equal("grid5", Query(table_rows("grid5", rewards))).verdict == "held"
    assert table1.equal("grid5", Query(table_rows("grid5", {**rewards, "BEB": around(80)}))).verdict == "not held"
    assert table1.equal("grid5", Query(table_rows("grid5", {**rewards, "BEB": around(72)}))).verdict == "open"


def test_smaller_budgets_refute_nothing() -> None:
    """BAMCP has fewer simulations at scale quick; BEB and IEQL+ are as they are at scale paper."""
    low = {"BAMCP": around(55), "BEB": around(79), "IEQL+": around(85)}
    query = Query(table_rows("grid5", low, "quick"))
    finding = table1.ordered("grid5", [("BAMCP", "BEB")], query)
    assert (finding.verdict, "smaller budgets" in finding.evidence[0]) == ("open", True)
    assert table1.ordered("grid5", [("BEB", "BAMCP")], query).verdict == "held"
    assert table1.ordered("grid5", [("BEB", "IEQL+")], query).verdict == "not held"
    assert agrees("BAMCP", query.best(TABLE, "grid5", "BAMCP")).verdict == "open"
    assert agrees("BEB", query.best(TABLE, "grid5", "BEB")).verdict == "not held"
