"""What there is to see of a run: drawings of the world, the agent and its belief, made from the scene of the domain.

| view    | of                       | shows                                                              |
|---------|--------------------------|--------------------------------------------------------------------|
| Endless | the infinite grid        | cells around the agent, the posterior of columns and rows          |
| Map     | worlds pictured as maps  | cells, visits, the trail, the mean move of each action             |
| Graph   | other small worlds       | states, the mean transitions as arrows                             |
| Arms    | bandits                  | the posterior and the last outcomes of each arm                    |
| Plain   | all others               | nothing but the transitions from where the agent is                |

`ground` is what stays, `moment` what changes, `expected` the belief about the transitions from here; `whole` is one picture of
all with a title, for images and films; `text` is the same in characters. The truth has the role "truth", which a page
hides until it is asked for.
"""

from __future__ import annotations

from cmath import rect
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise, product
from math import hypot, inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bamdp.pictures.beliefs import Estimate, Lines, Row, Rows, shows_cells
from bamdp.pictures.shapes import ACTIONS, Arrow, Cell, Circle, Drawing, Label, Line, Point, Shape
from bamdp.validation import UNBOUNDED

if TYPE_CHECKING:
    from bamdp.domain import Domain, Place, Scene
    from bamdp.domains import InfiniteGrid
    from bamdp.prior import Belief
    from bamdp.problem import BAMDP

RADIUS = 8  # cells of the infinite grid to each side of the middle of the picture
TRAIL = 40  # steps back that are drawn
WIDEST = 40  # cells of a map that fit an image; of a larger one, those around the agent
MOST_CELLS = 2500  # of a map that fits a page
MOST_NODES = 40  # of a graph that is drawn
LEAST_SHOWN = 0.12  # probability of an arrow: less is mostly what the prior gives to every state
STEPS = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}
SYMBOLS = {"up": "↑", "right": "→", "down": "↓", "left": "←"}
TINTED = {"G": "goal", "H": "hazard", "C": "hazard"}  # roles of cells with these marks
CHARACTERS = {"cell": ".", "goal": ".", "hazard": ".", "seen": ".", "unseen": "?", "reward": "o", "agent": "@"}  # by role

Legend = list[tuple[str, str]]  # roles and what they stand for
Frame = tuple[float, float, float, float]  # left, top, width, height


def action_name(name: str) -> str:
    """An action's name for people, with an arrow if it is a direction.

    Example:
        >>> action_name("up"), action_name("0"), action_name("stay")
        ('↑ up', 'action 0', 'stay')
    """
    return f"{SYMBOLS[name]} {name}" if name in SYMBOLS else f"action {name}" if name.isdecimal() else name


