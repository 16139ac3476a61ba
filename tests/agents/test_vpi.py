"""Bayesian Q-learning against quadrature and simulation."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats

from bamdp.agents import VPI
from bamdp.agents.vpi import bayes_update, best_mean, mixture, predictive_nodes
from reference.problems import sized

Array = NDArray[np.float64]


def marginal(mu: float, lam: float, alpha: float, beta: float) -> Any:
    return stats.t(2 * alpha, mu, np.sqrt(beta / (lam * alpha)))


def gains(table: Array) -> list[float]:
    """The value of perfect information about each action, by integration."""
    best, second = np.argsort(table[:, 0])[::-1][:2]
    found = []
    for a, belief in enumerate(table):
        law, k = marginal(*belief), table[second if a == best else best, 0]
        if a == best:
            found.append(
                integrate.quad(lambda x, law=law, k=k: (k - x) * law.pdf(x), -np.inf, k)[0]
            )
        else:
            found.append(integrate.quad(lambda x, law=law, k=k: (x - k) * law.pdf(x), k, np.inf)[0])
    return found


def test_value_of_information_against_integration() -> None:
    rng = np.random.default_rng(0)
    for _ in range(4):
        prior = rng.normal(), rng.uniform(0.1, 5), rng.uniform(1.05, 8), rng.uniform(0.1, 5)
        mu, lam, alpha, beta = prior
        agent = VPI(sized(2, 3, 0.9, terminal=[1]), mu=mu, lam=lam, alpha=alpha, beta=beta)
        table = np.array([prior] * 3)
        for action in (0, 1, 1, 2, 2, 2):
            paid = float(rng.normal(action, 2))
            agent.observe(0, action, paid, 1)  # the last step: its return is its reward
            table[action] = bayes_update(table[action], paid, 0.0)
        assert agent.values_of_information(0) == pytest.approx(gains(table), rel=1e-5, abs=1e-9)


def log_density(mu: Array, tau: Array, belief: Any) -> Array:
    m, lam, alpha, beta = belief
    return np.asarray(
        stats.gamma.logpdf(tau, alpha, scale=1 / beta)
        + stats.norm.logpdf(mu, m, 1 / np.sqrt(lam * tau))
    )


def test_normal_gamma_update_against_quadrature() -> None:
    """Prior times likelihood is proportional to the updated density everywhere."""
    belief, x = np.array([0.5, 2.0, 1.7, 0.8]), 1.9
    mu, tau = np.meshgrid(np.linspace(-2, 3, 40), np.linspace(0.05, 6, 40))
    posterior = log_density(mu, tau, belief) + stats.norm.logpdf(x, mu, 1 / np.sqrt(tau))
    difference = posterior - log_density(mu, tau, bayes_update(belief, x, 0.0))
    assert np.ptp(difference) < 1e-9


def test_the_predictive_nodes_are_the_predictive_distribution() -> None:
    functions: list[Callable[[Any], Any]] = [
        np.cos,
        lambda x: 1 / (1 + x**2),
        lambda x: np.log(2 + x**2),
    ]
    for mu, lam, alpha, beta in [
        (0.3, 0.1, 1.1, 5.0),
        (-1.0, 2.0, 1.5, 0.3),
        (2.0, 1.0, 16.0, 1.0),
        (0.0, 5.0, 400.0, 3.0),
    ]:
        # A fine sum over quantiles; those it misses weigh 2e-5.
        quantiles = (np.arange(100_000) + 0.5) / 100_000
        sample = stats.t(2 * alpha, mu, np.sqrt(beta * (lam + 1) / (lam * alpha))).ppf(quantiles)
        x, w = predictive_nodes(mu, lam, alpha, beta)
        for f in functions:
            assert w @ f(x) == pytest.approx(f(sample).mean(), abs=1e-3)


def test_mixture_has_the_moments_of_the_mixture() -> None:
    """E τ, E τμ, E τμ² and E log τ of the projection, against simulation of the mixture itself."""
    rng, n = np.random.default_rng(2), 400_000
    here, ahead = np.array([0.3, 1.5, 2.0, 1.2]), np.array([1.0, 2.0, 3.0, 2.0])
    x = stats.t(6, 1.0, np.sqrt(2.0 * 3 / (2 * 3))).rvs(n, random_state=rng)
    mu, lam, alpha, beta = bayes_update(here, 0.5 + 0.9 * x, 0.0)
    tau = rng.gamma(alpha, 1 / beta)
    means = mu + rng.normal(size=n) / np.sqrt(lam * tau)
    nodes, weights = predictive_nodes(*ahead)
    m, l_, a, b = mixture(here, 0.5 + 0.9 * nodes, weights)
    from scipy.special import psi

    projected = [a / b, m * a / b, 1 / l_ + m**2 * a / b, psi(a) - np.log(b)]
    for samples, value in zip(
        [tau, tau * means, tau * means**2, np.log(tau)], projected, strict=True
    ):
        assert abs(samples.mean() - value) < 5 * samples.std() / np.sqrt(n)


def test_moment_update_by_hand() -> None:
    agent = VPI(sized(2, 2, 0.5), mu=1.0, lam=2.0, alpha=3.0, beta=4.0, update="moment")
    agent.observe(0, 0, 2.0, 1)
    mean, variance = 2.0 + 0.5 * 1.0, 0.25 * 4.0 * 3 / (2 * 2)
    expected = [(2 * 1 + mean) / 3, 3, 3.5, 4 + variance / 2 + 2 * (mean - 1) ** 2 / (2 * 3)]
    assert agent.q_values(0) == pytest.approx([expected[0], 1.0])
    assert agent.values_of_information(0) == pytest.approx(
        gains(np.array([expected, [1.0, 2.0, 3.0, 4.0]])), rel=1e-5
    )


def test_rounding_does_not_decide_which_action_is_best() -> None:
    """Returns of 0 have means of 0 up to rounding, which differs between processors; all else
    depends on the choice.
    """
    table = np.array([[0.0, 1.0, 1.1, 1.0], [1e-17, 2.0, 1.6, 1.0], [-1e-17, 2.0, 1.6, 1.0]])
    assert best_mean(table) == best_mean(table * [-1, 1, 1, 1]) == 0
    table[1, 0] = 1e-6
    assert best_mean(table) == 1
