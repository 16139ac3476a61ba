"""The report written down: one HTML page that needs nothing else, tables in Markdown, charts as files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bamdp._version import __version__
from bamdp.report.chart import Chart, on_page
from bamdp.report.charts import world
from bamdp.report.claim import Verdict
from bamdp.report.model import Report
from bamdp.report.tables import Cell, Line
from bamdp.studies.experiment import SCALES, Scale
from bamdp.studies.paper import ALL
from bamdp.studies.paper.figure_s3 import ROOT

MARKS: dict[Verdict, str] = {"held": "✓", "not held": "✗", "open": "?", "not enough data": "–"}
NAMES = {
    "planning-time": "The paper's planning times",
    "lazy": "Lazy sampling",
    "exploration": "The exploration constant",
    "figure2": "Figure 2: infinite grid",
    "figure1": "Figure 1: planning time",
    "convergence": "Theorem 1: convergence",
    "figure-s5a": "Figure S5, left",
    "figure-s5b": "Figure S5, right",
    "figure-s1": "Figure S1: two arms",
    "figure-s2": "Figure S2: eight arms",
}
TEXTS = {
    "planning-time": "The band is the published number with its ±; how many simulations the time buys depends on the machine.",
    "figure1": "In a and b each point is a setting: the fainter the smaller its budget, K or β; the larger the larger C or δ.",
    "figure-s1": "The last panel is exact; the decision that counts as correct is that of the Gittins index.",
    "convergence": "Against exact values. BFS3's are upper bounds, and the C successors of a node are drawn only once.",
}
FILM: dict[Scale, tuple[int, int]] = {"smoke": (6, 20), "quick": (120, 500), "paper": (120, 500)}  # steps, simulations


@dataclass(frozen=True)
class Media:
    """The pictures that are not charts, as addresses that hold them."""

    picture: str
    film: str
    earned: float
    steps: int
    simulations: int


def media(scale: Scale) -> Media:
    """A picture of a world, and a film of BAMCP in it."""
    steps, simulations = FILM[scale]
    film, earned = world.film(steps, simulations)
    return Media(world.picture(), film, earned, steps, simulations)


def html(report: Report, pictures: Media) -> str:
    """The page."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("bamdp.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )

    def inline(chart: Chart) -> Markup:
        return Markup(chart.inline())

    return environment.get_template("report.html").render(
        report=report,
        labels=[cell.label for cell in next(iter(report.table.values()))],
        names=NAMES,
        texts={name: TEXTS.get(name, "") for name in ALL},
        marks=MARKS,
        scales=SCALES,
        inline=inline,
        tree=Markup(on_page(world.tree(), "tree", "Search tree after four simulations, with visits N and mean returns Q")),
        root=ROOT,
        media=pictures,
        version=__version__,
    )


def markdown(report: Report) -> str:
    """Table 1, the commands behind it and the claims, as tables that a document can take over."""
    worlds = list(report.table)
    overview = [
        [cells[0].label, *(f"{c.line.measures['total reward'] if c.line else c.state}; paper {c.published}" for c in cells)]
        for cells in zip(*report.table.values(), strict=True)
    ]
    header = ("agent", "here", "bootstrap", "paper", "difference, SE", "setting", "runs", "scale", "time a step", "command")
    parts = ["## Table 1", _table(("agent", *worlds), overview)]
    for name, cells in report.table.items():
        rows = [_in_full(cell, cell.line) for cell in cells if cell.line]
        parts += [f"### {name}", _table(header, rows) if rows else "Not run yet."]
    parts += [
        "## Where they differ by more than the intervals",
        _table(("world", "agent", "here", "paper", "why"), _why(report)),
    ]
    claims = [(c.id, c.text, o.verdict, "<br>".join(o.evidence)) for c, o in report.claims]
    return "\n\n".join([*parts, "## Claims", _table(("id", "claim", "outcome", "numbers"), claims)]) + "\n"


def write_charts(charts: Sequence[Chart], folder: Path) -> list[Path]:
    """Each chart as SVG and as PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for chart in charts:
        written += [folder / f"{chart.name}.svg", folder / f"{chart.name}.png"]
        written[-2].write_text(chart.svg(), encoding="utf-8")
        written[-1].write_bytes(chart.png())
    return written


def _in_full(cell: Cell, line: Line) -> tuple[str, ...]:
    beside = (line.measures["total reward"], cell.bootstrap, cell.published, cell.errors)
    return (cell.label, *beside, line.setting, line.runs, line.scale, line.time, f"`{line.command}`")


def _why(report: Report) -> list[tuple[str, ...]]:
    return [(c.world, c.label, c.line.measures["total reward"], c.published, c.why) for c in report.differences if c.line]


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = [cell.replace("|", "\\|") for cell in header]
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
