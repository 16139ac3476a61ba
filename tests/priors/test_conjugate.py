"""The conjugate priors in closed form: predictive probabilities, moments of draws, impossible
successors, and arms.

Dirichlet rows have (alpha + n) / (sum alpha + N); sparse ones are compared with the formulas of
Friedman and Singer (1999) and numbers computed elsewhere; the search on bandits with leaf values
instead of roll-outs is within five standard errors.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pytest

from bamdp import BAMDP, _core
from bamdp.agents import BAMCP, BAUCT, Gittins
from bamdp.domains import Bandit, Chain
from bamdp.exact import gittins_index
from bamdp.priors import BetaArms, Dirichlet, SparseDirichlet
from reference import rows
from reference.comparison import assert_mean, errors_of_returns
from reference.problems import belief_of
from reference.rejections import rejections
from reference.rows import SparseRows

SEEN = [(0, 0, 1), (0, 0, 1), (0, 0, 2), (2, 1, 1)]
FULL = np.arange(18, dtype=float).reshape(3, 2, 3) % 5


@pytest.mark.slow
@pytest.mark.parametrize(
    "alpha", [None, 0.5, 1e-3, [3, 1, 0.5], FULL], ids=["1/S", "0.5", "0.001", "S", "SAS"]
)
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
@pytest.mark.parametrize(
    "prior", [Dirichlet(3e14), Dirichlet([4e14, 6e14, 0]), BetaArms(1e14, 1e14)], ids=repr
)
def test_the_largest_pseudo_counts_allowed(prior: Any, sampling: Any) -> None:
    S = 2 if isinstance(prior, BetaArms) else 3
    agent = BAMCP(
        BAMDP(prior, np.eye(S)[:, :1], 0.9), simulations=1000, depth=50, sampling=sampling
    )
    agent.observe(0, 0, 1.0, 1)
    assert agent.belief.predictive(0, 0) == pytest.approx(belief_of(prior, S, 1).predictive(0, 0))
    share = agent.belief.predictive(0, 0)[0]
    expected = 1 + share * sum(0.9**t for t in range(1, 50))
    assert agent.plan(0).q_values[0] == pytest.approx(expected, abs=0.3)


SAMPLING = [
    (BAMCP, "collapsed"),
    (BAMCP, "lazy"),
    (BAMCP, "full"),
    (BAUCT, "collapsed"),
    (BAUCT, "resampled"),
]


@pytest.mark.parametrize(("agent_class", "sampling"), SAMPLING)
@pytest.mark.parametrize("alpha", [[1, 0, 1e-3, 0], None], ids=["S", "SAS"])
def test_impossible_successors_are_never_met(
    agent_class: type[BAMCP],
    sampling: Literal["collapsed", "lazy", "full"],
    alpha: Sequence[float] | None,
) -> None:
    """Rewards are paid for impossible transitions alone, so that one of them anywhere shows in a
    value.
    """
    table = np.ones((4, 2, 4)) if alpha is None else np.broadcast_to(alpha, (4, 2, 4)).copy()
    if alpha is None:
        table[:, :, 1] = 0
        table[0, 1, 2:] = 0
    problem = BAMDP(
        Dirichlet(table if alpha is None else alpha), np.where(table > 0, 0.0, 1.0), 0.9
    )
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


# S, P(1), P(2), P(3), E[k]
PRIOR = [
    (25, 0.6228, 0.1557, 0.0692, 2.376),
    (100, 0.6116, 0.1529, 0.0680, 3.173),
    (264, 0.6093, 0.1523, 0.0677, 3.750),
]

# K0, N, then P(k = K0) and C for S = 25 and for S = 264
POSTERIOR = [
    (1, 1, 0.62277, 0.885479, 0.60933, 0.868827),
    (1, 2, 0.70332, 0.950488, 0.70132, 0.948423),
    (1, 5, 0.77694, 0.985743, 0.77688, 0.985697),
    (1, 20, 0.84513, 0.997830, 0.84513, 0.997830),
    (2, 2, 0.19422, 0.765657, 0.16590, 0.683247),
    (2, 5, 0.33013, 0.926831, 0.32791, 0.923636),
    (3, 3, 0.04958, 0.716872, 0.03134, 0.549596),
    (3, 10, 0.15779, 0.937524, 0.15660, 0.935339),
    (3, 50, 0.33518, 0.993829, 0.33518, 0.993828),
]


def native(S: int, alpha: float = 0.2, exponent: float = 2.0) -> _core.SparseDirichletBelief:
    return _core.SparseDirichletBelief(S, 1, alpha, exponent)


@pytest.mark.parametrize(("S", "p1", "p2", "p3", "mean"), PRIOR)
def test_prior_of_the_support_size(S: int, p1: float, p2: float, p3: float, mean: float) -> None:
    posterior = native(S).support_posterior(0, 0)
    assert posterior[:3] == pytest.approx([p1, p2, p3], abs=5e-5)
    assert posterior @ np.arange(1, S + 1) == pytest.approx(mean, abs=5e-4)
    assert posterior.sum() == pytest.approx(1)


@pytest.mark.parametrize(("K0", "N", "p25", "c25", "p264", "c264"), POSTERIOR)
def test_posterior_vectors(
    K0: int, N: int, p25: float, c25: float, p264: float, c264: float
) -> None:
    for S, p, c in ((25, p25, c25), (264, p264, c264)):
        assert native(S).support_posterior(K0, N)[0] == pytest.approx(p, abs=5e-6)
        assert native(S).repeat_probability(K0, N) == pytest.approx(c, abs=5e-7)
        belief = belief_of(SparseDirichlet(), S, 1)
        for i in range(N):
            belief.observe(0, 0, None, 3 * min(i, K0 - 1))
        row = belief.predictive(0, 0)
        assert row[[3 * i for i in range(K0)]].sum() == pytest.approx(c, abs=5e-7)
        assert np.ptp(np.delete(row, [3 * i for i in range(K0)])) == 0
        assert row[3 * (K0 - 1)] == pytest.approx(c * (0.2 + N - K0 + 1) / (K0 * 0.2 + N), abs=5e-7)


@pytest.mark.parametrize("exponent", [-1.0, 0.0, 2.0, 5.0])
@pytest.mark.parametrize("alpha", [0.01, 0.2, 1.0, 7.0])
def test_formulas(alpha: float, exponent: float) -> None:
    S = 12
    core = native(S, alpha, exponent)
    for N in (0, 1, 2, 7, 31, 32, 33, 34, 100, 1000):
        for K0 in sorted({min(N, k) for k in (1, 2, 5, 11, 12)}):
            expected = rows.support_posterior(S, alpha, exponent, K0, N)[max(1, K0) - 1 :]
            found = core.support_posterior(K0, N)
            assert found == pytest.approx(expected[: len(found)], abs=1e-11)
            assert expected[len(found) :].sum() < 1e-17
            assert core.repeat_probability(K0, N) == pytest.approx(
                rows.repeat_probability(S, alpha, exponent, K0, N), abs=1e-12, rel=0
            )


@pytest.mark.parametrize("S", [12, 600])
def test_a_tiny_alpha(S: int) -> None:
    core = native(S, 1e-20)
    for K0, N in [(1, 1), (2, 2), (2, 40), (3, 40)]:
        assert core.repeat_probability(K0, N) == pytest.approx(
            rows.repeat_probability(S, 1e-20, 2.0, K0, N), abs=1e-12
        )


@pytest.mark.parametrize("N", [170, 175, 180, 264, 10**4, 10**6])
@pytest.mark.parametrize("K0", [1, 3])
def test_many_observations(K0: int, N: int) -> None:
    """The authors' program underflows from about 175 on and takes C = 1 then."""
    core = native(25)
    found, expected = core.repeat_probability(K0, N), rows.repeat_probability(25, 0.2, 2.0, K0, N)
    assert 1 - found == pytest.approx(1 - expected, rel=1e-6)
    assert 0 < 1 - found < 1