class Plain:
    """No picture: where the agent is and, in a finite world, where it believes its actions lead.

    Args:
        domain: the world.
        scene: how it is drawn.
        problem: what the agent was told, for names of states and actions; those of the scene if not given.
        belief: the agent's; none is drawn if not given.
        truth: whether the picture is of the world itself, as those of environments.
    """

    kind = "plain"

    def __init__(
        self, domain: Domain, scene: Scene, problem: BAMDP | None = None, belief: Belief | None = None, *, truth: bool = False
    ) -> None:
        self.domain, self.scene, self.problem, self.truth = domain, scene, problem, truth
        self.rows = Rows(belief, domain, self.label)
        named = (problem and problem.actions) or scene.actions
        self.actions = list(named or map(str, range(domain.num_actions)))
        self.reset()

    def reset(self) -> None:
        """Nothing has happened yet."""
        self.visits: Counter[Place] = Counter()
        self.trail: deque[int] = deque(maxlen=TRAIL)  # states
        self.steps, self.total = 0, 0.0
        self.rows.counts.clear()

    def enter(self, domain: Domain) -> None:
        """Go on in another world of the same states and actions."""
        self.domain = self.rows.domain = domain

    def label(self, state: int) -> str:
        """The name of a state: the problem's or, if it has none, that of the picture."""
        named = self.problem is not None and self.problem.states is not None
        return self.problem.state_name(state) if named and self.problem else self.scene.label(state)

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        """A step of the run."""
        self.rows.counts[state, action] += 1
        self.trail.append(state)
        self.steps, self.total = self.steps + 1, self.total + float(reward)

    def ground(self) -> Drawing | None:
        """What stays the same throughout the run."""
        return None

    def moment(self, state: int, action: int | None = None) -> Drawing | None:
        """The present moment, on the ground: the agent in `state`, about to take `action` if that is known."""
        return None

    def expected(self, state: int) -> list[Drawing]:
        """Where each action leads from `state` by the posterior mean, a drawing each; none if the belief or `moment` tells."""
        rows = [] if self.domain.num_states == UNBOUNDED or self.kind == "arms" else self.rows.from_state(state)
        return [_row(action_name(self.actions[action]), f"a{action % ACTIONS}", row) for action, row in enumerate(rows)]

    def legend(self) -> Legend:
        """What the roles stand for."""
        return []

    def whole(self, state: int, action: int | None = None, caption: str = "") -> Drawing:
        """All in one picture, with a title and perhaps a caption above it."""
        now = self.moment(state, action)
        parts = [part for part in (self.ground(), now) if part is not None]
        left, top, width, height = self._window(now.box, state) if now is not None else (0, 0, 10, 0)
        told = [
            shape for part in parts for shape in part.shapes if self.truth or shape.role != "truth" or isinstance(shape, Line)
        ]
        shapes = [_told(shape) for shape in told]
        lines = [caption, self.title(state)] if caption else [self.title(state)]
        size = min(1.0, max(0.6, width / 14))
        above = top - size * len(lines) - 0.1
        cover = Cell(left, above, width, top - above, role="paper")
        titles = [
            Label(left + width / 2, above + size * (i + 0.5), line, 0.7 * size, role="name", widest=width - 0.4)
            for i, line in enumerate(lines)
        ]
        return Drawing((left, above, width, top + height - above), [*shapes, cover, *titles], lines[-1])

    def title(self, state: int) -> str:
        """The number of steps, the reward, and where the agent is."""
        where = self.label(state) if self.steps or self.kind != "arms" else "no arm yet"
        return f"step {self.steps}, reward {self.total:g}, {where}"

    def text(self, state: int) -> str:
        """The picture in characters."""
        return "\n".join([self.title(state), *self._lines(state)])

    def _lines(self, state: int) -> list[str]:
        return []

    def _window(self, box: Frame, state: int) -> Frame:
        return box

    def _legend_of_actions(self, text: str) -> Legend:
        if not self.rows.known or len(self.actions) > ACTIONS:
            return []
        names = [action_name(name) for name in self.actions]
        return [(f"a{k}", name if k else f"{name}: {text}") for k, name in enumerate(names)]


class _Cells(Plain):
    """A picture with cells, which are characters in a text."""

    def _lines(self, state: int) -> list[str]:
        drawing = self.whole(state)
        found: dict[tuple[int, int], str] = {}
        for shape in drawing.shapes:
            if isinstance(shape, Cell | Circle) and shape.role in CHARACTERS:
                found[int(np.floor(shape.x)), int(np.floor(shape.y))] = CHARACTERS[shape.role]
            elif isinstance(shape, Label) and shape.role == "mark":
                found[int(np.floor(shape.x)), int(np.floor(shape.y))] = shape.text
        across, down = self._extent(state)
        return [" ".join(found.get((x, y), "#") for x in across) for y in down]

    _extent: Callable[[int], tuple[range, range]]  # the columns and rows that are shown

    def _agent(self, at: Point, action: int | None, size: float) -> list[Shape]:
        """The agent, and the direction of what it will do."""
        x, y = at
        move = None if action is None else STEPS.get(self.actions[action])
        tip = [] if move is None else [(x + 0.62 * size * move[0], y + 0.62 * size * move[1])]
        arrows = [Arrow([at, end], 0.2 * size, 0.37 * size, role="heading") for end in tip]
        return [*arrows, Circle(x, y, 0.31 * size, role="agent")]


