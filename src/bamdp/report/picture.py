"""A picture of the report: a chart by Matplotlib, an SVG drawing, or an image or film.

A picture is a part of the page, which has no other files, or written as files of its own. On a page a chart has no background
and takes its colours from the page, so that it can be read on light and on dark; in a file the colours are those of `SERIES`,
on white.
"""

import io
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Any

INK = "#23272e"
SERIES = ("#0f6cbd", "#c4500b", "#2a8a4a", "#8e44ad", "#a07800", "#b0306a")
WIDE = 4.0  # inches, from which on a chart is not small
INKED = ("text.color", "axes.labelcolor", "axes.edgecolor", "grid.color", "xtick.color", "ytick.color")
STYLE: Any = {
    **dict.fromkeys(INKED, INK),
    "font.size": 9,
    "axes.titlesize": 9,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.12,
    "font.family": "DejaVu Sans",  # comes with Matplotlib: the layout is the same everywhere
    "svg.fonttype": "none",
    "svg.hashsalt": "bamdp",  # the same picture, the same file
}


@dataclass(frozen=True)
class Picture:
    """One picture; made by `draw`, `drawing` or `film`."""

    name: str  # of its files, and of the picture on the page
    title: str  # above it
    alt: str  # what it shows, in words
    inline: Callable[[], str] = field(repr=False)  # as a part of a page
    files: Callable[[], dict[str, bytes]] = field(repr=False)  # as files, by name; a document shows the first
    suffix: str = "svg"
    small: bool = False  # whether several fit side by side

    @property
    def file(self) -> str:
        """Name of the file to show in a document, one of `files`."""
        return f"{self.name}.{self.suffix}"


def draw(name: str, title: str, alt: str, size: tuple[float, float] = (4.4, 3.0)) -> tuple[Picture, Any]:
    """A chart and its axes, to be filled inside of `styled`."""
    import matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")

    def written(format: str, **options: Any) -> bytes:
        file = io.BytesIO()
        about: Any = {"metadata": {"Date": None}} if format == "svg" else {}
        with matplotlib.rc_context(STYLE):
            figure.savefig(file, format=format, **about, **options)
        return file.getvalue()

    def inline() -> str:
        return on_page(written("svg", transparent=True).decode(), name, alt)

    def files() -> dict[str, bytes]:
        svg, png = written("svg", facecolor="white"), written("png", facecolor="white", dpi=160)
        return {f"{name}.svg": svg, f"{name}.png": png}

    return Picture(name, title, alt, inline, files, small=size[0] < WIDE), figure.subplots()


def styled(pictures: Iterator[Picture]) -> list[Picture]:
    """The pictures that a function yields, its charts in the style of the report."""
    import matplotlib

    with matplotlib.rc_context(STYLE):
        return list(pictures)


def drawing(name: str, title: str, alt: str, svg: str) -> Picture:
    """An SVG drawing with its own colours, on white."""
    plate = f'<div class="plate" tabindex="0" role="region" aria-label="{escape(title)}">{on_page(svg, name, alt)}</div>'
    return Picture(name, title, alt, lambda: plate, lambda: {f"{name}.svg": svg.encode()})


def film(name: str, title: str, alt: str, webp: bytes, still: bytes | None = None) -> Picture:
    """An image or a film of pixels; `still` is an image in place of a film, for readers who want no motion."""
    image = f'<img src="{_address(webp)}" alt="{escape(alt)}">'
    if still is not None:
        source = f'<source media="(prefers-reduced-motion: reduce)" srcset="{_address(still)}">'
        image = f"<picture>{source}{image}</picture>"
    plate = f'<div class="plate">{image}</div>'
    return Picture(name, title, alt, lambda: plate, lambda: {f"{name}.webp": webp}, "webp", small=True)


def on_page(svg: str, name: str, alt: str) -> str:
    """An SVG drawing as a part of a page: ids that no other drawing has, the colours of the page, and a text alternative.

    Example:
        >>> alone = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><path id="a" fill="#23272e"/></svg>'
        >>> on_page(alone, "x", "A < B")
        '<svg role="img" aria-label="A &lt; B"><path id="x-a" fill="currentColor"/></svg>'
    """
    svg = svg[svg.index("<svg") :].strip()
    for useless in (r"<metadata>.*?</metadata>", r"<style.*?</style>", r"<!--.*?-->", r'\sxmlns(:\w+)?="[^"]*"'):
        svg = re.sub(useless, "", svg, flags=re.DOTALL)
    svg = re.sub(r'<g id="[^"]*"', "<g", svg)
    svg = re.sub(r"\s*\n\s*", " ", svg)
    svg = svg.replace("xlink:href", "href").replace("'DejaVu Sans'", "sans-serif")
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", svg)
    for i, color in enumerate(SERIES):
        svg = svg.replace(color, f"var(--series-{i + 1})")
    svg = svg.replace(INK, "currentColor")
    return svg.replace("<svg", f'<svg role="img" aria-label="{escape(alt)}"', 1)


def _address(webp: bytes) -> str:
    """A data: address, which holds the file itself."""
    return f"data:image/webp;base64,{b64encode(webp).decode()}"
