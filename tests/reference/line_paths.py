"""The best paths on the infinite grid, slowly: each path is valued by itself. The twin of
core/models/grid_paths.hpp.
"""

from collections.abc import Iterator
from math import log, sqrt

Cell = tuple[int, int]
MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))  # up, right, down, left
RAY, TURN, REPLANNED, USES = 8, 3, 0.9, 10.0


class Lines:
    """Filtered beliefs of columns and rows, by the cells in the order in which they were seen."""

    def __init__(
        self,
        columns: tuple[float, float],
        rows: tuple[float, float],
        cells: dict[Cell, bool],
        bonus: float = 0.0,
    ) -> None:
        self.prior, self.bonus, self.seen = (columns, rows), bonus, set(cells)
        self.known: dict[tuple[int, int], list[float]] = {}
        for (x, y), reward in cells.items():
            column, row = (
                self.known.setdefault(key, list(self.prior[key[0]])) for key in ((0, x), (1, y))
            )
            if reward:
                column[0] += 1
                row[0] += 1
            else:
                p, q = (line[0] / sum(line) for line in (column, row))
                column[1] += q * (1 - p) / (1 - p * q)
                row[1] += p * (1 - q) / (1 - p * q)

    def mean(self, axis: int, at: int) -> float:
        a, b = self.known.get((axis, at), self.prior[axis])
        n, mean = a + b, a / (a + b)
        u = USES / (n + 2)
        return mean + self.bonus * 0.72 * sqrt(log(1 + u) * u / (u + 0.5)) * sqrt(
            mean * (1 - mean) / (n + 1)
        )

    def cell(self, x: int, y: int) -> float:
        return 0.0 if (x, y) in self.seen else self.mean(0, x) * self.mean(1, y)


def paths(first: int) -> Iterator[list[int]]:
    """The actions of each path that begins with `first`."""
    yield [first] * RAY
    for turn in ((first + 1) % 4, (first + 3) % 4):
        for length in range(1, TURN + 1):
            yield [first] * length + [turn] * RAY


def q_values(lines: Lines, x: int, y: int, discount: float) -> list[float]:
    """The value of the best path that begins with each action."""
    return [
        max(_value(lines, x, y, path, REPLANNED * discount) for path in paths(a)) for a in range(4)
    ]


def _value(lines: Lines, x: int, y: int, path: list[int], discount: float) -> float:
    total, weight = 0.0, 1.0
    for action in path:
        dx, dy = MOVES[action]
        x, y, weight = x + dx, y + dy, weight * discount
        total += weight * lines.cell(x, y)
    return total