class Map(_Cells):
    """Cells side by side. Several states may share a cell: an arrow is that of the state seen last."""

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
        self._last: dict[tuple[Place, int], int] = {}

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        super().observe(state, action, reward, next_state)
        here = self.scene.place(state)
        self.visits[here] += 1
        self._last[here, action] = state

    def ground(self) -> Drawing:
        box, marks = _margin(*self._all), self.scene.marks
        pairs = [] if self.truth else product(self.places.items(), range(self.domain.num_actions))
        truth = [self._arrow(place, a, self.rows.truth(s, a)) for (place, s), a in pairs]
        cells = [_cell(*place, role=TINTED.get(marks.get(place, ""), "cell")) for place in sorted(self.places)]
        shapes: list[Shape] = [Cell(*box, role="wall"), *sorted(cells, key=lambda cell: cell.role)]
        shapes += [_wall(*pair) for pair in self.scene.walls]
        return Drawing(box, [*shapes, *(arrow for arrow in truth if arrow is not None)])

    def moment(self, state: int, action: int | None = None) -> Drawing:
        here, rows = self.scene.place(state), self.rows
        tried = sorted(self._last.items(), key=lambda entry: entry[0][1]) if rows.known else []
        arrows = [self._arrow(place, a, rows.mean(s, a), rows.counts[s, a]) for (place, a), s in tried]
        shapes: list[Shape] = [*heat(self.visits), *_marks(self.scene.marks)]
        shapes += trail([*map(self.scene.place, self.trail), here])
        shapes += [arrow for arrow in arrows if arrow is not None]
        words = f"Map of {len(self.places)} cells; the agent is at {self.label(state)}"
        return Drawing(_margin(*self._all), [*shapes, *self._agent(_middle(here), action, 0.75)], words)

    def legend(self) -> Legend:
        return [("visited", "visited"), *self._legend_of_actions("where it leads on average"), ("truth", "the truth, if shown")]

    def _extent(self, state: int) -> tuple[range, range]:
        here = self.scene.place(state)
        return _around(self._all[0], int(here[0])), _around(self._all[1], int(here[1]))

    def _window(self, box: Frame, state: int) -> Frame:
        return _margin(*self._extent(state))

    def _arrow(self, place: Place, action: int, row: NDArray[np.float64] | None, count: int | None = None) -> Shape | None:
        """Where an action leads on average, truly if there is no count: an arrow within the cell; a dot if nowhere."""
        if row is None:
            return None
        likely = np.flatnonzero(row >= LEAST_SHOWN / 4)
        places = np.array([self.scene.place(int(s)) for s in likely]).reshape(-1, 2)
        dx, dy = (row[likely] @ (places - place)).tolist()
        (x, y), length = _middle(place), hypot(dx, dy)
        look = {"role": "truth"} if count is None else {"role": f"a{action % ACTIONS}"}
        title = "" if count is None else f"{self.actions[action]}: tried {count} times"
        faint = 0.8 if count is None else 0.3 + 0.7 * count / (count + 2)
        if length < 0.05:
            return Circle(x, y, 0.06, **look, title=title, opacity=faint)
        reach = min(0.46, 0.46 * length) / length
        width, head = (0.025, 0.06) if count is None else (0.05, 0.1)
        return Arrow([(x, y), (x + dx * reach, y + dy * reach)], width, head, **look, title=title, opacity=faint)


