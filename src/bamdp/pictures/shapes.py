"""A picture as data: shapes with roles. `Drawing.svg` draws it for pages and notebooks,
`bamdp.pictures.pillow` as an image.

Lengths are in cells, x to the right and y down. A role says what a shape stands for, and `STYLES`
how that looks: an SVG image has roles as classes and light colours, for which a page with the rules
of `stylesheet` substitutes those of a dark page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from bamdp.pictures.markup import Markup, svg, tag

Point = tuple[float, float]

COLOURS = {  # on a light page, on a dark one
    "ink": ("#17212d", "#e9eef4"),
    "muted": ("#506072", "#a5b4c5"),
    "line": ("#d3dae3", "#303c4a"),
    "card": ("#ffffff", "#182029"),
    "unseen": ("#dfe5ec", "#242e39"),
    "cell": ("#fafbfc", "#202b37"),
    "seen": ("#ffffff", "#42566b"),
    "wall": ("#8c99a8", "#55636f"),
    "goal": ("#d9f2e3", "#1c4735"),
    "hazard": ("#f6d9d5", "#5a2a2c"),
    "coin": ("#e2a400", "#ffc94d"),
    "coin-edge": ("#8a6400", "#ffe2a0"),
    "agent": ("#c22f3d", "#ff7b85"),
    "true": ("#a8188a", "#ff9be8"),
    "a0": ("#2f74bd", "#6cb0f7"),
    "a1": ("#b8540f", "#f5975a"),
    "a2": ("#127a58", "#52c79f"),
    "a3": ("#8250c4", "#bb96f2"),
    "a4": ("#c73f86", "#f28abf"),
    "a5": ("#7c7a00", "#c9c74a"),
}
ACTIONS = 6  # colours of actions; then again from the first

# By role: fill, colour and width of the edge. Lines and arrows have the colour of the edge; lines
# have widths of their own.
STYLES: dict[str, tuple[str, str, float]] = {
    "cell": ("cell", "line", 0.02),
    "seen": ("seen", "line", 0.02),
    "unseen": ("unseen", "", 0),
    "goal": ("goal", "line", 0.02),
    "hazard": ("hazard", "line", 0.02),
    "wall": ("wall", "wall", 0),
    "visited": ("a0", "", 0),
    "reward": ("coin", "coin-edge", 0.05),
    "taken": ("", "coin-edge", 0.06),
    "full": ("ink", "", 0),
    "agent": ("agent", "card", 0.05),
    "heading": ("agent", "agent", 0),
    "trail": ("", "agent", 0),
    "truth": ("", "true", 0.07),
    "ring": ("", "ink", 0.05),
    "node": ("card", "muted", 0.05),
    "edge": ("line", "line", 0),
    "branch": ("", "wall", 0),
    "columns": ("a0", "", 0),
    "rows": ("a1", "", 0),
    "track": ("unseen", "", 0),
    "whisker": ("", "ink", 0),
    "mark": ("ink", "", 0),
    "name": ("ink", "", 0),
    "here": ("card", "", 0),
    "number": ("muted", "", 0),
    "paper": ("card", "", 0),
    "frame": ("", "ink", 0.06),
    "state": ("goal", "muted", 1),
    "action": ("hazard", "muted", 1),
    **{f"a{k}": (f"a{k}", f"a{k}", 0) for k in range(ACTIONS)},
    **{f"truth-{k}": ("", f"a{k}", 0.025) for k in range(ACTIONS)},
}


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What all shapes have: their role, their strength, and words that are shown on hovering."""

    role: str
    opacity: float = 1.0
    title: str = ""


@dataclass(frozen=True)
class Cell(Shape):
    """A rectangle by its upper left corner."""

    x: float
    y: float
    width: float = 1.0
    height: float = 1.0


@dataclass(frozen=True)
class Circle(Shape):
    """A circle by its middle."""

    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class Line(Shape):
    """A line through points."""

    points: Sequence[Point]
    width: float


@dataclass(frozen=True)
class Arrow(Shape):
    """A Bézier curve of two, three or four control points, with a head of this size at its end."""

    points: Sequence[Point]
    width: float
    head: float

    @property
    def corners(self) -> list[Point]:
        """The head: its tip is the end of the curve."""
        start, tip = (complex(*point) for point in self.points[-2:])
        along = self.head * (tip - start) / (abs(tip - start) or 1.0)
        corners = (tip, tip - (1.4 - 0.7j) * along, tip - (1.4 + 0.7j) * along)
        return [(corner.real, corner.imag) for corner in corners]

    @property
    def shaft(self) -> list[Point]:
        """The curve up to the middle of the head."""
        tip, left, right = self.corners
        return [
            *self.points[:-1],
            (tip[0] / 2 + left[0] / 4 + right[0] / 4, tip[1] / 2 + left[1] / 4 + right[1] / 4),
        ]


