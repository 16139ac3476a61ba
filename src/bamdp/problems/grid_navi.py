"""GridNavi of VariBAD: 25 cells, an unknown goal, four episodes of 15 steps; see `bamdp.domains.GridNavi`."""

from __future__ import annotations

from bamdp import domains
from bamdp.problems.problem import Problem


class GridNaviTask(Problem):
    """GridNavi: find a goal that is not told, and go back to it in three more episodes.

    Args:
        episodes: number of episodes of 15 steps in the same world.
        discount: discount factor, in [0, 1].

    Example:
        >>> GridNaviTask().steps
        60
    """

    def __init__(self, *, episodes: int = 4, discount: float = 1.0) -> None:
        super().__init__(domains.GridNavi(episodes=episodes, discount=discount))
