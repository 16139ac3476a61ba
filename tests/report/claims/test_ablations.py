"""Roll-out learning, lazy sampling and the exploration constant, on rows made by hand."""

from math import log

import pytest

from bamdp.report.claims import ablations
from bamdp.report.query import Query
from bamdp.studies.experiment import SWEEP
from bamdp.studies.paper.figure1 import EXPLORATION, LAZY
from reference.stored import entry_points, played, rows
from report.crafted import figure_rows


def test_learning_is_compared_at_the_largest_common_budget() -> None:
    found = figure_rows("c: Maze, BA-UCT", "with roll-out learning", lambda p: p["simulations"])
    without = figure_rows("c: Maze, BA-UCT", "without", lambda p: 500)
    most = [row for row in without if row["settings"]["simulations"] <= 300]
    assert ablations.learning(ablations.BA_UCT, "with roll-out learning", "without", Query(found + without)).verdict == "held"
    finding = ablations.learning(ablations.BA_UCT, "with roll-out learning", "without", Query(found + most))
    assert (finding.verdict, "300 simulations" in finding.evidence[0]) == ("not held", True)


@pytest.mark.parametrize(
    ("full", "faster", "enough"),
    [(40, "held", "held"), (35, "held", "open"), (20, "held", "not held"), (0.9, "not held", "not held")],
)
def test_speed_up_of_lazy_sampling(full: float, faster: str, enough: str) -> None:
    settings = {entry.label: entry.settings for entry in LAZY.entries["maze"]}
    found = []
    for label, time in (("full", full), ("lazy", 1)):
        times = [{"cpu_seconds": time * k, "simulations": 1000, "steps": 200} for k in (0.98, 0.99, 1, 1.01, 1.02)]
        found += rows("play", settings[label], SWEEP, times)
    assert ablations.faster(Query(found)).verdict == faster
    assert ablations.as_fast_as_published(Query(found)).verdict == enough
    ratio = ablations.log_speedup(Query(found))
    assert ratio is not None
    assert ratio.value == pytest.approx(log(full))


@pytest.mark.parametrize(("far", "verdict"), [(1, "held"), (7, "open"), (30, "not held")])
def test_the_constant_may_matter_by_a_tenth(far: float, verdict: str) -> None:
    _, points = entry_points(EXPLORATION, "grid5", "BAMCP", "paper")
    found = [r for p in points for r in played(p, SWEEP, [70 - far * (p["exploration"] == 5) + k / 5 for k in range(-5, 6)])]
    assert ablations.constant("grid5", Query(found)).verdict == verdict
