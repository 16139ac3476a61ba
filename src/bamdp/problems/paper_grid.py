"""The grids of Guez, Silver, Dayan 2012, Grid5 and Grid10, with the labels of the actions permuted in each state and run."""

from __future__ import annotations

from bamdp.domains.grid import Grid
from bamdp.problems.problem import Problem


class PaperGrid(Problem):
    """The grids of the paper, paper-grid5 and paper-grid10; labels permuted.

    Args:
        size: number of cells along each side, at least 2.
        discount: discount factor, in [0, 1).

    Example:
        >>> PaperGrid(10).steps
        2000
    """

    def __init__(self, size: int = 5, *, discount: float = 0.95) -> None:
        super().__init__(Grid(size, discount=discount), draw="permuted")

    @property
    def name(self) -> str:
        """What it is called in a table."""
        return f"{super().name}{round(self.domain.num_states**0.5)}"
