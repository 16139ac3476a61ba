"""HTML and SVG elements from Python, escaped, and small charts of them for notebooks, on light and
dark pages.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

BLUE, GREY = "#3b75af", "#8a96a3"
POINTS = 300  # of a curve: more are indistinguishable

Interval = tuple[
    float, float | None, float | None
]  # a value, and the ends of its interval if it has one


class Markup(str):
    """A string that is HTML already; all others are escaped."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(self)


def tag(name: str, *children: object, **attributes: object) -> Markup:
    """An element. Attributes that are None are omitted; `_` in their names stands for `-`, a
    trailing one is dropped.

    Example:
        >>> tag("b", "1 < 2", class_="big", title=None)
        '<b class="big">1 &lt; 2</b>'
    """
    given = {
        key.rstrip("_").replace("_", "-"): value
        for key, value in attributes.items()
        if value is not None
    }
    words = [name, *(f'{key}="{escape(str(value))}"' for key, value in given.items())]
    return Markup(f"<{' '.join(words)}>{joined(children)}</{name}>")


def joined(children: Iterable[object]) -> Markup:
    """Concatenated, each escaped unless it is HTML already."""
    return Markup(
        "".join(child if isinstance(child, Markup) else escape(str(child)) for child in children)
    )


def table(heads: Sequence[object], rows: Iterable[Sequence[object]]) -> Markup:
    """A table; the first cell of each row is its header.

    Example:
        >>> table(["a", "b"], [[0, "<"]]).partition("<tbody>")[2]
        '<tr><th>0</th><td>&lt;</td></tr></tbody></table>'
    """
    head = tag("tr", *(tag("th", text) for text in heads))
    body = [tag("tr", tag("th", row[0]), *(tag("td", cell) for cell in row[1:])) for row in rows]
    return tag("table", tag("thead", head), tag("tbody", *body))


def facts(**values: object) -> Markup:
    """A line of names and values.

    Example:
        >>> facts(total_reward=3)
        '<p>total reward <b>3</b></p>'
    """
    pairs = [
        joined([name.replace("_", " "), " ", tag("b", value)]) for name, value in values.items()
    ]
    return tag("p", Markup(" · ".join(pairs)))


def svg(
    width: float,
    height: float,
    *shapes: object,
    origin: tuple[float, float] = (0, 0),
    size: tuple[float, float] | None = None,
    **attributes: object,
) -> Markup:
    """An SVG image in pixels; its coordinates start at `origin` and extend by `size`, by as many if
    not given.
    """
    box = " ".join(f"{number:g}" for number in (*origin, *(size or (width, height))))
    return tag(
        "svg",
        *shapes,
        xmlns="http://www.w3.org/2000/svg",
        width=f"{width:g}",
        height=f"{height:g}",
        viewBox=box,
        **attributes,
    )


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
    points = " ".join(
        f"{4 + i * step:.1f},{4 + (height - 8) * (1 - (values[i] - low) / span):.1f}" for i in shown
    )
    scale = [_number(width + 6, 12, high), _number(width + 6, height - 2, low)]
    line = tag("polyline", points=points, fill="none", stroke=BLUE, stroke_width="1.5")
    return svg(width + 70, height, line, *scale, font_family="sans-serif", font_size="11")


def _number(x: float, y: float, value: float) -> Markup:
    return tag("text", f"{value:g}", x=x, y=y, fill="currentColor")


def side_by_side(*parts: Markup) -> Markup:
    """Images side by side, or stacked on a narrow page."""
    blocks = [tag("div", part) for part in parts]
    return tag(
        "div", joined(blocks), style="display:flex;flex-wrap:wrap;gap:1em;align-items:flex-end"
    )


def intervals(
    names: Sequence[str],
    panels: Mapping[str, Sequence[Interval]],
    *,
    paper: bool = False,
    width: int = 220,
) -> Markup:
    """Dots with lines for their intervals, a row for each name, side by side in a panel for each
    measure; on white `paper`.

    Example:
        >>> intervals(["a"], {"return": [(1.0, 0.5, 1.5)]}).count("<circle")
        1
    """
    left = 14 + 7 * max(map(len, names))
    row, top = 22, 24
    height, across = top + row * len(names) + 22, left + len(panels) * (width + 24)
    shapes = [tag("rect", width=across, height=height, fill="white")] if paper else []
    shapes += [
        tag("text", name, x=left - 8, y=top + row * i + 15, text_anchor="end")
        for i, name in enumerate(names)
    ]
    for panel, (title, values) in enumerate(panels.items()):
        start = left + panel * (width + 24)
        shapes.append(tag("text", title, x=start, y=14, font_weight="bold"))
        shapes += _dots(values, start, width, top, row)
    return svg(
        across, height, *shapes, font_family="sans-serif", font_size="12", fill="currentColor"
    )


def _dots(
    values: Sequence[Interval], start: float, width: float, top: float, row: float
) -> list[Markup]:
    ends = [number for value in values for number in value if number is not None]
    low, high = min(ends), max(ends)
    span = high - low or 1.0

    def across(number: float) -> float:
        return round(start + 6 + (width - 12) * (number - low) / span, 1)

    bottom = top + row * len(values) + 2
    shapes = [tag("line", x1=start, x2=start + width, y1=bottom, y2=bottom, stroke=GREY)]
    if low <= 0 <= high:
        shapes.append(
            tag(
                "line",
                x1=across(0),
                x2=across(0),
                y1=top,
                y2=bottom,
                stroke=GREY,
                stroke_dasharray="2 3",
            )
        )
    for i, (value, below, above) in enumerate(values):
        y = top + row * (i + 0.5)
        if below is not None and above is not None:
            shapes.append(
                tag(
                    "line",
                    x1=across(below),
                    x2=across(above),
                    y1=y,
                    y2=y,
                    stroke=BLUE,
                    stroke_width="2",
                )
            )
        shapes.append(
            tag("circle", tag("title", f"{value:g}"), cx=across(value), cy=y, r="4", fill=BLUE)
        )
    shapes.append(tag("text", f"{low:.4g}", x=start, y=bottom + 15, font_size="11"))
    shapes.append(
        tag(
            "text", f"{high:.4g}", x=start + width, y=bottom + 15, font_size="11", text_anchor="end"
        )
    )
    return shapes
