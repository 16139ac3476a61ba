"""What the report says, as data: a function of the rows of a store alone;
`reproduction.report.html` writes it down.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from bamdp.comparing.rows import Row
from reproduction.benchmark import BENCHMARK
from reproduction.elsewhere import TABLES
from reproduction.experiment import Experiment, Scale
from reproduction.experiments import experiments
from reproduction.paper.table1 import TABLE
from reproduction.query import REAL, Query, provenance
from reproduction.report import chart
from reproduction.report.claim import CLAIMS, Claim
from reproduction.report.picture import Picture, styled
from reproduction.report.scoreboard import Standing, score_rows, scoreboard
from reproduction.report.tables import TableRow, table1_cell, table_rows
from reproduction.report.verdict import VERDICTS, Finding, Verdict, corrected

Show = Callable[[str], None]


@dataclass(frozen=True)
class Section:
    """One experiment."""

    experiment: Experiment  # that it shows
    pictures: list[Picture] = field(repr=False)  # of its results
    rows: list[TableRow] = field(repr=False)  # the numbers behind them; none if nothing was run
    board: list[Standing] = field(
        default_factory=list, repr=False
    )  # the scoreboard, if it is that of the benchmark

    @property
    def heading(self) -> str:
        return self.experiment.heading or self.experiment.title

    @property
    def measures(self) -> list[str]:
        """The columns of numbers."""
        return list(dict.fromkeys(name for row in self.rows for name in row["measures"]))


@dataclass(frozen=True)
class ReportData:
    """Everything that the report says."""

    scales: tuple[Scale, ...]  # that the results are from, the preferred one first
    rows: int  # how many rows there are
    made: dict[str, list[str]]  # the commits and processors that they come from
    date: str | None  # of the newest row; None if none has one
    table: dict[
        str, list[TableRow]
    ]  # Table 1, by domain; see `reproduction.report.tables.table1_cell`
    table_pictures: list[Picture]  # Table 1 as charts
    claims: list[
        tuple[Claim, Finding]
    ]  # of the paper, and what was found, corrected for the number of claims
    sections: list[Section]  # all other experiments

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many claims there are of each verdict."""
        return {verdict: sum(f.verdict == verdict for _, f in self.claims) for verdict in VERDICTS}

    @property
    def plain_counts(self) -> dict[Verdict, int]:
        """The same without the correction."""
        return {
            verdict: sum((f.plain or f.verdict) == verdict for _, f in self.claims)
            for verdict in VERDICTS
        }

    @property
    def tested(self) -> int:
        """How many claims have a test."""
        return sum(finding.p is not None for _, finding in self.claims)

    @property
    def differences(self) -> list[TableRow]:
        """The cells of Table 1 that differ from the paper's by more than their intervals."""
        return [cell for cells in self.table.values() for cell in cells if cell["differs"]]

    @property
    def scoreboard(self) -> Section:
        """The section of the benchmark."""
        return next(
            section for section in self.sections if section.experiment.name == BENCHMARK.name
        )

    @property
    def pictures(self) -> list[Picture]:
        return [
            *self.table_pictures,
            *(picture for section in self.sections for picture in section.pictures),
        ]


def build(
    rows: Sequence[Row], scale: Scale = "paper", show: Show = lambda doing: None
) -> ReportData:
    """What the rows of a store say; at scale paper, with those of quick where it has none. `show`
    gets the name of each part.

    Example:
        >>> nothing = build([])
        >>> nothing.rows, nothing.table["grid5"][0]["state"], nothing.differences
        (0, 'not run', [])
    """
    query = Query(rows, REAL if scale == "paper" else (scale,))
    show("Table 1")
    table = {
        domain: [table1_cell(query, domain, entry.label) for entry in of]
        for domain, of in TABLE.entries.items()
    }
    table_pictures = chart.pictures(TABLE, query)
    findings = []
    for claim in CLAIMS:
        show(f"claim {claim.id}")
        findings.append(claim.check(query))
    sections = []
    for experiment in experiments().values():
        show(experiment.source)
        if experiment.name == BENCHMARK.name:
            board = scoreboard(query)
            sections.append(
                Section(experiment, styled(chart.scoreboard(board)), score_rows(board), board)
            )
        elif experiment.name not in (TABLE.name, *(table.name for table in TABLES)):
            sections.append(
                Section(
                    experiment, chart.pictures(experiment, query), table_rows(query, experiment)
                )
            )
    made = {what: provenance(query.rows, what) for what in ("commit", "cpu")}
    date = max(provenance(query.rows, "date"), default=None)
    claims = [
        (claim, _explained(claim, finding))
        for claim, finding in zip(CLAIMS, corrected(findings), strict=True)
    ]
    return ReportData(
        query.scales, len(query.rows), made, date, table, table_pictures, claims, sections
    )


def _explained(claim: Claim, finding: Finding) -> Finding:
    """A finding that is open says why, if more runs would not settle it."""
    if finding.verdict != "open" or not claim.unsettled:
        return finding
    return replace(finding, evidence=(*finding.evidence, claim.unsettled))
