"""The infinite grid's chain against numerical integration and a slow chain."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import bamdp
from bamdp.agents import BAMCP
from bamdp.domain import UNBOUNDED
from bamdp.domains import InfiniteGrid
from bamdp.priors import GridRewards
from reference.comparison import Z_BOUND
from reference.grid import Cells, exact, exact_rows, observe
from reference.problems import belief_of

GIBBS, PAPER = GridRewards(), GridRewards(proposal="paper")
TIGHT = GridRewards(proposal="paper", cap=1)  # so that the cap is at work with few cells
SETTINGS = [
    GIBBS,
    PAPER,
    GridRewards(proposal="authors"),
    GridRewards(proposal="paper", cap="none"),
    TIGHT,
    GridRewards(cap=0.5, proposal="authors"),
]

TWO = {(0, 0): 0, (0, 1): 1}
SQUARE = {(0, 0): 1, (0, 1): 0, (1, 1): 0, (1, 0): 0}
EMPTY = {(0, 0): 0, (1, 0): 0, (1, 1): 0, (0, 1): 0}
CORNER = {(0, 0): 0, (1, 0): 1, (1, 1): 1}


def check(
    prior: GridRewards, cells: Cells, columns: NDArray[np.float64], rows: NDArray[np.float64]
) -> None:
    """First and second moments of the draws [n, lines], lines by coordinate, are those of the
    posterior.

    Errors by the means of 100 batches; at 5.73 of them a false alarm has a probability of 10^-7
    (Student's t, 99 degrees).
    """
    means, squares, _ = exact(prior, cells)
    for draws, truth in ((columns, slice(0, 2)), (rows, slice(2, 4))):
        for moment, expected in ((draws, means[truth]), (draws**2, squares[truth])):
            batches = moment.reshape(100, -1, moment.shape[1]).mean(axis=1)
            error = batches.std(axis=0, ddof=1) / math.sqrt(len(batches))
            off = np.abs(moment.mean(axis=0) - expected[: moment.shape[1]])
            assert np.all(off < Z_BOUND * error + 1e-12), (moment.mean(axis=0), expected, error)


def check_core(prior: GridRewards, cells: Cells) -> None:
    belief = belief_of(prior, UNBOUNDED, 4)
    observe(belief, cells)
    draws = belief.sample_parameters(20_000, np.random.default_rng(1), thin=10, burn_in=1000)
    by_column, by_row = draws.column_coordinates.argsort(), draws.row_coordinates.argsort()
    check(prior, cells, draws.columns[:, by_column], draws.rows[:, by_row])


@pytest.mark.slow
@pytest.mark.parametrize("prior", SETTINGS, ids=repr)
@pytest.mark.parametrize("cells", [TWO, SQUARE, EMPTY, CORNER], ids=str)
def test_chain_agrees_with_integration(prior: GridRewards, cells: Cells) -> None:
    check_core(prior, cells)


OTHERS = [
    GridRewards((0.5, 0.5), (1, 3)),
    GridRewards((4, 1), (0.5, 0.5)),
    GridRewards((0.5, 0.5), (1, 3), proposal="paper"),
    GridRewards((4, 1), (0.5, 0.5), proposal="paper", cap="none"),
]


@pytest.mark.parametrize("prior", OTHERS, ids=repr)
def test_chain_agrees_with_integration_under_other_priors(prior: GridRewards) -> None:
    check_core(prior, SQUARE)


def test_diagnostics_are_reported() -> None:
    pytest.importorskip("arviz_stats")
    world = InfiniteGrid(seed=0)
    agent = BAMCP(world.problem(), simulations=20)
    belief: Any = agent.belief
    assert math.isnan(belief.acceptance_rate)
    bamdp.run(agent, world, steps=20)
    assert belief.acceptance_rate == 1
    draws = belief.sample_parameters(1000, np.random.default_rng(0))
    columns, rows = draws.effective_sample_size()
    assert columns.shape == draws.column_coordinates.shape
    assert rows.shape == draws.row_coordinates.shape
    assert 10 < columns.min() < 2000


# Mixing, on data where the Metropolis–Hastings chains of the paper stay near 1 for good.
CHAINS, DRAWS, THIN = 40, 1000, 40
WORTH = 100  # independent draws at least, each chain


def empty_row(cells: int) -> Cells:
    return {(x, 0): 0 for x in range(cells)}


def empty_square(size: int) -> Cells:
    """Row by row, there and back."""
    return {(x if y % 2 == 0 else size - 1 - x, y): 0 for y in range(size) for x in range(size)}


HALVES, DEFAULT, SWAPPED = (
    GridRewards((0.5, 0.5), (0.5, 0.5)),
    GridRewards(),
    GridRewards((2, 1), (1, 2)),
)
DATA = {
    "6 empty cells in a row": (HALVES, empty_row(6)),
    "12 empty cells in a row": (HALVES, empty_row(12)),
    "20 empty cells in a row": (HALVES, empty_row(20)),
    "12 empty cells in a row, default prior": (DEFAULT, empty_row(12)),
    "12 empty cells in a row, default prior swapped": (SWAPPED, empty_row(12)),
    "an empty square": (HALVES, empty_square(5)),
}


def check_mixing(prior: GridRewards, cells: Cells) -> None:
    """Every chain is worth `WORTH` draws by its effective sample size, and by how near its means
    are to integration.

    Six standard errors of so many draws: a false alarm in 40 chains of 5 rows has a probability
    below 10^-6, and the chains are worth several times more.
    """
    belief, rng = belief_of(prior, UNBOUNDED, 4), np.random.default_rng(5)
    observe(belief, cells)
    means, squares = exact_rows(prior, cells)
    bound = 6 * np.sqrt((squares - means**2) / WORTH)
    for _ in range(CHAINS):
        draws = belief.sample_parameters(DRAWS, rng, thin=THIN, burn_in=100)
        found = draws.rows[:, draws.row_coordinates.argsort()].mean(axis=0)
        assert np.all(np.abs(found - means) < bound), (found, means)
        assert min(map(np.min, draws.effective_sample_size())) > WORTH
        assert draws.acceptance_rate > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("data", DATA.values(), ids=DATA)
def test_every_chain_mixes(data: tuple[GridRewards, Cells]) -> None:
    pytest.importorskip("arviz_stats")
    check_mixing(*data)
