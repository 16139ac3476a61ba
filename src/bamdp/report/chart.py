"""The contract of a chart: one picture of the report, drawn by Matplotlib, for a page or for a file.

The charts are in `bamdp.report.charts`, one file a figure of the paper. On a page a chart has no background and takes its
colours from the page, so that it can be read on light and on dark; in a file the colours are those of `SERIES`, on white.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from math import nan
from typing import TYPE_CHECKING, Any

from bamdp import statistics
from bamdp.report.query import Number
from bamdp.statistics import duration

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#23272e"
SERIES = ("#0f6cbd", "#c4500b", "#2a8a4a", "#8e44ad", "#a07800", "#b0306a")
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
class Chart:
    """One picture.

    Attributes:
        name: of its file, and of the picture on the page.
        title: above it.
        alt: what it shows, in words.
        figure: Matplotlib's.
    """

    name: str
    title: str
    alt: str
    figure: Figure = field(repr=False)

    def svg(self) -> str:
        """As a file by itself."""
        return _written(self, "svg", facecolor="white").decode()

    def png(self) -> bytes:
        """As pixels."""
        return _written(self, "png", facecolor="white", dpi=160)

    def inline(self) -> str:
        """As a part of a page: see `on_page`."""
        return on_page(_written(self, "svg", transparent=True).decode(), self.name, self.alt)


def draw(name: str, title: str, alt: str, plot: Callable[[Any], None], size: tuple[float, float] = (4.4, 3.0)) -> Chart:
    """A chart of one pair of axes, which `plot` fills."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        plot(figure.subplots())
    return Chart(name, title, alt, figure)


def on_page(svg: str, name: str, alt: str) -> str:
    """An SVG picture as a part of a page: names that no other picture has, the page's colours, and a text for who can't see it.

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


def time_axis(axes: Any, label: str = "planning time per step") -> None:
    """A logarithmic axis of seconds."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    low, high = axes.get_xlim()
    if high < 10 * low:  # a few points of about the same time: a decade, so that the labels have room
        low, high = (low * high) ** 0.5 / 10**0.5, (low * high) ** 0.5 * 10**0.5
        axes.set_xlim(low, high)
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0,) if high > 100 * low else (1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: duration(seconds)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(label)


def bar(mean: statistics.Mean) -> float:
    """Half the length of its error bar; not a number, which draws none, if there is no interval."""
    return nan if mean.half is None else mean.half


def line(axes: Any, numbers: Sequence[Number], color: str, measure: str = "total_reward", **style: Any) -> None:
    """What runs earn against their planning time, with 95 % intervals."""
    timed = sorted((n for n in numbers if n.point.seconds_per_step > 0), key=lambda n: n.point.seconds_per_step)
    means = [statistics.mean(n.point.values(measure)) for n in timed]
    errors = [bar(mean) for mean in means]
    options = {"marker": "o", "markersize": 4, "linewidth": 1.4, "capsize": 2, "elinewidth": 0.8, **style}
    axes.errorbar([n.point.seconds_per_step for n in timed], [mean.value for mean in means], errors, color=color, **options)


def _written(chart: Chart, kind: str, **options: Any) -> bytes:
    import matplotlib

    file = io.BytesIO()
    about: Any = {"metadata": {"Date": None}} if kind == "svg" else {}
    with matplotlib.rc_context(STYLE):
        chart.figure.savefig(file, format=kind, **about, **options)
    return file.getvalue()
