"""The infinite grid of Guez, Silver, Dayan 2012: every run has its own world, drawn from the prior by the domain itself."""

from __future__ import annotations

from bamdp.domains.infinite_grid import InfiniteGrid
from bamdp.problems.problem import Problem


class PaperInfiniteGrid(Problem):
    """The infinite grid of the paper, a new one in each run.

    Args:
        columns: the two parameters of the Beta distribution of columns.
        rows: the two parameters of the Beta distribution of rows.
        discount: discount factor, in [0, 1).

    Example:
        >>> PaperInfiniteGrid().steps
        200
    """

    def __init__(
        self, *, columns: tuple[float, float] = (1.0, 2.0), rows: tuple[float, float] = (2.0, 1.0), discount: float = 0.97
    ) -> None:
        super().__init__(InfiniteGrid(columns, rows, discount=discount), draw="fixed")
