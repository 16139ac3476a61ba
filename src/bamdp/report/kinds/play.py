"""Runs of an agent: sums of rewards, and the time of a step."""

from collections.abc import Sequence

from bamdp.report.query import Measurement
from bamdp.report.tables import TableRow, played


def table_rows(measurements: Sequence[Measurement]) -> list[TableRow]:
    """One row for each setting."""
    return [played(m, {"sum": "total_reward", "discounted sum": "discounted_return"}) for m in measurements]
