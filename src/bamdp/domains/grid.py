"""A square grid with a slippery floor: the goal is in the corner opposite the start.

    state = x · size + y,   start (0, 0),   goal (size − 1, size − 1)

| action | 0     | 1     | 2     | 3     |
|--------|-------|-------|-------|-------|
| move   | y + 1 | x + 1 | y − 1 | x − 1 |

With probability `slip` the move is turned by a quarter, equally often to each side. A move out of
the grid stays in place. Every action in the goal pays 1 and leads back to the start; nothing else
pays.

Source: the grids of Guez, Silver, Dayan, 2012, with the slip of their program.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bamdp.domains.tabular import COMPASS, Tabular
from bamdp.mdp import unchecked_mdp
from bamdp.priors.sparse_dirichlet import SparseDirichlet
from bamdp.validation import fits_memory, integer, real


class Grid(Tabular):
    """A slippery square grid of size² states with four actions.

    Args:
        size: number of cells along each side, at least 2.
        slip: probability that the move is turned by a quarter, in [0, 1].
        discount: discount factor, in [0, 1); 1 with a horizon.
        horizon: number of steps of a run that count, which agents are given; none if not given.
        episode_length: number of steps of each episode, which agents are given; goes with a
            horizon.

    Example:
        >>> domain = Grid(5)
        >>> domain.num_states, domain.cell(7), domain.state(4, 4)
        (25, (1, 2), 24)
        >>> domain.step(24, 0, np.random.default_rng(0))
        (0, 1.0)
    """

    action_names = COMPASS

    def __init__(
        self,
        size: int = 5,
        *,
        slip: float = 0.2,
        discount: float = 0.95,
        horizon: int | None = None,
        episode_length: int | None = None,
    ) -> None:
        self.size = integer("size", size, 2)
        fits_memory(f"size={size}", 24 * self.size**2)
        rewards = np.zeros((self.size**2, 4))
        rewards[-1] = 1
        successors, probabilities = slippery(_destinations(self.size), slip)
        steps = None if self.size < 10 or horizon is not None else 2000
        none = np.zeros(self.size**2, bool)
        mdp = unchecked_mdp(
            np.ascontiguousarray(probabilities), rewards, none, successors
        )  # no copies: it may be large
        super().__init__(
            mdp,
            discount,
            steps=steps,
            horizon=horizon,
            episode_length=episode_length,
            prior=SparseDirichlet(),
        )

    def state_name(self, state: int) -> str:
        return str(self.cell(state))

    def cell(self, state: int) -> tuple[int, int]:
        """The coordinates (x, y) of `state`."""
        return divmod(integer("state", state, 0, self.num_states - 1), self.size)

    def state(self, x: int, y: int) -> int:
        """The state of the cell (x, y)."""
        return integer("x", x, 0, self.size - 1) * self.size + integer("y", y, 0, self.size - 1)


def _destinations(size: int) -> NDArray[np.int64]:
    """The next state of each executed move. [size², 4]"""
    states = np.arange(size**2)
    x, y = np.divmod(states, size)
    destinations = np.empty((size**2, 4), dtype=np.int64)
    destinations[:, 0] = states + (y < size - 1)
    destinations[:, 1] = states + size * (x < size - 1)
    destinations[:, 2] = states - (y > 0)
    destinations[:, 3] = states - size * (x > 0)
    destinations[-1] = 0
    return destinations


def slippery(
    destinations: NDArray[np.int64], slip: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Successors and probabilities of four slippery moves, clockwise, [S, 4, 3]: as intended,
    turned right, turned left.

    `destinations` are the next states of each executed move, [S, 4]. The probabilities are a
    read-only view of one row.
    """
    slip = real("slip", slip, 0, 1)
    executed = (np.arange(4)[:, None] + np.array([0, 1, -1])) % 4
    successors = destinations.take(
        executed, axis=1
    )  # contiguous, which destinations[:, executed] is not
    return successors, np.broadcast_to([1 - slip, slip / 2, slip / 2], successors.shape)
