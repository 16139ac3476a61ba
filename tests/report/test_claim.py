"""Rules of verdicts."""

from bamdp.report.claim import VERDICTS, more, trend
from bamdp.statistics import Mean


def test_a_trend_needs_two_places() -> None:
    assert trend("name", [], lambda number: 1.0).verdict == "not enough data"


def test_verdicts_have_one_spelling() -> None:
    assert {more("x", Mean(0, low, high)).verdict for low, high in ((1, 2), (-2, -1), (-1, 1), (None, None))} == set(VERDICTS)
