"""The Dirichlet priors in closed form: predictive (alpha + n) / (sum alpha + N), moments of draws, impossible successors."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import BAMCP, BAUCT
from bamdp.priors import BetaArms, Dirichlet
from reference.comparison import assert_mean, errors_of_returns
from reference.problems import belief_of

SEEN = [(0, 0, 1), (0, 0, 1), (0, 0, 2), (2, 1, 1)]
FULL = np.arange(18, dtype=float).reshape(3, 2, 3) % 5


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [None, 0.5, 1e-3, [3, 1, 0.5], FULL], ids=["1/S", "0.5", "0.001", "S", "SAS"])
def test_predictive_and_moments_of_draws(alpha: Any) -> None:
    belief = belief_of(Dirichlet(alpha), 3, 2)
    weights = np.array(np.broadcast_to(1 / 3 if alpha is None else alpha, (3, 2, 3)), dtype=float)
    for state, action, next_state in SEEN:
        belief.observe(state, action, None, next_state)
        weights[state, action, next_state] += 1
    total = weights.sum(axis=-1, keepdims=True)
    expected = weights / total
    assert belief.mean().transitions == pytest.approx(expected)
    rng = np.random.default_rng(0)
    draws = belief.sample(10_000, rng).transitions
    assert_mean(draws, expected)
    assert_mean(draws**2, expected * (weights + 1) / (total + 1))


@pytest.mark.parametrize("alpha", [[1e-4, 3e-4, 0], [1e-300, 3e-300, 0]], ids=str)
def test_pseudo_counts_so_small_that_gamma_variates_underflow(alpha: list[float]) -> None:
    belief = belief_of(Dirichlet(alpha), 3, 1)
    rng = np.random.default_rng(0)
    draws = belief.sample(5_000, rng).transitions[:, 0, 0]
    assert_mean(draws, [0.25, 0.75, 0])
    assert belief.predictive(0, 0) == pytest.approx([0.25, 0.75, 0])


@pytest.mark.parametrize("sampling", ["collapsed", "lazy", "full"])
@pytest.mark.parametrize("prior", [Dirichlet(3e14), Dirichlet([4e14, 6e14, 0]), BetaArms(1e14, 1e14)], ids=repr)
def test_the_largest_pseudo_counts_allowed(prior: Any, sampling: Any) -> None:
    S = 2 if isinstance(prior, BetaArms) else 3
    agent = BAMCP(BAMDP(prior, np.eye(S)[:, :1], 0.9), simulations=1000, depth=50, sampling=sampling)
    agent.observe(0, 0, 0.0, 1)
    assert agent.belief.predictive(0, 0) == pytest.approx(belief_of(prior, S, 1).predictive(0, 0))
    share = agent.belief.predictive(0, 0)[0]
    expected = 1 + share * sum(0.9**t for t in range(1, 50))
    assert agent.plan(0).q_values[0] == pytest.approx(expected, abs=0.3)


SAMPLING = [(BAMCP, "collapsed"), (BAMCP, "lazy"), (BAMCP, "full"), (BAUCT, "collapsed"), (BAUCT, "resampled")]


@pytest.mark.parametrize(("agent_class", "sampling"), SAMPLING)
@pytest.mark.parametrize("alpha", [[1, 0, 1e-3, 0], None], ids=["S", "SAS"])
def test_impossible_successors_are_never_met(
    agent_class: type[BAMCP], sampling: Literal["collapsed", "lazy", "full"], alpha: Sequence[float] | None
) -> None:
    """Rewards are paid for impossible transitions alone, so that one of them anywhere shows in a value."""
    table = np.ones((4, 2, 4)) if alpha is None else np.broadcast_to(alpha, (4, 2, 4)).copy()
    if alpha is None:
        table[:, :, 1] = 0
        table[0, 1, 2:] = 0
    problem = BAMDP(Dirichlet(table if alpha is None else alpha), np.where(table > 0, 0.0, 1.0), 0.9)
    agent = agent_class(problem, simulations=2000, sampling=sampling)
    for _ in range(2):
        plan = agent.plan(0)
        assert plan.q_values.tolist() == [0, 0]
        assert errors_of_returns(plan).tolist() == [0, 0]
        agent.observe(0, 0, 0.0, 2)


def test_arms_are_tied_across_states() -> None:
    belief = belief_of(BetaArms([1, 2], [3, 1]), 2, 2)
    for state, action, outcome in [(0, 0, 1), (1, 0, 1), (1, 0, 0), (0, 1, 0)]:
        belief.observe(state, action, None, outcome)
    for state in (0, 1):
        assert belief.predictive(state, 0) == pytest.approx([4 / 7, 3 / 7])
        assert belief.predictive(state, 1) == pytest.approx([2 / 4, 2 / 4])
        assert belief.counts(state, 0) == {1: 2, 0: 1}
    rng = np.random.default_rng(0)
    draws = belief.sample(10_000, rng).transitions
    assert np.array_equal(draws[:, 0], draws[:, 1])
    assert_mean(draws[:, 0, :, 1], [3 / 7, 2 / 4])
    assert_mean(draws[:, 0, :, 1] ** 2, [3 / 7 * 4 / 8, 2 / 4 * 3 / 5])
