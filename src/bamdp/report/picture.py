"""The contract of a picture of the report, and its kinds: charts by Matplotlib, SVG drawings, and images or films.

A picture is a part of the page, which has no other files, or written as files of its own. On a page a chart has no background
and takes its colours from the page, so that it can be read on light and on dark; in a file the colours are those of `SERIES`,
on white.
"""

from __future__ import annotations

import io
import re
from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#23272e"
SERIES = ("#0f6cbd", "#c4500b", "#2a8a4a", "#8e44ad", "#a07800", "#b0306a")
WIDE = 4.0  # inches, from which on a chart is not small
STYLE: Any = {
    "font.size": 9,
    "font.family": "DejaVu Sans",  # comes with Matplotlib: the layout is the same everywhere
    "svg.fonttype": "none",
    "svg.hashsalt": "bamdp",  # the same picture, the same file
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.grid": True,
    "grid.color": INK,
    "grid.alpha": 0.12,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 8,
}


@dataclass(frozen=True)
class Picture(ABC):
    """One picture."""

    suffix: ClassVar[str] = "svg"
    name: str  # of its file, and of the picture on the page
    title: str  # above it
    alt: str  # what it shows, in words

    @property
    def file(self) -> str:
        """Name of the file to show in a document, one of `files`."""
        return f"{self.name}.{self.suffix}"

    @property
    def small(self) -> bool:
        """Whether several fit side by side."""
        return False

    @abstractmethod
    def inline(self) -> str:
        """As a part of a page."""

    @abstractmethod
    def files(self) -> dict[str, bytes]:
        """As files, by name."""


@dataclass(frozen=True)
class Chart(Picture):
    """A picture drawn by Matplotlib."""

    figure: Figure = field(repr=False)

    @property
    def small(self) -> bool:
        return bool(self.figure.get_figwidth() < WIDE)

    def inline(self) -> str:
        return on_page(self._written("svg", transparent=True).decode(), self.name, self.alt)

    def files(self) -> dict[str, bytes]:
        svg, png = self._written("svg", facecolor="white"), self._written("png", facecolor="white", dpi=160)
        return {self.file: svg, f"{self.name}.png": png}

    def _written(self, format: str, **options: Any) -> bytes:
        import matplotlib

        file = io.BytesIO()
        about: Any = {"metadata": {"Date": None}} if format == "svg" else {}
        with matplotlib.rc_context(STYLE):
            self.figure.savefig(file, format=format, **about, **options)
        return file.getvalue()


@dataclass(frozen=True)
class SvgPicture(Picture):
    """A drawing with its own colours, on white."""

    svg: str = field(repr=False)

    def inline(self) -> str:
        drawing = on_page(self.svg, self.name, self.alt)
        return f'<div class="plate" tabindex="0" role="region" aria-label="{escape(self.title)}">{drawing}</div>'

    def files(self) -> dict[str, bytes]:
        return {self.file: self.svg.encode()}


@dataclass(frozen=True)
class WebpPicture(Picture):
    """An image or a film of pixels."""

    suffix: ClassVar[str] = "webp"
    content: bytes = field(repr=False)  # the WebP file
    still: bytes | None = field(default=None, repr=False)  # an image, in place of a film, for readers who want no motion

    @property
    def small(self) -> bool:
        return True

    def inline(self) -> str:
        image = f'<img src="{_address(self.content)}" alt="{escape(self.alt)}">'
        if self.still is not None:
            still = f'<source media="(prefers-reduced-motion: reduce)" srcset="{_address(self.still)}">'
            image = f"<picture>{still}{image}</picture>"
        return f'<div class="plate">{image}</div>'

    def files(self) -> dict[str, bytes]:
        return {self.file: self.content}


def draw(name: str, title: str, alt: str, plot: Callable[[Any], None], size: tuple[float, float] = (4.4, 3.0)) -> Chart:
    """A chart of one pair of axes, which `plot` fills."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        plot(figure.subplots())
    return Chart(name, title, alt, figure)


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