@pytest.mark.slow
@pytest.mark.parametrize("seen", [[], [1], [1, 1, 1, 2], [0, 1, 2, 3, 4, 5, 5]], ids=str)
def test_predictive_is_the_mean_of_draws(seen: list[int]) -> None:
    belief, reference = belief_of(SparseDirichlet(0.3, 1.5), 6, 1), SparseRows(6, 1, 0.3, 1.5)
    for next_state in seen:
        belief.observe(2, 0, None, next_state)
        reference.observe(2, 0, next_state)
    assert belief.predictive(2, 0) == pytest.approx(reference.predictive(2, 0))
    rng = np.random.default_rng(0)
    draws = belief.sample(10_000, rng).transitions[:, 2, 0]
    assert_mean(draws, belief.predictive(2, 0))
    assert_mean(draws**2, _mean_square(reference, rng))


def _mean_square(reference: SparseRows, rng: np.random.Generator) -> object:
    """E[theta²] in closed form: the predictive of the next two successors being the same."""
    first = reference.predictive(2, 0)
    return np.array([first[s] * reference.after(2, 0, s).predictive(2, 0)[s] for s in range(6)])


UNIFORM = Bandit([0.5, 0.5], discount=0.9)


def one_step(rollouts: str) -> tuple[float, float]:
    agent = BAMCP(
        BAMDP(BetaArms(), UNIFORM.rewards, 0.9),
        simulations=40_000,
        depth=1,
        rollouts=rollouts,  # type: ignore[arg-type]
    )
    plan = agent.plan(0)
    action = int(plan.visits.argmax())
    return float(plan.q_values[action]), float(errors_of_returns(plan)[action])


