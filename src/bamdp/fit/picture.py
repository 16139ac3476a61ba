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
    from bamdp.fit.comparison import ModelComparison
    from bamdp.fit.groups import Group
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


def compared(comparison: ModelComparison) -> Any:
    """BIC of each person above that of the best model, and the frequency of each model with its protected exceedance."""
    names, selection = list(comparison.models), comparison.selection
    bic = [[fit.bic for fit in fits] for fits in comparison.fits.values()]
    least = [min(column) for column in zip(*bic, strict=True)]
    figure = _figure(9, 1.6 + 0.45 * len(names))
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
    for place, (name, values) in enumerate(zip(names, bic, strict=True)):
        above = [value - best for value, best in zip(values, least, strict=True)]
        shift = [0.3 * (i / max(len(above) - 1, 1) - 0.5) for i in range(len(above))]
        left.plot(above, [place + y for y in shift], "o", color="C0", markersize=3, alpha=0.6)
        left.plot([sum(above) / len(above)] * 2, [place - 0.3, place + 0.3], color="C0")
        right.barh(place, selection.frequencies[place], color="C1" if name == comparison.best else "0.7", height=0.6)
        right.text(1.02, place, f"{selection.protected[place]:.3f}", va="center", fontsize=9)
    left.set(xlabel="BIC above the person's best model", yticks=range(len(names)), yticklabels=names)
    left.set_xscale("symlog", linthresh=10)
    left.set_xlim(left=-0.5)
    right.set(xlabel="frequency among people", xlim=(0, 1))
    right.set_title("protected exceedance", fontsize=9, loc="right")
    left.invert_yaxis()
    return figure


def grouped(group: Group) -> Any:
    """The shrunken estimate of each person with its interval, and the typical value with its own as a band."""
    names = list(group.mean)
    figure = _figure(3 * len(names) + 1, 1.4 + 0.18 * len(group.people))
    for axes, name in zip(figure.subplots(1, len(names), sharey=True, squeeze=False)[0], names, strict=True):
        axes.axvspan(group.low[name], group.high[name], color="C1", alpha=0.3, linewidth=0)
        axes.axvline(group.mean[name], color="C1")
        for place, person in enumerate(group.people):
            axes.plot([person.low[name], person.high[name]], [place, place], color="C0", linewidth=0.8)
            axes.plot([person.estimates[name]], [place], "o", color="C0", markersize=3)
        few = len(group.people) <= 40
        labels = [str(person.subject) for person in group.people] if few else []
        axes.set(xlabel=name, yticks=range(len(labels)), yticklabels=labels)
        axes.tick_params(axis="y", labelsize=6)
        if group.model.bounds(name).scale == "log":
            axes.set_xscale("log")
    axes.invert_yaxis()  # shared
    figure.supylabel("person", fontsize=9)
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
