"""The domains of Guez, Silver, Dayan 2012; the labels of the actions are permuted in each state and
run.
"""

from __future__ import annotations

from bamdp.domains.double_loop import DoubleLoop
from bamdp.domains.grid import Grid
from bamdp.domains.infinite_grid import InfiniteGrid
from bamdp.domains.maze import Maze
from bamdp.suite.benchmark import Benchmark, DomainBenchmark


class PaperDoubleLoop(DomainBenchmark, name="paper-double-loop", of=DoubleLoop, draw="permuted"):
    """The double loop of the paper; labels permuted."""


class PaperMaze(DomainBenchmark, name="paper-maze", of=Maze, draw="permuted"):
    """Dearden's maze of the paper; labels permuted."""


class PaperGrid(Benchmark, name="paper-grid"):
    """The grids of the paper, paper-grid5 and paper-grid10; labels permuted.

    Args:
        size: number of cells along each side, at least 2.
        discount: discount factor, in [0, 1).
    """

    def __init__(self, size: int = 5, *, discount: float = 0.95) -> None:
        super().__init__(Grid(size, discount=discount), draw="permuted")
        self.name = f"paper-grid{size}"


class PaperInfiniteGrid(Benchmark, name="paper-infinite-grid"):
    """The infinite grid of the paper, a new one in each run.

    Args:
        columns: the two parameters of the Beta distribution of columns.
        rows: the two parameters of the Beta distribution of rows.
        discount: discount factor, in [0, 1).
    """

    def __init__(
        self,
        *,
        columns: tuple[float, float] = (1.0, 2.0),
        rows: tuple[float, float] = (2.0, 1.0),
        discount: float = 0.97,
    ) -> None:
        super().__init__(InfiniteGrid(columns, rows, discount=discount), draw="fixed")