class Endless(_Cells):
    """The cells of the infinite grid around the agent. The picture moves on only when the agent gets near its edge."""

    kind = "endless"
    DEPTH, GAP = 4.2, 2.0  # of the bars: what a probability of 1 takes; and beside them, for coordinates

    def __init__(
        self, domain: InfiniteGrid, scene: Scene, problem: BAMDP | None, belief: Belief | None, *, truth: bool
    ) -> None:
        self.world, self._lines_of = domain, None
        if problem is not None and shows_cells(belief):
            self._lines_of = Lines(problem, domain)
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
        if self._lines_of is not None:
            self._lines_of.observe(state, action, reward, next_state)

    def _see(self, state: int) -> None:
        x, y, content = self.world.cell(state)
        self._seen.setdefault((x, y), "reward" if content else "")

    def moment(self, state: int, action: int | None = None) -> Drawing:
        self._see(state)
        across, down = self._extent(state)
        here = self.scene.place(state)
        shapes: list[Shape] = [shape for y in down for x in across for shape in self._cell(x, y, (x, y) == here)]
        shapes.sort(key=lambda shape: (isinstance(shape, Circle), shape.role))
        inside = [place for place in map(self.scene.place, self.trail) if place[0] in across and place[1] in down]
        shapes += [*trail([*inside, here]), *self._agent(_middle(here), action, 1.0), *_coordinates(across, down)]
        left, top, side = across.start, down.start, len(across)
        bars = self._bars(across, down)
        aside = self.GAP + (self.DEPTH if bars else 0)
        words = f"Map of {side} by {side} cells; the agent is at {self.label(state)}"
        box = left - aside - 0.3, top - 0.15, side + aside + 0.45, side + 1.25 + (self.DEPTH + 0.4 if bars else 0)
        return Drawing(box, [*shapes, *bars], words)

    def legend(self) -> Legend:
        cells = [("unseen", "not seen"), ("reward", "reward"), ("taken", "taken")]
        lines = [("columns", "columns: posterior mean"), ("rows", "rows: posterior mean"), ("whisker", "9 in 10 lie here")]
        return [*cells, *(lines if self._lines_of is not None else []), ("truth", "the truth, if shown")]

    def _extent(self, state: int) -> tuple[range, range]:
        """The cells that are shown, y down; they move when the agent gets near the edge."""
        (x, y), slack = self.scene.place(state), RADIUS // 2
        centre = self._centre
        self._centre = int(min(max(centre[0], x - slack), x + slack)), int(min(max(centre[1], y - slack), y + slack))
        across, down = (range(middle - RADIUS, middle + RADIUS + 1) for middle in self._centre)
        return across, down

    def _cell(self, x: int, y: int, here: bool) -> list[Shape]:
        content = self._seen.get((x, -y))
        cell = _cell(x, y, role="unseen" if content is None else "seen")
        if content is None:
            return [cell, *([Circle(x + 0.5, y + 0.5, 0.16, role="truth")] if self.world.holds(x, -y) else [])]
        radius = 0.2 if content == "taken" else 0.46 if here else 0.26
        return [cell, *([Circle(x + 0.5, y + 0.5, radius, role=content)] if content else [])]

    def _bars(self, across: range, down: range) -> list[Shape]:
        """Below the map the posterior of the columns, to its left that of the rows; the truth itself if that is shown."""
        world = self.world
        if self._lines_of is not None:
            columns, rows = self._lines_of.around(across, [-y for y in down])
        elif self.truth:
            columns, rows = [Estimate(world.column(x)) for x in across], [Estimate(world.row(-y)) for y in down]
        else:
            return []
        base, side = (across.start - self.GAP + 0.1, down.stop + 1.1), self.DEPTH
        shapes: list[Shape] = []
        for part in (0, 0.5, 1):
            x, y = base[0] - side * part, base[1] + side * part
            shapes.append(Line([(across.start, y), (across.stop, y)], 0.04, role="scale"))
            shapes.append(Line([(x, down.start), (x, down.stop)], 0.04, role="scale"))
            shapes.append(Label(across.start - 0.15, y, f"{part:g}", 0.58, "end", role="number"))
            shapes.append(Label(x, down.stop + 0.55, f"{part:g}", 0.58, role="number"))
        named = [
            (f"column {x}", line, "columns", (x + 0.5, base[1]), (0.0, side)) for x, line in zip(across, columns, strict=True)
        ]
        named += [(f"row {-y}", line, "rows", (base[0], y + 0.5), (-side, 0.0)) for y, line in zip(down, rows, strict=True)]
        for name, line, role, origin, along in named:
            seen = line.interval is not None or self.truth
            title = f"{name}: {line.words}" + ("" if seen else ", nothing seen of it")
            shapes += _bar(line, role, title, origin, along, 1.0 if seen else 0.28)
        order = ("scale", "number", "columns", "rows", "whisker", "truth")
        return sorted(shapes, key=lambda shape: order.index(shape.role))


