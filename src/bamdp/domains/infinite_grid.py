"""The infinite 2D grid: rewards along good columns and good rows, unbounded in all directions.

    column i: p_i ~ Beta(columns),   row j: q_j ~ Beta(rows),
    P(cell (i, j) holds a reward of 1) = p_i q_j

| action | 0     | 1     | 2     | 3     |
|--------|-------|-------|-------|-------|
| move   | y + 1 | x + 1 | y − 1 | x − 1 |

A run starts in (0, 0) and every move succeeds. The reward of a cell is seen on arrival, paid on
leaving, and then consumed. A state is the cell and its current content
(`bamdp.priors._grid_cells`).

Parameters and cells come from a counter-based generator (Philox), with the seed as key and the
coordinates as counter: the same seed gives the same world in any order of visits.

Source: Guez, Silver, Dayan, 2012, section 4.2 and supplement; when rewards are paid, from their
program.
"""

from __future__ import annotations

import copy
from typing import Any, Self

import numpy as np

from bamdp import validation
from bamdp.domain import UNBOUNDED, Domain
from bamdp.domains.tabular import COMPASS
from bamdp.prior import Prior
from bamdp.priors._grid_cells import REACH, cell_of, next_cell, state_of
from bamdp.priors.grid_rewards import GridRewards
from bamdp.problem import BAMDP
from bamdp.validation import beta_parameters, integer

_COLUMN, _ROW, _CELL = range(3)


class InfiniteGrid(Domain):
    """An infinite grid of rewards that are consumed; columns and rows differ in their density of
    rewards.

    Args:
        columns: the two parameters of the Beta distribution of columns.
        rows: the two parameters of the Beta distribution of rows.
        seed: seed of the world; a new world for each run if not given.
        discount: discount factor, in [0, 1); 1 with a horizon.
        horizon: number of steps of a run that count, which agents are given; none if not given.

    Example:
        >>> world = InfiniteGrid(seed=1)
        >>> state = world.reset(np.random.default_rng(0))
        >>> next_state, reward = world.step(state, 1, np.random.default_rng(0))
        >>> world.cell(next_state)[:2], bool(reward) == world.holds(0, 0)
        ((1, 0), True)
    """

    steps = 200
    action_names = COMPASS

    def __init__(
        self,
        columns: tuple[float, float] = (1.0, 2.0),
        rows: tuple[float, float] = (2.0, 1.0),
        *,
        seed: int | None = None,
        discount: float = 0.97,
        horizon: int | None = None,
    ) -> None:
        self.columns, self.rows = beta_parameters("columns", columns), beta_parameters("rows", rows)
        self.seed = None if seed is None else validation.seed(seed)
        self.horizon = validation.horizon(horizon)
        self.discount = validation.discount(discount, ends=self.horizon is not None)
        self.steps = InfiniteGrid.steps if self.horizon is None else self.horizon
        self.num_states, self.num_actions = UNBOUNDED, 4
        self.rewards = np.empty((0, 4))
        self._draw_world(0 if self.seed is None else self.seed)

    def __copy__(self) -> Self:
        """An independent copy: rewards are consumed in each separately."""
        return copy.deepcopy(self)

    def reset(self, rng: np.random.Generator) -> int:
        """The start, (0, 0), with nothing consumed; of a new world if there is no seed."""
        rng = validation.generator(rng)
        self._draw_world(int(rng.integers(2**63)) if self.seed is None else self.seed)
        return state_of(0, 0, self.holds(0, 0))

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        """Leave the cell of `state` and collect its reward."""
        x, y, content = cell_of(state)
        there = next_cell(x, y, integer("action", action, 0, 3))
        next_state = state_of(*there, self.holds(*there) and there not in self._consumed)
        self._consumed.add((x, y))
        return next_state, float(content)

    def column(self, x: int) -> float:
        """The parameter p of column `x`."""
        return float(
            self._stream(_COLUMN, integer("x", x, -REACH - 1, REACH + 1), 0).beta(*self.columns)
        )

    def row(self, y: int) -> float:
        """The parameter q of row `y`."""
        return float(self._stream(_ROW, integer("y", y, -REACH - 1, REACH + 1), 0).beta(*self.rows))

    def holds(self, x: int, y: int) -> bool:
        """Whether cell (x, y) initially holds a reward."""
        density = self.column(x) * self.row(y)
        return bool(self._stream(_CELL, x, y).random() < density)

    def state(self, x: int, y: int, content: bool) -> int:
        """The state of cell (x, y), with or without a reward in it."""
        return state_of(x, y, content)

    def cell(self, state: int) -> tuple[int, int, bool]:
        """The cell (x, y) of `state` and whether it holds a reward."""
        return cell_of(state)

    def problem(self, prior: Prior | None = None, **changes: Any) -> BAMDP:
        """What agents are told; the default prior is what the world is drawn from."""
        prior = GridRewards(self.columns, self.rows) if prior is None else prior
        return super().problem(prior, **{"actions": self.action_names, **changes})

    def __repr__(self) -> str:
        seed = "" if self.seed is None else f", seed={self.seed}"
        return f"InfiniteGrid(columns={self.columns}, rows={self.rows}{seed})"

    def _draw_world(self, seed: int) -> None:
        self._key = np.random.SeedSequence(seed).generate_state(2, np.uint64)
        self._consumed: set[tuple[int, int]] = set()

    def _stream(self, kind: int, x: int, y: int) -> np.random.Generator:
        counter = np.array([0, kind, int(x) % 2**64, int(y) % 2**64], dtype=np.uint64)
        return np.random.Generator(np.random.Philox(key=self._key, counter=counter))
