"""Theorem 1: the value at the root goes to the exact Bayes-optimal value, on worlds small enough to solve."""

from typing import Any

import numpy as np
import pytest

from bamdp.agents import BAMCP, BAUCT
from bamdp.prior import Prior
from bamdp.priors import BetaArms, Dirichlet, SparseDirichlet
from reference.bayes_optimal import action_values
from reference.comparison import Z_BOUND
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
    chance = Z_BOUND * plan.standard_errors[plan.action]
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


def test_the_lattice_merges_histories() -> None:
    """Histories with the same transitions in another order are one node: fewer nodes, each with more visits."""
    found = {}
    for nodes in ("histories", "counts"):
        agent = BAMCP(Dirichlet(1.0), REWARDS, DISCOUNT, horizon=HORIZON, simulations=20_000, exploration=3.0, nodes=nodes)
        found[nodes] = agent.plan(0).tree.num_nodes
    assert found["counts"] <= _distinct(merge=True)
    assert found["counts"] < 0.7 * found["histories"]
    assert found["histories"] <= _distinct(merge=False)


def _distinct(merge: bool) -> int:
    """How many nodes there can be above the horizon, in a world of two states and two actions that starts in state 0."""
    layer: set[Any] = {(0, ())}
    total = 1
    for _ in range(HORIZON - 1):
        ends = {(s2, (*h, (s, a, s2))) for s, h in layer for a in (0, 1) for s2 in (0, 1)}
        layer = {(s, tuple(sorted(h))) for s, h in ends} if merge else ends
        total += len(layer)
    return total
