"""The infinite grid's chain against numerical integration, its model against closed forms."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import bamdp
from bamdp import _core
from bamdp.agents import BAMCP
from bamdp.cells import state_of
from bamdp.domain import UNBOUNDED
from bamdp.domains import InfiniteGrid
from bamdp.priors import GridRewards

SETTINGS = [GridRewards(), GridRewards(proposal="authors"), GridRewards(cap="none"), GridRewards(cap=2, proposal="authors")]

# Cells (x, y) and their contents: walks whose steps see each cell once.
ONE = {(0, 0): 1}
TWO = {(0, 0): 0, (0, 1): 1}
SQUARE = {(0, 0): 1, (0, 1): 0, (1, 1): 0, (1, 0): 0}
EMPTY = {(0, 0): 0, (1, 0): 0, (1, 1): 0, (0, 1): 0}
CORNER = {(0, 0): 0, (1, 0): 1, (1, 1): 1}


def observe(belief: Any, cells: dict[tuple[int, int], int]) -> None:
    """Walk through `cells` in their order."""
    path = list(cells.items())
    for ((x, y), content), ((nx, ny), there) in zip(path, path[1:], strict=False):
        action = {(0, 1): 0, (1, 0): 1, (0, -1): 2, (-1, 0): 3}[nx - x, ny - y]
        belief.observe(state_of(x, y, bool(content)), action, state_of(nx, ny, bool(there)))


def exact(prior: GridRewards, cells: dict[tuple[int, int], int], points: int = 12) -> tuple[NDArray[np.float64], ...]:
    """Posterior means and second moments of p of columns 0, 1 and q of rows 0, 1 by Gauss–Jacobi quadrature; the mean of p_0 q_0.

    Lines without cells keep their prior, so that two columns and two rows do for all cases.
    """
    from scipy.special import roots_sh_jacobi

    def rule(a: float, b: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        nodes, weights = roots_sh_jacobi(points, a + b - 1, a)  # weight x^(a − 1) (1 − x)^(b − 1)
        return nodes, weights / weights.sum()

    (p, wp), (q, wq) = rule(*prior.columns), rule(*prior.rows)
    axes = [p, p, q, q]
    grid = np.meshgrid(*axes, indexing="ij", sparse=True)
    weight: Any = math.prod(np.meshgrid(wp, wp, wq, wq, indexing="ij", sparse=True))
    for (x, y), content in cells.items():
        chance = grid[x] * grid[2 + y]
        weight = weight * (chance if content else 1 - chance)
    weight = weight / weight.sum()
    means = np.array([(weight * g).sum() for g in grid])
    squares = np.array([(weight * g**2).sum() for g in grid])
    return means, squares, np.array((weight * grid[0] * grid[2]).sum())


def check_chain(prior: GridRewards, cells: dict[tuple[int, int], int], belief: Any = None) -> None:
    """Means and second moments within 5 standard errors of the chain: a false alarm in about 10^-5 of all cases."""
    belief = belief or prior.belief(UNBOUNDED, 4)
    observe(belief, cells)
    draws = belief.sample_parameters(20_000, np.random.default_rng(1), thin=10, burn_in=1000)
    means, squares, _ = exact(prior, cells)
    for coordinates, values, offset in ((draws.column_coordinates, draws.columns, 0), (draws.row_coordinates, draws.rows, 2)):
        for at, chain in zip(coordinates, values.T, strict=True):
            for moment, truth in ((chain, means[offset + at]), (chain**2, squares[offset + at])):
                batches = moment.reshape(100, -1).mean(axis=1)
                error = batches.std(ddof=1) / math.sqrt(len(batches))
                assert abs(moment.mean() - truth) < 5 * error + 1e-12, (at, offset, moment.mean(), truth, error)


@pytest.mark.parametrize("prior", SETTINGS, ids=repr)
@pytest.mark.parametrize("cells", [TWO, SQUARE, EMPTY, CORNER], ids=str)
def test_chain_agrees_with_integration(prior: GridRewards, cells: dict[tuple[int, int], int]) -> None:
    check_chain(prior, cells)


@pytest.mark.parametrize("prior", [GridRewards((0.5, 0.5), (1, 3)), GridRewards((4, 1), (0.5, 0.5), cap="none")], ids=repr)
def test_chain_agrees_with_integration_under_other_priors(prior: GridRewards) -> None:
    check_chain(prior, SQUARE)


def test_a_wrong_factor_in_the_acceptance_ratio_is_seen() -> None:
    """Planted: the chain's rows have another prior than they should."""
    wrong = GridRewards(rows=(2.2, 1.0)).belief(UNBOUNDED, 4)
    with pytest.raises(AssertionError):
        check_chain(GridRewards(), SQUARE, wrong)
