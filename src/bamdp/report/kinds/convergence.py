"""Convergence: the bias of the root value with its interval, and the regret of the decision."""

from collections.abc import Sequence

from bamdp.report.claim import interval, short
from bamdp.report.claims.theory import biases
from bamdp.report.query import Measurement
from bamdp.report.tables import NOTHING, TableRow, table_row
from bamdp.statistics import Mean


def table_rows(measurements: Sequence[Measurement]) -> list[TableRow]:
    """One row for each budget; agents that can't plan with the prior, or have no root value, have none to show."""
    found = []
    for measurement in measurements:
        bias = next((Mean(b, b - half, b + half) for _, b, half, _ in biases([measurement])), None)
        result = measurement.point.rows[0]["result"]
        regret = short(result["regret"]) if "regret" in result else "not possible"
        found.append(table_row([measurement], {"bias": interval(bias) if bias else NOTHING, "regret": regret}))
    return found
