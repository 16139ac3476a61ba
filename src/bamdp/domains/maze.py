"""Dearden's maze: collect up to three flags on the way from the start to the goal.

      x = 0 1 2 3 4 5 6
    y=0   s # F . # . G        s start, F flag, G goal, # wall
    y=1   . # . . # . .
    y=2   . . . . . . .
    y=3   # # . . . # #
    y=4   . . . . . . F
    y=5   F . . . . . #

    state = 8 · (number of free cells before it, column by column) + flags

Flag bits: 1 for the flag at (0, 5), 2 for (2, 0), 4 for (6, 4).

| action | 0     | 1     | 2     | 3     |
|--------|-------|-------|-------|-------|
| move   | y − 1 | x + 1 | y + 1 | x − 1 |

With probability `slip` the move is turned by a quarter, equally often to each side. A move into a
wall or out of the map stays in place. A flag is taken on entering its cell. Every action in the
goal pays the number of flags and leads to the start without flags; entering the goal pays nothing.

Source: Dearden, Friedman, Russell, "Bayesian Q-learning", 1998, with the details of the program of
Guez et al., 2012.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bamdp.domains.grid import slippery
from bamdp.domains.tabular import COMPASS, Tabular
from bamdp.mdp import MDP
from bamdp.priors.sparse_dirichlet import SparseDirichlet
from bamdp.validation import integer

MAP = """\
s#F.#.G
.#..#..
.......
##...##
......F
F.....#"""


class Maze(Tabular):
    """Dearden's maze: 33 cells and 3 flags, 264 states (12 of them unreachable), four actions.

    Args:
        slip: probability that the move is turned by a quarter, in [0, 1].
        discount: discount factor, in [0, 1); 1 with a horizon.
        horizon: number of steps of a run that count, which agents are given; none if not given.
        episode_length: number of steps of each episode, which agents are given; goes with a
            horizon.

    Example:
        >>> domain = Maze()
        >>> domain.num_states, domain.cell(239), domain.state(6, 0, flags=7)
        (264, (6, 0, 7), 239)
        >>> domain.step(239, 0, np.random.default_rng(0))
        (0, 3.0)
    """

    steps = 20_000
    action_names = COMPASS

    def __init__(
        self,
        *,
        slip: float = 0.1,
        discount: float = 0.95,
        horizon: int | None = None,
        episode_length: int | None = None,
    ) -> None:
        symbols = np.array([list(row) for row in MAP.splitlines()]).T  # [x, y]
        self._cells = [(int(x), int(y)) for x, y in np.argwhere(symbols != "#")]
        self._index = {cell: index for index, cell in enumerate(self._cells)}
        kinds = symbols[symbols != "#"]
        flag_bits = np.zeros(len(kinds), dtype=np.int64)
        flag_bits[kinds == "F"] = [1, 2, 4]
        flags = np.arange(8)
        to_cell = self._destinations()
        destinations = 8 * to_cell[:, None, :] + (flags[:, None] | flag_bits[to_cell][:, None, :])
        destinations[kinds == "G"] = 0
        rewards = np.zeros(destinations.shape)
        rewards[kinds == "G"] = np.bitwise_count(flags)[:, None]
        successors, probabilities = slippery(destinations.reshape(-1, 4), slip)
        mdp = MDP(probabilities, rewards.reshape(-1, 4), successors=successors)
        super().__init__(
            mdp,
            discount,
            horizon=horizon,
            episode_length=episode_length,
            prior=SparseDirichlet(),
        )

    def _destinations(self) -> NDArray[np.int64]:
        """The next cell of each executed move. [cells, 4]"""
        moves = [(0, -1), (1, 0), (0, 1), (-1, 0)]
        rows = [
            [self._index.get((x + dx, y + dy), cell) for dx, dy in moves]
            for (x, y), cell in self._index.items()
        ]
        return np.array(rows, dtype=np.int64)

    def cell(self, state: int) -> tuple[int, int, int]:
        """Coordinates and flags, (x, y, flags), of `state`."""
        cell, flags = divmod(integer("state", state, 0, self.num_states - 1), 8)
        return (*self._cells[cell], flags)

    def state(self, x: int, y: int, flags: int = 0) -> int:
        """The state of the free cell (x, y) with `flags`, a sum of 1, 2 and 4."""
        place = (integer("x", x, 0, 6), integer("y", y, 0, 5))
        if place not in self._index:
            raise ValueError(f"x and y must be a free cell of the maze, got the wall at {place}")
        return 8 * self._index[place] + integer("flags", flags, 0, 7)

    def state_name(self, state: int) -> str:
        x, y, flags = self.cell(state)
        held = " and ".join(str(bit) for bit in (1, 2, 4) if flags & bit)
        return f"({x}, {y})" + f" with {held}" * bool(held)
