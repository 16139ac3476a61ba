"""Figure S3, Lemma 1 and Theorem 1 on rows made by hand: each can fail."""

from math import log
from typing import Any

import pytest

from bamdp.report.claims import theory
from bamdp.report.query import Query
from bamdp.runs.store import Row
from bamdp.studies.experiment import SWEEP
from bamdp.studies.paper.convergence import CONVERGENCE
from bamdp.studies.paper.figure_s3 import BELOW, FIGURE_S3, ROOT
from bamdp.studies.paper.lemma_1 import LEMMA_1
from reference.stored import entry_points, rows
from report.crafted import single


def test_four_simulations_can_fail() -> None:
    tree = {"agent_seed": 1, "tree": {}, "root": ROOT, "below": BELOW}
    for wrong in ({}, {**tree, "root": ROOT + 1e-6}, {**tree, "below": 0.0}):
        assert theory.arithmetic(Query(single(FIGURE_S3, "known MDP", "BAMCP", wrong))).verdict == "not held"
    assert theory.arithmetic(Query(single(FIGURE_S3, "known MDP", "BAMCP", tree))).verdict == "held"


@pytest.mark.parametrize(("shift", "verdict"), [(0.0, "held"), (0.5, "not held")])
def test_two_distributions_of_returns(shift: float, verdict: str) -> None:
    found = []
    for label, added in (("BAMCP", 0.0), ("BA-UCT", shift)):
        returns = [k / 100 + added for k in range(100)]
        found += single(LEMMA_1, "double-loop", label, {"mean_return": 0.5 + added, "returns": returns})
    assert theory.same_histories(Query(found)).verdict == verdict


def bias_rows(bias: Any, regret: float = 0.0, error: float = 1e-9) -> list[Row]:
    found = []
    for problem in CONVERGENCE.entries:
        _, points = entry_points(CONVERGENCE, problem, "BAMCP, c = 12", "paper")
        results = [{"bias": bias(p["simulations"]), "error": error, "regret": regret} for p in points]
        found += [row for p, result in zip(points, results, strict=True) for row in rows("convergence", p, SWEEP, [result])]
    return found


def test_convergence_and_its_rate() -> None:
    fast, slow, none = (Query(bias_rows(f)) for f in (lambda n: -3 * log(n) / n, lambda n: -1 / n**0.5, lambda n: -0.1))
    unsure = Query(bias_rows(lambda n: -3 * log(n) / n, error=1e-4))  # as large as the bias of the largest budget
    assert theory.rate("BAMCP, c = 12", unsure).verdict == "open"
    verdicts = [
        (theory.converges("BAMCP, c = 12", s).verdict, theory.rate("BAMCP, c = 12", s).verdict) for s in (fast, slow, none)
    ]
    assert verdicts == [("held", "held"), ("held", "open"), ("not held", "open")]
    assert theory.converges("BAMCP, c = 12", Query(bias_rows(lambda n: -0.03 - 1 / n))).verdict == "open"
    wrong = Query(bias_rows(lambda n: -3 * log(n) / n, regret=0.1))
    assert theory.converges("BAMCP, c = 12", wrong).verdict == "open"
