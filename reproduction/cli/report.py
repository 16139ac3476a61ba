"""The command `python -m reproduction report`: one page of all results."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bamdp.cli import Usage
from bamdp.cli.parser import UsageError, command, user_errors
from bamdp.config.parameters import Parameter
from bamdp.progress import ShowProgress, progress
from bamdp.suite.stored import COLUMNS
from bamdp.validation import require
from reproduction.cli import PROGRAM, STORE

if TYPE_CHECKING:
    from bamdp.comparing.rows import Row
    from reproduction.report.model import ReportData

FLAGS = [
    STORE,
    Parameter(
        "output", str, "report.html", "file to write, or an existing folder to write report.html to"
    ),
    Parameter(
        "figures",
        str | None,
        None,
        "folder to write the pictures to as well, as SVG and WebP files",
    ),
    Parameter(
        "markdown",
        str | None,
        None,
        "Markdown file for the tables and claims; shows the pictures of --figures",
    ),
    Parameter("scoreboard", str | None, None, "Markdown file for the scoreboard of the benchmark"),
    Parameter("table", str | None, None, "CSV file for the scoreboard, for bamdp.results()"),
    Parameter("elsewhere", str | None, None, "Markdown file for published tables of others"),
    Parameter(
        "scale",
        str,
        "paper",
        "results to show: paper (or quick, where paper has none), quick or smoke",
    ),
]


@command(
    FLAGS,
    usage=Usage(f"{PROGRAM} report", "", "write a page that compares the results with the paper's"),
    about=(
        "Write an HTML page that compares the stored results with every table, figure and claim "
        "of the paper, and the "
        "scoreboard of the benchmark. It is a single file and needs no network."
    ),
    example=f"{PROGRAM} report --output report.html",
)
def write_report(words: list[str], values: dict[str, Any]) -> int:
    """Write the page and the other files."""
    with user_errors():
        for module in ("matplotlib", "jinja2", "PIL", "scipy"):
            require(module, f"report needs {module}", "report")
    if not Path(values["store"]).is_dir():
        raise UsageError(
            f"there is no store {values['store']}: make one with {PROGRAM}, or name "
            "another with --store"
        )
    try:
        with user_errors(), progress("report") as show:
            written = _write(values, show)
    except OSError as error:
        raise UsageError(f"can't write {error.filename}: {error.strerror}") from error
    print(written)
    return 0


def _write(values: dict[str, Any], show: ShowProgress) -> str:
    from bamdp.comparing.store import Store
    from reproduction.experiment import checked

    store, scale, output = Store(values["store"]), checked(values["scale"]), Path(values["output"])
    output = output / "report.html" if output.is_dir() else output
    names = ("markdown", "scoreboard", "elsewhere", "table", "figures")
    tables, scores, others, table, charts = (
        Path(values[name]) if values[name] else None for name in names
    )
    for path in (output, tables, scores, others, table):  # first: an error shows at once
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
    show("reading")
    from reproduction.report import html as page
    from reproduction.report import scoreboard
    from reproduction.report.model import build

    data = build(store.rows(), scale, show)
    show("page")
    output.write_text(page.html(data), encoding="utf-8")
    if charts:
        show("pictures")
        page.write_pictures(data.pictures, charts)
    for path, text in ((tables, page.markdown), (scores, page.scoreboard)):
        if path:
            path.write_text(
                text(data, relpath(charts, path.parent) if charts else None), encoding="utf-8"
            )
    if others:
        from reproduction.query import Query
        from reproduction.report.elsewhere import elsewhere

        others.write_text(elsewhere(Query(store.rows(), data.scales)), encoding="utf-8")
    if table:
        _write_csv(scoreboard.columns(data.scoreboard.board), table)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in data.counts.items())
    hint = _hint(data, store.rows())
    return (
        f"{output}: {data.rows} rows; claims: {counts} (corrected for {data.tested} tested "
        f"claims){hint}"
    )


def _write_csv(rows: Sequence[dict[str, Any]], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(COLUMNS), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _hint(data: ReportData, rows: Sequence[Row]) -> str:
    """What to type where the page shows nothing of the rows because they are of another scale."""
    from reproduction.experiment import SCALES, checked
    from reproduction.experiments import ALL

    cells = [cell for some in data.table.values() for cell in some]
    if (
        not rows
        or any(section.rows for section in data.sections)
        or any(cell["state"] != "not run" for cell in cells)
    ):
        return ""
    keys = {row["key"] for row in rows}
    for scale in map(checked, SCALES):
        if scale not in data.scales and any(
            task.key in keys for study in ALL.values() for task in study.tasks(scale, rows)
        ):
            return (
                f"\nNone of them is of scale {' or '.join(data.scales)}. To see them: --scale "
                f"{scale}"
            )
    return ""