def test_staying_with_the_best_arm_after_one_pull() -> None:
    """After a success the arm has mean 2/3, after a failure the other one is better, with 1/2."""
    value, error = one_step("best-arm")
    assert value == pytest.approx(0.5 + 0.9 * (0.5 * 2 / 3 + 0.5 * 0.5) / 0.1, abs=5 * error)


def test_hindsight_after_one_pull() -> None:
    """E max of two uniforms is 2/3, before and, on average, after any pull. The authors' integer
    cut would give 1/2.
    """
    value, error = one_step("hindsight")
    assert value == pytest.approx(0.5 + 0.9 * 2 / 3 / 0.1, abs=5 * error)
    assert error < 0.05


def test_it_learns_what_it_observes() -> None:
    agent = BAMCP(
        BAMDP(BetaArms(), UNIFORM.rewards, 0.9), simulations=2000, depth=1, rollouts="best-arm"
    )
    for _ in range(8):
        agent.observe(0, 0, 0.0, 0)
        agent.observe(0, 1, 1.0, 1)
    values = agent.plan(1).q_values
    best = 9 / 10
    assert agent.plan(1).action == 1
    assert values[0] == pytest.approx(
        1 / 10 + 0.9 * best / 0.1, abs=0.05
    )  # the arm that fails costs one step


def test_failures_that_pay() -> None:
    """An arm that pays for its failures is the mirror image of one that pays for its successes."""
    mirrored = np.array([[[1, 0], [0, 1]]] * 2)
    found = Gittins(BAMDP(BetaArms([2, 5], [5, 2]), mirrored, 0.9)).q_values(0)
    assert found == pytest.approx([float(gittins_index(5, 2, 0.9))] * 2)


BY_STATE, R = UNIFORM.rewards * np.array([1, 2])[:, None, None], UNIFORM.rewards

test_rejected = rejections(
    (
        TypeError,
        "for bandits only",
        lambda: BAMCP(BAMDP(Dirichlet(), Chain().rewards, 0.9), rollouts="best-arm"),
    ),
    (
        TypeError,
        'sampling="collapsed"',
        lambda: BAMCP(BAMDP(BetaArms(), R, 0.9), rollouts="hindsight", sampling="lazy"),
    ),
    (
        TypeError,
        'sampling="collapsed"',
        lambda: BAUCT(BAMDP(BetaArms(), R, 0.9), rollouts="hindsight", sampling="resampled"),
    ),
    (
        ValueError,
        "must not depend on the state",
        lambda: BAMCP(BAMDP(BetaArms(), BY_STATE, 0.9), rollouts="best-arm"),
    ),
    (ValueError, "must not depend on the state", lambda: Gittins(BAMDP(BetaArms(), BY_STATE, 0.9))),
    (ValueError, "2 states", lambda: Gittins(BAMDP(BetaArms(), np.zeros((3, 2)), 0.9))),
)
