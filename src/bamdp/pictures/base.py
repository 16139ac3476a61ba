"""What every view has, and how a belief about transitions is drawn: `Plain`, the view of worlds
without a picture.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from bamdp.pictures.beliefs import Estimate, Row, Rows, weights
from bamdp.pictures.shapes import ACTIONS, Arrow, Cell, Circle, Drawing, Label, Line, Shape
from bamdp.spaces import state_name
from bamdp.validation import UNBOUNDED

if TYPE_CHECKING:
    from bamdp.domain import Domain
    from bamdp.pictures.scenes import Scene
    from bamdp.prior import Belief
    from bamdp.problem import BAMDP

TRAIL = 40  # steps back that are drawn
MOST_WORLDS = 8  # of a finite set whose weights are drawn
SYMBOLS = {"up": "↑", "right": "→", "down": "↓", "left": "←"}

Legend = list[tuple[str, str]]  # roles and what they stand for
Box = tuple[float, float, float, float]  # left, top, width, height


def action_label(name: str) -> str:
    """An action's name for people, with an arrow if it is a direction.

    Example:
        >>> action_label("up"), action_label("0"), action_label("stay")
        ('↑ up', 'action 0', 'stay')
    """
    return (
        f"{SYMBOLS[name]} {name}"
        if name in SYMBOLS
        else f"action {name}"
        if name.isdecimal()
        else name
    )


class Plain:
    """No picture: where the agent is and, in a finite world, where it believes its actions lead.

    Args:
        domain: the world.
        scene: how it is drawn.
        problem: what the agent was given, for names of states and actions; those of the scene if
            not given.
        belief: the agent's; none is drawn if not given.
        truth: whether the picture is of the world itself, as those of environments.
    """

    kind = "plain"

    def __init__(
        self,
        domain: Domain,
        scene: Scene,
        problem: BAMDP | None = None,
        belief: Belief | None = None,
        *,
        truth: bool = False,
    ) -> None:
        self.domain, self.scene, self.problem, self.truth = domain, scene, problem, truth
        self.rows = Rows(belief, domain, self.label)
        named = (problem and problem.actions) or scene.actions
        self.actions = list(named or map(str, range(domain.num_actions)))
        self.reset()

    def reset(self) -> None:
        """Nothing has happened yet."""
        self.trail: deque[int] = deque(maxlen=TRAIL)  # states
        self.steps, self.total = 0, 0.0
        self.rows.counts.clear()

    def enter(self, domain: Domain) -> None:
        """Go on in another world of the same states and actions."""
        self.domain = self.rows.domain = domain

    def label(self, state: int) -> str:
        """The name of a state: the problem's or, if it has none, that of the picture."""
        named = self.problem is not None and self.problem.states is not None
        return (
            state_name(self.problem, state) if named and self.problem else self.scene.label(state)
        )

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        """A step of the run."""
        self.rows.counts[state, action] += 1
        self.trail.append(state)
        self.steps, self.total = self.steps + 1, self.total + float(reward)

    def ground(self) -> Drawing | None:
        """What stays the same throughout the run."""
        return None

    def moment(self, state: int, action: int | None = None) -> Drawing | None:
        """The present moment, on the ground: the agent in `state`, about to take `action` if that
        is known.
        """
        return None

    def expected(self, state: int) -> list[Drawing]:
        """The belief that `moment` doesn't show: where each action leads from `state`, and what it
        pays.
        """
        rows = (
            []
            if self.domain.num_states == UNBOUNDED or self.kind == "arms"
            else self.rows.from_state(state)
        )
        return [
            _row_drawing(action_label(self.actions[action]), f"a{action % ACTIONS}", row)
            for action, row in enumerate(rows)
        ]

    def worlds(self) -> Drawing | None:
        """The weights of the most probable worlds of a finite set; None for other beliefs."""
        probabilities = weights(self.rows.belief, MOST_WORLDS)
        return bars("the most probable worlds", probabilities) if probabilities else None

    def legend(self) -> Legend:
        """What the roles stand for."""
        return []

    def whole(self, state: int, action: int | None = None, caption: str = "") -> Drawing:
        """All in one picture, with a title and perhaps a caption above it."""
        now = self.moment(state, action)
        parts = [part for part in (self.ground(), now) if part is not None]
        left, top, width, height = now.box if now is not None else (0, 0, 10, 0)
        shapes = [
            _as_known(shape)
            for part in parts
            for shape in part.shapes
            if self.truth or not shape.role.startswith("truth")
        ]
        lines = [caption, self.title(state)] if caption else [self.title(state)]
        size = min(1.0, max(0.6, width / 14))
        above = top - size * len(lines) - 0.1
        cover = Cell(left, above, width, top - above, role="paper")
        titles = [
            Label(
                left + width / 2,
                above + size * (i + 0.5),
                line,
                0.7 * size,
                role="name",
                widest=width - 0.4,
            )
            for i, line in enumerate(lines)
        ]
        return Drawing(
            (left, above, width, top + height - above), [*shapes, cover, *titles], lines[-1]
        )

    def title(self, state: int) -> str:
        """The number of steps, the reward, and where the agent is."""
        where = self.label(state) if self.steps or self.kind != "arms" else "no arm yet"
        return f"step {self.steps}, reward {self.total:g}, {where}"

    def text(self, state: int) -> str:
        """The picture in characters."""
        return "\n".join([self.title(state), *self._lines(state)])

    def _lines(self, state: int) -> list[str]:
        return []

    def _legend_of_actions(self, text: str) -> Legend:
        if not self.rows.known or len(self.actions) > ACTIONS:
            return []
        names = [action_label(name) for name in self.actions]
        return [(f"a{k}", name if k else f"{name}: {text}") for k, name in enumerate(names)]


