"""The exact Bayes-optimal value on the infinite grid, against numerical integration, and BAMCP
against it.
"""

import numpy as np
import pytest

from bamdp.priors import GridRewards
from reference.grid import Cells, exact
from reproduction.tasks.grid_convergence import action_values, grid_convergence, probability

PRIORS = [GridRewards(), GridRewards(columns=(0.5, 0.5), rows=(1, 3))]
SEEN: list[Cells] = [
    {(0, 0): 0},
    {(0, 0): 0, (1, 0): 1, (1, 1): 1},
    {(0, 0): 1, (0, 1): 0, (1, 1): 0},
]


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("cells", SEEN)
def test_the_closed_form_is_the_integral(prior: GridRewards, cells: Cells) -> None:
    known = {cell: bool(content) for cell, content in cells.items()}
    _, _, products = exact(
        prior, cells
    )  # E[p_x q_y]: the probability that an unseen cell holds a reward
    for cell in {(x, y) for x in range(2) for y in range(2)} - cells.keys():
        chance = probability(prior, {**known, cell: True}) / probability(prior, known)
        assert np.isclose(chance, products[cell], rtol=1e-9)


def test_the_last_step_pays_what_is_there_and_two_steps_the_best_neighbour_too() -> None:
    prior, known = PRIORS[0], {(0, 0): False, (1, 0): True}
    assert action_values(prior, known, {(0, 0)}, (1, 0), 1, 0.5) == [1.0] * 4
    up, right, _, back = action_values(prior, known, {(0, 0)}, (1, 0), 2, 0.5)
    assert back == 1.0  # the cell that was left is empty
    for value, cell in ((up, (1, 1)), (right, (2, 0))):
        assert np.isclose(
            value, 1 + 0.5 * probability(prior, {**known, cell: True}) / probability(prior, known)
        )


@pytest.mark.parametrize("proposal", ["gibbs", "paper", "authors"])
def test_bamcp_comes_near(proposal: str) -> None:
    walk = [(0, 0, 0), (1, 0, 1), (1, 1, 1)]
    settings = {
        "columns": (1, 2),
        "rows": (2, 1),
        "proposal": proposal,
        "walk": walk,
        "discount": 0.5,
        "horizon": 3,
    }
    few, many = (
        grid_convergence({**settings, "exploration": 1, "simulations": n, "seeds": 3}, 0, 0)
        for n in (300, 30_000)
    )
    assert many["regret"] == 0
    assert abs(many["bias"]) < min(0.02, abs(few["bias"]))
