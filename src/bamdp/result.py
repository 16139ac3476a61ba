"""Results: what people look at after a computation, and what other programs read of it.

A result is printed as a title, a table and notes; a notebook shows its picture, too.
"""

from __future__ import annotations

import io
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bamdp import validation
from bamdp.pictures import markup
from bamdp.pictures.markup import Interval, Markup
from bamdp.validation import one_of, require

if TYPE_CHECKING:
    import pandas

PICTURES = (".svg", ".png")


class Result(ABC):
    """The result of a computation.

    A subclass says what it is called (`title`), what is printed (`table`, `notes`), what is drawn
    (`figure`), and what other programs read (`columns`).
    """

    @property
    @abstractmethod
    def columns(self) -> dict[str, list[Any]]:
        """The result as columns, for data frames and files."""

    @abstractmethod
    def title(self) -> str:
        """What the table is about."""

    @abstractmethod
    def table(self) -> list[list[str]]:
        """The cells of the printed table; the first row has the headings."""

    def notes(self) -> list[str]:
        """What the table doesn't say."""
        return []

    @abstractmethod
    def figure(self) -> Any:
        """The result as a `matplotlib.figure.Figure`; needs the extra `report`."""

    def picture(self) -> Markup:
        """The result as an SVG image; empty where Matplotlib is not installed."""
        if find_spec("matplotlib") is None:
            return Markup("")
        return svg_image(self.figure())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, `.svg` or `.png`; needs the extra `report`."""
        file = picture_path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        self._draw(file)

    def to_pandas(self) -> pandas.DataFrame:
        """`columns` as a `pandas.DataFrame`."""
        return validation.data_frame(self.columns)

    def __str__(self) -> str:
        heads, *rows = align(self.table())
        rule = "-" * max(map(len, [heads, *rows]))
        notes = self.notes()
        below = ["", *notes] if notes else []
        return "\n".join([self.title(), "", heads, rule, *rows, *below])

    def _repr_html_(self) -> str:
        heads, *rows = self.table()
        notes = [markup.tag("p", note) for note in self.notes()]
        title, table = markup.tag("p", self.title()), markup.table(heads, rows)
        return markup.joined([title, table, self.picture(), *notes])

    def _draw(self, file: Path) -> None:
        self.figure().savefig(file)


class IntervalResult(Result):
    """A result drawn as dots with lines for their 95 % intervals: a row for each name, a panel for
    each measure.

    Its picture and its `.svg` file need no Matplotlib.
    """

    @abstractmethod
    def intervals(self) -> tuple[Sequence[str], Mapping[str, Sequence[Interval]]]:
        """The names of the rows, and the intervals of each panel by its heading."""

    def picture(self) -> Markup:
        """The intervals as an SVG image."""
        return markup.intervals(*self.intervals())

    def figure(self) -> Any:
        """The intervals as a `matplotlib.figure.Figure`; needs the extra `report`."""
        names, panels = self.intervals()
        rows = range(len(names))
        figure = new_figure(4.5 * len(panels), 1.2 + 0.35 * len(names))
        every = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (heading, values) in zip(every, panels.items(), strict=True):
            for row, (value, low, high) in zip(rows, values, strict=True):
                if low is not None and high is not None:
                    axes.plot([low, high], [row, row], color="C0")
                axes.plot([value], [row], "o", color="C0")
            left, right = axes.get_xlim()
            if left <= 0 <= right:
                axes.axvline(0, color="grey", linewidth=0.8, linestyle=":")
            axes.set(title=heading, yticks=rows, yticklabels=names, ylim=(len(rows) - 0.5, -0.5))
        return figure

    def _draw(self, file: Path) -> None:
        if file.suffix == ".svg":
            image = markup.intervals(*self.intervals(), paper=True)
            file.write_text(image, encoding="utf-8")
        else:
            super()._draw(file)


def align(cells: Sequence[Sequence[str]]) -> list[str]:
    """Lines of text, the first column to the left and the others to the right.

    Example:
        >>> align([["a", "1"], ["bc", "10"]])
        ['a    1', 'bc  10']
    """
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    pads = [str.ljust, *[str.rjust] * (len(widths) - 1)]
    return [
        "  ".join(pad(cell, n) for pad, cell, n in zip(pads, row, widths, strict=True)).rstrip()
        for row in cells
    ]


def picture_path(value: Any) -> Path:
    """`value` as the path of a picture.

    That of a PNG needs Matplotlib, and a user wants to know before the work, not after it.
    """
    path = validation.path("picture", value)
    if one_of(f"the ending of {path}", path.suffix, PICTURES) == ".png":
        require("matplotlib", "a picture as .png needs Matplotlib", "report")
    return path


def svg_image(figure: Any) -> Markup:
    """A `matplotlib.figure.Figure` as an SVG image for a page."""
    image = io.StringIO()
    figure.savefig(image, format="svg")
    text = image.getvalue()
    return Markup(text[text.index("<svg") :])  # without the XML declaration


def new_figure(width: float, height: float) -> Any:
    """An empty `matplotlib.figure.Figure`, in inches."""
    make = require("matplotlib.figure", "pictures need Matplotlib", "report").Figure
    return make(figsize=(width, height), dpi=150, layout="constrained")
