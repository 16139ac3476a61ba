"""The infinite grid's chain, slowly: by the letter of the supplement, all cells that share a line, no shortcuts; and by Gibbs
sampling, with the coins of both lines of a cell.

Each step is a method.
"""

import random
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.priors import GridRewards
from reference.grid import Cells

Pair = tuple[float, float]


class SlowChain:
    """p of columns and q of rows that cross `cells`; `run` gives draws of both, in the order of their coordinates."""

    def __init__(self, prior: GridRewards, cells: Cells, rng: random.Random | None = None) -> None:
        self.prior, self.cells, self.rng = prior, dict(cells), rng or random.Random(0)
        self.p: dict[int, float] = {}
        self.q: dict[int, float] = {}
        for (x, y), content in cells.items():
            self.start(x, y, content)

    def start(self, x: int, y: int, content: int) -> None:
        """A new line starts from its conditional given the line it crosses and the cell where it does, by rejection."""
        old_p, old_q = self.p.get(x), self.q.get(y)
        while old_p is None or old_q is None:
            p = self.rng.betavariate(*self.prior.columns) if old_p is None else old_p
            q = self.rng.betavariate(*self.prior.rows) if old_q is None else old_q
            # With a reward in the cell the weight of a known line is a constant: leave it out, or a poor line takes for ever.
            chance = (p if old_p is None else 1) * (q if old_q is None else 1) if content else 1 - p * q
            if self.rng.random() < chance:
                self.p[x], self.q[y] = p, q
                return

    def run(self, draws: int, thin: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        columns, rows = [], []
        for _ in range(draws):
            for _ in range(thin):
                self.update()
            columns.append([self.p[x] for x in sorted(self.p)])
            rows.append([self.q[y] for y in sorted(self.q)])
        return np.array(columns), np.array(rows)

    def update(self) -> None:
        i, j = self.rng.choice(list(self.cells))
        column, row = self.evidence(0, i), self.evidence(1, j)
        new = (self.draw(self.prior.columns, column), self.draw(self.prior.rows, row))
        old = (self.p[i], self.q[j])
        ratio = self.likelihood(i, j, new) - self.likelihood(i, j, old)
        ratio += self.correction(old, column, row) - self.correction(new, column, row)
        if self.accepts(ratio):
            self.p[i], self.q[j] = new

    def evidence(self, axis: int, at: int) -> Pair:
        """m and n of a line, capped."""
        line = [content for cell, content in self.cells.items() if cell[axis] == at]
        failure = (self.prior.rows, self.prior.columns)[axis]
        rate = failure[1] / sum(failure)
        factor = 1 - rate / 2 if self.prior.proposal == "paper" else (1 - rate) / 2
        return self.capped(sum(line), factor * (len(line) - sum(line)))

    def capped(self, m: float, n: float) -> Pair:
        scale = 1.0 if self.prior.cap == "none" or m + n <= self.prior.cap else self.prior.cap / (m + n)
        return scale * m, scale * n

    def draw(self, beta: Pair, evidence: Pair) -> float:
        return self.rng.betavariate(beta[0] + evidence[0], beta[1] + evidence[1])

    def likelihood(self, i: int, j: int, values: Pair) -> float:
        """Of all cells that share the column or the row, the common one once."""
        total = 0.0
        for (x, y), content in self.cells.items():
            if x == i or y == j:
                chance = (values[0] if x == i else self.p[x]) * (values[1] if y == j else self.q[y])
                total += log(chance if content else 1 - chance)
        return total

    def correction(self, values: Pair, column: Pair, row: Pair) -> float:
        """What the proposal favours beside the prior, which cancels: p^m (1 − p)^n q^m (1 − q)^n."""
        terms: list[Any] = [(values[0], column), (values[1], row)]
        return float(sum(m * log(value) + n * log(1 - value) for value, (m, n) in terms))

    def accepts(self, log_ratio: float) -> bool:
        return log(self.rng.random()) < log_ratio


class SlowGibbs(SlowChain):
    """A cell holds a reward if its column's coin and its row's coin are both 1; given the coins, a line is Beta-distributed."""

    def update(self) -> None:
        i, j = self.rng.choice(list(self.cells))
        self.p[i] = self.redraw(0, i)
        self.q[j] = self.redraw(1, j)

    def redraw(self, axis: int, at: int) -> float:
        cells = [(x, y) for x, y in self.cells if (x, y)[axis] == at]
        coins = [self.coins(self.p[x], self.q[y], self.cells[x, y])[axis] for x, y in cells]
        a, b = (self.prior.columns, self.prior.rows)[axis]
        return self.rng.betavariate(a + sum(coins), b + len(coins) - sum(coins))

    def coins(self, p: float, q: float, content: int) -> tuple[int, int]:
        """Both coins of a cell, given its content."""
        if content:
            return 1, 1
        outcomes = {(0, 0): (1 - p) * (1 - q), (1, 0): p * (1 - q), (0, 1): (1 - p) * q}
        return self.rng.choices(list(outcomes), list(outcomes.values()))[0]
