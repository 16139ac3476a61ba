"""Frames of the infinite grid as in the paper's supplement: plain data that a result can store, and
their drawings.

Black squares are rewards; the area of a blue circle is the parameter p of its column, that of an
orange one the parameter q of its row. Unseen cells are grey; circles are paler where less is known;
rings are the true parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bamdp.pictures.shapes import Cell, Circle, Drawing, Label, Line, Shape

if TYPE_CHECKING:
    from bamdp.domains import InfiniteGrid
    from bamdp.priors.grid_rewards import GridBelief

Spot = tuple[int, int]
Frame = Mapping[str, Any]
Parameters = list[list[Any]]  # of each column or row: mean, sureness from 0 to 1, truth

UNSEEN, EMPTY, REWARD = "0", "1", "2"
ROLES = {UNSEEN: "unseen", EMPTY: "seen", REWARD: "full"}
SHADE = {None: UNSEEN, False: EMPTY, True: REWARD}  # by whether a cell held a reward
DRAWS = 500  # posterior samples per frame
FAINTEST = 0.25  # strength of a circle of which nothing is known
LARGEST = 0.47  # radius of a circle of 1
SCALE = 16  # pixels of a cell


def world_frame(world: InfiniteGrid, radius: int) -> Frame:
    """A portion of a world around the start."""
    side = range(-radius, radius + 1)
    cells = ["".join(SHADE[world.holds(x, y)] for x in side) for y in side]
    lines = [
        [[round(parameter(k), 3), 1.0, None] for k in side]
        for parameter in (world.column, world.row)
    ]
    title = "columns Beta({:g}, {:g}), rows Beta({:g}, {:g})".format(*world.columns, *world.rows)
    return {"cells": cells, "columns": lines[0], "rows": lines[1], "title": title, "path": []}


def belief_frame(
    belief: GridBelief,
    world: InfiniteGrid,
    path: Sequence[Spot],
    corner: Spot,
    radius: int,
    title: str,
) -> Frame:
    """What an agent knows of the cells from `corner`, the lower left one, and the end of its path.

    Returns:
        `cells`, a row for each string, from bottom to top; `columns` and `rows`, each with the
        posterior mean, how much less its variance is than before, from 0 to 1, and the truth; the
        `title`; and the `path`, by index in `cells`.
    """
    across, up = (range(first, first + 2 * radius + 1) for first in corner)
    seen, (columns, rows) = belief.cells(), posterior(belief, world, across, up)
    outside = [i for i, (x, y) in enumerate(path) if x not in across or y not in up]
    within = path[outside[-1] + 1 :] if outside else path
    return {
        "cells": ["".join(SHADE[seen.get((x, y))] for x in across) for y in up],
        "columns": columns,
        "rows": rows,
        "title": title,
        "path": [[x - corner[0], y - corner[1]] for x, y in within],
    }


def drawing(frame: Frame) -> Drawing:
    """A frame as a picture of `SCALE` pixels for a cell.

    Example:
        >>> drawing({"cells": ["01", "12"], "columns": [], "rows": [], "title": "", "path": []}).box
        (-1.625, -1.625, 4.25, 5.25)
    """
    cells, path = frame["cells"], frame["path"]
    height, width = len(cells), len(cells[0])
    shapes: list[Shape] = [
        Cell(x, height - 1 - y, role=ROLES[content])
        for y, row in enumerate(cells)
        for x, content in enumerate(row)
    ]
    shapes.sort(key=lambda shape: shape.role, reverse=True)
    shapes.append(Cell(0, 0, width, height, role="frame"))
    for x, line in enumerate(frame["columns"]):
        shapes += circle(x + 0.5, height + 0.75, "columns", *line)
    for y, line in enumerate(frame["rows"]):
        shapes += circle(-0.75, height - y - 0.5, "rows", *line)
    if path:
        points = [(x + 0.5, height - y - 0.5) for x, y in path]
        shapes += [Line(points, 0.14, role="trail"), Circle(*points[-1], 0.4, role="agent")]
    shapes.append(Label(width / 2, -0.8, frame["title"], 0.8, role="name", widest=width + 0.8))
    return Drawing((-1.625, -1.625, width + 2.25, height + 3.25), shapes, frame["title"])


def circle(
    x: float,
    y: float,
    role: str,
    value: float,
    sureness: float,
    truth: float | None,
    *,
    name: str = "",
    ring: str = "ring",
) -> list[Shape]:
    """A parameter: a circle whose area is its posterior mean, paler where less is known, and a ring
    for its true value.
    """
    title = f"{name}: mean {value:.3f}" if name else ""
    true = (
        []
        if truth is None
        else [
            Circle(
                x, y, LARGEST * truth**0.5, role=ring, title=f"truly {truth:.3f}" if name else ""
            )
        ]
    )
    opacity = FAINTEST + (1 - FAINTEST) * sureness
    return [Circle(x, y, LARGEST * value**0.5, role=role, opacity=opacity, title=title), *true]


def posterior(
    belief: GridBelief, world: InfiniteGrid, columns: Iterable[int], rows: Iterable[int]
) -> list[Parameters]:
    """For these columns and rows: posterior means, the reduction of variance from the prior, and
    the true parameters.
    """
    draws = belief.sample_parameters(DRAWS, np.random.default_rng(0))
    return [
        _parameters(
            columns, belief.prior.columns, world.column, draws.column_coordinates, draws.columns
        ),
        _parameters(rows, belief.prior.rows, world.row, draws.row_coordinates, draws.rows),
    ]


def _parameters(
    shown: Iterable[int],
    prior: tuple[float, float],
    truth: Callable[[int], float],
    coordinates: NDArray[np.int64],
    draws: NDArray[np.float64],
) -> Parameters:
    mean = prior[0] / sum(prior)
    variance = mean * (1 - mean) / (sum(prior) + 1)
    gone = np.clip(1 - draws.var(axis=0) / variance, 0, 1).tolist()
    known = dict(
        zip(coordinates.tolist(), zip(draws.mean(axis=0).tolist(), gone, strict=True), strict=True)
    )
    return [[round(number, 3) for number in (*known.get(k, (mean, 0.0)), truth(k))] for k in shown]
