"""The infinite grid: agents compared within worlds, counts of cells, acceptance rates."""

from typing import Any

import pytest

from bamdp.report.claims import infinite_grid
from bamdp.report.query import Query
from bamdp.runs.store import Row
from bamdp.studies.experiment import SWEEP
from bamdp.studies.paper.figure2 import FIGURE_2
from bamdp.studies.paper.figure_s4 import FIGURE_S4
from reference.stored import entry_points, played, rows
from report.crafted import single


def test_the_proposal_of_the_text_accepts_less_than_that_of_the_program(cheap: Query) -> None:
    text, program = (float(infinite_grid.acceptance(where, cheap).evidence[0].split()[1]) for where in ("text", "program"))
    assert text < 0.6 < program


@pytest.mark.parametrize(("in_row", "verdict"), [(600, "held"), (900, "not held")])
def test_rewards_along_a_column_and_a_row(in_row: int, verdict: str) -> None:
    counts = {"p": 0.6, "q": 0.9, "in_column": 800, "in_row": in_row}  # of 2000 cells: 2p/3 = 0.4, q/3 = 0.3
    found = single(FIGURE_S4, "one world", "best column and row", counts)
    assert infinite_grid.along(Query(found)).verdict == verdict


@pytest.mark.parametrize(("rate", "verdict"), [(0.8, "held"), (0.5, "open"), (0.2, "not held")])
def test_acceptance_of_proposals(rate: float, verdict: str) -> None:
    entry, (point,) = entry_points(FIGURE_S4, "Markov chain", "proposal of the text", "paper")
    rates = [{"acceptance": rate + k / 100} for k in range(-4, 5)]
    assert infinite_grid.acceptance("text", Query(rows(entry.kind, point, SWEEP, rates))).verdict == verdict
    assert infinite_grid.acceptance("text", Query(rows(entry.kind, point, SWEEP, rates[:2]))).verdict == "not enough data"


def grid_rows(label: str, reward: Any, runs: int = 50) -> list[Row]:
    """Worlds differ much more than agents do."""
    _, points = entry_points(FIGURE_2, "infinite grid", label, "paper")
    spread = [100.0 * world for world in range(runs)]
    times = {label: (lambda p: p.get("simulations", 1) * 1e-6)}
    return [row for p in points for row in played(p, SWEEP, [reward(p) + w for w in spread], times[label](p))]


def test_agents_of_the_infinite_grid_are_compared_within_worlds() -> None:
    right, wrong = grid_rows("right prior", lambda p: 3.0), grid_rows("wrong prior", lambda p: 2.0)
    random = grid_rows("random", lambda p: 1.0, runs=70)
    query = Query(right + wrong + random)
    assert infinite_grid.right_prior(FIGURE_2, query).verdict == "held"
    assert infinite_grid.above_chance(FIGURE_2, query).verdict == "held"
    assert "(50 worlds" in infinite_grid.above_chance(FIGURE_2, query).evidence[0]
    assert infinite_grid.planning_time(FIGURE_2, query).verdict == "open"
    assert infinite_grid.right_prior(FIGURE_2, Query(grid_rows("right prior", lambda p: 1.0) + wrong)).verdict == "not held"
