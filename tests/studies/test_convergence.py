"""Theorem 1: the value at the root goes to the exact Bayes-optimal value, on worlds small enough to solve."""

from typing import Any

import numpy as np
import pytest

from bamdp.agents import BAMCP, BAUCT
from bamdp.prior import Prior
from bamdp.priors import BetaArms, Dirichlet, SparseDirichlet
from reference.bayes_optimal import action_values
from reference.comparison import Z_BOUND, errors_of_returns
from reference.rows import DirichletRows, Rows, SparseRows

REWARDS = np.array([[0.0, 0.4], [1.0, 0.0]])
DISCOUNT, HORIZON = 0.5, 6
SETTINGS: dict[str, dict[str, Any]] = {
    "histories": {},
    "counts": {"nodes": "counts"},
    "authors": {"expand_after": 1, "first_action": "random", "log_term": "N + 1"},
    "lazy": {"sampling": "lazy"},
    "late": {"expand_after": 10, "final_move": "visits"},
}
PRIORS: dict[str, tuple[Prior, Rows]] = {
    "dirichlet": (Dirichlet([0.7, 0.3]), DirichletRows(2, 2, [0.7, 0.3])),
    "sparse": (SparseDirichlet(0.5, 0.5), SparseRows(2, 2, 0.5, 0.5)),
    "arms": (BetaArms([1, 2], [2, 1]), DirichletRows(2, 2, [[2, 1], [1, 2]], tied=True)),
}


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("prior", PRIORS)
def test_root_value(prior: str, settings: str) -> None:
    exact = action_values(PRIORS[prior][1], 0, HORIZON, REWARDS, DISCOUNT)
    assert np.ptp(exact) > 0.05
    agent = BAMCP(PRIORS[prior][0], REWARDS, DISCOUNT, exploration=1.0, simulations=100_000, **SETTINGS[settings])
    plan = agent.plan(0)
    assert plan.action == exact.argmax()
    chance = Z_BOUND * errors_of_returns(plan)[plan.action]
    assert chance < 0.015
    assert abs(plan.value - exact.max()) < chance + 0.003, "0.003 for simulations that still explored"


def test_values_after_observations_and_for_ba_uct() -> None:
    rows: Rows = PRIORS["dirichlet"][1]
    agent = BAUCT(PRIORS["dirichlet"][0], REWARDS, DISCOUNT, exploration=1.0, simulations=50_000, sampling="resampled")
    for state, action, next_state in [(0, 1, 0), (0, 0, 0), (0, 0, 0), (0, 0, 1)]:
        agent.observe(state, action, float(REWARDS[state, action]), next_state)
        rows = rows.after(state, action, next_state)
    for state in (0, 1):
        exact = action_values(rows, state, HORIZON, REWARDS, DISCOUNT)
        assert agent.plan(state).value == pytest.approx(exact.max(), abs=0.015)


@pytest.mark.parametrize("nodes", ["histories", "counts"])
def test_what_a_node_is(nodes: Any) -> None:
    """Enough simulations find every node above the horizon: every history, or every set of transitions in any order."""
    agent = BAMCP(Dirichlet(1.0), REWARDS, DISCOUNT, horizon=5, simulations=40_000, exploration=100.0, nodes=nodes)
    layer: set[Any] = {(0, ())}
    total = 1
    for _ in range(4):
        ends = {(s2, (*h, (s, a, s2))) for s, h in layer for a in (0, 1) for s2 in (0, 1)}
        layer = ends if nodes == "histories" else {(s, tuple(sorted(h))) for s, h in ends}
        total += len(layer)
    assert agent.plan(0).tree.num_nodes == total
