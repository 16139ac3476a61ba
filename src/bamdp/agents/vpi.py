"""Bayesian Q-learning with the myopic value of perfect information (Dearden, Friedman, Russell
1998), "VPI + MIX".

The return of (s, a) is normal with unknown mean μ and precision τ, with a normal-gamma belief:

    τ ~ Gamma(α, β),   μ | τ ~ Normal(μ0, 1 / (λ τ))
    (λ is `lam`; the marginal of μ is Student's t, 2α degrees)

A step reveals r and s'; its return is r + γ x, x the unknown return from s' by the best action
there. MIX averages the posteriors over the predictive distribution of x and projects the mixture on
a normal-gamma; MOM updates once, with the first two moments. The action maximises E μ + VPI, the
expected gain of learning μ exactly: E (μ − best)^+ or, for the best action, E (second − μ)^+.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from bamdp.agent import Grid
from bamdp.agents._model_based import greedy
from bamdp.agents._model_free import ModelFree
from bamdp.problem import BAMDP
from bamdp.validation import LARGEST_RETURN, one_of, real, require

# relative: special functions of NumPy and SciPy differ in their last bits between processors
EQUAL = 1e-9
Table = NDArray[np.float64]  # [A, 4]: μ0, λ, α, β of each action


class VPI(ModelFree[Table]):
    """Bayesian Q-learning that acts by the value of perfect information; it needs no prior over
    transitions.

    It needs SciPy (extra `bamdp[vpi]`).

    Args:
        problem: the problem; its prior is not used.
        mu: prior mean of the return, μ0.
        lam: weight of the prior mean, λ, as a number of observations, from 1e-12 to 1e12.
        alpha: shape of the gamma prior of the precision, above 1 and up to 1e12.
        beta: rate of the gamma prior of the precision, from 1e-12 to 1e12.
        update: "mix" (mixture of posteriors) or "moment" (one update with the moments of the
            return).
        seed: seed of the agent's random generator.

    Example:
        >>> import bamdp
        >>> agent = VPI(bamdp.domains.Chain().problem(), mu=0.0)
        >>> agent.observe(state=0, action=1, reward=2.0, next_state=0)
        >>> bool(agent.q_values(0)[1] > agent.q_values(0)[0])
        True
    """

    grid: ClassVar[Grid] = (
        {
            "mu": (0.0, 5.0, 20.0),
            "lam": (0.1, 1.0),
            "alpha": (1.1, 2.0),
            "beta": (0.1, 1.0, 10.0),
            "update": ("mix", "moment"),
        },
    )

    def __init__(
        self,
        problem: BAMDP,
        *,
        mu: float = 0.0,
        lam: float = 1.0,
        alpha: float = 1.1,
        beta: float = 1.0,
        update: Literal["mix", "moment"] = "mix",
        seed: int = 0,
    ) -> None:
        shape = real("alpha", alpha, 1, 1e12, open_low=True)
        rate, certainty = (
            real(name, value, 1e-12, 1e12) for name, value in (("beta", beta), ("lam", lam))
        )
        self.prior_belief = (
            real("mu", mu, -LARGEST_RETURN, LARGEST_RETURN),
            certainty,
            shape,
            rate,
        )
        self.mu, self.lam, self.alpha, self.beta = self.prior_belief
        self.update = one_of("update", update, ("mix", "moment"))
        special()  # fail fast
        super().__init__(problem, seed=seed)

    def q_values(self, state: int) -> NDArray[np.float64]:
        """The expected return of each action. [A]"""
        return self._entry(self._check_state(state))[:, 0].copy()

    def values_of_information(self, state: int) -> NDArray[np.float64]:
        """The value of perfect information about the return of each action. [A]"""
        table = self._entry(self._check_state(state))
        means = table[:, 0]
        if len(means) == 1:
            return np.zeros(1)
        best = best_mean(table)
        second = np.delete(means, best).max()
        # E (k − μ)^+ = E (μ − k)^+ + k − E μ
        gains = expected_excess(table, np.where(np.arange(len(means)) == best, second, means[best]))
        gains[best] += second - means[best]
        return np.maximum(gains, 0.0)

    def act(self, state: int) -> int:
        values = self.q_values(state) + self.values_of_information(state)
        return greedy(values, EQUAL * float(np.abs(values).max()), self._rng)

    def _learn(self, state: int, action: int, reward: float, next_state: int | None) -> None:
        here = self._entry(state)
        if next_state is None:
            here[action] = bayes_update(here[action], reward, 0.0)
            return
        then = self._entry(next_state)
        ahead = then[best_mean(then)]
        if self.update == "mix":
            returns, weights = predictive_nodes(*ahead)
            here[action] = mixture(here[action], reward + self.problem.discount * returns, weights)
        else:
            mean, lam, alpha, beta = ahead
            variance = beta * (lam + 1) / (lam * (alpha - 1))
            here[action] = bayes_update(
                here[action],
                reward + self.problem.discount * mean,
                self.problem.discount**2 * variance,
            )

    def _new_entry(self) -> Table:
        return np.tile(np.array(self.prior_belief), (self.problem.num_actions, 1))


def special() -> Any:
    """SciPy's special functions, imported on first use."""
    return require("scipy.special", "VPI needs SciPy", "vpi")


