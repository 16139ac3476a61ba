"""HTML and SVG elements from Python, escaped."""

from collections.abc import Iterable, Sequence
from html import escape


class Markup(str):
    """A string that is HTML already; all others are escaped."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(self)


def tag(name: str, *children: object, **attributes: object) -> Markup:
    """An element. Attributes that are None are omitted; `_` in their names stands for `-`, a trailing one is dropped.

    Example:
        >>> tag("b", "1 < 2", class_="big", title=None)
        '<b class="big">1 &lt; 2</b>'
    """
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    words = [name, *(f'{key}="{escape(str(value))}"' for key, value in given.items())]
    return Markup(f"<{' '.join(words)}>{joined(children)}</{name}>")


def joined(children: Iterable[object]) -> Markup:
    """Concatenated, each escaped unless it is HTML already."""
    return Markup("".join(child if isinstance(child, Markup) else escape(str(child)) for child in children))


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
    pairs = [joined([name.replace("_", " "), " ", tag("b", value)]) for name, value in values.items()]
    return tag("p", Markup(" · ".join(pairs)))


def svg(
    width: float,
    height: float,
    *shapes: object,
    origin: tuple[float, float] = (0, 0),
    size: tuple[float, float] | None = None,
    **attributes: object,
) -> Markup:
    """An SVG image in pixels; its coordinates start at `origin` and extend by `size`, by as many if not given."""
    box = " ".join(f"{number:g}" for number in (*origin, *(size or (width, height))))
    return tag(
        "svg", *shapes, xmlns="http://www.w3.org/2000/svg", width=f"{width:g}", height=f"{height:g}", viewBox=box, **attributes
    )
