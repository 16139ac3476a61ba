"""What people see of an environment: where the agent is in its world, as a picture or as a text.

| world                  | picture                                                    | text                              |
|------------------------|------------------------------------------------------------|-----------------------------------|
| a map                  | cells, the way taken, a dot for the agent                  | one character a cell, @ the agent |
| the infinite grid      | the cells around the agent, its columns and rows           | the same                          |
| a bandit               | the last outcomes of each arm, its probability a circle    | successes and pulls of each arm   |
| others, if small       | states and transitions, the last one in red                | the states, the agent's in [ ]    |
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.domain import Domain, Scene, on_a_circle
from bamdp.domains import InfiniteGrid
from bamdp.rendering.canvas import EMPTY, REWARD, UNSEEN, WALL, draw
from bamdp.rendering.cells import TRAIL, arms_scene, endless_scene, map_scene
from bamdp.rendering.graph import MOST_NODES, draw_graph

SYMBOLS = {UNSEEN: "?", EMPTY: ".", REWARD: "o", WALL: "#"}
SCALE = 2  # pictures are so many times larger than those of `bamdp.rendering.film`


class View:
    """The course of an episode as far as people are shown it.

    Args:
        world: the domain, as the run acts in it.

    Attributes:
        steps: of this episode.
    """

    def __init__(self, world: Domain) -> None:
        self.world = world
        self.scene: Scene = world.scene() or on_a_circle(min(world.num_states, MOST_NODES))
        self.reset(0)

    def reset(self, state: int) -> None:
        """A new episode begins."""
        self.steps, self.total = 0, 0.0
        self.states: deque[int] = deque([state], maxlen=TRAIL + 1)
        self.left: set[int] = set()  # states that were left
        self.outcomes: list[tuple[int, bool]] = []  # of arms

    def step(self, action: int, reward: float, next_state: int) -> None:
        """A step was taken."""
        self.steps, self.total = self.steps + 1, self.total + reward
        if isinstance(self.world, InfiniteGrid):
            self.left.add(self.states[-1])
        elif self.scene.kind == "arms":
            self.outcomes.append((action, next_state == 1))
        self.states.append(next_state)

    def text(self) -> str:
        """The view as lines of text."""
        return "\n".join([self._title(), *self._lines()])

    def picture(self) -> NDArray[np.uint8]:
        """The view as pixels, of the same size throughout. [height, width, 3]"""
        if self.scene.kind == "graph":
            return np.asarray(draw_graph(self.world, self.scene, list(self.states), self._title()))
        return np.asarray(draw(self._cells(), SCALE))

    def _title(self) -> str:
        where = self.scene.label(self.states[-1]) if self.steps or self.scene.kind != "arms" else "no arm yet"
        return f"step {self.steps}, reward {self.total:g}, {where}"

    def _cells(self) -> Any:
        if isinstance(self.world, InfiniteGrid):
            return endless_scene(self.world, self.states, self.left, self._title())
        if self.scene.kind == "arms":
            return arms_scene(self.world, self.outcomes, self._title())
        return map_scene(self.world.num_states, self.scene, self.states, self._title())

    def _lines(self) -> list[str]:
        if self.scene.kind == "graph":
            states = range(self.world.num_states if self.world.num_states <= MOST_NODES else 0)
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
