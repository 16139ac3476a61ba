"""Thompson sampling: each arm with the posterior probability that it is the best, or a power of it.

    π_k ∝ P(p_k is the largest | responses)^c

c = 1 is Thompson's rule (1933). Thall and Wathen (2007) temper it with c = n/(2N), n of N patients
so far: equal allocation at first, and the square root at the end.

For two arms, all outcomes after so many patients on each, the probability g = P(p_1 > p_2) has the
recursion, with h(a, b, c, d) = B(a + c, b + d)/(B(a, b) B(c, d)),

    g(a + 1, b, c, d) = g + h/a,   g(a, b + 1, c, d) = g − h/b,
    g(a, b, c + 1, d) = g − h/c,   g(a, b, c, d + 1) = g + h/d

Elsewhere it is ∫ f_k Π_{j≠k} F_j, with the densities f and distribution functions F of the Beta
posteriors, by Gauss-Legendre quadrature in t = log x/(1 − x). The densities of t, x^a (1 −
x)^b/B(a, b), are smooth for all pseudo-counts, and have tails as exp(a t) and exp(−b t). Panels are
halved until they integrate all posteriors that may occur to within TOLERANCE.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.trials.counts import Array, Counts
from bamdp.trials.design import Design, Rule, is_small
from bamdp.trials.trial import Trial
from bamdp.validation import require

POINTS = 12  # of the quadrature in each panel
TOLERANCE = 1e-12  # of the integral of a density over a panel
ROUNDING = 3e-16  # of a density, for each pseudo-count
# −log of the probability of what is left out; beyond ± this, x^a/(a B(a, b)) is F(x) up to rounding
TAIL = 40.0


class ThompsonDesign(Design):
    """Each arm with the posterior probability that it is the best (Thompson sampling)."""

    name, key = "Thompson", "thompson"

    def possible(self, trial: Trial) -> bool:
        return bool(trial.pseudo_counts.min() > 0)

    def rule(self, trial: Trial) -> Rule:
        return _ThompsonRule(trial)


class TemperedThompsonDesign(ThompsonDesign):
    """Each arm with a probability proportional to P(best)^c, c = n/(2N) after n of N patients
    (Thall and Wathen 2007).
    """

    name, key = "tempered Thompson", "tempered-thompson"

    def quick(self, trial: Trial) -> bool:
        return False

    def rule(self, trial: Trial) -> Rule:
        return _TemperedRule(trial)


class _ThompsonRule(Rule):
    def __init__(self, trial: Trial) -> None:
        self._prior, self._patients = trial.pseudo_counts, trial.patients
        self.exact = trial.num_arms == 2 or is_small(trial)
        if self._prior.min() <= 0:
            raise ValueError(
                "prior must have positive pseudo-counts for Thompson sampling, got "
                f"{self._prior.min():g}"
            )
        special: Any = require(
            "scipy.special", "the probabilities of Thompson sampling need SciPy", "report"
        )
        self._betaln, self._betainc, self._expit = special.betaln, special.betainc, special.expit
        self._points, self._weights = self._quadrature()
        self._corners: Array | None = None

    def probabilities(self, successes: Counts, failures: Counts, patient: int) -> Array:
        pulls = [s + f for s, f in zip(successes, failures, strict=True)]
        if len(pulls) == 2 and all(n.min() == n.max() and n.size == n.flat[0] + 1 for n in pulls):
            n_1, n_2 = (int(n.flat[0]) for n in pulls)
            if pulls[0].shape == (n_1 + 1, 1) and pulls[1].shape == (1, n_2 + 1):
                first = self._first_better(n_1, n_2)
                return np.stack([first, 1 - first])
        return self._by_quadrature(successes, failures)

    def draw(
        self, successes: Counts, failures: Counts, patient: int, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        arms = zip(self._prior, successes, failures, strict=True)
        drawn = [rng.beta(a + s, b + f) for (a, b), s, f in arms]
        return np.asarray(np.argmax(drawn, axis=0), dtype=np.int64)

    def _first_better(self, n_1: int, n_2: int) -> Array:
        """The probability that the first of two arms is better, by successes of each. [n_1 + 1, n_2
        + 1]
        """
        (a, b), (c, d) = self._prior
        i, j, s = np.arange(n_1), np.arange(n_2), np.arange(n_2 + 1)
        fewer_1 = b + n_1 - 1 - i  # failures after one of them has become a success
        fewer_2 = d + n_2 - 1 - j
        h = np.exp(
            self._betaln(a + c + j, b + n_1 + fewer_2)
            - self._betaln(a, b + n_1)
            - self._betaln(c + j, fewer_2)
        )
        row = self._corner(n_1, n_2) - _sums(h * (1 / (c + j) + 1 / fewer_2))
        k = np.arange(n_1 + n_2)
        both = self._betaln(a + c + k, b + d + n_1 + n_2 - 1 - k)[i[:, None] + s]
        h = np.exp(both - self._betaln(a + i, fewer_1)[:, None] - self._betaln(c + s, d + n_2 - s))
        steps = h * (1 / (a + i) + 1 / fewer_1)[:, None]
        return np.clip(row + _sums(steps), 0, 1)

    def _corner(self, n_1: int, n_2: int) -> float:
        """The probability that the first of two arms is better, after failures alone."""
        if self._corners is None:
            (a, b), (c, d) = self._prior
            i, j = np.arange(self._patients)[:, None], np.arange(self._patients)
            none = [np.zeros((1, 1), np.int64)] * 2
            start = float(self._by_quadrature(none, none)[0, 0, 0])
            h = np.exp(self._betaln(a + c, b + i + d) - self._betaln(a, b + i) - self._betaln(c, d))
            first = start - _sums(h / (b + i))  # [N + 1, 1]
            i = np.arange(self._patients + 1)[:, None]
            h = np.exp(
                self._betaln(a + c, b + i + d + j) - self._betaln(a, b + i) - self._betaln(c, d + j)
            )
            self._corners = first + _sums((h / (d + j)).T).T
        return float(self._corners[n_1, n_2])

    def _by_quadrature(self, successes: Counts, failures: Counts) -> Array:
        arms = range(len(successes))
        posteriors = [self._posteriors(arm, successes[arm], failures[arm]) for arm in arms]
        best = []
        for arm in arms:
            product, _ = posteriors[arm]
            for other in arms:
                if other != arm:
                    _, below = posteriors[other]
                    product = product * below
            best.append(product.sum(axis=-1))
        return np.asarray(np.stack(best) / sum(best))

    def _posteriors(
        self, arm: int, successes: NDArray[np.int64], failures: NDArray[np.int64]
    ) -> tuple[Array, Array]:
        """Density times weight, and distribution function, of an arm's posterior at the points.
        […, G]
        """
        counts = np.stack([successes, failures]).reshape(2, -1)
        pairs, which = np.unique(counts, axis=1, return_inverse=True)
        a, b = (self._prior[arm] + pairs.T).T[:, :, None]
        t = self._points
        mass = self._density(a, b, t) * self._weights
        mass /= mass.sum(axis=-1, keepdims=True)  # B(a, b) of large counts has rounding errors
        left, right = self._lower(a, b, t[t < 0]), 1 - self._lower(b, a, -t[t >= 0])
        below = np.concatenate([left, right], axis=-1)
        indices, shape = which.ravel(), (*successes.shape, -1)
        return mass[indices].reshape(shape), below[indices].reshape(shape)

    def _lower(self, a: Array, b: Array, t: Array) -> Array:
        """The distribution function where t < 0: x^a/(a B(a, b)) far out."""
        tail = np.exp(np.minimum(0, a * t - np.log(a) - self._betaln(a, b)))
        return np.asarray(np.where(t < -TAIL, tail, self._betainc(a, b, self._expit(t))))

    def _density(self, a: Array, b: Array, t: Array) -> Array:
        return np.asarray(
            np.exp(-a * np.logaddexp(0, -t) - b * np.logaddexp(0, t) - self._betaln(a, b))
        )

    def _quadrature(self) -> tuple[Array, Array]:
        """Points and weights, the same for all posteriors that may occur: the prior, and those
        after all patients.
        """
        N = self._patients
        posteriors = 3 + int(2 * N**0.5)  # 1.6 standard deviations apart
        angles = np.linspace(0, np.pi / 2, posteriors)
        s = np.unique((N * np.sin(angles) ** 2).round())
        counts = np.vstack([[[0, 0], [1, 0], [0, 1]], np.stack([s, N - s], axis=1)])
        a, b = (self._prior[:, None] + counts).reshape(-1, 2).T[:, :, None]
        x, w = np.polynomial.legendre.leggauss(POINTS)

        def integrals(edges: Array) -> Array:
            half = np.diff(edges)[:, None] / 2
            t = edges[:-1, None] + half * (x + 1)
            densities = self._density(a, b, t.ravel()).reshape(len(a), *t.shape)
            return np.asarray((densities * (half * w)).sum(axis=-1))

        mode, scale = np.log(a / b), np.sqrt(1 / a + 1 / b)
        lower_tail, upper_tail = ((np.log(c) + self._betaln(a, b) - TAIL) / c for c in (a, b))
        edges = np.array([lower_tail.min(), -upper_tail.min()])
        while True:
            middles = (edges[:-1] + edges[1:]) / 2
            halves = integrals(np.sort(np.concatenate([edges, middles])))
            errors = np.abs(integrals(edges) - halves[:, ::2] - halves[:, 1::2])
            wrong = errors > TOLERANCE + ROUNDING * (a + b)
            peak = (edges[:-1] < mode + scale) & (edges[1:] > mode - scale)
            missed = peak & (np.diff(edges) > 8 * scale)  # by points that are far apart
            split = (wrong | missed).any(axis=0)
            if not split.any():
                half = np.diff(edges)[:, None] / 2
                return (edges[:-1, None] + half * (x + 1)).ravel(), (half * w).ravel()
            edges = np.sort(np.concatenate([edges, middles[split]]))


class _TemperedRule(_ThompsonRule):
    def probabilities(self, successes: Counts, failures: Counts, patient: int) -> Array:
        best = super().probabilities(successes, failures, patient)
        powers = best ** (patient / (2 * self._patients))
        return np.asarray(powers / powers.sum(axis=0))

    draw = Rule.draw


def _sums(steps: Array) -> Array:
    """Sums of the first 0, 1, … along the first axis."""
    return np.concatenate([np.zeros((1, *steps.shape[1:])), np.cumsum(steps, axis=0)])
