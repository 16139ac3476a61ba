"""The infinite grid's posterior by numerical integration, and walks to learn from."""

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import roots_sh_jacobi

from bamdp import Agent, Belief
from bamdp.domains import InfiniteGrid
from bamdp.priors import GridRewards

MOVES = ((0, 1), (1, 0), (0, -1), (-1, 0))  # action 0: y + 1, 1: x + 1, 2: y − 1, 3: x − 1
state_of = InfiniteGrid(seed=0).state
Cells = Mapping[tuple[int, int], int]  # cells (x, y) and their contents; a walk sees each once


def observe(learner: Belief | Agent, cells: Cells) -> None:
    """Walk through `cells` in their order."""
    for ((x, y), content), ((nx, ny), there) in pairwise(cells.items()):
        moved = MOVES.index((nx - x, ny - y))
        learner.observe(
            state_of(x, y, bool(content)), moved, float(content), state_of(nx, ny, bool(there))
        )


def exact(
    prior: GridRewards, cells: Cells, points: int = 12
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Posterior moments of p of columns 0, 1 and q of rows 0, 1 by Gauss–Jacobi quadrature: E[p],
    E[p²], E[p_x q_y] as [x, y].

    Lines without cells keep their prior, so that two columns and two rows do for all cases.
    """
    (p, wp), (q, wq) = _rule(prior.columns, points), _rule(prior.rows, points)
    grid = np.meshgrid(p, p, q, q, indexing="ij", sparse=True)
    weight: Any = math.prod(np.meshgrid(wp, wp, wq, wq, indexing="ij", sparse=True))
    for (x, y), content in cells.items():
        chance = grid[x] * grid[2 + y]
        weight = weight * (chance if content else 1 - chance)
    weight = weight / weight.sum()
    means = np.array([(weight * g).sum() for g in grid])
    squares = np.array([(weight * g**2).sum() for g in grid])
    products = [[(weight * grid[x] * grid[2 + y]).sum() for y in range(2)] for x in range(2)]
    return means, squares, np.array(products)


def exact_rows(prior: GridRewards, cells: Cells) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """E[q] and E[q²] of all rows, by coordinate, where any number of columns but few rows were
    seen.

    Columns are integrated out one by one. All integrands are polynomials, for which so many nodes
    are exact.
    """
    columns, rows = sorted({x for x, _ in cells}), sorted({y for _, y in cells})
    (p, wp), (q, wq) = (_rule(beta, len(cells) // 2 + 2) for beta in (prior.columns, prior.rows))
    grid = np.meshgrid(*[q] * len(rows), indexing="ij", sparse=True)
    weight: Any = math.prod(np.meshgrid(*[wq] * len(rows), indexing="ij", sparse=True))
    for x in columns:
        seen = {rows.index(j): content for (i, j), content in cells.items() if i == x}
        chances = [
            [v * grid[y] if content else 1 - v * grid[y] for y, content in seen.items()] for v in p
        ]
        weight = weight * sum(
            w * math.prod(factors) for w, factors in zip(wp, chances, strict=True)
        )
    weight = weight / weight.sum()
    return np.array([(weight * g).sum() for g in grid]), np.array(
        [(weight * g**2).sum() for g in grid]
    )


def _rule(
    beta: tuple[float, float], points: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes and weights for expectations under a Beta distribution."""
    a, b = beta
    nodes, weights = roots_sh_jacobi(points, a + b - 1, a)  # weight x^(a − 1) (1 − x)^(b − 1)
    return nodes, weights / weights.sum()


def predictive(prior: GridRewards, cells: Cells, to: tuple[int, int]) -> float:
    """P(`to` holds a reward | cells), by integration; a line without cells has the mean of its
    prior.
    """
    means, _, products = exact(prior, cells)
    known_column, known_row = to[0] in {x for x, _ in cells}, to[1] in {y for _, y in cells}
    if known_column and known_row:
        return float(products[to])
    p = means[to[0]] if known_column else prior.columns[0] / sum(prior.columns)
    q = means[2 + to[1]] if known_row else prior.rows[0] / sum(prior.rows)
    return float(p * q)
