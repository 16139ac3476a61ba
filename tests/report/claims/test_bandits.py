"""Two arms and eight arms, on exact indices and rows made by hand."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp.report.claims import bandits
from bamdp.report.query import Query
from bamdp.runs.store import Row
from bamdp.studies.experiment import SWEEP
from bamdp.studies.paper.bandits import EXACT, FIGURE_S1, FIGURE_S2, RANGE
from reference.stored import entry_points, played, rows
from report.crafted import around, single


def arms_rows(bamcp: float, others: dict[str, float]) -> list[Row]:
    settings = {entry.label: entry.settings for entry in FIGURE_S2.entries["bandit"]}
    return [r for label, mean in ({"BAMCP": bamcp} | others).items() for r in played(settings[label], SWEEP, around(mean))]


def test_eight_arms() -> None:
    query = Query(arms_rows(255, {"Gittins index": 260, "posterior mean": 215}))
    assert bandits.arms("posterior mean", False, query).verdict == "held"
    assert bandits.arms("Gittins index", True, query).verdict == "held"
    assert bandits.arms("Gittins index", True, Query(arms_rows(220, {"Gittins index": 260}))).verdict == "not held"


def decision_rows(panel: str, correct: Any) -> list[Row]:
    _, points = entry_points(FIGURE_S1, panel, "BAMCP", "paper")
    return [row for p in points for row in rows("decisions", p, SWEEP, [{"correct": correct(p["alpha"], p["beta"])}])]


@pytest.fixture
def index(cheap: Query) -> NDArray[np.float64]:
    found = bandits.indices(cheap)
    assert found is not None
    return found


def test_decisions_between_two_arms(cheap: Query, index: NDArray[np.float64]) -> None:
    def near(alpha: int, beta: int) -> bool:
        return bool(abs(index[alpha - 1, beta - 1] - 0.5) < bandits.NEAR)

    few = decision_rows("100 simulations", lambda a, b: 0.4 if near(a, b) else 0.8)
    many = decision_rows("10,000 simulations", lambda a, b: 0.6 if near(a, b) else 1.0)
    all_right = decision_rows("100,000 simulations", lambda a, b: 1.0)
    query = Query([*cheap.rows, *few, *many])
    assert set(bandits.decisions(query)) == {"100 simulations", "10,000 simulations"}
    assert bandits.more_simulations(query).verdict == "held"
    assert bandits.edge(query).verdict == "held"
    assert bandits.everywhere(query).verdict == "open"
    assert bandits.everywhere(Query([*cheap.rows, *all_right])).verdict == "held"
    assert bandits.more_simulations(Query(decision_rows("100 simulations", lambda a, b: 1.0) + many)).verdict == "not held"


def test_wrong_indices_are_noticed(index: NDArray[np.float64]) -> None:
    wrong = Query(single(FIGURE_S1, EXACT, "Gittins index", {"indices": (index - 0.01).tolist()}))
    assert [check(wrong).verdict for check in (bandits.rule, bandits.published_index)] == ["not held"] * 2


def test_the_posterior_mean_ties_on_the_diagonal(index: NDArray[np.float64]) -> None:
    table = bandits.posterior_mean(index)
    assert [table[i, i] for i in range(len(RANGE))] == [0.5] * len(RANGE)
    assert set(table.ravel()) == {0, 0.5, 1}
