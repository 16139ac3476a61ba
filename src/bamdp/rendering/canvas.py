"""A map of cells with circles along its sides, drawn with Pillow, for `bamdp.rendering.film` and `bamdp.environments`.

A `CellMap` is the complete content of an image as data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bamdp._optional import require

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

Colour = tuple[int, int, int]
Point = tuple[float, float]

UNSEEN, EMPTY, REWARD, WALL = range(4)
SHADES: tuple[Colour, ...] = ((226, 226, 226), (255, 255, 255), (0, 0, 0), (120, 120, 120))
BLUE, ORANGE, RED = (59, 117, 175), (239, 134, 54), (208, 32, 48)
BLACK, WHITE, BETWEEN = (0, 0, 0), (255, 255, 255), (206, 206, 206)
FAINTEST = 0.25  # colour strength of a circle of which nothing is known

CELL = 16  # pixels
LARGEST = 0.47 * CELL  # radius of a circle of value 1
LEFT, TOP, RIGHT, BOTTOM = 26, 26, 10, 26  # margins
FINE = 4  # drawn larger by this factor, then reduced, for smooth circles and text
FRAME, LAST = 150, 2000  # milliseconds that a frame of a film, and its last one, is shown
# Options that keep each format small.
OPTIONS: dict[str, dict[str, Any]] = {
    "webp": {"lossless": True, "quality": 100, "method": 4},
    "png": {"optimize": True},
    "gif": {"optimize": True},
}


@dataclass(frozen=True)
class Circle:
    """The circle of a column or a row."""

    value: float  # area of the circle, as a fraction of the largest
    sureness: float = 1.0  # from 0, faint, to 1, in full colour
    truth: float | None = None  # area of a ring around the same centre; no ring if None


@dataclass(frozen=True)
class CellMap:
    """The content of an image."""

    cells: NDArray[np.int8]  # UNSEEN, EMPTY, REWARD or WALL, from the lower left. [rows, columns]
    columns: Sequence[Circle]  # circles of the columns, from left to right
    rows: Sequence[Circle]  # circles of the rows, from bottom to top
    title: str  # text above the map
    path: Sequence[tuple[int, int]] = ()  # cells (x, y), by index in `cells`, joined by a line; a dot in the last of them
    marks: Mapping[tuple[int, int], str] = field(default_factory=dict)  # characters in some cells (x, y), by index in `cells`

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values, areas rounded to 1/1000, for a file; marks are left out.

        Example:
            >>> map = CellMap(np.array([[1, 2]], dtype=np.int8), [Circle(0.5), Circle(0.25)], [Circle(1.0)], "title", [(0, 0)])
            >>> CellMap.from_json(map.to_json()).to_json() == map.to_json()
            True
        """
        columns, rows = (
            [[None if value is None else round(value, 3) for value in astuple(line)] for line in lines]
            for lines in (self.columns, self.rows)
        )
        cells = ["".join(map(str, row)) for row in self.cells.tolist()]
        return {"cells": cells, "columns": columns, "rows": rows, "title": self.title, "path": [list(at) for at in self.path]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> CellMap:
        """The map that `to_json` was called on."""
        cells = np.array([[int(content) for content in row] for row in data["cells"]], dtype=np.int8)
        columns, rows = ([Circle(*line) for line in data[name]] for name in ("columns", "rows"))
        return cls(cells, columns, rows, data["title"], [(x, y) for x, y in data["path"]])


def size(shown: CellMap) -> tuple[int, int]:
    """Width and height of the image in pixels."""
    height, width = shown.cells.shape
    return LEFT + width * CELL + RIGHT, TOP + height * CELL + BOTTOM


def centre(shown: CellMap, x: float, y: float) -> Point:
    """The pixel in the middle of a cell; the circle of column x is at y = -1, that of row y at x = -1."""
    aside = CELL / 4  # gap between the circles and the map
    left = LEFT + (x + 0.5) * CELL - (aside if x < 0 else 0)
    return left, TOP + (len(shown.cells) - y - 0.5) * CELL + (aside if y < 0 else 0)


def canvas_of(width: int, height: int) -> tuple[Image, ImageDraw]:
    """An empty image, FINE times larger than the final one, and its drawing context."""
    require("PIL", "an image needs Pillow", "grid")
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (FINE * width, FINE * height), WHITE)
    return image, ImageDraw.Draw(image)


