"""The contract of a picture of the report, and the two kinds that are not charts: SVG drawings, and images or films.

A picture is a part of the page, which has no other files, or written as files of its own. Charts are in `bamdp.report.chart`.
"""

import re
from abc import ABC, abstractmethod
from base64 import b64encode
from dataclasses import dataclass, field
from html import escape
from typing import ClassVar

INK = "#23272e"
SERIES = ("#0f6cbd", "#c4500b", "#2a8a4a", "#8e44ad", "#a07800", "#b0306a")


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
