"""The sparse Dirichlet prior against the formulas of Friedman and Singer (1999) and numbers computed elsewhere."""

import numpy as np
import pytest

from bamdp import _core
from bamdp.priors import SparseDirichlet
from reference import rows
from reference.comparison import assert_mean
from reference.problems import belief_of
from reference.rows import SparseRows

# S, P(1), P(2), P(3), E[k]
PRIOR = [(25, 0.6228, 0.1557, 0.0692, 2.376), (100, 0.6116, 0.1529, 0.0680, 3.173), (264, 0.6093, 0.1523, 0.0677, 3.750)]

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
def test_posterior_vectors(K0: int, N: int, p25: float, c25: float, p264: float, c264: float) -> None:
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
        assert core.repeat_probability(K0, N) == pytest.approx(rows.repeat_probability(S, 1e-20, 2.0, K0, N), abs=1e-12)


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
