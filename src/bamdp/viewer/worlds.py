"""Pictures of worlds as data for the page: what stays (`layout`) and the present moment (`frame`).

| view    | of                                | shows                                                     |
|---------|-----------------------------------|-----------------------------------------------------------|
| Endless | the infinite grid                 | cells around the agent, its posterior of columns and rows |
| Map     | worlds pictured as maps           | cells, visits, the mean move of each action               |
| Graph   | other small worlds                | states, the mean transitions as arrows                    |
| Arms    | bandits                           | the posterior of each arm                                 |
| Plain   | all others                        | nothing but the transitions from where the agent is       |
"""

from collections import Counter, deque
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.agent import Agent
from bamdp.domain import UNBOUNDED, Domain, Place, Scene, on_a_circle
from bamdp.domains import InfiniteGrid
from bamdp.rendering.film import shows_cells
from bamdp.runs.loop import Step
from bamdp.viewer.beliefs import Lines, Rows

RADIUS = 8  # cells of the infinite grid to each side of the middle of the picture
TRAIL = 40  # steps back that are drawn
MOST_CELLS = 2500  # of a map that is drawn
MOST_NODES = 40  # of a graph that is drawn
LEAST_SHOWN = 0.12  # probability of an arrow: less is mostly what the prior gives to every state


class Plain:
    """No picture: where the agent is and, in a finite world, where it believes its actions lead."""

    kind = "plain"

    def __init__(self, domain: Domain, scene: Scene, agent: Agent) -> None:
        self.domain, self.scene, self.problem = domain, scene, agent.problem
        self.rows = Rows(agent.belief, domain, self.label) if domain.num_states < UNBOUNDED else None

    def label(self, state: int) -> str:
        """The name of a state: the problem's or, if it has none, that of the picture."""
        return self.scene.label(state) if self.problem.states is None else self.problem.state_name(state)

    @property
    def actions(self) -> list[str]:
        """The names of the actions: the problem's or, if it has none, those of the picture."""
        named = self.problem.actions or self.scene.actions
        return list(named or map(self.problem.action_name, range(self.domain.num_actions)))

    def layout(self) -> dict[str, Any]:
        return {"kind": self.kind}

    def observe(self, step: Step) -> None:
        if self.rows is not None:
            self.rows.observe(step.state, step.action)

    def frame(self, state: int) -> dict[str, Any]:
        transitions = [] if self.rows is None else self.rows.from_state(state)
        return {"label": self.label(state), "transitions": transitions}


class Map(Plain):
    """Cells side by side. Several states may share a cell: an arrow is that of the state seen last."""

    kind = "map"

    def __init__(self, domain: Domain, scene: Scene, agent: Agent) -> None:
        super().__init__(domain, scene, agent)
        self._visits: Counter[Place] = Counter()
        self._trail: deque[Place] = deque(maxlen=TRAIL)
        self._last: dict[tuple[Place, int], int] = {}

    def layout(self) -> dict[str, Any]:
        states = {self.scene.place(s): s for s in reversed(range(self.domain.num_states))}  # the first in each cell
        marks = [[*place, mark] for place, mark in self.scene.marks.items()]
        walls = [[*here, *there] for here, there in self.scene.walls]
        truth = self._true_moves(states)
        return {"kind": self.kind, "cells": sorted(states), "marks": marks, "walls": walls, "truth": truth}

    def observe(self, step: Step) -> None:
        super().observe(step)
        here = self.scene.place(step.state)
        self._visits[here] += 1
        self._trail.append(here)
        self._last[here, step.action] = step.state

    def frame(self, state: int) -> dict[str, Any]:
        here = self.scene.place(state)
        return {
            **super().frame(state),
            "place": here,
            "trail": [*self._trail, here],
            "visits": [[*place, n] for place, n in self._visits.items()],
            "moves": self._moves(),
        }

    def _moves(self) -> list[list[float]]:
        """[x, y, action, dx, dy, count]: where each action tried leads on average."""
        rows = self.rows
        if rows is None or not rows.known:
            return []
        tried = self._last.items()
        return [[*at, a, *self._move(s, rows.mean(s, a)), rows.counts[s, a]] for (at, a), s in tried]

    def _true_moves(self, states: dict[Place, int]) -> list[list[float]]:
        """[x, y, action, dx, dy]: where each action truly leads on average, if the world is a table."""
        assert self.rows is not None
        moves = []
        for (place, s), a in product(states.items(), range(self.domain.num_actions)):
            row = self.rows.truth(s, a)
            if row is not None:
                moves.append([*place, a, *self._move(s, row)])
        return moves

    def _move(self, state: int, row: NDArray[np.float64]) -> tuple[float, float]:
        likely = np.flatnonzero(row >= LEAST_SHOWN / 4)
        (x, y), places = self.scene.place(state), np.array([self.scene.place(int(s)) for s in likely]).reshape(-1, 2)
        dx, dy = row[likely] @ (places - (x, y))
        return round(float(dx), 3), round(float(dy), 3)


