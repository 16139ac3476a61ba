"""What there is to see of a run: drawings of the world, the agent and its belief, made from the
scene of the domain.

| view    | of                       | shows |
|---------|--------------------------|---|
| Endless | the infinite grid        | cells around the agent, the parameters of columns and rows |
| Map | worlds pictured as maps | cells, visits, the trail, the most probable move of each action |
| Graph   | other small worlds       | states, the mean transitions as arrows |
| Arms    | bandits                  | the posterior and the last outcomes of each arm |
| Plain   | all others               | nothing but the transitions from where the agent is |

`ground` is what stays, `moment` what changes, `expected` the belief about the transitions from
here; `whole` is one picture of all with a title, for images and films; `text` is the same in
characters. What is true has a role that begins with "truth", which a page hides until it is asked
for.
"""

from __future__ import annotations

from cmath import rect
from collections.abc import Sequence
from functools import cached_property, singledispatch
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bamdp.domain import Domain
from bamdp.domains.infinite_grid import InfiniteGrid
from bamdp.pictures.base import Box, Legend, Plain, gauge
from bamdp.pictures.beliefs import Estimate
from bamdp.pictures.maps import Endless, Map
from bamdp.pictures.shapes import ACTIONS, Arrow, Circle, Drawing, Label, Shape
from bamdp.validation import UNBOUNDED

if TYPE_CHECKING:
    from bamdp.pictures.scenes import Place, Scene
    from bamdp.prior import Belief
    from bamdp.problem import BAMDP

MOST_CELLS = 2500  # of a map that fits a page
MOST_NODES = 40  # of a graph that is drawn
LEAST_SHOWN = 0.12  # probability of an arrow: less is mostly what the prior gives to every state


class Graph(Plain):
    """States joined by arrows; the last move is in the colour of the agent."""

    kind = "graph"
    RADIUS = 0.46

    @cached_property
    def places(self) -> list[Place]:
        """The place of each state."""
        return [self.scene.place(s) for s in range(self.domain.num_states)]

    def ground(self) -> Drawing:
        pairs = np.ndindex(self.domain.num_states, self.domain.num_actions)
        return Drawing(
            self._box(), self._arrows([(s, a, self.rows.truth(s, a)) for s, a in pairs], truth=True)
        )

    def moment(self, state: int, action: int | None = None) -> Drawing:
        rows = self.rows
        tried = [(s, a, rows.mean(s, a)) for s, a in sorted(rows.counts)] if rows.known else []
        shapes: list[Shape] = sorted(self._arrows(tried), key=lambda arrow: arrow.role)
        if self.trail and self.truth:
            shapes.append(self._curve(self.trail[-1], 0, state, 0.06, role="trail"))
        for s, (x, y) in enumerate(self.places):
            here = s == state
            shapes.append(Circle(x, y, self.RADIUS, role="agent" if here else "node"))
            shapes.append(
                Label(
                    x,
                    y,
                    self.label(s),
                    0.42,
                    role="here" if here else "name",
                    widest=0.84,
                    title=self.label(s),
                )
            )
        return Drawing(
            self._box(),
            shapes,
            f"Graph of {len(self.places)} states; the agent is in {self.label(state)}",
        )

    def legend(self) -> Legend:
        return [
            *self._legend_of_actions("mean transitions of what was tried"),
            ("truth-0", "dashed: the truth"),
        ]

    def _lines(self, state: int) -> list[str]:
        return [
            "".join(
                f"[{self.label(s)}]" if s == state else f" {self.label(s)} "
                for s in range(len(self.places))
            )
        ]

    def _box(self) -> Box:
        xs, ys = zip(*self.places, strict=True)
        pad = 1.35
        left, width = min(xs) - pad, max(xs) - min(xs) + 2 * pad
        room = pad + 0.07 * width  # for the widest bows
        return left, min(ys) - room, width, max(ys) - min(ys) + 2 * room

    def _arrows(
        self, rows: Sequence[tuple[int, int, NDArray[np.float64] | None]], truth: bool = False
    ) -> list[Shape]:
        """The likely transitions: believed ones as wide as they are probable, true ones dashed."""
        shapes: list[Shape] = []
        for s, a, row in rows:
            for n in [] if row is None else np.flatnonzero(row >= LEAST_SHOWN).tolist():
                p, count = float(row[n]), self.rows.counts[s, a]  # type: ignore[index]  # not None
                title = (
                    f"action {self.actions[a]} in {self.label(s)} leads to {self.label(n)} with "
                    f"probability {p:.3g}"
                )
                if truth:
                    shapes.append(
                        self._curve(
                            s, a, n, 0.05, role=f"truth-{a % ACTIONS}", title=f"truly: {title}"
                        )
                    )
                else:
                    strength, title = (
                        0.35 + 0.65 * count / (count + 1),
                        f"{title}, tried {count} times",
                    )
                    shapes.append(
                        self._curve(
                            s,
                            a,
                            n,
                            0.03 + 0.09 * p,
                            role=f"a{a % ACTIONS}",
                            opacity=strength,
                            title=title,
                        )
                    )
        return shapes

    def _curve(
        self, s: int, action: int, n: int, width: float, *, role: str, **look: object
    ) -> Arrow:
        """From one state to another, each action and direction on a bow of its own; to itself, a
        loop away from the middle.
        """
        start, end = complex(*self.places[s]), complex(*self.places[n])
        true = role.startswith("truth")  # beside what is believed
        if s == n:
            left, top, across, down = self._box()
            out = start - complex(left + across / 2, top + down / 2)
            unit = (_unit(out) if abs(out) > 1e-9 else -1j) * rect(1, 0.7 * (action - 0.5))
            far = 1.5 if true else 1.25
            points = [
                start + unit * corner
                for corner in (0.42 - 0.2j, far - 0.62j, far + 0.62j, 0.44 + 0.2j)
            ]
        else:
            bow = (
                abs(end - start) * (0.16 + 0.02 * abs(end - start))
                + 0.45 * (action - action % 2 + (s > n))
                + 0.2 * true
            )
            via = (start + end) / 2 + 1j * _unit(end - start) * bow * (-1 if action % 2 else 1)
            points = [
                start + self.RADIUS * _unit(via - start),
                via,
                end + self.RADIUS * _unit(via - end),
            ]
        return Arrow(
            [(point.real, point.imag) for point in points],
            width,
            0.1 + width,
            role=role,
            **look,  # type: ignore[arg-type]  # mixed types
        )


