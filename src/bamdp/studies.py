"""The commands `bamdp reproduce`, `bamdp report` and `bamdp export`: what is typed, and what is said at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any

from bamdp import flags, validation
from bamdp.discovery import UsageError
from bamdp.experiment import Scale
from bamdp.flags import Flag
from bamdp.request import readable
from bamdp.results import Store, export
from bamdp.sweep import Progress, cores

PLAIN_SECONDS = 2.0  # between two lines of progress where there is no terminal
STORE = Flag("store", str, "results", "folder of the results")


def reproduce(words: Sequence[str]) -> int:
    """`bamdp reproduce NAME...`; the exit code is 1 if a task failed, 130 after Ctrl-C."""
    from bamdp import reproduce as module
    from bamdp.experiment import SCALES
    from bamdp.experiments import ALL

    about = [
        "Do what a table or figure of the paper takes and the store does not have yet. It can be ended at any time; started",
        "again, it goes on. See what came out with bamdp report.",
        "\n\nnames:\n  all",
        *(f"\n  {name}: {experiment.title} ({experiment.source})" for name, experiment in ALL.items()),
        "\n\nscales:",
        *(f"\n  {name}: {text}" for name, text in SCALES.items()),
        "\n\nexample:\n  bamdp reproduce table1 --scale quick",
    ]
    known = [
        Flag("scale", str, "quick", f"how large: {', '.join(SCALES)}"),
        STORE,
        Flag("workers", int, cores(), "tasks at a time"),
        Flag("on", str, "local", "where: local, ray (a cluster on this machine), or ray://HOST:PORT"),
    ]
    names, values = _parse("bamdp reproduce NAME...", words, known, "".join([" ".join(about[:2]), *about[2:]]))
    if not names:
        raise UsageError(f"reproduce needs a name: all, {', '.join(ALL)}. See bamdp reproduce --help")
    experiments, scale = module.named(names), module.scale_of(values["scale"])
    with readable():
        workers = validation.positive_integer("workers", values["workers"])
        store = Store(values["store"])
        stages = module.reproduce(experiments, scale, store, executor=_executor(values["on"]), workers=workers)
    return _said(stages, store)


def report(words: Sequence[str]) -> int:
    """`bamdp report`: the page, and what else was asked for."""
    about = (
        "One page with every table, figure and claim of the paper, and what is stored beside it; it needs no network."
        "\n\nexample:\n  bamdp report --output report.html"
    )
    known = [
        STORE,
        Flag("output", str, "report.html", "the page: a file, or a folder that exists"),
        Flag("figures", str | None, None, "a folder for the charts as files too, SVG and PNG"),
        Flag("markdown", str | None, None, "a file for the tables and claims in Markdown too"),
        Flag("scale", str, "paper", "whose numbers to show: paper (with quick where it has none), quick or smoke"),
    ]
    names, values = _parse("bamdp report", words, known, about)
    if names:
        raise UsageError(f"report takes flags only, got '{names[0]}'. See bamdp report --help")
    missing = [name for name in ("matplotlib", "jinja2", "scipy") if find_spec(name) is None]
    if missing:
        raise UsageError(f"report needs {', '.join(missing)}: pip install 'bamdp[report]'")
    from bamdp.reproduce import scale_of

    scale = scale_of(values["scale"])
    if not Path(values["store"]).is_dir():
        raise UsageError(f"there is no store {values['store']}: make one with bamdp reproduce, or name another with --store")
    with readable(), telling() as show:
        return _report(values, scale, show)


def _report(values: Mapping[str, Any], scale: Scale, show: Callable[[str], None]) -> int:
    show("reading")
    from bamdp import page
    from bamdp.report import report as made_of

    found = made_of(Store(values["store"]).rows(), scale, show)
    show("film")
    text = page.html(found, page.media(scale))
    target = Path(values["output"])
    target = target / "report.html" if target.is_dir() else target
    written = {target: text}
    if values["markdown"]:
        written[Path(values["markdown"])] = page.markdown(found)
    for path, content in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    if values["figures"]:
        show("charts")
        page.write_charts(found.charts, Path(values["figures"]))
    counts = ", ".join(f"{count} {verdict}" for verdict, count in found.counts.items())
    print(f"{', '.join(map(str, written))}: {found.rows} rows; claims: {counts}")
    return 0


@contextmanager
def telling() -> Iterator[Callable[[str], None]]:
    """Says what is being done, on a terminal in one line that comes and goes, else in a line whenever it takes long."""
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


def export_results(words: Sequence[str]) -> int:
    """`bamdp export FILE`."""
    kinds = "All stored results in one file: .csv, .parquet (extra parquet), or .jsonl.gz, a store by itself."
    about = f"{kinds}\n\nexample:\n  bamdp export rows.csv"
    names, values = _parse("bamdp export FILE", words, [STORE], about)
    if len(names) != 1:
        raise UsageError("export needs one file, as in: bamdp export rows.csv")
    with readable():
        rows = export(values["store"], names[0])
    print(f"{rows} rows in {names[0]}")
    return 0


def _parse(prog: str, words: Sequence[str], known: list[Flag], about: str) -> tuple[list[str], dict[str, Any]]:
    """The names, which come first, and the flags."""
    first = next((i for i, word in enumerate(words) if word.startswith("-")), len(words))
    values: dict[str, Any] = flags.parse({"options": known}, words[first:], prog, about)["options"]
    return list(words[:first]), values


def _executor(where: str) -> Callable[[], Executor] | None:
    if where == "local":
        return None
    raise UsageError(f"--on must be local, ray or ray://HOST:PORT, got '{where}'")


def _said(stages: list[Progress], store: Store) -> int:
    failed = [failure for stage in stages for failure in stage.failed]
    for task, error in failed:
        print(f"failed: {task.kind} {dict(task.settings)}, seed {task.seed}, run {task.run}\n{error}", file=sys.stderr)
    done = sum(stage.done for stage in stages)
    stopped = stages[-1].interrupted
    print(
        f"{done} tasks done, {len(failed)} failed{', stopped: start again to go on' if stopped else ''}; rows in {store.folder}"
    )
    return 130 if stopped else 1 if failed else 0