class Graph(Plain):
    """States joined by arrows."""

    kind = "graph"

    def layout(self) -> dict[str, Any]:
        states = range(self.domain.num_states)
        nodes = [[*self.scene.place(s), self.label(s)] for s in states]
        return {"kind": self.kind, "nodes": nodes, "truth": self._arrows_of(truth=True)}

    def frame(self, state: int) -> dict[str, Any]:
        return {**super().frame(state), "node": int(state), "arrows": self._arrows_of(truth=False)}

    def _arrows_of(self, *, truth: bool) -> list[list[float]]:
        """[state, action, next state, probability, count]: all true ones, or the believed ones of actions that were tried."""
        assert self.rows is not None
        if truth:
            pairs: list[tuple[int, ...]] = list(np.ndindex(self.domain.num_states, self.domain.num_actions))
        else:
            pairs = sorted(self.rows.counts) if self.rows.known else []
        arrows: list[list[float]] = []
        for s, a in pairs:
            row = self.rows.truth(s, a) if truth else self.rows.mean(s, a)
            if row is not None:
                likely = np.flatnonzero(row >= LEAST_SHOWN).tolist()
                arrows += [[s, a, n, round(float(row[n]), 4), self.rows.counts[s, a]] for n in likely]
        return arrows


class Arms(Plain):
    """The arms of a bandit: the probability of success of each."""

    kind = "arms"

    def frame(self, state: int) -> dict[str, Any]:
        assert self.rows is not None
        intervals = self.rows.intervals(state)
        arms = [self._arm(state, arm, intervals) for arm in range(self.domain.num_actions)]
        return {"label": self.label(state), "transitions": [], "arms": arms}

    def _arm(self, state: int, arm: int, intervals: Any) -> dict[str, Any]:
        assert self.rows is not None
        truth = self.rows.truth(state, arm)
        return {
            "mean": float(self.rows.mean(state, arm)[1]) if self.rows.known else None,
            "low": None if intervals is None else float(intervals[0, arm, 1]),
            "high": None if intervals is None else float(intervals[1, arm, 1]),
            "truth": None if truth is None else float(truth[1]),
            "count": self.rows.counts[0, arm] + self.rows.counts[1, arm],
        }


class Endless(Plain):
    """The cells of the infinite grid around the agent. The picture moves on only when the agent gets near its edge."""

    kind = "endless"
    UNSEEN, UNSEEN_REWARD, EMPTY, REWARD, TAKEN = range(5)

    def __init__(self, domain: InfiniteGrid, scene: Scene, agent: Agent) -> None:
        super().__init__(domain, scene, agent)
        self._world = domain
        self._lines = Lines(agent.problem, domain) if shows_cells(agent.belief) else None
        self._centre = (0, 0)
        self._seen: dict[tuple[int, int], int] = {}
        self._trail: deque[tuple[int, int]] = deque(maxlen=TRAIL)

    def layout(self) -> dict[str, Any]:
        return {"kind": self.kind, "size": 2 * RADIUS + 1, "posterior": self._lines is not None}

    def observe(self, step: Step) -> None:
        (x, y, content), (next_x, next_y, next_content) = self._world.cell(step.state), self._world.cell(step.next_state)
        self._trail.append((x, y))
        self._seen[x, y] = self.TAKEN if content or self._seen.get((x, y)) == self.TAKEN else self.EMPTY
        if self._seen.get((next_x, next_y)) != self.TAKEN:
            self._seen[next_x, next_y] = self.REWARD if next_content else self.EMPTY
        if self._lines is not None:
            self._lines.observe(step)

    def frame(self, state: int) -> dict[str, Any]:
        x, y, content = self._world.cell(state)
        self._seen.setdefault((x, y), self.REWARD if content else self.EMPTY)
        slack = RADIUS // 2
        centre_x, centre_y = self._centre
        self._centre = min(max(centre_x, x - slack), x + slack), min(max(centre_y, y - slack), y + slack)
        columns = range(self._centre[0] - RADIUS, self._centre[0] + RADIUS + 1)
        rows = range(self._centre[1] + RADIUS, self._centre[1] - RADIUS - 1, -1)  # the highest first
        return {
            "label": self.label(state),
            "place": [x, y],
            "trail": [*self._trail, (x, y)],
            "cells": ["".join(str(self._cell(x, y)) for x in columns) for y in rows],
            "columns": list(columns),
            "rows": list(rows),
            "posterior": None if self._lines is None else self._lines.around(columns, rows),
        }

    def _cell(self, x: int, y: int) -> int:
        unseen = self.UNSEEN_REWARD if self._world.holds(x, y) else self.UNSEEN
        return self._seen.get((x, y), unseen)


def view(domain: Domain, agent: Agent, scene: Scene | None) -> Plain:
    """The best picture there is of a world, as the run acts in it."""
    if isinstance(domain, InfiniteGrid) and scene is not None:
        return Endless(domain, scene, agent)
    S = domain.num_states
    scene = on_a_circle(S) if scene is None else scene
    kind = Plain
    if scene.kind == "map" and S < UNBOUNDED and len({scene.place(s) for s in range(min(S, 10**5))}) <= MOST_CELLS:
        kind = Map
    elif scene.kind == "graph" and S <= MOST_NODES:
        kind = Graph
    elif scene.kind == "arms" and S == 2:
        kind = Arms
    return kind(domain, scene, agent)
