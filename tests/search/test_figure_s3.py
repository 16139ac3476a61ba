"""The four simulations of the paper's Figure S3; the world
is in `reproduction.paper.figure_s3`.
"""

from math import isclose, sqrt
from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import BAMCP
from bamdp.priors import Dirichlet
from reference.comparison import Z_BOUND
from reproduction.paper.figure_s3 import BELOW, GOES_TO, REWARDS, ROOT, S_NEXT, S_T, SEARCH
from reproduction.paper.figure_s3 import DISCOUNT as G

SEEDS = 3000


@pytest.mark.slow
def test_arithmetic_of_four_simulations() -> None:
    search: dict[str, Any] = {
        name: SEARCH[name] for name in ("simulations", "exploration", "rollouts")
    }
    agent = BAMCP(BAMDP(Dirichlet(np.eye(5)[GOES_TO]), REWARDS, G), variant="program", **search)
    figure = 0
    for seed in range(SEEDS):
        agent.reset(seed)
        plan = agent.plan(S_T)
        a1, a2 = plan.tree.to_dict()["actions"]
        if (a1["visits"], a2["visits"]) != (3, 1):
            continue
        assert a2["value"] == 0
        (child,) = a1["children"]
        b1, b2 = child["actions"]
        assert (child["state"], child["visits"], b1["visits"], b2["visits"]) == (S_NEXT, 2, 1, 1)
        assert b1["value"] == 2
        assert any(isclose(b2["value"], later, abs_tol=1e-12) for later in (0, BELOW))
        # Where the chances went another way than in the figure, the first roll-out or the last was
        # worth something else.
        possible = [(first + G * 2 + G * b2["value"]) / 3 for first in (0, 2 * G, 2 * G**3)]
        assert any(isclose(plan.q_values[0], value, abs_tol=1e-12) for value in possible)
        if isclose(b2["value"], BELOW, abs_tol=1e-12) and isclose(
            plan.q_values[0], ROOT, abs_tol=1e-12
        ):
            figure += 1
            assert plan.depth == 2
    # The first roll-out from s' must go a2, a2; a1 must win the tie at the root; the roll-out from
    # far must go a1. Either action may come first at the root and in s': the four orders come to
    # the same.
    chance = 4 * (1 / 2 * 1 / 2) * (1 / 4 * 1 / 2 * 1 / 2)
    assert abs(figure - SEEDS * chance) < Z_BOUND * sqrt(SEEDS * chance)
