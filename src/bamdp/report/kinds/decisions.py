"""Decisions between two arms: the share of correct ones, over all cells of Figure S1."""

from collections.abc import Sequence

from bamdp import statistics
from bamdp.report.query import Measurement
from bamdp.report.tables import NOTHING, TableRow, table_row


def table_rows(measurements: Sequence[Measurement]) -> list[TableRow]:
    """One row for all cells together."""
    if not measurements:
        return []
    shares = statistics.mean([share for m in measurements for share in m.point.values("correct")])
    measures = {"correct decisions": f"{shares.value:.3f}"}
    return [table_row(measurements, measures, runs=f"{len(measurements)} cells", setting=NOTHING)]
