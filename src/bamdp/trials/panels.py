"""Figures of several panels."""

from __future__ import annotations

from typing import Any

from bamdp.result import new_figure


def panels(rows: int, columns: int, width: float, height: float) -> tuple[Any, list[Any]]:
    """A figure, and its axes with a light grid."""
    picture = new_figure(width, height)
    every = list(picture.subplots(rows, columns).ravel())
    for axes in every:
        axes.tick_params(labelsize=8)
        axes.grid(color="0.92")
        axes.set_axisbelow(True)
    return picture, every
