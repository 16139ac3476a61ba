"""What the report says, as data: a function of the rows of a store alone; `bamdp.report.html` writes it down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bamdp.report import claims
from bamdp.report.chart import Chart
from bamdp.report.charts import bandits, convergence, infinite_grid, parts, planning_time, table1
from bamdp.report.claim import VERDICTS, Claim, Outcome, Verdict
from bamdp.report.query import REAL, Stored
from bamdp.report.tables import Cell, Line, behind, cell
from bamdp.studies.experiment import Experiment, Scale
from bamdp.studies.paper import ALL
from bamdp.studies.paper.table1 import TABLE
from bamdp.studies.store import Row

Show = Callable[[str], None]

# The pictures of each experiment but for Table 1, in the order of the page.
DRAWN: dict[str, Callable[[Stored], list[Chart]]] = {
    "planning-time": table1.times,
    "figure1": planning_time.charts,
    "lazy": parts.lazy,
    "exploration": parts.exploration,
    "figure2": lambda stored: infinite_grid.charts(ALL["figure2"], stored),
    "figure-s5a": lambda stored: infinite_grid.charts(ALL["figure-s5a"], stored),
    "figure-s5b": lambda stored: infinite_grid.charts(ALL["figure-s5b"], stored),
    "figure-s1": bandits.cells,
    "figure-s2": bandits.arms,
    "convergence": convergence.charts,
}


@dataclass(frozen=True)
class Section:
    """A figure of the paper.

    Attributes:
        experiment: that it shows.
        charts: the pictures.
        lines: the numbers behind them; none if nothing was run.
    """

    experiment: Experiment
    charts: list[Chart] = field(repr=False)
    lines: list[Line] = field(repr=False)


@dataclass(frozen=True)
class Report:
    """All that the report says.

    Attributes:
        scales: that the numbers are from, the preferred one first.
        rows: how many there are.
        made: the commits and processors that they come from.
        table: Table 1, by world.
        table_charts: the same as pictures.
        claims: of the paper, and what came out.
        sections: the figures.
    """

    scales: tuple[Scale, ...]
    rows: int
    made: dict[str, list[str]]
    table: dict[str, list[Cell]]
    table_charts: list[Chart]
    claims: list[tuple[Claim, Outcome]]
    sections: list[Section]

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many claims of each verdict."""
        return {verdict: sum(outcome.verdict == verdict for _, outcome in self.claims) for verdict in VERDICTS}

    @property
    def differences(self) -> list[Cell]:
        """The cells of Table 1 that differ from the paper's by more than the intervals."""
        return [cell for cells in self.table.values() for cell in cells if cell.differs]

    @property
    def charts(self) -> list[Chart]:
        """All of them."""
        return [*self.table_charts, *(chart for section in self.sections for chart in section.charts)]


def report(rows: Sequence[Row], scale: Scale = "paper", show: Show = lambda doing: None) -> Report:
    """What the rows of a store say.

    Args:
        rows: all of them.
        scale: whose numbers are shown; with paper, those of quick where it has none.
        show: called before each part, with its name.

    Example:
        >>> nothing = report([])
        >>> nothing.rows, nothing.table["grid5"][0].state, nothing.differences
        (0, 'not run', [])
    """
    stored = Stored(rows, REAL if scale == "paper" else (scale,))
    show("Table 1")
    table = {world: [cell(stored, TABLE, world, entry.label) for entry in entries] for world, entries in TABLE.entries.items()}
    table_charts = table1.beside(stored)
    outcomes = []
    for claim in claims.ALL:
        show(f"claim {claim.id}")
        outcomes.append((claim, claim.check(stored)))
    sections = []
    for name, charts in DRAWN.items():
        show(ALL[name].source)
        sections.append(Section(ALL[name], charts(stored), behind(stored, ALL[name])))
    made = {what: _made(stored, what) for what in ("commit", "cpu")}
    return Report(stored.scales, len(stored.rows), made, table, table_charts, outcomes, sections)


def _made(stored: Stored, what: str) -> list[str]:
    found = {row.get("made", {}).get(what) for row in stored.rows}
    return sorted(str(name) for name in found if name is not None)
