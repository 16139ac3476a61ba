"""What the report says, as data: a function of the rows of a store alone; `bamdp.report.html` writes it down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bamdp.report.charts import pictures
from bamdp.report.claim import VERDICTS, Claim, Finding, Verdict
from bamdp.report.claims import all_claims
from bamdp.report.picture import Picture
from bamdp.report.query import REAL, Query, provenance
from bamdp.report.tables import Table1Cell, TableRow, table1_cell, table_rows
from bamdp.studies.experiment import Experiment, Scale
from bamdp.studies.paper import experiments
from bamdp.studies.paper.table1 import TABLE
from bamdp.studies.store import Row

Show = Callable[[str], None]


@dataclass(frozen=True)
class Section:
    """One experiment.

    Attributes:
        experiment: that it shows.
        pictures: of its results.
        rows: the numbers behind them; none if nothing was run.
    """

    experiment: Experiment
    pictures: list[Picture] = field(repr=False)
    rows: list[TableRow] = field(repr=False)

    @property
    def heading(self) -> str:
        """Above the section."""
        return self.experiment.heading or self.experiment.title

    @property
    def measures(self) -> list[str]:
        """The columns of numbers."""
        return list(dict.fromkeys(name for row in self.rows for name in row.measures))


@dataclass(frozen=True)
class ReportData:
    """Everything that the report says.

    Attributes:
        scales: that the results are from, the preferred one first.
        rows: how many rows there are.
        made: the commits and processors that they come from.
        table: Table 1, by domain.
        table_pictures: Table 1 as charts.
        claims: of the paper, and what was found.
        sections: all other experiments.
    """

    scales: tuple[Scale, ...]
    rows: int
    made: dict[str, list[str]]
    table: dict[str, list[Table1Cell]]
    table_pictures: list[Picture]
    claims: list[tuple[Claim, Finding]]
    sections: list[Section]

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many claims there are of each verdict."""
        return {verdict: sum(finding.verdict == verdict for _, finding in self.claims) for verdict in VERDICTS}

    @property
    def differences(self) -> list[Table1Cell]:
        """The cells of Table 1 that differ from the paper's by more than their intervals."""
        return [cell for cells in self.table.values() for cell in cells if cell.differs]

    @property
    def pictures(self) -> list[Picture]:
        """All pictures."""
        return [*self.table_pictures, *(picture for section in self.sections for picture in section.pictures)]


def build(rows: Sequence[Row], scale: Scale = "paper", show: Show = lambda doing: None) -> ReportData:
    """What the rows of a store say.

    Args:
        rows: all of them.
        scale: whose results are shown; with paper, those of quick where it has none.
        show: called before each part, with its name.

    Example:
        >>> nothing = build([])
        >>> nothing.rows, nothing.table["grid5"][0].state, nothing.differences
        (0, 'not run', [])
    """
    query = Query(rows, REAL if scale == "paper" else (scale,))
    show("Table 1")
    table = {
        domain: [table1_cell(query, TABLE, domain, entry.label) for entry in entries]
        for domain, entries in TABLE.entries.items()
    }
    table_pictures = pictures(TABLE, query)
    findings = []
    for claim in all_claims():
        show(f"claim {claim.id}")
        findings.append((claim, claim.check(query)))
    sections = []
    for experiment in experiments().values():
        if experiment.name != TABLE.name:
            show(experiment.source)
            sections.append(Section(experiment, pictures(experiment, query), table_rows(query, experiment)))
    made = {what: provenance(query.rows, what) for what in ("commit", "cpu")}
    return ReportData(query.scales, len(query.rows), made, table, table_pictures, findings, sections)