def _unit(step: complex) -> complex:
    return step / (abs(step) or 1.0)


class Arms(Plain):
    """The arms of a bandit: the probability of success, the number of pulls, and the last outcomes
    of each.
    """

    kind = "arms"
    LAST = 8  # outcomes that are shown of each
    BAR, NUMBER, PULLS, OUTCOMES = (
        3.4,
        11.0,
        12.8,
        13.4,
    )  # where columns begin, and where numbers end

    def reset(self) -> None:
        super().reset()
        self.outcomes: list[list[bool]] = [
            [] for _ in range(self.domain.num_actions)
        ]  # of each arm, whether it succeeded
        self._last: int | None = None

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        super().observe(state, action, reward, next_state)
        self.outcomes[action].append(next_state == 1)
        self._last = action

    def estimates(self, state: int) -> list[Estimate | None]:
        """The probability of success of each arm; None if neither the belief nor, where it is
        shown, the truth is known.
        """
        rows, arms = self.rows, range(self.domain.num_actions)
        if rows.known:
            intervals = rows.intervals(state)
            return [rows.estimate(state, arm, 1, intervals) for arm in arms]
        truths = [rows.truth(state, arm) if self.truth else None for arm in arms]
        return [None if truth is None else Estimate(float(truth[1])) for truth in truths]

    def moment(self, state: int, action: int | None = None) -> Drawing:
        chosen, shapes = self._last if action is None else action, list[Shape]()
        width = self.OUTCOMES + 0.5 * self.LAST + 0.2
        heads = (
            (0.7, "arm", "start"),
            (self.BAR, "probability of success", "start"),
            (self.PULLS, "pulls", "end"),
        )
        shapes += [Label(x, 0.5, text, 0.5, anchor, role="number") for x, text, anchor in heads]
        shapes.append(Label(self.OUTCOMES, 0.5, "last outcomes", 0.5, "start", role="number"))
        for arm, estimate in enumerate(self.estimates(state)):
            y = arm + 1.5
            if arm == chosen:
                shapes.append(Circle(0.3, y, 0.2, role="agent"))
            shapes.append(
                Label(0.7, y, self.actions[arm], 0.56, "start", role="name", widest=self.BAR - 0.8)
            )
            if estimate is not None:
                shapes += gauge(self.actions[arm], estimate, "a0", y, self.BAR, self.NUMBER)
            shapes.append(
                Label(self.PULLS, y, str(len(self.outcomes[arm])), 0.56, "end", role="name")
            )
            for k, won in enumerate(self.outcomes[arm][-self.LAST :]):
                shapes.append(
                    Circle(
                        self.OUTCOMES + 0.5 * k + 0.2, y, 0.17, role="reward" if won else "taken"
                    )
                )
        return Drawing(
            (0, 0, width, self.domain.num_actions + 1.1),
            shapes,
            f"The arms; the last pull was a {self.label(state)}",
        )

    def legend(self) -> Legend:
        belief = (
            [("a0", "posterior mean"), ("whisker", "9 in 10 lie here")] if self.rows.known else []
        )
        outcomes = [("reward", "success"), ("taken", "failure")]
        return [("agent", "next"), *belief, *outcomes, ("truth", "the truth")]

    def _lines(self, state: int) -> list[str]:
        return [
            f"{'>' if arm == self._last else ' '} {name}: {sum(self.outcomes[arm])} of "
            f"{len(self.outcomes[arm])}"
            for arm, name in enumerate(self.actions)
        ]


@singledispatch
def view(
    domain: Domain,
    scene: Scene,
    problem: BAMDP | None = None,
    belief: Belief | None = None,
    *,
    truth: bool = False,
    most_cells: float = MOST_CELLS,
) -> Plain:
    """The best picture there is of a world; see `Plain` for the arguments. Maps of more than
    `most_cells` have none.
    """
    S = domain.num_states
    if S == UNBOUNDED:
        return Plain(domain, scene, problem, None)
    kind: type[Plain] = Plain
    if scene.kind == "map" and (
        most_cells == inf or len({scene.place(s) for s in range(min(S, 10**5))}) <= most_cells
    ):
        kind = Map
    elif scene.kind == "graph" and 1 < S <= MOST_NODES:
        kind = Graph
    elif scene.kind == "arms" and S == 2:
        kind = Arms
    return kind(domain, scene, problem, belief, truth=truth)


@view.register(InfiniteGrid)  # annotations here are for type checkers alone
def _(
    domain: InfiniteGrid,
    scene: Scene,
    problem: BAMDP | None = None,
    belief: Belief | None = None,
    *,
    truth: bool = False,
    most_cells: float = MOST_CELLS,
) -> Plain:
    return Endless(domain, scene, problem, belief, truth=truth)
