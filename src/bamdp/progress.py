"""Progress on stderr: a bar on a terminal, elsewhere a line every 10 seconds."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from time import monotonic
from typing import Any, Protocol

PLAIN_SECONDS = 10.0  # between two lines where there is no terminal


class ShowProgress(Protocol):
    """Shows a note and, if there is a `total`, how much of it is done; the time left is estimated
    if not given.
    """

    def __call__(
        self, note: str, done: int = 0, total: int = 0, seconds_left: float | None = None
    ) -> None: ...


@contextmanager
def progress(unit: str, first_line: float | None = None) -> Iterator[ShowProgress]:
    """Progress in units, "steps" or "tasks", for as long as the block takes; call what it gives as
    often as you like. Where there is no terminal, the first line comes after `first_line` seconds,
    10 if not given.
    """
    started = monotonic()
    last = started if first_line is None else started - PLAIN_SECONDS + first_line
    with _bar() if sys.stderr.isatty() else nullcontext() as bar:

        def show(
            note: str, done: int = 0, total: int = 0, seconds_left: float | None = None
        ) -> None:
            nonlocal last
            now = monotonic()
            if bar is None and now - last < PLAIN_SECONDS:
                return
            last = now
            if seconds_left is None and done:
                seconds_left = (now - started) * (total - done) / done
            left = "" if seconds_left is None else f"{rounded(seconds_left)} left"
            rate = f"{done / max(now - started, 1e-9):.3g} {unit}/s"
            text = f"{unit}: {note}"
            if total:
                text = ", ".join(filter(None, [f"{done}/{total} {unit}", note, rate, left]))
            if bar is None:
                print(text, file=sys.stderr, flush=True)
            else:
                bar.update(bar.task_ids[0], description=text, completed=done, total=total or None)

        yield show


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = BarColumn(), TextColumn("{task.description}", markup=False)
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task("", total=None)
    return bar


def rounded(seconds: float) -> str:
    """A time to read.

    Example:
        >>> rounded(7.2), rounded(185), rounded(7260)
        ('7 s', '3 min 05 s', '2 h 01 min')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    if minutes:
        return f"{minutes} min {rest:02} s"
    return f"{rest} s"