class Graph(Plain):
    """States joined by arrows; the last move is in the colour of the agent."""

    kind = "graph"
    RADIUS = 0.46

    @cached_property
    def places(self) -> list[Place]:
        """Of each state."""
        return [self.scene.place(s) for s in range(self.domain.num_states)]

    def ground(self) -> Drawing:
        pairs = np.ndindex(self.domain.num_states, self.domain.num_actions)
        return Drawing(self._box(), self._arrows([(s, a, self.rows.truth(s, a)) for s, a in pairs], truth=True))

    def moment(self, state: int, action: int | None = None) -> Drawing:
        rows = self.rows
        tried = [(s, a, rows.mean(s, a)) for s, a in sorted(rows.counts)] if rows.known else []
        shapes: list[Shape] = sorted(self._arrows(tried), key=lambda arrow: arrow.role)
        if self.trail and self.truth:
            shapes.append(self._curve(self.trail[-1], 0, state, 0.06, role="trail"))
        for s, (x, y) in enumerate(self.places):
            here = s == state
            shapes.append(Circle(x, y, self.RADIUS, role="agent" if here else "node"))
            shapes.append(Label(x, y, self.label(s), 0.42, role="here" if here else "name", widest=0.8))
        return Drawing(self._box(), shapes, f"Graph of {len(self.places)} states; the agent is in {self.label(state)}")

    def legend(self) -> Legend:
        return [*self._legend_of_actions("mean transitions of what was tried"), ("truth", "the truth, if shown")]

    def _lines(self, state: int) -> list[str]:
        return ["".join(f"[{self.label(s)}]" if s == state else f" {self.label(s)} " for s in range(len(self.places)))]

    def _box(self) -> Frame:
        xs, ys = zip(*self.places, strict=True)
        pad = 1.35
        left, width = min(xs) - pad, max(xs) - min(xs) + 2 * pad
        room = pad + 0.07 * width  # for the widest bows
        return left, min(ys) - room, width, max(ys) - min(ys) + 2 * room

    def _arrows(self, rows: Sequence[tuple[int, int, NDArray[np.float64] | None]], truth: bool = False) -> list[Shape]:
        """The likely transitions, as wide as they are probable."""
        shapes: list[Shape] = []
        for s, a, n, p in ((s, a, n, float(row[n])) for s, a, row in rows if row is not None for n in _likely(row)):
            name, count = f"action {self.actions[a]} in {self.label(s)} leads to {self.label(n)}", self.rows.counts[s, a]
            title, strength = f"{name} with probability {p:.3g}, tried {count} times", 0.35 + 0.65 * count / (count + 1)
            if truth:
                shapes.append(self._curve(s, a, n, 0.05, role="truth", opacity=0.3 + 0.7 * p, title=f"truly {p:.3g}"))
            else:
                shapes.append(self._curve(s, a, n, 0.03 + 0.09 * p, role=f"a{a % ACTIONS}", opacity=strength, title=title))
        return shapes

    def _curve(self, s: int, action: int, n: int, width: float, **look: object) -> Arrow:
        """From one state to another, each action on a bow of its own; to itself, a loop away from the middle."""
        start, end = complex(*self.places[s]), complex(*self.places[n])
        if s == n:
            left, top, across, down = self._box()
            out = start - complex(left + across / 2, top + down / 2)
            unit = (_unit(out) if abs(out) > 1e-9 else -1j) * rect(1, 0.7 * (action - 0.5))
            points = [start + unit * corner for corner in (0.42 - 0.2j, 1.25 - 0.62j, 1.25 + 0.62j, 0.44 + 0.2j)]
        else:
            bend = (0.16 + 0.02 * abs(end - start)) * (-1 if action % 2 else 1) * (1 + action // 2)
            via = (start + end) / 2 + 1j * (end - start) * bend
            points = [start + self.RADIUS * _unit(via - start), via, end + self.RADIUS * _unit(via - end)]
        return Arrow([(point.real, point.imag) for point in points], width, 0.1 + width, **look)  # type: ignore[arg-type]  # mixed types


class Arms(Plain):
    """The arms of a bandit: the probability of success, the number of pulls, and the last outcomes of each."""

    kind = "arms"
    LAST = 8  # outcomes that are shown of each
    BAR, NUMBER, PULLS, OUTCOMES = 3.4, 11.0, 12.8, 13.4  # where columns begin, and where numbers end

    def reset(self) -> None:
        super().reset()
        self._outcomes: dict[int, deque[bool]] = {arm: deque(maxlen=self.LAST) for arm in range(self.domain.num_actions)}
        self._pulled: Counter[tuple[int, bool]] = Counter()
        self._last: int | None = None

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        super().observe(state, action, reward, next_state)
        self._outcomes[action].append(next_state == 1)
        self._pulled[action, next_state == 1] += 1
        self._last = action

    def estimates(self, state: int) -> list[Estimate | None]:
        """The probability of success of each arm; None if neither the belief nor, where it is shown, the truth is known."""
        rows, arms = self.rows, range(self.domain.num_actions)
        if rows.known:
            intervals = rows.intervals(state)
            return [rows.estimate(state, arm, 1, intervals) for arm in arms]
        truths = [rows.truth(state, arm) if self.truth else None for arm in arms]
        return [None if truth is None else Estimate(float(truth[1])) for truth in truths]

    def pulls(self, arm: int) -> int:
        """How often an arm was chosen."""
        return self._pulled[arm, True] + self._pulled[arm, False]

    def moment(self, state: int, action: int | None = None) -> Drawing:
        chosen, shapes = self._last if action is None else action, list[Shape]()
        width = self.OUTCOMES + 0.5 * self.LAST + 0.2
        heads = ((0.7, "arm", "start"), (self.BAR, "probability of success", "start"), (self.PULLS, "pulls", "end"))
        shapes += [Label(x, 0.5, text, 0.5, anchor, role="number") for x, text, anchor in heads]
        shapes.append(Label(self.OUTCOMES, 0.5, "last outcomes", 0.5, "start", role="number"))
        for arm, estimate in enumerate(self.estimates(state)):
            y = arm + 1.5
            if arm == chosen:
                shapes.append(Circle(0.3, y, 0.2, role="agent"))
            shapes.append(Label(0.7, y, self.actions[arm], 0.56, "start", role="name", widest=self.BAR - 0.8))
            if estimate is not None:
                shapes += _gauge(self.actions[arm], estimate, "a0", y, self.BAR, self.NUMBER)
            shapes.append(Label(self.PULLS, y, str(self.pulls(arm)), 0.56, "end", role="name"))
            for k, won in enumerate(self._outcomes[arm]):
                shapes.append(Circle(self.OUTCOMES + 0.5 * k + 0.2, y, 0.17, role="reward" if won else "taken"))
        return Drawing(
            (0, 0, width, self.domain.num_actions + 1.1), shapes, f"The arms; the last pull was a {self.label(state)}"
        )

    def legend(self) -> Legend:
        belief = [("a0", "posterior mean"), ("whisker", "9 in 10 lie here")] if self.rows.known else []
        outcomes = [("reward", "success"), ("taken", "failure")]
        return [("agent", "next"), *belief, *outcomes, ("truth", "the truth, if shown")]

    def _lines(self, state: int) -> list[str]:
        return [
            f"{'>' if arm == self._last else ' '} {name}: {self._pulled[arm, True]} of {self.pulls(arm)}"
            for arm, name in enumerate(self.actions)
        ]


def view(
    domain: Domain,
    scene: Scene,
    problem: BAMDP | None = None,
    belief: Belief | None = None,
    *,
    truth: bool = False,
    most_cells: float = MOST_CELLS,
) -> Plain:
    """The best picture there is of a world; see `Plain` for the arguments. Maps of more than `most_cells` have none."""
    S = domain.num_states
    if S == UNBOUNDED:
        cells = hasattr(domain, "holds") and scene.kind == "map"
        return Endless(domain, scene, problem, belief, truth=truth) if cells else Plain(domain, scene, problem, None)  # type: ignore[arg-type]  # cells
    kind: type[Plain] = Plain
    if scene.kind == "map" and (most_cells == inf or len({scene.place(s) for s in range(min(S, 10**5))}) <= most_cells):
        kind = Map
    elif scene.kind == "graph" and S <= MOST_NODES:
        kind = Graph
    elif scene.kind == "arms" and S == 2:
        kind = Arms
    return kind(domain, scene, problem, belief, truth=truth)


def visits_map(cells: Sequence[Place], visits: Counter[Place], marks: Mapping[Place, str], path: Sequence[Place]) -> Drawing:
    """Cells, darker the more they were visited, with the last steps and where they ended."""
    xs, ys = zip(*cells, strict=True)
    box = min(xs), min(ys), max(xs) - min(xs) + 1, max(ys) - min(ys) + 1
    ground: list[Shape] = [_cell(*place, role="cell", title=f"{visits[place]} visits") for place in cells]
    agent = Circle(*_middle(path[-1]), 0.3, role="agent")
    return Drawing(box, [*ground, *heat(visits), *_marks(marks), *trail(path), agent], "Map of the visits")


def heat(visits: Counter[Place]) -> list[Shape]:
    """How often cells were visited, as a tint of them."""
    most = max([1, *visits.values()])
    return [
        _cell(*at, role="visited", title=f"visited {n} times", opacity=0.08 + 0.42 * (n / most) ** 0.5)
        for at, n in visits.items()
    ]


def trail(path: Sequence[Place]) -> list[Shape]:
    """A line through the middles of cells, cut where it jumps, as from the goal to the start."""
    pieces: list[list[Place]] = [[path[0]]]
    for (x, y), (next_x, next_y) in pairwise(path):
        if hypot(next_x - x, next_y - y) > 1.5:
            pieces.append([])
        pieces[-1].append((next_x, next_y))
    return [Line([*map(_middle, piece)], 0.06, role="trail", opacity=0.5) for piece in pieces if len(piece) > 1]


def _row(name: str, role: str, row: Row) -> Drawing:
    """Where an action leads: a bar for each of the most probable states."""
    taken = "taken once here" if row.count == 1 else f"taken {row.count} times here" if row.count else "never taken here"
    pays = [] if row.reward is None else [f"pays {row.reward:.3f} on average".replace("-", "−")]
    words = [f"{name} {taken}", *pays]
    shapes: list[Shape] = [
        Label(0.1, y + 0.5, text, 0.6, "start", role="name", widest=10.8) for y, text in enumerate(words, 0 if not pays else -1)
    ]
    for i, (state, estimate) in enumerate(row.next.items()):
        words.append(f"{state}: {estimate.words}")
        shapes.append(Label(0.1, i + 1.5, state, 0.6, "start", role="name", widest=3.9, title=state))
        shapes += _gauge(state, estimate, role, i + 1.5, 4.2, 10.9)
    if row.others:
        y = len(row.next) + 1.5
        text = f"{row.others} other states" if row.next else f"any of {row.others} states"
        words.append(f"{text}: {row.rest:.3f}")
        shapes.append(Label(0.1, y, text, 0.6, "start", role="number", widest=8))
        shapes.append(Label(10.9, y, f"{row.rest:.3f}", 0.6, "end", role="number"))
    return Drawing((0, -len(pays), 11, len(pays) + len(row.next) + bool(row.others) + 1.1), shapes, "; ".join(words))


def _gauge(name: str, estimate: Estimate, role: str, y: float, left: float, right: float) -> list[Shape]:
    """A probability as a bar on a track, and its mean as a number."""
    long, title = right - 2 - left, f"{name}: {estimate.words}"
    number = Label(right, y, f"{estimate.mean:.3f}", 0.58, "end", role="name")
    return [Cell(left, y - 0.35, long, 0.7, role="track"), *_bar(estimate, role, title, (left, y), (long, 0)), number]


def _bar(estimate: Estimate, role: str, title: str, origin: Point, along: Point, strength: float = 1.0) -> list[Shape]:
    """The mean as a bar from `origin`, the interval as a line in it, the truth across it; `along` is a probability of 1."""

    def at(p: float, aside: float) -> Point:
        return origin[0] + p * along[0] + aside * (along[0] == 0), origin[1] + p * along[1] + aside * (along[1] == 0)

    (x0, y0), (x1, y1) = at(0, -0.35), at(estimate.mean, 0.35)
    box = Cell(min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0), role=role, title=title, opacity=strength)
    shapes: list[Shape] = [box]
    if estimate.interval is not None:
        shapes.append(Line([at(end, 0) for end in estimate.interval], 0.09, role="whisker"))
    if estimate.truth is not None:
        ends = [at(estimate.truth, -0.45), at(estimate.truth, 0.45)]
        shapes.append(Line(ends, 0.12, role="truth", title=f"truly {estimate.truth:.3f}"))
    return shapes


