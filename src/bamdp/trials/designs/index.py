"""Designs with an index for each arm that depends on the responses of that arm alone: the highest index gets the patient.

Ties are broken at random. The posterior mean is also called the current belief.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.exact.finite_gittins import finite_gittins_index
from bamdp.exact.gittins import gittins_index
from bamdp.trials.design import Array, Counts, Design, Rule, best_of
from bamdp.trials.trial import Trial
from bamdp.validation import discount as checked_discount
from bamdp.validation import real

TABLE, LONG_TABLE = 1500, 250  # patients up to which all indices are computed beforehand; the second takes their fifth power

Unit = Callable[[Any, Any, int], Array]  # the index from posterior successes and failures, and the patients left


class IndexDesign(Design):
    """A design that allocates each patient to the arm with the highest index."""

    @abstractmethod
    def unit_index(self, successes: Array, failures: Array, left: int) -> Array:
        """The index of arms with Beta posteriors when so many patients are left, the next one included."""

    def rule(self, trial: Trial) -> Rule:
        return IndexRule(trial, self.unit_index)


class IndexRule(Rule):
    """The arm with the highest index."""

    def __init__(self, trial: Trial, unit_index: Unit) -> None:
        self._patients, self._prior, self._unit = trial.patients, trial.pseudo_counts, unit_index

    def probabilities(self, successes: Counts, failures: Counts, patient: int) -> Array:
        left = self._patients - patient
        return best_of([self.index(arm, s, f, left) for arm, (s, f) in enumerate(zip(successes, failures, strict=True))])

    def index(self, arm: int, successes: NDArray[np.int64], failures: NDArray[np.int64], left: int) -> Array:
        """The index of one arm after so many responses."""
        a, b = self._prior[arm]
        return self._unit(a + successes, b + failures, left)


class PosteriorMeanDesign(IndexDesign):
    """Each patient gets the arm with the highest posterior mean: the current belief, without any exploration."""

    name = "posterior mean"

    def unit_index(self, successes: Array, failures: Array, left: int) -> Array:
        return successes / (successes + failures)


class GittinsDesign(IndexDesign):
    """Each patient gets the arm with the highest Gittins index: optimal for infinitely many patients with a discount.

    Args:
        discount: weight of a patient relative to the one before, in [0, 1); 0.99 is that of Villar, Bowden and Wason (2015).
        tolerance: maximum error of the indices.
    """

    name = "Gittins index"

    def __init__(self, discount: float = 0.99, tolerance: float = 1e-6) -> None:
        self.discount, self.tolerance = checked_discount(discount), real("tolerance", tolerance, 1e-9, 1)

    def unit_index(self, successes: Array, failures: Array, left: int) -> Array:
        return np.asarray(gittins_index(successes, failures, self.discount, self.tolerance))

    def rule(self, trial: Trial) -> Rule:
        return TableRule(trial, self.unit_index) if trial.patients <= TABLE else _WantedRule(trial, self.unit_index)


class FiniteGittinsDesign(IndexDesign):
    """Each patient gets the arm with the highest Gittins index for the patients left (Whittle index), without a discount.

    Args:
        tolerance: maximum error of the indices.
    """

    name = "finite-horizon index"

    def __init__(self, tolerance: float = 1e-9) -> None:
        self.tolerance = real("tolerance", tolerance, 1e-9, 1)

    def unit_index(self, successes: Array, failures: Array, left: int) -> Array:
        return np.asarray(finite_gittins_index(successes, failures, left, tolerance=self.tolerance))

    def rule(self, trial: Trial) -> Rule:
        return _HorizonRule(trial, self.tolerance) if trial.patients <= LONG_TABLE else _WantedRule(trial, self.unit_index)


class TableRule(IndexRule):
    """An index that doesn't depend on the patients left, from a table of all that can be needed."""

    def __init__(self, trial: Trial, unit_index: Unit) -> None:
        super().__init__(trial, unit_index)
        s, f = _possible(trial.patients)
        self._tables = _per_prior(self._prior, lambda a, b: _filled(trial.patients, (s, f), unit_index(a + s, b + f, 0)))

    def index(self, arm: int, successes: NDArray[np.int64], failures: NDArray[np.int64], left: int) -> Array:
        return self._tables[arm][successes, failures]


class _HorizonRule(IndexRule):
    """An index that depends on the patients left, [s, f, left]."""

    def __init__(self, trial: Trial, tolerance: float) -> None:
        super().__init__(trial, lambda a, b, left: a)
        N = trial.patients
        s, f = _possible(N)
        most = N - s - f  # patients left, at most; from 1 on, so that each index is a lower bound of the next
        repeated = np.repeat(np.arange(len(s)), most)
        left = np.arange(len(repeated)) - np.repeat(np.cumsum(most) - most, most) + 1
        s, f = s[repeated], f[repeated]

        def table(a: float, b: float) -> Array:
            indices = np.asarray(finite_gittins_index(a + s, b + f, left, tolerance=tolerance))
            return _filled(N, (s, f, left), indices)

        self._tables = _per_prior(self._prior, table)

    def index(self, arm: int, successes: NDArray[np.int64], failures: NDArray[np.int64], left: int) -> Array:
        return np.asarray(self._tables[arm][successes, failures, left])


class _WantedRule(IndexRule):
    """Indices of the posteriors that are met alone, once for each: not of all, which takes too long."""

    exact = False

    def index(self, arm: int, successes: NDArray[np.int64], failures: NDArray[np.int64], left: int) -> Array:
        met = np.stack(np.broadcast_arrays(successes, failures))
        kinds, which = np.unique(met.reshape(2, -1), axis=1, return_inverse=True)
        return super().index(arm, kinds[0], kinds[1], left)[which.ravel()].reshape(met.shape[1:])


def _possible(patients: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All numbers of successes and failures of one arm before the last patient."""
    s, f = np.indices((patients, patients)).reshape(2, -1)
    return s[s + f < patients], f[s + f < patients]


def _filled(patients: int, at: tuple[NDArray[np.int64], ...], values: Array) -> Array:
    table = np.full((patients + 1,) * len(at), np.nan)
    table[at] = values
    return table


def _per_prior(prior: Array, table: Callable[[float, float], Array]) -> list[Array]:
    """A table for each arm; arms with the same prior share one."""
    made: dict[tuple[float, float], Array] = {}
    for a, b in prior.tolist():
        if (a, b) not in made:
            made[a, b] = table(a, b)
    return [made[a, b] for a, b in prior.tolist()]
