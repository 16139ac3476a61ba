"""GridNavi: walk to an unknown goal, several times in the same world.

    state = row · size + column,   start (0, 0)

| action | 0    | 1  | 2     | 3    | 4    |
|--------|------|----|-------|------|------|
| move   | stay | up | right | down | left |

Moves are known and always succeed; out of the grid they stay in place. A step that ends on the goal
pays 1, any other −0.1. The goal is in one of the cells outside the 2 × 2 corner of the start, all
equally likely. An episode has 15 steps and does not end at the goal; there are four of them with
the same goal, and no discount. All that is ever learned is which cells are not the goal, and then
where it is.

Source: Zintgraf et al., "VariBAD", 2020.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.domains.tabular import Tabular
from bamdp.mdp import MDP
from bamdp.prior import Prior
from bamdp.priors.finite import Finite
from bamdp.problem import BAMDP
from bamdp.validation import integer, positive_integer

FOUND, STEP = 1.0, -0.1  # rewards


class GridNavi(Tabular):
    """A square grid with a goal that the agent has to find, in several episodes.

    Args:
        size: number of cells along each side, at least 3.
        goal: state of the goal, outside the 2 × 2 corner of the start; the last state if not given.
        episode_length: number of steps of each episode.
        episodes: number of episodes.
        discount: discount factor, in [0, 1].

    Example:
        >>> domain = GridNavi(goal=7)
        >>> domain.step(6, 2, np.random.default_rng(0))
        (7, 1.0)
        >>> domain.horizon, len(domain.goals)
        (60, 21)
    """

    steps = 60
    action_names = ("stay", "up", "right", "down", "left")

    def __init__(
        self,
        size: int = 5,
        *,
        goal: int | None = None,
        episode_length: int = 15,
        episodes: int = 4,
        discount: float = 1.0,
    ) -> None:
        self.size = integer("size", size, 3, 100)
        last = self.size**2 - 1
        self.goal = last if goal is None else integer("goal", goal, 0, last)
        if self.goal not in self.goals:
            raise ValueError(f"goal must be outside the 2 × 2 corner of the start, got {goal}")
        length, count = (
            positive_integer("episode_length", episode_length),
            positive_integer("episodes", episodes),
        )
        self._arrivals = _arrivals(self.size)
        successors = self._arrivals[:, :, None]
        rewards = self._paid(self.goal)
        mdp = MDP(np.ones(successors.shape), rewards, successors=successors)
        super().__init__(mdp, discount, horizon=length * count, episode_length=length)
        self.steps = length * count

    @property
    def goals(self) -> list[int]:
        """The states that may be the goal."""
        return [state for state in range(self.size**2) if max(divmod(state, self.size)) > 1]

    def state_name(self, state: int) -> str:
        return str(divmod(state, self.size))

    def problem(self, prior: Prior | None = None, **changes: Any) -> BAMDP:
        """What agents are told: the moves, not the goal."""
        return super().problem(self._any_goal() if prior is None else prior, **changes)

    def _any_goal(self) -> Prior:
        """All goals are equally likely."""
        names = [f"goal {divmod(goal, self.size)}" for goal in self.goals]
        rewards = np.stack([self._paid(goal) for goal in self.goals])
        return Finite([self.transitions] * len(self.goals), rewards=rewards, names=names)

    def _paid(self, goal: int) -> NDArray[np.float64]:
        """The reward of each state and action. [S, A]"""
        return np.where(self._arrivals == goal, FOUND, STEP)


def _arrivals(size: int) -> NDArray[np.int64]:
    """The next state of each action. [S, A]"""
    row, column = np.divmod(np.arange(size**2), size)
    moves = ((0, 0), (-1, 0), (0, 1), (1, 0), (0, -1))
    cells = [
        (np.clip(row + down, 0, size - 1), np.clip(column + right, 0, size - 1))
        for down, right in moves
    ]
    return np.stack([r * size + c for r, c in cells], axis=1)
