"""How far something is, on stderr: a bar on a terminal, elsewhere a line every 10 seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Protocol

PLAIN_SECONDS = 10.0  # between two lines where there is no terminal


class Show(Protocol):
    """Shows how far it is now."""

    def __call__(self, note: str, done: int = 0, total: int = 0, seconds_left: float | None = None) -> None:
        """Show a note and, if there is a `total`, how much of it is done; the time left is estimated if not given."""


@contextmanager
def progress(unit: str) -> Iterator[Show]:
    """Progress in units, "steps" or "tasks", for as long as the block takes; call what it gives as often as you like."""
    started = last = monotonic()

    def text(note: str, done: int, total: int, seconds_left: float | None) -> str:
        if not total:
            return f"{unit}: {note}"
        seconds = monotonic() - started
        if seconds_left is None and done:
            seconds_left = seconds * (total - done) / done
        left = "" if seconds_left is None else f"{_rounded(seconds_left)} left"
        return ", ".join(filter(None, [f"{done}/{total} {unit}", note, f"{done / max(seconds, 1e-9):.3g} {unit}/s", left]))

    def show_line(note: str, done: int = 0, total: int = 0, seconds_left: float | None = None) -> None:
        nonlocal last
        if monotonic() - last >= PLAIN_SECONDS:
            last = monotonic()
            print(text(note, done, total, seconds_left), file=sys.stderr, flush=True)

    if not sys.stderr.isatty():
        yield show_line
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = BarColumn(), TextColumn("{task.description}", markup=False)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def show_bar(note: str, done: int = 0, total: int = 0, seconds_left: float | None = None) -> None:
            bar.update(task, description=text(note, done, total, seconds_left), completed=done, total=total or None)

        yield show_bar


def _rounded(seconds: float) -> str:
    """A time, rounded to read.

    Example:
        >>> _rounded(7.2), _rounded(185), _rounded(7260)
        ('7 s', '3 min 05 s', '2 h 01 min')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
