"""The bonus of BEB and the bounds of BFS3, on rows made by hand."""

import pytest

from bamdp.report.claims import baselines
from bamdp.report.query import Query
from bamdp.studies.experiment import SWEEP
from bamdp.studies.paper.bfs3_bounds import BFS3_BOUNDS
from bamdp.studies.paper.table1 import TABLE
from reference.stored import entry_points, played, rows
from report.crafted import around


@pytest.mark.parametrize(
    ("best", "verdict"),
    [({"double-loop": 0.5, "grid5": 1, "grid10": 2, "maze": 20}, "held"), (dict.fromkeys(TABLE.entries, 1), "not held")],
)
def test_the_best_bonus_in_each_world(best: dict[str, float], verdict: str) -> None:
    found = []
    for world, beta in best.items():
        _, points = entry_points(TABLE, world, "BEB", "paper")
        found += [r for p in points for r in played(p, SWEEP, around(100 * (p["beta"] == beta)))]
    assert baselines.bonus(Query(found)).verdict == verdict
    few = [row for row in found if row["run"] < 4]
    assert baselines.bonus(Query(few)).verdict == "not enough data"


@pytest.mark.parametrize(("least", "verdict"), [(5.0, "held"), (0.7, "not held")])
def test_bounds_above_the_true_value(least: float, verdict: str) -> None:
    entry, points = entry_points(BFS3_BOUNDS, "maze", "BFS3", "paper")
    result = {"greatest_upper": 9.0, "greatest_lower": 0.1, "value": 0.8}
    found = [
        row
        for point, upper in zip(points, (5.0, 5.0, least), strict=True)
        for row in rows(entry.kind, point, SWEEP, [{**result, "least_upper": upper}])
    ]
    assert baselines.bounds(Query(found)).verdict == verdict
