"""The command `bamdp report`: one page of all results."""

from __future__ import annotations

from os.path import relpath
from pathlib import Path
from typing import Any

from bamdp._optional import require
from bamdp._progress import Show, progress
from bamdp.cli.command import Command
from bamdp.cli.parser import UsageError, parse, split, user_errors
from bamdp.cli.reproduce import STORE
from bamdp.config.parameters import Parameter

PARAMETERS = [
    STORE,
    Parameter("output", str, "report.html", "the page: a file, or a folder that exists"),
    Parameter("figures", str | None, None, "a folder for the pictures as files too: SVG, PNG or WebP"),
    Parameter(
        "markdown", str | None, None, "a file for the tables and claims in Markdown too; shows the pictures of --figures"
    ),
    Parameter("scale", str, "paper", "whose results to show: paper (those of quick where it has none), quick or smoke"),
]


def run(arguments: list[str]) -> int:
    """Write the page and the other files."""
    names, flags = split(arguments)
    values = parse({"options": PARAMETERS}, flags, "bamdp report", COMMAND.help)
    if names:
        raise UsageError(f"report takes flags only, got '{names[0]}'. See bamdp report --help")
    with user_errors():
        for module in ("matplotlib", "jinja2", "PIL", "scipy"):
            require(module, f"report needs {module}", "report")
    if not Path(values["store"]).is_dir():
        raise UsageError(f"there is no store {values['store']}: make one with bamdp reproduce, or name another with --store")
    try:
        with user_errors(), progress("report") as show:
            written = _write(values, show)
    except OSError as error:
        raise UsageError(f"can't write {error.filename}: {error.strerror}") from error
    print(written)
    return 0


def _write(values: dict[str, Any], show: Show) -> str:
    from bamdp.studies.experiment import checked
    from bamdp.studies.store import Store

    store, scale, output = Store(values["store"]), checked(values["scale"]), Path(values["output"])
    output = output / "report.html" if output.is_dir() else output
    tables, charts = (Path(values[name]) if values[name] else None for name in ("markdown", "figures"))
    for path in (output, tables):  # first: an error shows at once
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
    show("reading")
    from bamdp.report import html as page
    from bamdp.report.model import build

    found = build(store.rows(), scale, show)
    show("page")
    output.write_text(page.html(found), encoding="utf-8")
    if charts:
        show("pictures")
        page.write_pictures(found.pictures, charts)
    if tables:
        images = relpath(charts, tables.parent) if charts else None
        tables.write_text(page.markdown(found, images), encoding="utf-8")
    counts = ", ".join(f"{count} {verdict}" for verdict, count in found.counts.items())
    bad = f" ({store.bad_lines} lines are no rows)" if store.bad_lines else ""
    return f"{output}: {found.rows} rows{bad}; claims: {counts}"


COMMAND = Command(
    arguments="[flags]",
    summary="one page: what is stored, beside what is published",
    about="One page with every table, figure and claim of the paper, and the stored results beside it. It opens from the disk, "
    "without a network.",
    example="bamdp report --output report.html",
    run=run,
)
