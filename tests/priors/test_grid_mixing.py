"""The infinite grid's chain mixes on data where the Metropolis–Hastings chains of the paper stay near 1 for good."""

import numpy as np
import pytest

from bamdp.domain import UNBOUNDED
from bamdp.priors import GridRewards
from reference.grid import Cells, exact, exact_rows, observe
from reference.problems import belief_of

pytestmark = pytest.mark.slow

pytest.importorskip("arviz_stats")

CHAINS, DRAWS, THIN = 40, 1000, 40
WORTH = 100  # independent draws at least, each chain


def empty_row(cells: int) -> Cells:
    return {(x, 0): 0 for x in range(cells)}


def empty_square(size: int) -> Cells:
    """Row by row, there and back."""
    return {(x if y % 2 == 0 else size - 1 - x, y): 0 for y in range(size) for x in range(size)}


HALVES, DEFAULT, SWAPPED = GridRewards((0.5, 0.5), (0.5, 0.5)), GridRewards(), GridRewards((2, 1), (1, 2))
DATA = {
    "6 empty cells in a row": (HALVES, empty_row(6)),
    "12 empty cells in a row": (HALVES, empty_row(12)),
    "20 empty cells in a row": (HALVES, empty_row(20)),
    "12 empty cells in a row, default prior": (DEFAULT, empty_row(12)),
    "12 empty cells in a row, default prior swapped": (SWAPPED, empty_row(12)),
    "an empty square": (HALVES, empty_square(5)),
}


def check_mixing(prior: GridRewards, cells: Cells) -> None:
    """Every chain is worth `WORTH` draws by its effective sample size, and by how near its means are to integration.

    Six standard errors of so many draws: a false alarm in 40 chains of 5 rows has a probability below 10^-6, and the chains are
    worth several times more.
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


@pytest.mark.parametrize("data", DATA.values(), ids=DATA)
def test_every_chain_mixes(data: tuple[GridRewards, Cells]) -> None:
    check_mixing(*data)


@pytest.mark.parametrize("prior", [HALVES, DEFAULT], ids=repr)
def test_both_ways_to_integrate_agree(prior: GridRewards) -> None:
    cells = {(0, 0): 1, (0, 1): 0, (1, 1): 0, (1, 0): 0}
    means, squares, _ = exact(prior, cells)
    assert np.array(exact_rows(prior, cells)) == pytest.approx(np.array([means[2:], squares[2:]]))
