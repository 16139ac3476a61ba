"""The command `bamdp report`: what is typed, what is written, and what is said meanwhile."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os.path import relpath
from pathlib import Path
from time import monotonic

from bamdp._optional import require
from bamdp.cli.reproduce import STORE, parse
from bamdp.config.names import UsageError
from bamdp.config.parameters import Flag
from bamdp.config.setup import readable
from bamdp.studies.experiment import Scale
from bamdp.studies.reproduce import scale_of
from bamdp.studies.store import Store, StoreError

PLAIN_SECONDS = 2.0  # between two lines of progress where there is no terminal
ABOUT = """\
One page with every table, figure and claim of the paper, and what is stored beside it. It opens from the disk, with no network.

example:
  bamdp report --output report.html"""
FLAGS = [
    STORE,
    Flag("output", str, "report.html", "the page: a file, or a folder that exists"),
    Flag("figures", str | None, None, "a folder for the pictures as files too: charts as SVG and PNG, others as SVG or WebP"),
    Flag(
        "markdown", str | None, None, "a file for the tables and claims in Markdown too; with --figures, it shows the pictures"
    ),
    Flag("scale", str, "paper", "whose numbers to show: paper (those of quick where it has none), quick or smoke"),
]


@dataclass(frozen=True)
class Request:
    """What was asked for."""

    store: Store
    scale: Scale
    page: Path
    tables: Path | None
    charts: Path | None


def run(words: Sequence[str]) -> int:
    """Write the page, and what else was asked for."""
    names, values = parse("bamdp report", words, FLAGS, ABOUT)
    if names:
        raise UsageError(f"report takes flags only, got '{names[0]}'. See bamdp report --help")
    try:
        for module in ("matplotlib", "jinja2", "PIL", "scipy"):
            require(module, f"report needs {module}", "report")
    except ImportError as error:
        raise UsageError(str(error)) from error
    scale = scale_of(values["scale"])
    if not Path(values["store"]).is_dir():
        raise UsageError(f"there is no store {values['store']}: make one with bamdp reproduce, or name another with --store")
    page = Path(values["output"])
    page = page / "report.html" if page.is_dir() else page
    tables, charts = (Path(values[name]) if values[name] else None for name in ("markdown", "figures"))
    with readable(), _writable(), _telling() as show:
        said = _write(Request(Store(values["store"]), scale, page, tables, charts), show)
    print(said)
    return 0


def _write(request: Request, show: Callable[[str], None]) -> str:
    for path in (request.page, request.tables):  # first: a place that can't be written to shows at once
        if path:
            path.parent.mkdir(parents=True, exist_ok=True)
    show("reading")
    from bamdp.report import html as page
    from bamdp.report.model import build

    rows = request.store.rows()
    found = build(rows, request.scale, show)
    show("page")
    request.page.write_text(page.html(found), encoding="utf-8")
    if request.charts:
        show("pictures")
        page.write_pictures(found.pictures, request.charts)
    if request.tables:
        images = relpath(request.charts, request.tables.parent) if request.charts else None
        request.tables.write_text(page.markdown(found, images), encoding="utf-8")
    counts = ", ".join(f"{count} {verdict}" for verdict, count in found.counts.items())
    bad = f" ({request.store.bad_lines} lines are no rows)" if request.store.bad_lines else ""
    return f"{request.page}: {found.rows} rows{bad}; claims: {counts}"


@contextmanager
def _writable() -> Iterator[None]:
    try:
        yield
    except StoreError:
        raise
    except OSError as error:
        raise UsageError(f"can't write {error.filename}: {error.strerror}") from error


@contextmanager
def _telling() -> Iterator[Callable[[str], None]]:
    """Says what is being done: on a terminal in one line that comes and goes, else in a line whenever it takes long."""
    if sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status("report") as status:
            yield lambda doing: status.update(f"report: {doing}")
        return
    last = monotonic()

    def show(doing: str) -> None:
        nonlocal last
        if monotonic() - last >= PLAIN_SECONDS:
            last = monotonic()
            print(f"report: {doing}", file=sys.stderr, flush=True)

    yield show
