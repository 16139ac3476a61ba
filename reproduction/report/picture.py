"""A picture of the report: a chart by Matplotlib, an SVG drawing, or an image or film; on white, as
an image or as a file.
"""

import io
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Any

INK = "#23272e"
SERIES = ("#0f6cbd", "#c4500b", "#2a8a4a", "#8e44ad", "#a07800", "#b0306a")
WIDE = 4.0  # inches, from which on a chart is not small
INKED = (
    "text.color",
    "axes.labelcolor",
    "axes.edgecolor",
    "grid.color",
    "xtick.color",
    "ytick.color",
)
TYPES = {"svg": "image/svg+xml", "webp": "image/webp"}
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

    name: str  # of its file, without the suffix
    title: str  # above it
    alt: str  # what it shows, in words
    content: Callable[[], bytes] = field(repr=False)  # of the file
    suffix: str = "svg"
    small: bool = False  # whether several fit side by side
    still: bytes | None = field(
        default=None, repr=False
    )  # a WebP image in place of a film, for readers who want no motion

    @property
    def file(self) -> str:
        return f"{self.name}.{self.suffix}"

    def inline(self) -> str:
        """The picture as a part of a page, which has no other files."""
        image = f'<img src="{_address(self.content(), self.suffix)}" alt="{escape(self.alt)}">'
        if self.still is not None:
            source = (
                '<source media="(prefers-reduced-motion: reduce)" '
                f'srcset="{_address(self.still, "webp")}">'
            )
            image = f"<picture>{source}{image}</picture>"
        return f'<div class="plate">{image}</div>'


def draw(
    name: str, title: str, alt: str, size: tuple[float, float] = (4.4, 3.0)
) -> tuple[Picture, Any]:
    """A chart and its axes, to be filled inside of `styled`."""
    import matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")

    def content() -> bytes:
        file = io.BytesIO()
        with matplotlib.rc_context(STYLE):
            figure.savefig(file, format="svg", metadata={"Date": None}, facecolor="white")
        return file.getvalue()

    return Picture(name, title, alt, content, small=size[0] < WIDE), figure.subplots()


def styled(pictures: Iterator[Picture]) -> list[Picture]:
    """The pictures that a function yields, its charts in the style of the report."""
    import matplotlib

    with matplotlib.rc_context(STYLE):
        return list(pictures)


def drawing(name: str, title: str, alt: str, svg: str) -> Picture:
    """An SVG drawing with its own colours."""
    return Picture(name, title, alt, lambda: svg.encode())


def film(name: str, title: str, alt: str, webp: bytes, still: bytes | None = None) -> Picture:
    """An image or a film of pixels."""
    return Picture(name, title, alt, lambda: webp, "webp", small=True, still=still)


def _address(content: bytes, suffix: str) -> str:
    """A data: address, which holds the file itself."""
    return f"data:{TYPES[suffix]};base64,{b64encode(content).decode()}"
