"""Rows of tables: by the kind of task, or every number of a result where a kind has no rule of its
own.
"""

from typing import Any

from reference.stored import entry_points, rows
from reproduction.experiment import SWEEP, Entry, Experiment
from reproduction.paper.bandits import EXACT, FIGURE_S1
from reproduction.paper.convergence import CONVERGENCE
from reproduction.query import Query
from reproduction.report.tables import table_rows


def test_a_new_kind_shows_every_number_of_its_results() -> None:
    entry = Entry("label", {"size": 3}, kind="unheard_of")
    experiment = Experiment(
        "name", "title", "source", {"panel": (entry,)}, {"quick": 5, "paper": 5}
    )
    results = [{"first_value": k, "texts": ["x"], "second": 2.0} for k in range(5)]
    (row,) = table_rows(Query(rows("unheard_of", {"size": 3}, SWEEP, results)), experiment)
    assert row["measures"] == {"first value": "2.00 (0.04 … 3.96)", "second": "2.00 (2.00 … 2.00)"}
    expected = {
        "panel": "panel",
        "label": "label",
        "runs": "5",
        "command": "python -m reproduction name --scale paper",
    }
    assert expected.items() <= row.items()


def test_decisions_are_shown_together() -> None:
    _, points = entry_points(FIGURE_S1, "100 simulations", "BAMCP", "paper")
    stored = [
        row
        for k, p in enumerate(points)
        for row in rows("decisions", p, SWEEP, [{"correct": float(k < 100)}])
    ]
    (row,) = table_rows(Query(stored), FIGURE_S1)
    assert (row["measures"], row["runs"]) == ({"correct decisions": "0.250"}, "400 cells")
    assert EXACT not in row["panel"]


def test_bias_has_its_interval_and_who_can_not_plan_is_said() -> None:
    _, points = entry_points(CONVERGENCE, "arms", "BAMCP, c = 1", "paper")
    results: list[dict[str, Any]] = [{"bias": 0.1, "error": 0.01, "regret": 0.0}, {"refused": "no"}]
    stored = [
        row
        for p, result in zip(points, results, strict=False)
        for row in rows("convergence", p, SWEEP, [result])
    ]
    bias, none = table_rows(Query(stored), CONVERGENCE)
    assert bias["measures"] == {
        "bias": "0.100 (0.076 … 0.124)",
        "regret": "0",
    }  # ± 2.262 · √(10 / 9) · 0.01
    assert none["measures"] == {"bias": "—", "regret": "not possible"}
