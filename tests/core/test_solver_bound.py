"""The solver's tolerance bounds its true error, also where the states that it keeps as one, never met, carry the residual.

After a full backup all states met may have changed alike: by these alone the values would be known exactly. That the others
have not changed must count, or the solver stops far from the solution.
"""

import numpy as np
import pytest

from bamdp import Prior, _core
from bamdp.priors import Dirichlet, SparseDirichlet
from reference.policy_iteration import exact_q, solved
from reference.problems import belief_of

S, A, DISCOUNT = 6, 1, 0.9
PRIORS: list[Prior] = [Dirichlet(1.0), SparseDirichlet(), Dirichlet([3.0, 0.5, 1.0, 1.0, 0.0, 2.0])]
SEEN = {
    "nothing": [],
    "one step": [(0, 0, 0)],
    "one state, often": [(0, 0, 0)] * 20,
    "two states, to and fro": [(0, 0, 1), (1, 0, 0)] * 5,
    "two states, each to itself": [(0, 0, 0), (1, 0, 1)] * 5,
}
REWARDS = {
    "the states met pay": [1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    "the others pay": [0.0, 0.0, 1.0, 1.0, 1.0, 1.0],
    "one of each pays": [1.0, 0.0, -1.0, 0.0, 0.0, 2.0],
    "the others cost": [0.0, 0.0, -1.0, -1.0, -3.0, -1.0],
}


@pytest.mark.parametrize("paid", REWARDS)
@pytest.mark.parametrize("seen", SEEN)
@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_the_tolerance_bounds_the_error(prior: Prior, seen: str, paid: str) -> None:
    rewards = np.array(REWARDS[paid])[:, None]
    belief = belief_of(prior, S, A)
    for step in SEEN[seen]:
        belief.observe(*step)
    exact = exact_q(belief.mean().transitions, rewards, DISCOUNT)
    warm = _core.Solver(rewards, DISCOUNT)
    for tolerance in (1.0, 1e-2, 1e-5, 1e-9):
        cold = _core.Solver(rewards, DISCOUNT)
        for solver in (cold, warm):
            belief.load_mean(solver)
            assert np.abs(solved(solver, tolerance) - exact).max() <= tolerance


def test_values_that_overflow_end_too() -> None:
    solver = _core.Solver(np.full((2, 1), 1e308), 0.99)
    belief_of(Dirichlet(1.0), 2, 1).load_mean(solver)
    solver.solve(1e-6)
    assert not np.isfinite(solver.q_values(0)).all()
