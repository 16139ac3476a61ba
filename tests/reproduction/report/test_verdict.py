"""Rules of verdicts."""

import numpy as np
import pytest
from scipy.special import stdtrit

from bamdp import statistics
from bamdp.statistics import Mean
from reference.stored import entry_points, played
from reproduction.experiment import SWEEP
from reproduction.paper.figure1 import FIGURE_1
from reproduction.query import Query
from reproduction.report.paper import signed
from reproduction.report.verdict import (
    VERDICTS,
    Finding,
    Verdict,
    about,
    all_of,
    any_of,
    corrected,
    interval,
    more,
    plus_minus,
    short,
    tenfold,
)


def test_a_trend_needs_two_places() -> None:
    assert tenfold("name", [], "seconds") is None


def test_verdicts_have_one_spelling() -> None:
    assert {
        more("x", Mean(0, low, high)).verdict
        for low, high in ((1, 2), (-2, -1), (-1, 1), (None, None))
    } == set(VERDICTS)


@pytest.mark.parametrize(("runs", "sure"), [(5, True), (4, False)])
def test_a_trend_needs_five_runs_in_either_half(runs: int, sure: bool) -> None:
    _, points = entry_points(FIGURE_1, "a: Grid5", "BAMCP", "paper")
    stored = [
        row
        for p in (points[0], points[-1])
        for row in played(p, SWEEP, [p["simulations"] + k for k in range(runs)])
    ]
    found = Query(stored).measurements(FIGURE_1, "a: Grid5", "BAMCP")
    change = tenfold("name", found, "simulations")
    assert change is not None
    assert f"name, change for ten times as much ({2 * runs} runs" in change[0]
    assert (change[1].side() == 1) is sure


@pytest.mark.parametrize("margin", [None, 0.5, 2.0])
def test_a_p_value_is_the_level_at_which_the_verdict_changes(margin: float | None) -> None:
    """An interval of that level ends where the verdict is decided, at 0 or at the margin."""
    decided = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        mean = statistics.mean(rng.normal(rng.normal(), 1, size=8).tolist())
        finding = more("x", mean) if margin is None else about("x", mean, margin)
        assert mean.half is not None
        assert finding.p is not None
        assert (finding.p < 0.05) == (finding.verdict != "open")
        half = mean.half * stdtrit(7, 1 - finding.p / 2) / statistics.t_quantile(7)
        ends = [0.0] if margin is None else [-margin, margin]
        assert min(abs(mean.value + sign * half - end) for sign in (-1, 1) for end in ends) < 1e-6
        decided += finding.verdict != "open"
    assert 5 < decided < 40


HELD, OPEN, FAILED = Finding("held", p=0.01), Finding("open", p=0.4), Finding("not held", p=0.02)


@pytest.mark.parametrize(
    ("found", "verdict", "p"),
    [
        (all_of([HELD, Finding("held", p=0.03), Finding("held")]), "held", 0.03),
        (all_of([HELD, OPEN]), "open", 0.4),
        (all_of([HELD, FAILED, OPEN]), "not held", 0.06),
        (all_of([HELD, Finding("not held")]), "not held", None),
        (all_of([HELD, Finding("not enough data")]), "not enough data", None),
        (any_of([HELD, FAILED, OPEN]), "held", 0.03),
        (any_of([FAILED, Finding("not held", p=0.04)]), "not held", 0.04),
        (any_of([FAILED, OPEN]), "open", 0.4),
        (all_of([Finding("held")]), "held", None),
    ],
)
def test_p_values_of_parts(found: Finding, verdict: Verdict, p: float | None) -> None:
    assert found.verdict == verdict
    assert found.p == (None if p is None else pytest.approx(p))


def test_a_verdict_by_itself_may_not_survive_the_others() -> None:
    alone = corrected([Finding("held", ("numbers",), 0.04)])[0]
    assert (alone.verdict, alone.plain) == ("held", None)
    together = corrected(
        [Finding("held", ("numbers",), 0.04), FAILED, Finding("open", p=0.9), Finding("held"), HELD]
    )
    assert [(finding.verdict, finding.plain) for finding in together] == [
        ("open", "held"),
        ("open", "not held"),
        ("open", None),
        ("held", None),
        ("held", None),
    ]
    assert together[0].evidence == (
        "numbers",
        "p = 0.04; corrected for 4 tested claims, p = 0.08: held by itself, open together with the "
        "others",
    )
    assert together[3].evidence == (), "no test, no correction"


def test_chance_alone_decides_few_claims() -> None:
    """Forty comparisons of equal agents, 200 times: 0.05 of the reports have a verdict, at most;
    5.5 standard errors, 1e-7.
    """
    wrong = plain = 0
    for seed in range(200):
        runs = np.random.default_rng(seed).normal(size=(40, 2, 6))
        findings = [more("x", statistics.difference(*pair.tolist())) for pair in runs]
        wrong += any(finding.verdict != "open" for finding in corrected(findings))
        plain += any(finding.verdict != "open" for finding in findings)
    assert wrong / 200 < 0.05 + 5.5 * np.sqrt(0.05 * 0.95 / 200)
    assert plain / 200 > 0.6, "without the correction, most reports do"


def test_no_minus_before_a_zero() -> None:
    assert plus_minus(Mean(-0.04, -12.44, 12.36)) == "0.0 ± 12.4"
    assert interval(Mean(-0.04, -12.4, 12.4)) == "0.0 (−12.4 … 12.4)"
    assert (short(-0.0), signed(-0.04)) == ("0", "+0.0")
