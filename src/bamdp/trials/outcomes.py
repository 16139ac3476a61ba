"""The probabilities of all counts at the end of a trial, and what follows from them.

With w(n, s) of `bamdp.trials.recursion`, the probability of the counts at success probabilities p
is w(n, s) Π_k p_k^{s_k} (1 − p_k)^{n_k − s_k}: one set of weights serves all p, all Beta priors and
all tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce

import numpy as np

from bamdp.trials.counts import Array, Layer, Pulls, grid
from bamdp.trials.distributions import binomial, by_total, prior_factor


class EndCounts:
    """The probabilities of all counts at the end of a trial, for one design.

    Args:
        counts: the probabilities over uniform priors, for each n an array [n_1 + 1, …, n_A + 1].
        patients: number of patients, if the trial is not stopped.
        reached: for each look, the same of all trials that have not ended before it, with the
            responses of all patients that are allocated by then.
        allocated: patients allocated at an end with so many responses, where some are missing.

    Example:
        >>> from bamdp.trials import Trial, designs, end_counts
        >>> end = end_counts(designs.EqualDesign(), Trial([0.3, 0.5], patients=4))
        >>> {n: u.shape for n, u in end.counts.items()}
        {(2, 2): (3, 3)}
        >>> float(end.probabilities([0.5, 0.5])[2, 2][1, 1].round(6))
        0.25
    """

    def __init__(
        self,
        counts: Layer,
        patients: int,
        *,
        reached: Mapping[int, Layer] | None = None,
        allocated: Mapping[int, int] | None = None,
    ) -> None:
        self.counts, self.patients = counts, patients
        self.reached = dict(reached or {})
        self._allocated = dict(allocated or {})

    def allocated(self, responses: int) -> int:
        """The number of patients at an end with so many responses: more where some are missing."""
        return self._allocated.get(responses, responses)

    def reference(self, responses: int) -> Layer:
        """The counts with which an outcome after so many responses is compared: of all trials that
        have not ended before.
        """
        allocated = self.allocated(responses)
        if allocated in self.reached:
            return self.reached[allocated]
        return {pulls: self.counts[pulls] for pulls in self.totals()[responses]}

    def probabilities(self, arms: Sequence[float]) -> Layer:
        """The probabilities of all counts at given success probabilities."""
        return dict(self._at(arms))

    def successes(self, arms: Sequence[float]) -> tuple[float, float]:
        """Mean and standard deviation of the number of successes at given success probabilities."""
        sums = np.zeros(2)
        for pulls, probabilities in self._at(arms):
            total = sum(grid(pulls)[0])
            sums += float((probabilities * total).sum()), float((probabilities * total**2).sum())
        mean, square = sums.tolist()
        return mean, max(0.0, square - mean**2) ** 0.5

    def prior_successes(self, prior: Array) -> float:
        """Expected number of successes over independent Beta priors, [A, 2]."""
        weighted = self._weighted(lambda arm, n: prior_factor(prior[arm], n))
        return sum(float((each * sum(grid(pulls)[0])).sum()) for pulls, each in weighted)

    def _at(self, arms: Sequence[float]) -> Iterator[tuple[Pulls, Array]]:
        """The probabilities of the counts of each n at given success probabilities."""
        return self._weighted(lambda arm, n: (n + 1) * binomial(n, np.array([arms[arm]]))[0])

    def _weighted(self, factor: Callable[[int, int], Array]) -> Iterator[tuple[Pulls, Array]]:
        """The counts of each n times a factor for each arm and its number of patients,
        [n_k + 1].
        """
        for pulls, u in self.counts.items():
            axes = [
                factor(arm, n).reshape(s.shape)
                for (arm, n), s in zip(enumerate(pulls), grid(pulls)[0], strict=True)
            ]
            yield pulls, reduce(np.multiply, axes, u)

    def rejected(self, arms: Array, rejects: Layer) -> Array:
        """The probability of rejection at each of many success probabilities, [P, A]; `rejects` has
        that of each count. [P]
        """
        rejected = np.zeros(len(arms))
        for pulls, u in self.counts.items():
            if rejects[pulls].any():
                rejected += _contracted(u * rejects[pulls], _densities(pulls, arms))
        return rejected

    def rejected_by_total(self, rejects: Layer) -> dict[int, Array]:
        """The probability of rejection if all arms are alike, given the total of successes: for
        each number n of patients at the end, [n + 1].
        """
        return by_total({pulls: u * rejects[pulls] for pulls, u in self.counts.items()})

    def masses(self, arms: Array) -> dict[Pulls, Array]:
        """The probability of each n at each of many success probabilities, [P, A]. [P] each"""
        return {pulls: _contracted(u, _densities(pulls, arms)) for pulls, u in self.counts.items()}

    def totals(self) -> dict[int, list[Pulls]]:
        """The n of each number of patients at the end; one number if the trial is not stopped
        early.
        """
        by_patients: dict[int, list[Pulls]] = {}
        for pulls in self.counts:
            by_patients.setdefault(sum(pulls), []).append(pulls)
        return by_patients


def _densities(pulls: Pulls, arms: Array) -> list[Array]:
    """(n + 1) C(n, s) p^s (1 − p)^{n − s} of each arm: the probability at p over that of a uniform
    prior. [P, n + 1] each
    """
    return [(n + 1) * binomial(n, arms[:, arm]) for arm, n in enumerate(pulls)]


def _contracted(values: Array, vectors: Sequence[Array]) -> Array:
    """Σ values Π vectors, for each of P sets of vectors, [P, n_k + 1] each. [P]"""
    first, *others = vectors
    result = np.tensordot(first, values, axes=1)
    for vector in others:
        result = (vector.reshape(*vector.shape, *[1] * (result.ndim - 2)) * result).sum(axis=1)
    return np.asarray(result)
