"""Small SVG images for notebooks: a curve, and a map of visits. They suit light and dark pages."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import sqrt

from bamdp.notebook.html import Markup, joined, svg, tag

Place = tuple[float, float]  # x to the right, y down

BLUE, GREY, RED = "#3b75af", "#8a96a3", "#c03d3e"
POINTS = 300  # of a curve: more are indistinguishable
LARGEST, CELL = 480, 24  # pixels: of a map, and of one of its cells


def curve(values: Sequence[float], width: int = 320, height: int = 80) -> Markup:
    """A curve through `values`, labelled with its lowest and highest value.

    Example:
        >>> "polyline" in curve([0, 1, 3])
        True
    """
    low, high = min(0.0, *values), max(values)
    span = high - low or 1.0
    every = max(1, -(-len(values) // POINTS))
    shown = sorted({*range(0, len(values), every), len(values) - 1})
    step = (width - 8) / max(1, len(values) - 1)
    points = " ".join(f"{4 + i * step:.1f},{4 + (height - 8) * (1 - (values[i] - low) / span):.1f}" for i in shown)
    scale = [_number(width + 6, 12, high), _number(width + 6, height - 2, low)]
    line = tag("polyline", points=points, fill="none", stroke=BLUE, stroke_width="1.5")
    return svg(width + 70, height, line, *scale, font_family="sans-serif", font_size="11")


def visits_map(
    cells: Iterable[Place], visits: Mapping[Place, int], marks: Mapping[Place, str], trail: Sequence[Place]
) -> Markup:
    """All `cells` of a map, darker the more they were visited, with the `trail` of the last steps; a dot shows the last."""
    places = list(cells)
    left, top = min(x for x, _ in places), min(y for _, y in places)
    across, down = max(x for x, _ in places) - left + 1, max(y for _, y in places) - top + 1
    size = min(CELL, LARGEST / max(across, down))
    most = max([1, *visits.values()])

    def middle(place: Place) -> tuple[float, float]:
        return round((place[0] - left + 0.5) * size, 2), round((place[1] - top + 0.5) * size, 2)

    shapes = [_cell(middle(place), size, visits.get(place, 0), most) for place in places]
    shapes += [_mark(middle(place), size, mark) for place, mark in marks.items()]
    shapes += [_move(middle(a), middle(b), size) for a, b in pairwise(trail) if 0 < abs(a[0] - b[0]) + abs(a[1] - b[1]) <= 1]
    x, y = middle(trail[-1])
    shapes.append(tag("circle", cx=x, cy=y, r=round(0.3 * size, 2), fill=RED))
    return svg(round(across * size, 2), round(down * size, 2), *shapes, font_family="sans-serif", font_weight="bold")


def _number(x: float, y: float, value: float) -> Markup:
    return tag("text", f"{value:g}", x=x, y=y, fill="currentColor")


def _cell(middle: Place, size: float, visits: int, most: int) -> Markup:
    x, y = middle[0] - 0.48 * size, middle[1] - 0.48 * size
    box = {"x": round(x, 2), "y": round(y, 2), "width": round(0.96 * size, 2), "height": round(0.96 * size, 2)}
    fill = {"fill": BLUE, "fill_opacity": f"{0.1 + 0.7 * sqrt(visits / most):.2f}"} if visits else {"fill": "none"}
    return tag("rect", tag("title", f"{visits} visits"), **box, **fill, stroke=GREY, stroke_width="0.5")


def _mark(middle: Place, size: float, mark: str) -> Markup:
    at = {"x": round(middle[0] - 0.42 * size, 2), "y": round(middle[1] - 0.08 * size, 2)}
    return tag("text", mark, **at, font_size=round(0.42 * size, 1), fill="currentColor")


def _move(start: Place, end: Place, size: float) -> Markup:
    ends = {"x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1]}
    return tag("line", **ends, stroke=RED, stroke_width=round(0.1 * size, 2), stroke_opacity="0.6", stroke_linecap="round")


def side_by_side(*parts: Markup) -> Markup:
    """Images side by side, or stacked on a narrow page."""
    blocks = [tag("div", part) for part in parts]
    return tag("div", joined(blocks), style="display:flex;flex-wrap:wrap;gap:1em;align-items:flex-end")


Interval = tuple[float, float | None, float | None]  # a value, and the ends of its interval if it has one


def intervals(
    names: Sequence[str], panels: Mapping[str, Sequence[Interval]], *, paper: bool = False, width: int = 220
) -> Markup:
    """Dots with lines for their intervals, a row for each name, side by side in a panel for each measure; on white `paper`.

    Example:
        >>> intervals(["a"], {"return": [(1.0, 0.5, 1.5)]}).count("<circle")
        1
    """
    left = 14 + 7 * max(map(len, names))
    row, top = 22, 24
    height, across = top + row * len(names) + 22, left + len(panels) * (width + 24)
    shapes = [tag("rect", width=across, height=height, fill="white")] if paper else []
    shapes += [tag("text", name, x=left - 8, y=top + row * i + 15, text_anchor="end") for i, name in enumerate(names)]
    for panel, (title, values) in enumerate(panels.items()):
        start = left + panel * (width + 24)
        shapes.append(tag("text", title, x=start, y=14, font_weight="bold"))
        shapes += _dots(values, start, width, top, row)
    return svg(across, height, *shapes, font_family="sans-serif", font_size="12", fill="currentColor")


def _dots(values: Sequence[Interval], start: float, width: float, top: float, row: float) -> list[Markup]:
    ends = [number for value in values for number in value if number is not None]
    low, high = min(ends), max(ends)
    span = high - low or 1.0

    def across(number: float) -> float:
        return round(start + 6 + (width - 12) * (number - low) / span, 1)

    bottom = top + row * len(values) + 2
    shapes = [tag("line", x1=start, x2=start + width, y1=bottom, y2=bottom, stroke=GREY)]
    if low < 0 < high:
        shapes.append(tag("line", x1=across(0), x2=across(0), y1=top, y2=bottom, stroke=GREY, stroke_dasharray="2 3"))
    for i, (value, below, above) in enumerate(values):
        y = top + row * (i + 0.5)
        if below is not None and above is not None:
            shapes.append(tag("line", x1=across(below), x2=across(above), y1=y, y2=y, stroke=BLUE, stroke_width="2"))
        shapes.append(tag("circle", tag("title", f"{value:g}"), cx=across(value), cy=y, r="4", fill=BLUE))
    shapes.append(tag("text", f"{low:.4g}", x=start, y=bottom + 15, font_size="11"))
    shapes.append(tag("text", f"{high:.4g}", x=start + width, y=bottom + 15, font_size="11", text_anchor="end"))
    return shapes
