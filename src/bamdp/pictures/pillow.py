"""Drawings as images and films, with Pillow."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from bamdp.pictures.shapes import (
    COLOURS,
    STYLES,
    Arrow,
    Cell,
    Circle,
    Drawing,
    Label,
    Line,
    Point,
    Shape,
)
from bamdp.validation import require

if TYPE_CHECKING:
    from PIL.Image import Image

CELL, LARGEST = 32, 640  # pixels: of a cell, and of an image at most
FINE = 4  # drawn larger by this factor, then reduced, for smooth edges
FRAME, LAST = 150, 2000  # milliseconds that a frame of a film, and its last one, is shown
CURVE = 24  # points of a curve
# Options that keep each format small.
OPTIONS: dict[str, dict[str, Any]] = {
    "webp": {"lossless": True, "quality": 100, "method": 4},
    "png": {"optimize": True},
    "gif": {"optimize": True},
}


def image(drawing: Drawing, scale: float | None = None) -> Image:
    """The drawing with `scale` pixels for a cell; `CELL` of them, or as many as fit `LARGEST`
    pixels, if not given.

    Example:
        >>> image(Drawing((0, 0, 2, 1), [Cell(0, 0, role="goal")]), 10).size
        (20, 10)
    """
    require("PIL", "an image needs Pillow", "grid")
    from PIL import Image, ImageDraw

    _, _, width, height = drawing.box
    scale = min(CELL, LARGEST / max(width, height)) if scale is None else scale
    whole = Image.new("RGB", (FINE * round(width * scale), FINE * round(height * scale)), "white")
    pen = _Pen(ImageDraw.Draw(whole, "RGBA"), drawing.box[:2], FINE * scale)
    for shape in drawing.shapes:
        pen.draw(shape)
    return whole.reduce(FINE)


def write_animation(images: Sequence[Image], file: Path | IO[bytes], format: str) -> None:
    """Write images of the same size as an animated picture of a format of `OPTIONS`; one alone is a
    still picture.
    """
    first, *others = images
    times = [FRAME] * len(others) + [LAST]
    animated: dict[str, Any] = (
        {"save_all": True, "append_images": others, "duration": times, "loop": 0} if others else {}
    )
    first.save(file, format=format, **animated, **OPTIONS[format])


def beside(images: Sequence[Image]) -> Image:
    """Images side by side."""
    from PIL import Image

    whole = Image.new(
        "RGB",
        (sum(image.width for image in images), max(image.height for image in images)),
        "white",
    )
    left = 0
    for image in images:
        whole.paste(image, (left, 0))
        left += image.width
    return whole


class _Pen:
    """Draws shapes in pixels, of which a cell has `scale`, from `origin`."""

    def __init__(self, canvas: Any, origin: Point, scale: float) -> None:
        self.canvas, self.origin, self.scale = canvas, origin, scale

    def draw(self, shape: Shape) -> None:
        fill, edge, width = STYLES[shape.role]
        look: dict[str, Any] = {"fill": _colour(fill, shape.opacity)}
        look["outline"] = _colour(edge, shape.opacity) if width else None
        look["width"] = max(1, round(width * self.scale)) if width else 0
        match shape:
            case Cell(x, y, across, down):
                self.canvas.rectangle(self._box(x, y, across, down), **look)
            case Circle(x, y, radius):
                self.canvas.ellipse(
                    self._box(x - radius, y - radius, 2 * radius, 2 * radius), **look
                )
            case Line(points, thick):
                self._line(points, thick, _faded(edge, shape.opacity))
            case Arrow(_, thick, _):
                colour = _faded(edge, shape.opacity)
                self._line(_curve(shape.shaft), thick, colour)
                self.canvas.polygon([self._at(corner) for corner in shape.corners], fill=colour)
            case Label():
                self._write(shape, fill)

    def _line(self, points: Sequence[Point], width: float, colour: tuple[int, ...]) -> None:
        thick = max(1, round(width * self.scale)) | 1  # odd, to be centred
        self.canvas.line(
            [self._at(point) for point in points], fill=colour, width=thick, joint="curve"
        )

    def _write(self, label: Label, colour: str) -> None:
        from PIL import ImageFont

        text, size = label.fitted()
        text = text.replace("−", "-")  # which its font lacks
        font = ImageFont.load_default(size * self.scale)
        if label.widest is not None:
            wide = font.getlength(text)
            font = ImageFont.load_default(
                size * self.scale * min(1.0, self.scale * label.widest / max(wide, 1.0))
            )
        anchor = {"start": "lm", "middle": "mm", "end": "rm"}[label.anchor]
        self.canvas.text(
            self._at((label.x, label.y)),
            text,
            fill=_colour(colour, label.opacity),
            anchor=anchor,
            font=font,
        )

    def _at(self, point: Point) -> Point:
        return (point[0] - self.origin[0]) * self.scale, (point[1] - self.origin[1]) * self.scale

    def _box(
        self, x: float, y: float, width: float, height: float
    ) -> tuple[float, float, float, float]:
        """For Pillow, which includes the last pixels; at least one pixel."""
        left, top = self._at((x, y))
        return (
            left,
            top,
            left + max(0.0, width * self.scale - 1),
            top + max(0.0, height * self.scale - 1),
        )


def _curve(points: Sequence[Point]) -> list[Point]:
    """Points on a Bézier curve."""
    n = len(points) - 1
    parts = [k / (CURVE - 1) for k in range(CURVE)]
    weights = [[comb(n, i) * t**i * (1 - t) ** (n - i) for i in range(n + 1)] for t in parts]
    x, y = (
        [sum(w * point[k] for w, point in zip(row, points, strict=True)) for row in weights]
        for k in (0, 1)
    )
    return list(zip(x, y, strict=True))


def rgb(name: str) -> tuple[int, int, int]:
    """A colour of `COLOURS`, on a light page."""
    digits = COLOURS[name][0]
    return int(digits[1:3], 16), int(digits[3:5], 16), int(digits[5:7], 16)


def _colour(name: str, opacity: float) -> tuple[int, ...] | None:
    return (*rgb(name), round(255 * opacity)) if name else None


def _faded(name: str, opacity: float) -> tuple[int, ...]:
    """On white: where lines overlap themselves, they would be darker otherwise."""
    return tuple(round(255 - opacity * (255 - part)) for part in rgb(name))
