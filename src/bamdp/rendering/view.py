"""Rendering of an environment, with the agent's position, as an image or as text.

| domain                 | image                                                      | text                               |
|------------------------|------------------------------------------------------------|------------------------------------|
| map                    | cells, the path taken, a dot for the agent                 | a character per cell, @ the agent  |
| infinite grid          | the cells around the agent, its columns and rows           | the same                           |
| bandit                 | the last outcomes of each arm, its probability as a circle | successes and pulls of each arm    |
| others, if small       | states and transitions, the last one in red                | the states, the current one in [ ] |
"""

from collections import Counter, deque

import numpy as np
from numpy.typing import NDArray

from bamdp.domain import Domain, Scene, on_a_circle
from bamdp.domains import InfiniteGrid
from bamdp.rendering.canvas import EMPTY, REWARD, UNSEEN, WALL, CellMap, draw
from bamdp.rendering.cells import TRAIL, arms_cells, infinite_cells, map_cells
from bamdp.rendering.graph import MOST_NODES, draw_graph

SYMBOLS = {UNSEEN: "?", EMPTY: ".", REWARD: "o", WALL: "#"}
SCALE = 2  # of images, relative to `bamdp.rendering.film`


class View:
    """The part of an episode that is rendered."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.scene: Scene = domain.scene() or on_a_circle(min(domain.num_states, MOST_NODES))
        self.reset(0)

    def reset(self, state: int) -> None:
        """Start an episode."""
        self.steps, self.total = 0, 0.0  # of this episode
        self.states: deque[int] = deque([state], maxlen=TRAIL + 1)
        self.left: set[int] = set()  # states left so far
        self.outcomes: list[tuple[int, bool]] = []  # of arms

    def step(self, action: int, reward: float, next_state: int) -> None:
        self.steps, self.total = self.steps + 1, self.total + reward
        self.left.add(self.states[-1])
        if self.scene.kind == "arms":
            self.outcomes.append((action, next_state == 1))
        self.states.append(next_state)

    def text(self) -> str:
        return "\n".join([self._title(), *self._lines()])

    def picture(self) -> NDArray[np.uint8]:
        """The view as an image of constant size. [height, width, 3]"""
        if self.scene.kind == "graph":
            return np.asarray(draw_graph(self.domain, self.scene, list(self.states), self._title()))
        return np.asarray(draw(self._cells(), SCALE))

    def _title(self) -> str:
        where = self.scene.label(self.states[-1]) if self.steps or self.scene.kind != "arms" else "no arm yet"
        return f"step {self.steps}, reward {self.total:g}, {where}"

    def _cells(self) -> CellMap:
        if isinstance(self.domain, InfiniteGrid):
            return infinite_cells(self.domain, self.states, self.left, self._title())
        if self.scene.kind == "arms":
            return arms_cells(self.domain, self.outcomes, self._title())
        return map_cells(self.domain.num_states, self.scene, self.states, self._title())

    def _lines(self) -> list[str]:
        if self.scene.kind == "graph":
            states = range(self.domain.num_states if self.domain.num_states <= MOST_NODES else 0)
            named = [f"[{self.scene.label(s)}]" if s == self.states[-1] else f" {self.scene.label(s)} " for s in states]
            return ["".join(named)] if named else []
        if self.scene.kind == "arms":
            pulls, successes = Counter(arm for arm, _ in self.outcomes), Counter(arm for arm, won in self.outcomes if won)
            last = self.outcomes[-1][0] if self.outcomes else None
            return [
                f"{'>' if arm == last else ' '} {name}: {successes[arm]} of {pulls[arm]}"
                for arm, name in enumerate(self.scene.actions)
            ]
        shown = self._cells()
        symbols = [[SYMBOLS[int(content)] for content in row] for row in shown.cells]
        for (x, y), mark in shown.marks.items():
            symbols[y][x] = mark
        x, y = shown.path[-1]
        symbols[y][x] = "@"
        return [" ".join(row) for row in reversed(symbols)]
