"""Pictures of fits, with Matplotlib: estimates with intervals, fitted against true values, and confusion of models."""

from __future__ import annotations

import io
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from bamdp.pictures.markup import Markup
from bamdp.runs.table import picture_path
from bamdp.validation import require

if TYPE_CHECKING:
    from bamdp.fit.recovery import Confusion, Recovery
    from bamdp.fit.results import Fits


def write(figure: Any, path: Any) -> None:
    """Write a figure to a file, `.svg` or `.png`."""
    file = picture_path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file)


def inline(draw: Callable[[Any], Any], result: Any) -> Markup:
    """The figure that `draw` makes of a result, as an SVG image for notebooks; empty where Matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        return Markup("")
    image = io.StringIO()
    draw(result).savefig(image, format="svg")
    text = image.getvalue()
    return Markup(text[text.index("<svg") :])  # without the XML declaration


def estimates(fits: Fits) -> Any:
    """The estimate of each person with its interval, a panel for each parameter."""
    names = list(fits[0].estimates)
    figure = _figure(3 * len(names) + 1, 1.2 + 0.3 * len(fits))
    for axes, name in zip(figure.subplots(1, len(names), sharey=True, squeeze=False)[0], names, strict=True):
        for place, fit in enumerate(fits):
            axes.plot([fit.low[name], fit.high[name]], [place, place], color="C0")
            axes.plot([fit.estimates[name]], [place], "o", color="C0", markersize=5)
        axes.set(xlabel=name, yticks=range(len(fits)), yticklabels=[str(fit.subject) for fit in fits])
    axes.invert_yaxis()  # shared
    figure.supylabel("subject", fontsize=9)
    return figure


def recovered(recovery: Recovery) -> Any:
    """Fitted against true values with their intervals, a panel for each parameter; those that miss the truth in red."""
    names = recovery.parameters
    figure = _figure(4 * len(names), 4.2)
    for axes, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        for row in recovery.rows:
            true, low, high = row["true"][name], row["low"][name], row["high"][name]
            color = "C0" if low <= true <= high else "C3"
            axes.plot([true, true], [low, high], color=color, alpha=0.3, linewidth=0.8)
            axes.plot([true], [row["estimate"][name]], "o", color=color, markersize=3)
        true, fitted = recovery.pairs(name)
        span = min(true), max(true)
        axes.plot(span, span, color="0.3", linewidth=0.8)
        room = 0.3 * (max(fitted) - min(fitted)) or 0.1  # of one person
        axes.set(xlabel=f"true {name}", ylabel="fitted", ylim=(min(fitted) - room, max(fitted) + room))
        axes.set_title(f"coverage {recovery.coverage(name).value:.1%}", fontsize=9)
    return figure


def confused(confusion: Confusion) -> Any:
    """The shares as shades, with their numbers."""
    figure = _figure(5.2, 4.2)
    axes, names = figure.subplots(), confusion.models
    axes.imshow(confusion.matrix, cmap="Blues", vmin=0, vmax=1)
    for i, shares in enumerate(confusion.matrix):
        for j, share in enumerate(shares):
            axes.text(j, i, f"{share:.2f}", ha="center", va="center", color="white" if share > 0.5 else "black", fontsize=9)
    axes.set(xlabel="model with the lowest BIC", ylabel="true model", xticks=range(len(names)), yticks=range(len(names)))
    axes.set_xticklabels(names, rotation=20, ha="right", fontsize=8)
    axes.set_yticklabels(names, fontsize=8)
    return figure


def _figure(width: float, height: float) -> Any:
    make = require("matplotlib.figure", "pictures need matplotlib", "report").Figure
    return make(figsize=(width, height), dpi=150, layout="constrained")
