"""The contract of a chart: one picture of the report, drawn by Matplotlib, for a page or for a file.

The charts are in `bamdp.report.charts`. On a page a chart has no background and takes its colours from the page, so that it can
be read on light and on dark; in a file the colours are those of `SERIES`, on white.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import TYPE_CHECKING, Any

from bamdp.report.picture import INK, SERIES, Picture, on_page
from bamdp.report.query import Measurement
from bamdp.statistics import Mean, duration

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["INK", "SERIES", "Chart", "draw", "half_width", "reward_curve", "time_axis"]

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


def draw(name: str, title: str, alt: str, plot: Callable[[Any], None], size: tuple[float, float] = (4.4, 3.0)) -> Chart:
    """A chart of one pair of axes, which `plot` fills."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=size, layout="constrained")
        plot(figure.subplots())
    return Chart(name, title, alt, figure)


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


def half_width(mean: Mean) -> float:
    """Half the length of its error bar; nan, which draws none, if there is no interval."""
    return nan if mean.half is None else mean.half


def reward_curve(
    axes: Any, measurements: Sequence[Measurement], color: str, measure: str = "total_reward", **style: Any
) -> None:
    """Rewards against planning time, with 95 % intervals."""
    timed = sorted((m for m in measurements if m.point.seconds_per_step > 0), key=lambda m: m.point.seconds_per_step)
    means = [m.point.mean(measure) for m in timed]
    errors = [half_width(mean) for mean in means]
    options = {"marker": "o", "markersize": 4, "linewidth": 1.4, "capsize": 2, "elinewidth": 0.8, **style}
    axes.errorbar([m.point.seconds_per_step for m in timed], [mean.value for mean in means], errors, color=color, **options)
