"""The report written down: one HTML page that needs no other file, tables in Markdown, pictures as
files.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from bamdp import __version__
from bamdp.statistics import duration
from reproduction.benchmark import TUNED
from reproduction.experiment import SCALES
from reproduction.report.model import ReportData
from reproduction.report.picture import Picture
from reproduction.report.scoreboard import COLUMNS, Score, Standing, agents_of
from reproduction.report.tables import NOTHING, TableRow, setting
from reproduction.report.verdict import Verdict

TITLE = "bamdp: Bayes-adaptive planning in MDPs with unknown dynamics"  # as in CITATION.cff
MARKS: dict[Verdict, str] = {"held": "✓", "not held": "✗", "open": "?", "not enough data": "–"}
CELL = (
    "label",
    "total",
    "bootstrap",
    "published",
    "errors",
    "setting",
    "runs",
    "scale",
    "time",
)  # of Table 1
FULL = (
    "agent",
    "here",
    "bootstrap",
    "paper",
    "difference, SE",
    "setting",
    "runs",
    "scale",
    "time per step",
    "command",
)
TABLE_NOTE = (
    "Mean total reward ± half of its 95 % interval, each agent at its best setting; below it the "
    "published number, and ours in "
    "bold where the 95 % interval of the difference excludes 0; the paper's ± are read as 95 % "
    "intervals, those it quotes from "
    "Strens (2000) as standard errors."
)
BOARD = (
    "agent",
    "as given",
    "best setting",
    "that setting",
    "discounted return, as given",
    "time per decision",
    "worlds",
)


def html(report: ReportData) -> str:
    """The page."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("reproduction.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

    def inline(picture: Picture) -> Markup:
        return Markup(picture.inline())

    return environment.get_template("report.html").render(
        report=report,
        labels=[cell["label"] for cell in next(iter(report.table.values()))],
        marks=MARKS,
        scales=SCALES,
        inline=inline,
        columns={
            name: (title, agents_of(report.scoreboard.board, name))
            for name, title in COLUMNS.items()
        },
        version=__version__,
        citation=citation(report),
    )


def citation(report: ReportData) -> str:
    """How to cite the library and these results."""
    commits = f", commits {', '.join(report.made['commit'])}" if report.made["commit"] else ""
    date = f" of {report.date}" if report.date else ""
    return (
        f"The bamdp developers: {TITLE}, version {__version__}. Results{date} from {report.rows:,} "
        f"stored runs{commits}."
    )


def markdown(report: ReportData, images: str | None = None) -> str:
    """Table 1 beside the published one, the pictures if they are in the folder `images`, and the
    claims, for a document.

    What is behind them, settings, commands and numbers, is folded.
    """
    why = [
        [cell[name] for name in ("domain", "label", "total", "published", "why")]
        for cell in report.differences
    ]
    parts = ["## Table 1", TABLE_NOTE, markdown_table(("agent", *report.table), totals(report))]
    parts += [
        "### Where the numbers differ by more than their intervals",
        markdown_table(("domain", "agent", "here", "paper", "why"), why),
    ]
    for domain, cells in report.table.items():
        rows = [
            [*(cell[name] for name in CELL), f"`{cell['command']}`"]
            for cell in cells
            if cell["run"]
        ]
        parts += _folded(
            f"{domain}: settings, runs and commands",
            markdown_table(FULL, rows) if rows else "Not run yet.",
        )
    for section in report.sections:
        if not section.board and (shown := _images(section.pictures, images)):
            parts += [
                f"## {section.heading}",
                f"{section.experiment.title}. {section.experiment.text}".strip(),
                *shown,
            ]
    alone = f"each by itself: {_counted(report.plain_counts)}"
    number = f"{_counted(report.counts)}, corrected for {report.tested} tests (Holm); {alone}."
    claims = [(c.id, c.text, finding.verdict) for c, finding in report.claims]
    numbers = [(c.id, "<br>".join(finding.evidence)) for c, finding in report.claims]
    parts += ["## Claims", number, markdown_table(("id", "claim", "verdict"), claims)]
    parts += _folded("The numbers behind each verdict", markdown_table(("id", "numbers"), numbers))
    return "\n\n".join([*parts, "## How to cite", citation(report)]) + "\n"


def totals(report: ReportData) -> list[list[str]]:
    """Table 1: a row for each agent, the paper's number below ours; ours is in bold where they
    differ.
    """
    return [
        [cells[0]["label"], *map(_total, cells)]
        for cells in zip(*report.table.values(), strict=True)
    ]


def scoreboard(report: ReportData, images: str | None = None) -> str:
    """The scoreboard in Markdown, with its pictures if they are in the folder `images`."""
    section = report.scoreboard
    if not section.board:
        return (
            f"Not run yet: `python -m reproduction {section.experiment.name} --scale "
            f"{report.scales[0]}`.\n"
        )
    scales = sorted({row["scale"] for row in section.rows}, key=report.scales.index)
    commands = ", ".join(
        f"`python -m reproduction {section.experiment.name} --scale {scale}`" for scale in scales
    )
    parts = [f"Made by {commands}.", *_images(section.pictures, images)]
    for name, title in COLUMNS.items():
        if agents := agents_of(section.board, name):
            columns = [
                (standing.problem, standing.column(name))
                for standing in section.board
                if standing.column(name)
            ]
            rows = [
                [problem, *(_score(of.get(agent)) for agent in agents)] for problem, of in columns
            ]
            parts += [f"## {title}", markdown_table(("problem", *agents), rows)]
    parts.append("## Problem by problem")
    for standing in section.board:
        parts += [
            f"### {standing.problem}",
            standing.scale,
            markdown_table(BOARD, _standing(standing)),
        ]
    return "\n\n".join(parts) + "\n"


def write_pictures(pictures: Sequence[Picture], folder: Path) -> None:
    """Each picture as a file."""
    folder.mkdir(parents=True, exist_ok=True)
    for picture in pictures:
        (folder / picture.file).write_bytes(picture.content())


def _images(pictures: Sequence[Picture], folder: str | None) -> list[str]:
    """Each picture with its caption below it."""
    return [
        f"![{picture.title}]({folder}/{picture.file})\\\n*{picture.title}*"
        for picture in pictures
        if folder is not None
    ]


def _total(cell: TableRow) -> str:
    """Our total reward, and the published one below it."""
    ours = cell["state"] or cell["short"]
    published = "" if cell["published"] == NOTHING else f"<br>paper: {cell['published']}"
    return (f"**{ours}**" if cell["differs"] else ours) + published


def _folded(summary: str, text: str) -> list[str]:
    return [f"<details><summary>{summary}</summary>", text, "</details>"]


def _counted(counts: Mapping[Verdict, int]) -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items())


def _score(score: Score | None) -> str:
    return "" if score is None else f"**{score.text}**" if score.best else score.text


def _standing(standing: Standing) -> Iterator[list[str]]:
    """A row for each agent."""
    for agent in standing.agents:
        given, tuned = standing.given.get(agent), standing.tuned.get(agent)
        chosen = (
            setting(tuned.measurement)
            if tuned and tuned != given and tuned.measurement.label.endswith(TUNED)
            else ""
        )
        shown = given or tuned
        rest = (
            ["", "", ""]
            if shown is None
            else [shown.mean, duration(shown.seconds), str(shown.worlds)]
        )
        yield [agent, _score(given), _score(tuned), chosen, *rest]


def markdown_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    head = [cell.replace("|", "\\|") for cell in header]
    lines = [
        head,
        ["---"] * len(head),
        *([cell.replace("|", "\\|") for cell in row] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
