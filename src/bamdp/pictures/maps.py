"""Worlds drawn as cells: maps, the infinite grid around the agent, and the visits of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise, product
from math import floor, hypot
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bamdp.pictures.base import Box, Legend, Plain
from bamdp.pictures.beliefs import shows_cells
from bamdp.pictures.grid import circle, posterior
from bamdp.pictures.shapes import ACTIONS, Arrow, Cell, Circle, Drawing, Label, Line, Point, Shape

if TYPE_CHECKING:
    from bamdp.domains import InfiniteGrid
    from bamdp.pictures.scenes import Place, Scene
    from bamdp.prior import Belief
    from bamdp.problem import BAMDP

RADIUS = 8  # cells of the infinite grid to each side of the middle of the picture
ASIDE = 0.09  # between the arrows of two actions that lead to the same cell
STEPS = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}
TINTED = {"G": "goal", "H": "hazard", "C": "hazard"}  # roles of cells with these marks
CHARACTERS = {
    "cell": ".",
    "goal": ".",
    "hazard": ".",
    "seen": ".",
    "unseen": "?",
    "reward": "o",
    "agent": "@",
}  # by role


class _Cells(Plain):
    """A picture with cells, which are characters in a text."""

    _extent: Callable[[int], tuple[range, range]]  # the columns and rows that are shown

    def _lines(self, state: int) -> list[str]:
        characters: dict[tuple[int, int], str] = {}
        for shape in self.whole(state).shapes:
            if isinstance(shape, Cell | Circle) and shape.role in CHARACTERS:
                characters[floor(shape.x), floor(shape.y)] = CHARACTERS[shape.role]
            elif isinstance(shape, Label) and shape.role == "mark":
                characters[floor(shape.x), floor(shape.y)] = shape.text
        across, down = self._extent(state)
        return [" ".join(characters.get((x, y), "#") for x in across) for y in down]

    def _agent(self, at: Point, action: int | None, size: float) -> list[Shape]:
        """The agent, and the direction of what it will do."""
        x, y = at
        move = None if action is None else STEPS.get(self.actions[action])
        tip = [] if move is None else [(x + 0.62 * size * move[0], y + 0.62 * size * move[1])]
        arrows = [Arrow([at, end], 0.2 * size, 0.37 * size, role="heading") for end in tip]
        return [*arrows, Circle(x, y, 0.31 * size, role="agent")]


class Map(_Cells):
    """Cells side by side. Several states may share a cell: an arrow is that of the
    state seen last.
    """

    kind = "map"

    @cached_property
    def places(self) -> dict[Place, int]:
        """The cells, each with its first state."""
        return {self.scene.place(s): s for s in reversed(range(self.domain.num_states))}

    @cached_property
    def _all(self) -> tuple[range, range]:
        xs, ys = zip(*self.places, strict=True)
        return range(int(min(xs)), int(max(xs)) + 1), range(int(min(ys)), int(max(ys)) + 1)

    def reset(self) -> None:
        super().reset()
        self.visits: Counter[Place] = Counter()
        self._last: dict[tuple[Place, int], int] = {}

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        super().observe(state, action, reward, next_state)
        here = self.scene.place(state)
        self.visits[here] += 1
        self._last[here, action] = state

    def ground(self) -> Drawing:
        box, marks = _margin(*self._all), self.scene.marks
        pairs = [] if self.truth else product(self.places.items(), range(self.domain.num_actions))
        truth = [self._move(place, a, self.rows.truth(s, a)) for (place, s), a in pairs]
        cells = [
            _cell(*place, role=TINTED.get(marks.get(place, ""), "cell"))
            for place in sorted(self.places)
        ]
        shapes: list[Shape] = [Cell(*box, role="wall"), *sorted(cells, key=lambda cell: cell.role)]
        shapes += [_wall(*pair) for pair in self.scene.walls]
        return Drawing(box, [*shapes, *(move for move in truth if move is not None)])

    def moment(self, state: int, action: int | None = None) -> Drawing:
        here, rows = self.scene.place(state), self.rows
        tried = sorted(self._last.items(), key=lambda entry: entry[0][1]) if rows.known else []
        moves = [
            self._move(place, a, rows.mean(s, a), rows.counts[s, a]) for (place, a), s in tried
        ]
        shapes: list[Shape] = [*heat(self.visits), *_marks(self.scene.marks)]
        shapes += trail([*map(self.scene.place, self.trail), here])
        shapes += [move for move in moves if move is not None]
        words = f"Map of {len(self.places)} cells; the agent is at {self.label(state)}"
        return Drawing(
            _margin(*self._all), [*shapes, *self._agent(_middle(here), action, 0.75)], words
        )

    def legend(self) -> Legend:
        return [
            ("visited", "visited"),
            *self._legend_of_actions("where it most probably leads, a dot if it stays or jumps"),
            ("truth-0", "hollow: the truth"),
        ]

    def _extent(self, state: int) -> tuple[range, range]:
        return self._all

    def _move(
        self, place: Place, action: int, row: NDArray[np.float64] | None, count: int | None = None
    ) -> Shape | None:
        """Where an action most probably leads: a believed arrow or, without a count, the hollow
        head of a true one.

        A dot or ring stands for staying, and for a jump to a cell that is no neighbour.
        """
        if row is None:
            return None
        true, likely = count is None, int(np.argmax(row))
        (u, v), times = self.scene.place(likely), "" if true else f", tried {count} times"
        dx, dy = u - place[0], v - place[1]
        look: dict[str, Any] = {
            "role": f"{'truth-' if true else 'a'}{action % ACTIONS}",
            "title": (
                f"{self.actions[action]}: most probably to {self.label(likely)}, "
                f"{row[likely]:.2f}{times}"
            ),
            "opacity": 1.0 if count is None else 0.3 + 0.7 * count / (count + 2),
        }
        (x, y), aside = _middle(place), ASIDE * (action - (self.domain.num_actions - 1) / 2)
        if abs(dx) + abs(dy) != 1:
            return Circle(x + aside, y - 0.3, 0.05 if true else 0.035, **look)
        x, y = x + aside * abs(dy), y + aside * abs(dx)
        if not true:
            return Arrow(
                [(x + reach * dx, y + reach * dy) for reach in (0.06, 0.36)], 0.05, 0.1, **look
            )
        head = ((0.47, 0.0), (0.37, -0.06), (0.37, 0.06), (0.47, 0.0))
        return Line(
            [(x + along * dx + side * dy, y + along * dy + side * dx) for along, side in head],
            0.025,
            **look,
        )


class Endless(_Cells):
    """The cells of the infinite grid around the agent, and the parameters of columns and rows as
    circles beside them.

    The picture moves on only when the agent gets near its edge.
    """

    kind = "endless"

    def __init__(
        self,
        domain: InfiniteGrid,
        scene: Scene,
        problem: BAMDP | None,
        belief: Belief | None,
        *,
        truth: bool,
    ) -> None:
        self.world, self._belief = domain, belief if shows_cells(belief) else None
        super().__init__(domain, scene, problem, None, truth=truth)

    def reset(self) -> None:
        super().reset()
        self._centre = (0, 0)
        self._seen: dict[tuple[int, int], str] = {}  # the role of what is there

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        super().observe(state, action, reward, next_state)
        self._see(state)
        x, y, content = self.world.cell(state)
        if content:
            self._seen[x, y] = "taken"
        self._see(next_state)

    def _see(self, state: int) -> None:
        x, y, content = self.world.cell(state)
        self._seen.setdefault((x, y), "reward" if content else "")

    def moment(self, state: int, action: int | None = None) -> Drawing:
        self._see(state)
        across, down = self._extent(state)
        here = self.scene.place(state)
        shapes: list[Shape] = [
            shape for y in down for x in across for shape in self._cell(x, y, (x, y) == here)
        ]
        shapes.sort(key=lambda shape: (isinstance(shape, Circle), shape.role))
        inside = [
            place
            for place in map(self.scene.place, self.trail)
            if place[0] in across and place[1] in down
        ]
        shapes += [
            *trail([*inside, here]),
            *self._agent(_middle(here), action, 1.0),
            *self._parameters(across, down),
        ]
        words = f"Map of {len(across)} by {len(down)} cells; the agent is at {self.label(state)}"
        return Drawing(
            (across.start - 1.4, down.start - 0.1, len(across) + 1.5, len(down) + 1.5),
            shapes,
            words,
        )

    def legend(self) -> Legend:
        cells = [("unseen", "not seen"), ("reward", "reward"), ("taken", "taken")]
        mean = "parameter: its area is the posterior mean, pale is uncertain"
        lines = [("columns", f"a column's {mean}"), ("rows", "a row's")]
        return [*cells, *(lines if self._belief is not None else []), ("truth", "hollow: true")]

    def _extent(self, state: int) -> tuple[range, range]:
        """The cells that are shown, y down; they move when the agent gets near the edge."""
        (x, y), slack = self.scene.place(state), RADIUS // 2
        centre = self._centre
        self._centre = (
            int(min(max(centre[0], x - slack), x + slack)),
            int(min(max(centre[1], y - slack), y + slack)),
        )
        across, down = (range(middle - RADIUS, middle + RADIUS + 1) for middle in self._centre)
        return across, down

    def _cell(self, x: int, y: int, here: bool) -> list[Shape]:
        content = self._seen.get((x, -y))
        cell = _cell(x, y, role="unseen" if content is None else "seen")
        if content is None:
            return [
                cell,
                *([Circle(x + 0.5, y + 0.5, 0.2, role="truth")] if self.world.holds(x, -y) else []),
            ]
        radius = 0.2 if content == "taken" else 0.46 if here else 0.26
        return [cell, *([Circle(x + 0.5, y + 0.5, radius, role=content)] if content else [])]

    def _parameters(self, across: range, down: range) -> list[Shape]:
        """Below the map the parameters of the columns, to its left those of the rows; the true ones
        if those are shown.
        """
        world, up = self.world, [-y for y in down]
        if self._belief is not None:
            columns, rows = posterior(self._belief, world, across, up)  # type: ignore[arg-type]
        elif self.truth:
            columns, rows = (
                [[line(k), 1.0, None] for k in shown]
                for line, shown in ((world.column, across), (world.row, up))
            )
        else:
            return []
        shapes: list[Shape] = []
        for x, line in zip(across, columns, strict=True):
            shapes += circle(
                x + 0.5, down.stop + 0.65, "columns", *line, name=f"column {x}", ring="truth"
            )
        for y, line in zip(down, rows, strict=True):
            shapes += circle(
                across.start - 0.65, y + 0.5, "rows", *line, name=f"row {-y}", ring="truth"
            )
        return sorted(shapes, key=lambda shape: shape.role == "truth")


def visits_map(
    cells: Sequence[Place],
    visits: Counter[Place],
    marks: Mapping[Place, str],
    path: Sequence[Place],
) -> Drawing:
    """Cells, darker the more they were visited, with the last steps and where they ended."""
    xs, ys = zip(*cells, strict=True)
    box = min(xs), min(ys), max(xs) - min(xs) + 1, max(ys) - min(ys) + 1
    ground: list[Shape] = [
        _cell(*place, role="cell", title=f"{visits[place]} visits") for place in cells
    ]
    agent = Circle(*_middle(path[-1]), 0.3, role="agent")
    return Drawing(
        box, [*ground, *heat(visits), *_marks(marks), *trail(path), agent], "Map of the visits"
    )


def heat(visits: Counter[Place]) -> list[Shape]:
    """How often cells were visited, as a tint of them."""
    most = max([1, *visits.values()])
    return [
        _cell(
            *at, role="visited", title=f"visited {n} times", opacity=0.08 + 0.42 * (n / most) ** 0.5
        )
        for at, n in visits.items()
    ]


def trail(path: Sequence[Place]) -> list[Shape]:
    """A line through the middles of cells, cut where it jumps, as from the goal to the start."""
    pieces: list[list[Place]] = [[path[0]]]
    for (x, y), (next_x, next_y) in pairwise(path):
        if hypot(next_x - x, next_y - y) > 1.5:
            pieces.append([])
        pieces[-1].append((next_x, next_y))
    return [
        Line([*map(_middle, piece)], 0.06, role="trail", opacity=0.3)
        for piece in pieces
        if len(piece) > 1
    ]


def _cell(x: float, y: float, *, role: str, **look: object) -> Cell:
    return Cell(x + 0.03, y + 0.03, 0.94, 0.94, role=role, **look)  # type: ignore[arg-type]


def _marks(marks: Mapping[Place, str]) -> list[Shape]:
    return [
        Label(x + 0.09, y + 0.21, text, 0.28, "start", role="mark", widest=0.8)
        for (x, y), text in marks.items()
    ]


def _margin(across: range, down: range) -> Box:
    return across.start - 0.1, down.start - 0.1, len(across) + 0.2, len(down) + 0.2


def _middle(place: Point) -> Point:
    return place[0] + 0.5, place[1] + 0.5


def _wall(here: Place, there: Place) -> Shape:
    """Between two neighbouring cells."""
    (x, y), (u, v) = here, there
    middle, along = ((x + u + 1) / 2, (y + v + 1) / 2), (abs(v - y) / 2, abs(u - x) / 2)
    ends = [(middle[0] + side * along[0], middle[1] + side * along[1]) for side in (-1, 1)]
    return Line(ends, 0.12, role="wall")
