"""A finite set of worlds: exact Bayes, and a search that draws one of them."""

from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import BAMCP
from bamdp.exact import bayes_optimal
from bamdp.priors import Finite
from reference.problems import belief_of
from reference.rejections import rejections

TABLES = np.random.default_rng(0).dirichlet([0.7] * 3, size=(5, 3, 2))


def test_weights_by_bayes() -> None:
    prior = Finite(TABLES, [1, 2, 3, 0, 4])
    belief, weights = belief_of(prior, 3, 2), np.array([1, 2, 3, 0, 4.0])
    for s, a, s_next in [(0, 1, 2), (2, 0, 0), (0, 0, 1), (1, 1, 1), (1, 1, 2)]:
        belief.observe(s, a, None, s_next)
        weights *= TABLES[:, s, a, s_next]
    weights /= weights.sum()
    assert belief.weights == pytest.approx(weights)
    assert belief.predictive(1, 0) == pytest.approx(weights @ TABLES[:, 1, 0])
    assert belief.mean().transitions == pytest.approx(np.tensordot(weights, TABLES, axes=1))


TWO = np.array([[[[0.9, 0.1]], [[0.9, 0.1]]], [[[0.1, 0.9]], [[0.1, 0.9]]]])  # one action, two states


def test_no_weight_is_lost() -> None:
    """400 observations for the one table make the other's weight 9^-400, far below the smallest double; 800 turn it round."""
    belief = belief_of(Finite(TWO), 2, 1)
    for next_state, times, likely in ((0, 400, 0.9), (1, 800, 0.1)):
        for _ in range(times):
            belief.observe(0, 0, None, next_state)
        assert belief.predictive(0, 0) == pytest.approx([likely, 1 - likely])
        assert belief.mean().transitions[0, 0] == pytest.approx([likely, 1 - likely])
    for _ in range(399):  # back to odds of 9
        belief.observe(0, 0, None, 0)
    assert belief.weights == pytest.approx([0.1, 0.9], rel=1e-9)


def test_the_smallest_likelihoods() -> None:
    """Products of numbers near the smallest double, against logarithms."""
    tiny = np.array([5e-324, 3e-310, 1e-200])
    tables = np.stack([1 - tiny, tiny], axis=-1)[:, None, None, :] * np.ones((1, 2, 1, 1))
    weights = np.array([0.2, 0.3, 0.5])
    belief = belief_of(Finite(tables, weights), 2, 1)
    belief.observe(0, 0, None, 1)
    logs = np.log(weights) + np.log(tiny)
    assert belief.weights == pytest.approx(np.exp(logs - logs.max()), rel=1e-9, abs=0)
    for _ in range(7):
        belief.observe(0, 0, None, 1)
    assert belief.weights.tolist() == [0, 0, 1]
    assert belief.predictive(0, 0).tolist() == [1, 1e-200]


def test_exact_values_know_tiny_weights() -> None:
    """After 33 observations the second table has weight 1e-330; two that the first all but rules out bring it back."""
    tables = np.empty((2, 2, 1, 2))
    tables[0, :, 0], tables[1, :, 0] = [1, 1e-200], [1e-10, 1 - 1e-10]
    problem = BAMDP(Finite(tables), [[[0.0, 1.0]]] * 2, 0.5)
    belief: Any = problem.belief()
    for _ in range(33):
        belief.observe(0, 0, None, 0)
    assert belief.weights.tolist() == [1, 0]
    walk = bayes_optimal(problem, 0, horizon=3, belief=belief).walk()
    walk.step(0, 1)
    walk.step(0, 1)
    assert walk.values == pytest.approx([1.0])


def test_draws_follow_the_weights() -> None:
    belief, rng = belief_of(Finite(TABLES, [1, 2, 3, 0, 4]), 3, 2), np.random.default_rng(0)
    drawn = belief.sample(4000, rng).transitions
    counts = (drawn[:, None] == TABLES).all(axis=(2, 3, 4)).sum(axis=0)
    expected = np.array([0.1, 0.2, 0.3, 0, 0.4])
    assert counts[3] == 0
    # Five standard deviations: a false alarm has probability below 4 · 6e-7.
    assert np.all(np.abs(counts - 4000 * expected) <= 5 * np.sqrt(4000 * expected * (1 - expected)))


def test_what_no_table_allows_is_refused() -> None:
    left_or_right = [[[[1, 0]], [[1, 0]]], [[[0, 1]], [[0, 1]]]]
    belief = belief_of(Finite(left_or_right), 2, 1)
    belief.observe(0, 0, None, 1)
    with pytest.raises(ValueError, match="no table that is left allows it"):
        belief.observe(1, 0, None, 0)
    assert belief.weights.tolist() == [0, 1]


def test_simulations_stay_in_one_world() -> None:
    """Two worlds: action 0 always pays or never, for good. Trying once tells, so trying first is worth 1/2 (1 + γ + …)."""
    tables = np.zeros((2, 3, 2, 3))
    tables[0, :, 0, 1] = tables[1, :, 0, 2] = 1  # the pay is in state 1
    tables[:, :, 1, 0] = 1
    rewards = np.zeros((3, 2, 3))
    rewards[:, 0, 1] = 1
    rewards[:, 0, 2] = -1
    agent = BAMCP(BAMDP(Finite(tables), rewards, 0.5), simulations=20_000, depth=4, exploration=2.0, rollouts="uniform")
    # Bayes-optimal: 1/2 (1 + 1/2 + 1/4 + 1/8) − 1/2; planning without learning would find 0 everywhere.
    assert agent.plan(0).q_values[0] == pytest.approx(0.5 * 1.875 - 0.5, abs=0.03)


test_rejected = rejections(
    (ValueError, "3 states and 2 actions", lambda: belief_of(Finite(TABLES), 4, 2)),
    (ValueError, "names must be one for each of the 5 worlds, got 1", lambda: Finite(TABLES, names=["a"])),
    (TypeError, "names must be a list of str", lambda: Finite(TABLES, names=[1] * 5)),  # type: ignore[list-item]
)
