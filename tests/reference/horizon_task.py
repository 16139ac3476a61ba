"""Two normal arms and a few choices, exactly but for quadrature: values depend on the difference of
the posterior means alone.

With m₁ and m₂ the posterior means, n₁ and n₂ the number of rewards seen and k choices left:

    V_k = k m₁ + W_k(d; n₁, n₂),   d = m₂ − m₁
    W_k(d) = max(E W_{k−1}(d − s(n₁) z; n₁ + 1, n₂),
                 d + E W_{k−1}(d + s(n₂) z; n₁, n₂ + 1)),
    z ~ N(0, 1)

s(n)² is what the next reward takes from the variance of the mean of an arm with n rewards.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr


class TwoNormalArms:
    """The Bayes-optimal values of two arms with the same normal prior of their means.

    Args:
        deviation: standard deviation of the prior of a mean.
        noise: standard deviation of a reward.
    """

    def __init__(self, deviation: float, noise: float) -> None:
        self._precisions = deviation**-2, noise**-2
        self._d = np.linspace(-8, 8, 3201) * deviation
        z, weights = np.polynomial.hermite_e.hermegauss(64)
        self._z, self._weights = z, weights / weights.sum()
        self._both = cache(self._solve)

    def variance(self, rewards: int) -> float:
        """Of the mean of an arm, after so many rewards."""
        return float(1 / (self._precisions[0] + rewards * self._precisions[1]))

    def advantage(self, difference: float, rewards: tuple[int, int], left: int) -> float:
        """How much more the second arm is worth than the first, if its posterior mean is
        `difference` higher.
        """
        first, second = self._both(*rewards, left)
        return float(np.interp(difference, self._d, second - first))

    def bonus(self, rewards: tuple[int, int], left: int) -> float:
        """By how much the posterior mean of the second arm may be lower before the
        first is better.
        """
        first, second = self._both(*rewards, left)
        return float(-np.interp(0.0, second - first, self._d))

    def _solve(
        self, n1: int, n2: int, left: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """W with either arm first."""
        if left == 1:
            return np.zeros_like(self._d), self._d
        s1, s2 = (np.sqrt(self.variance(n) - self.variance(n + 1)) for n in (n1, n2))
        first = self._expected(np.maximum(*self._both(n1 + 1, n2, left - 1)), s1, left - 1)
        second = self._expected(np.maximum(*self._both(n1, n2 + 1, left - 1)), s2, left - 1)
        return first, self._d + second

    def _expected(
        self, later: NDArray[np.float64], spread: float, left: int
    ) -> NDArray[np.float64]:
        """E W(d + spread z): in closed form of left · max(0, d), by quadrature of the rest, which
        learning more adds.
        """
        hinge = self._d * ndtr(self._d / spread) + spread * np.exp(
            -((self._d / spread) ** 2) / 2
        ) / np.sqrt(2 * np.pi)
        rest = np.interp(
            self._d[:, None] + spread * self._z, self._d, later - left * np.maximum(0, self._d)
        )
        return np.asarray(left * hinge + rest @ self._weights)
