"""Domains as maps of cells for `bamdp.rendering.canvas`: maps, the infinite grid, and bandits."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from bamdp.domain import Domain, Scene
from bamdp.domains import InfiniteGrid
from bamdp.rendering.canvas import EMPTY, REWARD, UNSEEN, WALL, CellMap, Circle

Cell = tuple[int, int]

TRAIL = 20  # last steps shown
RADIUS = 8  # cells to each side of the agent on the infinite grid
WIDEST = 40  # cells of a map shown as a whole; of a larger one, those around the agent
STACK = 10  # outcomes shown of each arm


def map_cells(num_states: int, scene: Scene, states: Iterable[int], title: str) -> CellMap:
    """A map with the path taken; cells without a state are walls."""
    spots = {_cell(scene.place(s)) for s in range(num_states)}
    left, right, top, low = (f(spot[k] for spot in spots) for k in (0, 1) for f in (min, max))
    path = [_cell(scene.place(s)) for s in states]
    across, down = _shown(left, right, path[-1][0]), _shown(top, low, path[-1][1])
    cells = np.full((len(down), len(across)), WALL, dtype=np.int8)

    def within(spot: Cell) -> Cell | None:
        x, y = spot
        return (x - across.start, down.stop - 1 - y) if x in across and y in down else None

    for spot in spots:
        if (at := within(spot)) is not None:
            cells[at[1], at[0]] = EMPTY
    marks = {at: mark for place, mark in scene.marks.items() if (at := within(_cell(place))) is not None}
    return CellMap(cells, (), (), title, _last_stretch([within(spot) for spot in path]), marks)


def infinite_cells(world: InfiniteGrid, states: Iterable[int], left: Iterable[int], title: str) -> CellMap:
    """The true world around the agent: remaining rewards, parameters of columns and rows."""
    path, gone = [world.cell(s)[:2] for s in states], {world.cell(s)[:2] for s in left}
    (x0, y0), side = path[-1], 2 * RADIUS + 1
    across, up = range(x0 - RADIUS, x0 + RADIUS + 1), range(y0 - RADIUS, y0 + RADIUS + 1)
    cells = np.array([[REWARD if world.holds(x, y) and (x, y) not in gone else EMPTY for x in across] for y in up], np.int8)
    columns, rows = [Circle(world.column(x)) for x in across], [Circle(world.row(y)) for y in up]
    moved = [(x - across.start, y - up.start) for x, y in path]
    inside = [(x, y) if 0 <= x < side and 0 <= y < side else None for x, y in moved]
    return CellMap(cells, columns, rows, title, _last_stretch(inside))


def arms_cells(domain: Domain, outcomes: Sequence[tuple[int, bool]], title: str) -> CellMap:
    """The last outcomes of each arm, from bottom to top, black for success; below, its true probability."""
    A = domain.num_actions
    truth = [] if domain.mdp is None else domain.mdp.transitions[0, :, 1].tolist()
    cells = np.full((STACK, A), UNSEEN, dtype=np.int8)
    for arm in range(A):
        for y, success in enumerate([won for pulled, won in outcomes if pulled == arm][-STACK:]):
            cells[y, arm] = REWARD if success else EMPTY
    last = outcomes[-1][0] if outcomes else None
    path = [] if last is None else [(last, int(np.count_nonzero(cells[:, last] != UNSEEN)) - 1)]
    return CellMap(cells, [Circle(p) for p in truth], (), title, path)


def _shown(first: int, last: int, here: int) -> range:
    """The visible coordinates: all of a map, or those around the agent if there are too many."""
    if last - first < WIDEST:
        return range(first, last + 1)
    start = min(max(first, here - WIDEST // 2), last + 1 - WIDEST)
    return range(start, start + WIDEST)


def _last_stretch(path: Sequence[Cell | None]) -> list[Cell]:
    """The end of a path, since it last jumped or entered the image."""
    jumps = [
        i for i, (a, b) in enumerate(pairwise(path), 1) if a is None or b is None or abs(a[0] - b[0]) + abs(a[1] - b[1]) > 1
    ]
    return [cell for cell in path[jumps[-1] if jumps else 0 :] if cell is not None]


def _cell(place: tuple[float, float]) -> Cell:
    return int(place[0]), int(place[1])
