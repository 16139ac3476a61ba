"""A finite set of worlds: exact Bayes, and a search that draws one of them."""

import numpy as np
import pytest

from bamdp.agents import BAMCP
from bamdp.priors import Finite
from bamdp.testing import check_prior

TABLES = np.random.default_rng(0).dirichlet([0.7] * 3, size=(5, 3, 2))


def test_it_keeps_the_contract() -> None:
    check_prior(Finite(TABLES, [1, 2, 3, 0, 4]), 3, 2)


def test_weights_by_bayes() -> None:
    prior = Finite(TABLES, [1, 2, 3, 0, 4])
    belief, weights = prior.belief(3, 2), np.array([1, 2, 3, 0, 4.0])
    for s, a, s_next in [(0, 1, 2), (2, 0, 0), (0, 0, 1), (1, 1, 1), (1, 1, 2)]:
        belief.observe(s, a, s_next)
        weights *= TABLES[:, s, a, s_next]
    weights /= weights.sum()
    assert belief.weights == pytest.approx(weights)
    assert belief.predictive(1, 0) == pytest.approx(weights @ TABLES[:, 1, 0])
    assert belief.mean() == pytest.approx(np.tensordot(weights, TABLES, axes=1))


def test_draws_follow_the_weights() -> None:
    belief, rng = Finite(TABLES, [1, 2, 3, 0, 4]).belief(3, 2), np.random.default_rng(0)
    drawn = [int(np.flatnonzero((belief.sample_mdp(rng) == TABLES).all(axis=(1, 2, 3)))[0]) for _ in range(4000)]
    counts = np.bincount(drawn, minlength=5)
    expected = np.array([0.1, 0.2, 0.3, 0, 0.4])
    assert counts[3] == 0
    # Five standard deviations: a false alarm has probability below 4 · 6e-7.
    assert np.all(np.abs(counts - 4000 * expected) <= 5 * np.sqrt(4000 * expected * (1 - expected)))


def test_what_no_table_allows_is_refused() -> None:
    left_or_right = [[[[1, 0]], [[1, 0]]], [[[0, 1]], [[0, 1]]]]
    belief = Finite(left_or_right).belief(2, 1)
    belief.observe(0, 0, 1)
    with pytest.raises(ValueError, match="no table that is left allows it"):
        belief.observe(1, 0, 0)
    assert belief.weights.tolist() == [0, 1]


def test_simulations_stay_in_one_world() -> None:
    """Two worlds: action 0 always pays or never, for good. Trying once tells, so trying first is worth 1/2 (1 + γ + …)."""
    tables = np.zeros((2, 3, 2, 3))
    tables[0, :, 0, 1] = tables[1, :, 0, 2] = 1  # the pay is in state 1
    tables[:, :, 1, 0] = 1
    rewards = np.zeros((3, 2, 3))
    rewards[:, 0, 1] = 1
    rewards[:, 0, 2] = -1
    agent = BAMCP(Finite(tables), rewards, 0.5, simulations=20_000, horizon=4, exploration=2.0, rollouts="uniform")
    # Bayes-optimal: 1/2 (1 + 1/2 + 1/4 + 1/8) − 1/2; planning without learning would find 0 everywhere.
    assert agent.plan(0).values[0] == pytest.approx(0.5 * 1.875 - 0.5, abs=0.03)


@pytest.mark.parametrize(
    ("transitions", "weights", "message"),
    [
        (TABLES[0], None, "shape"),
        (TABLES * 2, None, "sum to one"),
        (TABLES, [1, 2], "weights"),
        (TABLES, [0] * 5, "weights"),
        (TABLES, [1, 1, 1, 1, -1], "weights"),
    ],
)
def test_what_is_refused(transitions: object, weights: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Finite(transitions, weights)  # type: ignore[arg-type]


def test_the_wrong_world() -> None:
    with pytest.raises(ValueError, match="3 states and 2 actions"):
        Finite(TABLES).belief(4, 2)
    with pytest.raises(ValueError, match="rewards are for 2 states"):
        Finite(TABLES).belief(3, 2).search(np.zeros((2, 2)))