def _told(shape: Shape) -> Shape:
    """What is true in a picture of the world itself: rewards are rewards, transitions are grey."""
    roles = {Circle: "reward", Arrow: "edge"} if shape.role == "truth" else {}
    return replace(shape, role=roles.get(type(shape), shape.role))


def _cell(x: float, y: float, *, role: str, **look: object) -> Cell:
    return Cell(x + 0.03, y + 0.03, 0.94, 0.94, role=role, **look)  # type: ignore[arg-type]  # mixed types


def _marks(marks: Mapping[Place, str]) -> list[Shape]:
    return [Label(x + 0.09, y + 0.21, text, 0.28, "start", role="mark", widest=0.8) for (x, y), text in marks.items()]


def _margin(across: range, down: range) -> Frame:
    return across.start - 0.1, down.start - 0.1, len(across) + 0.2, len(down) + 0.2


def _likely(row: NDArray[np.float64]) -> list[int]:
    return [int(n) for n in np.flatnonzero(row >= LEAST_SHOWN)]


def _unit(step: complex) -> complex:
    return step / (abs(step) or 1.0)


def _middle(place: Point) -> Point:
    return place[0] + 0.5, place[1] + 0.5


def _wall(here: Place, there: Place) -> Shape:
    """Between two neighbouring cells."""
    (x, y), (u, v) = here, there
    middle, along = ((x + u + 1) / 2, (y + v + 1) / 2), (abs(v - y) / 2, abs(u - x) / 2)
    ends = [(middle[0] + side * along[0], middle[1] + side * along[1]) for side in (-1, 1)]
    return Line(ends, 0.12, role="wall")


def _coordinates(across: range, down: range) -> list[Shape]:
    named = [(x + 0.5, down.stop + 0.55, x, "middle") for x in across if x % 4 == 0]
    named += [(across.start - 0.3, y + 0.5, -y, "end") for y in down if y % 4 == 0]
    return [Label(x, y, str(at).replace("-", "−"), 0.58, anchor, role="number") for x, y, at, anchor in named]


def _around(shown: range, here: int) -> range:
    """All of these coordinates, or those around the agent if there are too many."""
    start = min(max(shown.start, here - WIDEST // 2), max(shown.start, shown.stop - WIDEST))
    return range(start, min(shown.stop, start + WIDEST))