def expected_excess(table: Table, threshold: NDArray[np.float64]) -> NDArray[np.float64]:
    """E (μ − threshold)^+ under the marginal of μ, Student's t. [A]"""
    mean, lam, alpha, beta = table.T
    scale, freedom = np.sqrt(beta / (lam * alpha)), 2 * alpha
    z = (threshold - mean) / scale
    log_norm = (
        special().gammaln(alpha + 0.5) - special().gammaln(alpha) - 0.5 * np.log(freedom * np.pi)
    )
    density = np.exp(log_norm - (alpha + 0.5) * np.log1p(z**2 / freedom))
    above = special().stdtr(freedom, -z)
    excess: NDArray[np.float64] = scale * (density * (freedom + z**2) / (freedom - 1) - z * above)
    return excess


def mixture(
    belief: NDArray[np.float64], returns: NDArray[np.float64], weights: NDArray[np.float64]
) -> Table:
    """The normal-gamma with E τ, E τμ, E τμ² and E log τ of the mixture of posteriors after each of
    the returns. [4]
    """
    mu, lam, alpha, beta = bayes_update(belief, returns, 0.0)
    precision = alpha / beta  # of each component
    tau, tau_mu = weights @ precision, weights @ (precision * mu)
    log_tau = special().psi(alpha) - weights @ np.log(beta)
    centre = tau_mu / tau
    spread = 1 / lam + weights @ (precision * (mu - centre) ** 2)  # E τ (μ − centre)²
    shape = max(1.001, gamma_shape(math.log(tau) - log_tau))
    return np.array([centre, 1 / spread, shape, shape / tau])


def gamma_shape(gap: float) -> float:
    """The α with log α − ψ(α) = gap: Minka's initial value, then Newton steps on 1 / α; nearly
    exact.
    """
    if gap < 1e-8:
        return 0.5 / max(gap, 1e-12)
    x = (3 - gap + math.sqrt((gap - 3) ** 2 + 24 * gap)) / (12 * gap)
    for _ in range(3):
        slope = 1 / x - float(special().polygamma(1, x))
        x = 1 / (1 / x + (math.log(x) - float(special().psi(x)) - gap) / (x**2 * slope))
    return x


def best_mean(table: Table) -> int:
    """The action with the highest expected return, the first one of those that differ by rounding
    alone.
    """
    mean, lam, alpha, beta = table.T
    slack = EQUAL * float(np.abs(mean).max() + np.sqrt(beta / (lam * alpha)).max())
    return int(np.argmax(mean >= mean.max() - slack))


def bayes_update(belief: NDArray[np.float64], mean: Any, variance: float) -> Any:
    """The normal-gamma after one observation, which may be uncertain, with this mean and variance.

    Example:
        >>> bayes_update(np.array([0.0, 1.0, 2.0, 1.0]), 2.0, 0.0)
        (1.0, 2.0, 2.5, 2.0)
    """
    mu, lam, alpha, beta = (float(x) for x in belief)
    off = (mean - mu) ** 2
    return (
        (lam * mu + mean) / (lam + 1),
        lam + 1,
        alpha + 0.5,
        beta + 0.5 * variance + lam * off / (2 * (lam + 1)),
    )


def predictive_nodes(
    mu: float, lam: float, alpha: float, beta: float, count: int = 65
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Quadrature nodes and weights of the predictive distribution of a return, Student's t with 2α
    degrees of freedom.

    By x = μ0 + scale √ν tan φ the density becomes ∝ cos^(ν − 1) φ, for which equidistant nodes are
    nearly exact.
    """
    freedom = 2 * alpha
    widest = min(math.pi / 2, 9 / math.sqrt(freedom))
    angles = np.linspace(-widest, widest, count + 2)[1:-1]
    weights = np.cos(angles) ** (freedom - 1)
    scale = math.sqrt(beta * (lam + 1) / (lam * alpha))
    return mu + scale * math.sqrt(freedom) * np.tan(angles), weights / weights.sum()
