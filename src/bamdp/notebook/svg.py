"""Small SVG charts for notebooks. They suit light and dark pages."""

from collections.abc import Mapping, Sequence

from bamdp.notebook.html import Markup, joined, svg, tag

BLUE, GREY = "#3b75af", "#8a96a3"
POINTS = 300  # of a curve: more are indistinguishable


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


def _number(x: float, y: float, value: float) -> Markup:
    return tag("text", f"{value:g}", x=x, y=y, fill="currentColor")


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
