"""Dearden's maze of Guez, Silver, Dayan 2012, with the labels of the actions permuted in each state and run."""

from __future__ import annotations

from bamdp.domains.maze import Maze
from bamdp.problems.problem import Problem


class PaperMaze(Problem):
    """Dearden's maze of the paper; labels permuted.

    Args:
        discount: discount factor, in [0, 1).

    Example:
        >>> PaperMaze().steps
        20000
    """

    def __init__(self, *, discount: float = 0.95) -> None:
        super().__init__(Maze(discount=discount), draw="permuted")
