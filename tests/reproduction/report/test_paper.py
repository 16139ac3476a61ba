"""Our result and the paper's: the difference in standard errors, and the reason if one is known."""

import math

import pytest

from bamdp.suite.published import TABLE_1
from reference.stored import played
from report.crafted import table_rows
from reproduction.experiment import FINAL
from reproduction.paper.published import QUOTED, WHY
from reproduction.paper.table1 import TABLE
from reproduction.query import Measurement, Query
from reproduction.report.paper import BesidePublished, agrees, beside_published


def compared(world: str, label: str, rewards: list[float]) -> BesidePublished | None:
    entry = TABLE.entry(world, label)
    settings = {"domain": world, "agent": entry.settings["agent"]}
    return beside_published(
        Measurement(TABLE, world, entry, settings, played(settings, FINAL, rewards), "quick", 5)
    )


@pytest.mark.parametrize(
    ("world", "label", "rewards", "errors", "differ"),
    [
        (
            "grid5",
            "BAMCP",
            [68, 70, 72, 74, 76],
            (72 - 72.9) / math.hypot(math.sqrt(2), 3 / 1.96),
            False,
        ),  # paper 72.9 ± 3
        # Quoted from Strens, 326 ± 31: a standard error.
        (
            "double-loop",
            "Bayes VPI+MIX",
            [383, 384, 385, 386, 387],
            (385 - 326) / math.hypot(math.sqrt(0.5), 31),
            False,
        ),
        ("double-loop", "BEB", [391] * 5, math.inf, True),  # paper 386 ± 0
        ("double-loop", "BEB", [380] * 5, -math.inf, True),
        ("double-loop", "BEB", [386] * 5, 0, False),
        ("grid5", "BAMCP", [72] * 4, math.nan, False),  # too few runs
    ],
)
def test_both_errors_count(
    world: str, label: str, rewards: list[float], errors: float, differ: bool
) -> None:
    result = compared(world, label, rewards)
    assert result is not None
    assert result.errors == pytest.approx(errors, nan_ok=True)
    assert result.differ == differ
    expected = WHY["double-loop", "beb"][1] if errors == math.inf else None
    assert result.why == expected, "a reason is given for its own direction alone"


def test_the_interval_of_a_difference() -> None:
    result = compared("grid5", "BAMCP", [68.0, 70.0, 72.0, 74.0, 76.0])
    assert result is not None
    assert result.difference.half == pytest.approx(
        math.hypot(2.776445 * math.sqrt(2), 3)
    )  # t of four degrees of freedom
    assert compared("grid5", "random", [9.0, 9.0]) is None, "no number is published"


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
            "350, published 386 ± 0 (2 runs, paper), difference: −36, too few runs",
        ),
        ([], "not enough data", "here: not enough runs"),
    ],
)
def test_equality_needs_more_than_a_wide_interval(
    rewards: list[float], verdict: str, words: str
) -> None:
    finding = agrees(
        "here", Query(table_rows("double-loop", {"BEB": rewards})).best(TABLE, "double-loop", "BEB")
    )
    assert finding.verdict == verdict
    assert words in finding.evidence[0]
