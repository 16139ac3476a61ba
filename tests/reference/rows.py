"""Posterior rows of the conjugate priors in plain NumPy: dense counts, formulas as they are
printed, S small.
"""

from abc import ABC, abstractmethod
from copy import deepcopy
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln


class Rows(ABC):
    """Transition counts n(s, a, s') and what the prior makes of them; with `tied` all states share
    one row per action.
    """

    def __init__(self, num_states: int, num_actions: int, tied: bool = False) -> None:
        self.num_states, self.num_actions, self.tied = num_states, num_actions, tied
        self.n = np.zeros((1 if tied else num_states, num_actions, num_states), dtype=np.int64)

    def line(self, state: int) -> int:
        return 0 if self.tied else state

    def observe(self, state: int, action: int, next_state: int) -> Self:
        self.n[self.line(state), action, next_state] += 1
        return self

    def after(self, state: int, action: int, next_state: int) -> Self:
        """The belief that one more observation makes of this one."""
        return deepcopy(self).observe(state, action, next_state)

    @abstractmethod
    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        """P(s' | n). [S]"""

    @abstractmethod
    def draw(self, state: int, action: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """A row from the posterior. [S]"""


class DirichletRows(Rows):
    def __init__(
        self, num_states: int, num_actions: int, alpha: ArrayLike, tied: bool = False
    ) -> None:
        super().__init__(num_states, num_actions, tied)
        self.alpha = np.broadcast_to(np.asarray(alpha, dtype=np.float64), self.n.shape)

    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        weights = self.alpha[self.line(state), action] + self.n[self.line(state), action]
        mean: NDArray[np.float64] = weights / weights.sum()
        return mean

    def draw(self, state: int, action: int, rng: np.random.Generator) -> NDArray[np.float64]:
        weights = self.alpha[self.line(state), action] + self.n[self.line(state), action]
        possible = weights > 0
        row = np.zeros(self.num_states)
        row[possible] = rng.dirichlet(weights[possible])
        return row


class SparseRows(Rows):
    def __init__(self, num_states: int, num_actions: int, alpha: float, exponent: float) -> None:
        super().__init__(num_states, num_actions)
        self.alpha, self.exponent = alpha, exponent

    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        n, S = self.n[state, action], self.num_states
        K0, N = int(np.count_nonzero(n)), int(n.sum())
        C = repeat_probability(S, self.alpha, self.exponent, K0, N)
        unseen = (1 - C) / (S - K0) if K0 < S else 0.0
        row: NDArray[np.float64] = np.where(
            n > 0, C * (self.alpha + n) / max(K0 * self.alpha + N, 1e-300), unseen
        )
        return row

    def draw(self, state: int, action: int, rng: np.random.Generator) -> NDArray[np.float64]:
        n, S = self.n[state, action], self.num_states
        K0, N = int(np.count_nonzero(n)), int(n.sum())
        k = 1 + int(rng.choice(S, p=support_posterior(S, self.alpha, self.exponent, K0, N)))
        chosen = rng.permutation(np.flatnonzero(n == 0))[: k - K0]
        support = np.concatenate([np.flatnonzero(n), chosen]).astype(np.int64)
        row = np.zeros(S)
        row[support] = rng.dirichlet(self.alpha + n[support])
        return row


@lru_cache
def support_posterior(
    S: int, alpha: float, exponent: float, K0: int, N: int
) -> NDArray[np.float64]:
    """P(k | n) ∝ k^-exponent k!/(k − K0)! Γ(k alpha)/Γ(k alpha + N) for k = 1 … S,
    zero below K0.
    """
    k = np.arange(1, S + 1, dtype=np.float64)
    fits = k >= K0
    log_weights = np.full(S, -np.inf)
    log_weights[fits] = (
        -exponent * np.log(k[fits])
        + gammaln(k[fits] + 1)
        - gammaln(k[fits] - K0 + 1)
        - _log_rising(k[fits] * alpha, N)
    )
    weights = np.exp(log_weights - log_weights.max())
    posterior: NDArray[np.float64] = weights / weights.sum()
    return posterior


def repeat_probability(S: int, alpha: float, exponent: float, K0: int, N: int) -> float:
    """C = Σ_k P(k | n) (K0 alpha + N)/(k alpha + N)."""
    if N == 0:
        return 0.0
    k = np.arange(1, S + 1, dtype=np.float64)
    return float(
        support_posterior(S, alpha, exponent, K0, N) @ ((K0 * alpha + N) / (k * alpha + N))
    )


def _log_rising(x: NDArray[np.float64], N: int) -> NDArray[np.float64]:
    """log Γ(x + N)/Γ(x), summed term by term: a difference of two log-gammas would lose digits for
    large N.
    """
    return np.array([np.log(value + np.arange(N)).sum() for value in x])