def _as_known(shape: Shape) -> Shape:
    """What is true in a picture of the world itself: rewards are rewards, transitions are grey."""
    roles = {Circle: "reward", Arrow: "edge"} if shape.role.startswith("truth") else {}
    return replace(shape, role=roles.get(type(shape), shape.role))


def bars(title: str, values: Mapping[str, float]) -> Drawing:
    """Probabilities by name, a bar for each."""
    words = [title, *(f"{name}: {value:.3f}" for name, value in values.items())]
    shapes: list[Shape] = [Label(0.1, 0.5, title, 0.6, "start", role="name", widest=10.8)]
    for y, (name, value) in enumerate(values.items(), 1):
        shapes.append(Label(0.1, y + 0.5, name, 0.6, "start", role="name", widest=3.9, title=name))
        shapes += gauge(name, Estimate(value), "a0", y + 0.5, 4.2, 10.9)
    return Drawing((0, 0, 11, len(values) + 1.1), shapes, "; ".join(words))


def _row_drawing(name: str, role: str, row: Row) -> Drawing:
    """Where an action leads: a bar for each of the most probable states."""
    taken = (
        "taken once here"
        if row.count == 1
        else f"taken {row.count} times here"
        if row.count
        else "never taken here"
    )
    pays = [] if row.reward is None else [f"pays {row.reward:.3f} on average".replace("-", "−")]
    words = [f"{name} {taken}", *pays]
    shapes: list[Shape] = [
        Label(0.1, y + 0.5, text, 0.6, "start", role="name", widest=10.8)
        for y, text in enumerate(words, 0 if not pays else -1)
    ]
    for i, (state, estimate) in enumerate(row.next.items()):
        words.append(f"{state}: {estimate.words}")
        shapes.append(
            Label(0.1, i + 1.5, state, 0.6, "start", role="name", widest=3.9, title=state)
        )
        shapes += gauge(state, estimate, role, i + 1.5, 4.2, 10.9)
    if row.others:
        y = len(row.next) + 1.5
        text = f"{row.others} other states" if row.next else f"any of {row.others} states"
        words.append(f"{text}: {row.rest:.3f}")
        shapes.append(Label(0.1, y, text, 0.6, "start", role="number", widest=8))
        shapes.append(Label(10.9, y, f"{row.rest:.3f}", 0.6, "end", role="number"))
    return Drawing(
        (0, -len(pays), 11, len(pays) + len(row.next) + bool(row.others) + 1.1),
        shapes,
        "; ".join(words),
    )


def gauge(
    name: str, estimate: Estimate, role: str, y: float, left: float, right: float
) -> list[Shape]:
    """A probability: its mean as a bar on a track and as a number, its interval as a line, the
    truth across the bar.
    """
    long, title = right - 2 - left, f"{name}: {estimate.words}"
    shapes: list[Shape] = [
        Cell(left, y - 0.35, long, 0.7, role="track"),
        Cell(left, y - 0.35, long * estimate.mean, 0.7, role=role, title=title),
        Label(right, y, f"{estimate.mean:.3f}", 0.58, "end", role="name"),
    ]
    if estimate.interval is not None:
        shapes.append(
            Line([(left + long * end, y) for end in estimate.interval], 0.09, role="whisker")
        )
    if estimate.truth is not None:
        at = left + long * estimate.truth
        shapes.append(
            Line(
                [(at, y - 0.45), (at, y + 0.45)],
                0.12,
                role="truth",
                title=f"truly {estimate.truth:.3f}",
            )
        )
    return shapes
