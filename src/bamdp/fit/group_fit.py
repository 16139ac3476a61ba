"""A group of people: each has parameters of their own, drawn from a normal distribution on the
scales of the parameters.

    z_i ~ N(B x_i, diag(τ²)),   choices of person i ~ model with parameters z_i

x_i has a 1 and the covariates of the person, numbers less their mean. B and τ² are found by
expectation–maximisation with Laplace's approximation (empirical Bayes; Huys et al. 2011, PLoS
Comput. Biol. 7(4), e1002028):

1. At the current z_i, the log-likelihood of person i is taken for a parabola, with gradient g_i and
   curvature H_i by finite differences.
2. With P_i = H_i + T⁻¹ and T = diag(τ²), person i has the posterior N(m_i, P_i⁻¹), and β, the
   coefficients B row by row, has information Σ X_iᵀ (T⁻¹ − T⁻¹ P_i⁻¹ T⁻¹) X_i. τ² maximises τ times
   the likelihood of parabolas averaged over z_i and β: where the steps of expectation–maximisation
   end, which are slow for small τ². The factor τ keeps it from 0, of which few people could not be
   sure (Chung et al. 2013, Psychometrika 78(4)).
3. z_i ← m_i, not so far if that is worse, and again from 1 until nothing changes. After a few
   repetitions z_i and log τ² go half of the way, or they may go to and fro.

B has a vague prior: normal around the middle of the bounds, with their width as its deviation.
People who guess, or who all do the same, may say nothing about a parameter: then all values are in
the interval of its typical value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.fit.surface import Surface
from bamdp.validation import require

Array = NDArray[np.float64]
OUTER, FREE = 40, 4  # repetitions, at most, and those of full steps
CLOSE = 2e-3  # change of coefficients, in deviations of the group, that is none
STEP = 1.0  # of finite differences, in posterior standard deviations
FINEST, COARSEST = 0.01, 0.05  # of them, in widths of the bounds; longer ones reach flat ends
SMALLEST, LARGEST = 1e-3, 1.0  # deviation of the group, in widths of the bounds
VAGUE = 1.0  # deviation of the prior of a typical value, in widths of the bounds
FEWEST = 3  # people of a group; of fewer, any deviation between them is as likely as another
FARTHEST = 2.0  # that a parabola may lead a person, in widths of the bounds
SPREAD = 15  # places that a person's search starts from the best of


class PersonLikelihood:
    """The log-likelihood of one person, and a parabola for it."""

    def __init__(self, surface: Surface) -> None:
        K = len(surface.model.parameters)
        self.surface = surface
        self.ends = np.array([surface.model.bounds(name).ends for name in surface.model.parameters])
        self.gradient = np.zeros(K)
        self.curvature = np.zeros((K, K))
        self._known: dict[tuple[float, ...], float] = {}

    def __call__(self, z: Array) -> float:
        key = tuple(np.clip(z, *self.ends.T).tolist())
        if key not in self._known:
            self._known[key] = self.surface.log_likelihood(*self.surface.split(key))
        return self._known[key]

    def start(self, mean: Array, deviation: Array, rng: np.random.Generator) -> Array:
        """The best of some places."""
        places = [mean, *(mean + deviation * rng.standard_normal((SPREAD, len(mean))))]

        def density(z: Array) -> float:
            return self(z) - float((((z - mean) / deviation) ** 2).sum()) / 2

        return max(places, key=density)

    def expand_quadratic(self, z: Array, step: Array) -> None:
        """Gradient and curvature by central differences."""
        K, moves = len(z), np.diag(step)
        here = self(z)
        up = np.array([self(z + moves[j]) for j in range(K)])
        down = np.array([self(z - moves[j]) for j in range(K)])
        self.gradient = (up - down) / (2 * step)
        hessian = np.diag((up + down - 2 * here) / step**2)
        for i in range(K):
            for j in range(i):
                both = self(z + moves[i] + moves[j]) + self(z - moves[i] - moves[j])
                both = both - up[i] - down[i] - up[j] - down[j]
                hessian[i, j] = hessian[j, i] = (both + 2 * here) / (2 * step[i] * step[j])
        values, vectors = np.linalg.eigh(-hessian)
        reach = FARTHEST * float((self.ends[:, 1] - self.ends[:, 0]).min())
        steepest = np.abs(vectors.T @ self.gradient) / reach  # a bare slope would have no end
        self.curvature = (vectors * np.maximum(values, steepest)) @ vectors.T


class GroupFit:
    """The algorithm of the module docstring.

    Attributes:
        B: coefficients of each parameter. [K, p]
        variances: variance of each parameter between people. [K]
        means: mode of each person's posterior. [N, K]
        covariances: covariance of each. [N, K, K]
        converged: whether nothing changed at the end.
    """

    def __init__(
        self,
        people: Sequence[PersonLikelihood],
        X: Array,
        workers: Executor,
        show: Callable[[int], None],
    ) -> None:
        ends, rng = people[0].ends, np.random.default_rng(0)
        width = ends[:, 1] - ends[:, 0]
        (N, p), K = X.shape, len(width)
        self._X = X
        self._limits = (SMALLEST * width) ** 2, (LARGEST * width) ** 2
        self._first = (width / 6) ** 2
        self.variances = self._first
        self.B = np.zeros((K, p))
        self.B[:, 0] = ends.mean(axis=1)
        scale = np.where(np.arange(p) == 0, 1, X.std(axis=0))
        self._centre = self.B.ravel()
        self._precision = ((scale / (VAGUE * width[:, None])) ** 2).ravel()
        starts = zip(people, rng.spawn(N), strict=True)
        deviation = np.sqrt(self.variances)
        first = workers.map(lambda at: at[0].start(self.B[:, 0], deviation, at[1]), starts)
        z = np.array(list(first))
        self.covariances = np.array([np.diag(self.variances / 4)] * N)
        for repetition in range(OUTER):
            show(repetition)
            if repetition <= FREE:  # the same steps from then on
                deviations = np.sqrt(np.diagonal(self.covariances, axis1=1, axis2=2))
                steps = np.clip(STEP * deviations, FINEST * width, COARSEST * width)
            share = 1.0 if repetition <= FREE else 0.5
            places = zip(people, z, steps, strict=True)
            list(workers.map(lambda at: at[0].expand_quadratic(*at[1:]), places))
            before, deviation = self.B, np.sqrt(self.variances)
            self._maximise(people, z, share)
            goals = workers.map(lambda at: self._moved(*at), zip(people, z, range(N), strict=True))
            z = z + share * (np.array(list(goals)) - z)
            shift = np.abs(self.B - before).max(axis=1) / deviation
            growth = np.abs(np.sqrt(self.variances) / deviation - 1)
            self.converged = bool(max(shift.max(), growth.max()) < CLOSE and repetition > 1)
            if self.converged:
                break
        self.means = z

    def _maximise(self, people: Sequence[PersonLikelihood], z: Array, share: float) -> None:
        """B, the variances and the posteriors, of parabolas; the logarithms of the variances change
        by a share.
        """
        H = np.array([one.curvature for one in people])
        b = np.array([one.curvature @ at + one.gradient for one, at in zip(people, z, strict=True)])
        designs = np.array([np.kron(np.eye(len(self.B)), x) for x in self._X])  # [N, K, K p]
        optimize: Any = require("scipy.optimize", "fitting needs SciPy", "fit")
        bounds = np.log(self._limits).T

        def cost(logs: Array) -> float:
            return -self._evidence(np.exp(logs), H, b, designs) - float(logs.sum()) / 2

        starts = [np.clip(np.log(first), *bounds.T) for first in (self.variances, self._first)]
        minima = [optimize.minimize(cost, z, method="L-BFGS-B", bounds=bounds) for z in starts]
        best = min(minima, key=lambda minimum: minimum.fun).x
        self.variances = np.exp(np.log(self.variances) + share * (best - np.log(self.variances)))
        self._evidence(self.variances, H, b, designs)

    def _evidence(self, variances: Array, H: Array, b: Array, designs: Array) -> float:
        """The logarithm of the likelihood of the variances, of parabolas; sets all that follows
        from them.
        """
        precision = 1 / variances
        C = np.linalg.inv(H + np.diag(precision))
        self.weights = np.diag(precision) - precision[:, None] * C * precision
        information = np.einsum("nki,nkl,nlj->ij", designs, self.weights, designs)
        information += np.diag(self._precision)
        self.uncertainty = np.linalg.inv(information)
        pull = np.einsum("nki,nk->i", designs, precision * np.einsum("nkl,nl->nk", C, b))
        coefficients = self.uncertainty @ (pull + self._precision * self._centre)
        self.B = coefficients.reshape(len(variances), -1)
        at = self._X @ self.B.T
        c = b + at * precision
        self.means = np.einsum("nkl,nl->nk", C, c)
        self.covariances = C
        volumes = float(np.linalg.slogdet(C)[1].sum()) - len(H) * float(np.log(variances).sum())
        fitted = float((c * self.means).sum() - (at**2 * precision).sum())
        fitted -= float((self._precision * (coefficients - self._centre) ** 2).sum())
        return (volumes + fitted - float(np.linalg.slogdet(information)[1])) / 2

    def _moved(self, person: PersonLikelihood, z: Array, i: int) -> Array:
        """Towards the posterior mean; half as far as long as the posterior density falls."""
        at = self.B @ self._X[i]

        def density(place: Array) -> float:
            return person(place) - float((((place - at) ** 2) / self.variances).sum()) / 2

        goal, now, share = self.means[i], density(z), 1.0
        while share > 0.02 and density(z + share * (goal - z)) < now - 1e-6:
            share /= 2
        return np.asarray(z + share * (goal - z))