@dataclass(frozen=True)
class Label(Shape):
    """Text around a point: in the middle of it, or from it, or up to it; smaller, then cut, if it
    would be too wide.
    """

    x: float
    y: float
    text: str
    size: float
    anchor: str = "middle"  # start, middle or end
    widest: float | None = None

    def fitted(self) -> tuple[str, float]:
        """The text and its size so that it fits, by the width of common letters."""
        if self.widest is None or not self.text:
            return self.text, self.size
        size = min(self.size, max(0.55 * self.size, self.widest / (0.55 * len(self.text))))
        most = max(1, int(self.widest / (0.55 * size) + 1e-6))
        return (self.text if len(self.text) <= most else self.text[: max(0, most - 1)] + "…"), size


@dataclass(frozen=True)
class Drawing:
    """A picture: the shapes, from the back to the front, in a part of the plane, and what it shows
    in words.

    Example:
        >>> Drawing((0, 0, 2, 1), [Cell(0, 0, role="goal")], "a goal").svg(10).count("<rect")
        1
    """

    box: tuple[float, float, float, float]  # left, top, width, height
    shapes: Sequence[Shape]
    words: str = ""

    def svg(self, scale: float = 24) -> Markup:
        """As an SVG image with `scale` pixels for a cell. Texts are escaped."""
        left, top, width, height = self.box
        groups = [
            _group(role, opacity, list(shapes))
            for (role, opacity), shapes in groupby(self.shapes, _look)
        ]
        look: dict[str, Any] = {
            "origin": (left, top),
            "size": (width, height),
            "font_family": "Helvetica, Arial, sans-serif",
        }
        if self.words:
            look |= {"role": "img", "aria_label": self.words}
        return svg(width * scale, height * scale, *groups, **look)


def _look(shape: Shape) -> tuple[str, float]:
    return shape.role, round(shape.opacity, 2)


def _group(role: str, opacity: float, shapes: Sequence[Shape]) -> Markup:
    fill, edge, width = STYLES[role]
    style = {
        "fill": _light(fill),
        "stroke": _light(edge) if edge else None,
        "stroke_width": _n(width) if edge else None,
    }
    faint = _n(opacity) if opacity < 1 else None
    return tag("g", *map(_shape_tag, shapes), class_=role, **style, opacity=faint)


def _shape_tag(shape: Shape) -> Markup:
    words = [tag("title", shape.title)] if shape.title else []
    match shape:
        case Cell(x, y, width, height):
            return tag("rect", *words, x=_n(x), y=_n(y), width=_n(width), height=_n(height))
        case Circle(x, y, radius):
            return tag("circle", *words, cx=_n(x), cy=_n(y), r=_n(radius))
        case Line(points, width):
            ends = {"stroke_linecap": "round", "stroke_linejoin": "round"}
            return tag(
                "polyline",
                *words,
                points=_points(points),
                fill="none",
                stroke_width=_n(width),
                **ends,
            )
        case Arrow(_, width, _):
            first, *others = shape.shaft
            curve = f"M {_points([first])} {' LQC'[len(others)]} {_points(others)}"
            dashed = "0.12 0.1" if shape.role.startswith("truth") else None
            line = tag(
                "path", d=curve, fill="none", stroke_width=_n(width), stroke_dasharray=dashed
            )
            return tag(
                "g",
                line,
                tag(
                    "polygon", points=_points(shape.corners), stroke_width=0 if not dashed else None
                ),
                *words,
            )
        case Label(x, y, _, _, anchor):
            text, size = shape.fitted()
            bold = "bold" if shape.role in ("mark", "here") else None
            at = {
                "x": _n(x),
                "y": _n(y + 0.36 * size),
                "font_size": _n(size),
                "text_anchor": anchor,
                "font_weight": bold,
            }
            return tag("text", text, *words, **at, stroke="none")
    raise TypeError(f"shapes must be of bamdp.pictures.shapes, got {shape!r}")


def stylesheet() -> str:
    """The colours and the looks of roles as CSS, for light and dark pages."""
    light, dark = (
        "".join(f"--{name}: {colour[k]}; " for name, colour in COLOURS.items()) for k in (0, 1)
    )
    rules = [f":root {{ {light}}}", f"@media (prefers-color-scheme: dark) {{ :root {{ {dark}}} }}"]
    for role, (fill, edge, _) in STYLES.items():
        stroke = f" stroke: var(--{edge});" if edge else ""
        rules.append(f"svg .{role} {{ fill: {f'var(--{fill})' if fill else 'none'};{stroke} }}")
    return "\n".join(rules)


def _light(name: str) -> str:
    return COLOURS[name][0] if name else "none"


def _points(points: Sequence[Point]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _n(number: float) -> str:
    return f"{number:.5g}"
