"""The infinite grid as data for the page."""

from collections import deque
from typing import Any

from bamdp.domain import Scene
from bamdp.domains import InfiniteGrid
from bamdp.prior import Belief
from bamdp.priors.grid_rewards import GridBelief
from bamdp.viewer.beliefs import Lines
from bamdp.viewer.plain import Plain

RADIUS = 8  # cells to each side of the middle of the picture
TRAIL = 40  # steps back that are drawn


class Endless(Plain):
    """The cells of the infinite grid around the agent. The picture moves on only when the agent gets near its edge."""

    kind = "endless"
    UNSEEN, UNSEEN_REWARD, EMPTY, REWARD, TAKEN = range(5)

    def __init__(self, domain: InfiniteGrid, scene: Scene, belief: Belief | None) -> None:
        super().__init__(domain, scene, belief)
        self._world = domain
        self._lines = Lines(belief, domain) if isinstance(belief, GridBelief) else None
        self._centre = (0, 0)
        self._seen: dict[tuple[int, int], int] = {}
        self._trail: deque[tuple[int, int]] = deque(maxlen=TRAIL)

    def layout(self) -> dict[str, Any]:
        return {"kind": self.kind, "size": 2 * RADIUS + 1, "posterior": self._lines is not None}

    def observe(self, state: int, action: int, next_state: int) -> None:
        (x, y, content), (next_x, next_y, next_content) = self._world.cell(state), self._world.cell(next_state)
        self._trail.append((x, y))
        self._seen[x, y] = self.TAKEN if content or self._seen.get((x, y)) == self.TAKEN else self.EMPTY
        if self._seen.get((next_x, next_y)) != self.TAKEN:
            self._seen[next_x, next_y] = self.REWARD if next_content else self.EMPTY
        if self._lines is not None:
            self._lines.observe(state, action, next_state)

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