def draw(shown: CellMap, scale: int = 1) -> Image:
    """Draw the image, `scale` times as large as `size(shown)`: 1, 2 or 4."""
    image, canvas = canvas_of(*size(shown))
    _map(canvas, shown)
    for (x, y), mark in shown.marks.items():
        letters(canvas, centre(shown, x, y), mark, 12, CELL)
    for x, column in enumerate(shown.columns):
        _circle(canvas, centre(shown, x, -1), column, BLUE)
    for y, row in enumerate(shown.rows):
        _circle(canvas, centre(shown, -1, y), row, ORANGE)
    _walk(canvas, [centre(shown, x, y) for x, y in shown.path])
    width = shown.cells.shape[1] * CELL
    letters(canvas, (LEFT + width / 2, TOP / 2), shown.title, 13, width + 2 * RIGHT - 6)
    return image.reduce(FINE // scale)


def write_film(frames: Sequence[CellMap], file: Path | IO[bytes], format: str) -> None:
    """Write frames as an animated picture of a format of `OPTIONS`; one alone is a still picture."""
    write_images([draw(shown) for shown in frames], file, format)


def write_images(images: Sequence[Image], file: Path | IO[bytes], format: str) -> None:
    """Write images of the same size as an animated picture of a format of `OPTIONS`; one alone is a still picture."""
    first, *others = images
    times = [FRAME] * len(others) + [LAST]
    animated: dict[str, Any] = {"save_all": True, "append_images": others, "duration": times, "loop": 0} if others else {}
    first.save(file, format=format, **animated, **OPTIONS[format])


def _map(canvas: ImageDraw, shown: CellMap) -> None:
    for (y, x), content in np.ndenumerate(shown.cells):
        across, down = centre(shown, x, y)
        box = _box(across - CELL / 2, down - CELL / 2, CELL, CELL)
        canvas.rectangle(box, fill=SHADES[content], outline=BETWEEN if content != REWARD else None)
    height, width = shown.cells.shape
    canvas.rectangle(_box(LEFT, TOP, width * CELL, height * CELL), outline=BLACK, width=FINE)


def _circle(canvas: ImageDraw, at: Point, circle: Circle, colour: Colour) -> None:
    strength = FAINTEST + (1 - FAINTEST) * circle.sureness
    faded = tuple(round(255 - strength * (255 - part)) for part in colour)
    canvas.ellipse(around(at, LARGEST * circle.value**0.5), fill=faded)
    if circle.truth is not None:
        canvas.ellipse(around(at, LARGEST * circle.truth**0.5), outline=BLACK, width=FINE - 1)


def _walk(canvas: ImageDraw, points: list[Point]) -> None:
    if not points:
        return
    line = [(FINE * x, FINE * y) for x, y in points]
    canvas.line(line, fill=RED, width=2 * FINE + 1, joint="curve")  # odd width, to be centred
    canvas.ellipse(around(points[-1], 0.4 * CELL), fill=RED, outline=WHITE, width=2 * FINE)


def letters(canvas: ImageDraw, at: Point, text: str, height: float, widest: float) -> None:
    """Draw text centred at a point, smaller if it would be too wide."""
    from PIL import ImageFont

    wide = ImageFont.load_default(height * FINE).getlength(text)
    font = ImageFont.load_default(height * FINE * min(1.0, FINE * widest / max(wide, 1.0)))
    canvas.text((FINE * at[0], FINE * at[1]), text, fill=BLACK, anchor="mm", font=font)


def around(at: Point, radius: float) -> tuple[float, float, float, float]:
    """The bounding box of a circle."""
    return _box(at[0] - radius, at[1] - radius, 2 * radius, 2 * radius)


def _box(left: float, top: float, width: float, height: float) -> tuple[float, float, float, float]:
    """A box for Pillow, which includes the last pixels; at least one pixel."""
    return FINE * left, FINE * top, FINE * left + max(0.0, FINE * width - 1), FINE * top + max(0.0, FINE * height - 1)
