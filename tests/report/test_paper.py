"""Our result and the paper's: the difference in standard errors, and the reason if one is known."""

import math

import pytest

from bamdp.report.paper import BesidePublished, agrees, beside_published
from bamdp.report.query import Measurement, Query, entry_of
from bamdp.studies.experiment import FINAL
from bamdp.studies.paper.published import QUOTED, TABLE_1, WHY
from bamdp.studies.paper.table1 import TABLE
from reference.stored import played
from report.crafted import table_rows


def measured(world: str, label: str, rewards: list[float]) -> Measurement:
    entry = entry_of(TABLE, world, label)
    settings = {"domain": world, "agent": entry.settings["agent"]}
    return Measurement(entry, settings, played(settings, FINAL, rewards), TABLE, world, "quick", 5)


def compared(world: str, label: str, rewards: list[float]) -> BesidePublished:
    found = beside_published(measured(world, label, rewards))
    assert found is not None
    return found


def test_both_errors_count() -> None:
    result = compared("grid5", "BAMCP", [68.0, 70.0, 72.0, 74.0, 76.0])  # mean 72, standard error √2; paper 72.9 ± 3
    assert result.errors == pytest.approx((72 - 72.9) / math.hypot(math.sqrt(2), 3 / 1.96))
    half = 2.776445 * math.sqrt(2)  # Student's t for four degrees of freedom
    assert result.difference.half == pytest.approx(math.hypot(half, 3))
    assert not result.differ
    assert result.why is None


def test_quoted_numbers_have_standard_errors() -> None:
    result = compared("double-loop", "Bayes VPI+MIX", [383.0, 384.0, 385.0, 386.0, 387.0])  # paper 326 ± 31
    assert result.errors == pytest.approx((385 - 326) / math.hypot(math.sqrt(0.5), 31))
    assert not result.differ


def test_a_reason_is_given_for_its_own_direction_alone() -> None:
    above, below = compared("double-loop", "BEB", [391.0] * 5), compared("double-loop", "BEB", [380.0] * 5)
    assert (above.errors, below.errors) == (math.inf, -math.inf)
    assert above.differ
    assert below.differ
    assert above.why == WHY["double-loop", "beb"][1]
    assert below.why is None
    equal = compared("double-loop", "BEB", [386.0] * 5)
    assert (equal.errors, equal.differ) == (0, False)


@pytest.mark.parametrize("runs", [1, 4])
def test_few_runs_decide_nothing(runs: int) -> None:
    result = compared("grid5", "BAMCP", [72.0] * runs)
    assert math.isnan(result.errors)
    assert not result.differ
    assert agrees("grid5", None).verdict == "not enough data"


def test_what_is_not_published_is_not_compared() -> None:
    assert beside_published(measured("grid5", "random", [9.0, 9.0])) is None


def test_reasons_and_quotes_are_of_published_numbers() -> None:
    assert all(agent in TABLE_1[domain] for domain, agent in WHY)
    assert {agent for agents in TABLE_1.values() for agent in agents} > QUOTED


@pytest.mark.parametrize(
    ("rewards", "verdict", "words"),
    [
        ([386.0] * 5, "held", "386.0 (386.0 … 386.0), published 386 ± 0, +0.0 standard errors"),
        ([391.0] * 5, "held", "difference: 5.00 (5.00 … 5.00), margin ± 38.6: held"),
        ([100.0, 600, 100, 600, 386], "open", "margin ± 38.6: open"),
        ([300.0, 301, 302, 303, 304], "not held", "margin ± 38.6: not held"),
        (
            [100.0, 600],
            "not enough data",
            "350, published 386 ± 0 (2 runs, paper), difference: −36, too few runs for an interval",
        ),
    ],
)
def test_equality_needs_more_than_a_wide_interval(rewards: list[float], verdict: str, words: str) -> None:
    finding = agrees("here", Query(table_rows("double-loop", {"BEB": rewards})).best(TABLE, "double-loop", "BEB"))
    assert finding.verdict == verdict
    assert words in finding.evidence[0]
