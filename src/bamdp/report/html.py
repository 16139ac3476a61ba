"""The report written down: one HTML page that needs no other file, tables in Markdown, pictures as files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from bamdp._version import __version__
from bamdp.report.claim import Verdict
from bamdp.report.model import ReportData
from bamdp.report.picture import Picture
from bamdp.report.tables import Table1Cell, TableRow
from bamdp.studies.experiment import SCALES

MARKS: dict[Verdict, str] = {"held": "✓", "not held": "✗", "open": "?", "not enough data": "–"}


def html(report: ReportData) -> str:
    """The page."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("bamdp.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )

    def inline(picture: Picture) -> Markup:
        return Markup(picture.inline())

    return environment.get_template("report.html").render(
        report=report,
        labels=[cell.label for cell in next(iter(report.table.values()))],
        marks=MARKS,
        scales=SCALES,
        inline=inline,
        version=__version__,
    )


def markdown(report: ReportData, images: str | None = None) -> str:
    """Table 1, the commands behind it, the claims, and the pictures if they are in the folder `images`, for a document."""
    overview = [
        [cells[0].label, *(f"{cell.total}; paper {cell.published}" for cell in cells)]
        for cells in zip(*report.table.values(), strict=True)
    ]
    header = ("agent", "here", "bootstrap", "paper", "difference, SE", "setting", "runs", "scale", "time per step", "command")
    parts = ["## Table 1", _table(("agent", *report.table), overview)]
    parts += _images(report.table_pictures, images)
    for domain, cells in report.table.items():
        rows = [_in_full(cell, cell.row) for cell in cells if cell.row]
        parts += [f"### {domain}", _table(header, rows) if rows else "Not run yet."]
    why = [(cell.domain, cell.label, cell.total, cell.published, cell.why) for cell in report.differences]
    parts += ["## Differences larger than the intervals", _table(("domain", "agent", "here", "paper", "why"), why)]
    claims = [(c.id, c.text, finding.verdict, "<br>".join(finding.evidence)) for c, finding in report.claims]
    parts += ["## Claims", _table(("id", "claim", "verdict", "numbers"), claims)]
    for section in report.sections:
        if shown := _images(section.pictures, images):
            parts += [f"## {section.heading}", f"{section.experiment.title}. {section.experiment.text}".strip(), *shown]
    return "\n\n".join(parts) + "\n"


def write_pictures(pictures: Sequence[Picture], folder: Path) -> None:
    """Each picture as files."""
    folder.mkdir(parents=True, exist_ok=True)
    for picture in pictures:
        for name, content in picture.files().items():
            (folder / name).write_bytes(content)


def _images(pictures: Sequence[Picture], folder: str | None) -> list[str]:
    """The pictures in one paragraph."""
    links = [f"![{picture.title}]({folder}/{picture.file})" for picture in pictures if folder is not None]
    return ["\n".join(links)] if links else []


def _in_full(cell: Table1Cell, row: TableRow) -> tuple[str, ...]:
    numbers = (cell.total, cell.bootstrap, cell.published, cell.errors)
    return (cell.label, *numbers, row.setting, row.runs, row.scale, row.time, f"`{row.command}`")


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = [cell.replace("|", "\\|") for cell in header]
    lines = [head, ["---"] * len(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
