"""Designs with an index for each arm that depends on the responses of that arm alone: the highest
index gets the patient.

Ties are broken at random. The posterior mean is also called the current belief.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.exact.gittins import finite_gittins_index, gittins_index
from bamdp.trials.counts import Array, Counts, Pulls
from bamdp.trials.design import Design, Rule, best_of
from bamdp.trials.trial import Trial
from bamdp.validation import discount as checked_discount
from bamdp.validation import real


class IndexDesign(Design):
    """A design that allocates each patient to the arm with the highest index.

    Attributes:
        axes: of a table with all indices of a trial: 2 for successes and failures, 3 for the
            patients left too, 0 for none.
        largest_table: patients up to which the table is computed beforehand. Beyond, indices are
            computed when they are met, and trials are simulated.
    """

    axes: int = 0
    largest_table: int = 0

    def quick(self, trial: Trial) -> bool:
        return not self.axes or trial.patients <= self.largest_table

    @abstractmethod
    def index(self, successes: Any, failures: Any, left: Any) -> Array:
        """The index of arms with Beta posteriors when so many patients are left, the next one
        included.
        """

    def rule(self, trial: Trial) -> Rule:
        return IndexRule(self, trial)


class IndexRule(Rule):
    """The arm with the highest index."""

    def __init__(self, design: IndexDesign, trial: Trial) -> None:
        self._design, self._patients = design, trial.patients
        self._prior: list[list[float]] = trial.pseudo_counts.tolist()
        self.exact = not design.axes or trial.patients <= design.largest_table
        self._tables: list[Array] = []
        if design.axes and self.exact:
            tables = {(a, b): self._index_table(a, b) for a, b in self._prior}
            self._tables = [tables[a, b] for a, b in self._prior]

    def probabilities(self, successes: Counts, failures: Counts, patient: int) -> Array:
        left = self._patients - patient
        arms = enumerate(zip(successes, failures, strict=True))
        return best_of([self._index(arm, s, f, left) for arm, (s, f) in arms])

    def cuts(self, pulls: Pulls, patient: int) -> NDArray[np.uint16] | None:
        if len(pulls) != 2:
            return None
        left = self._patients - patient
        first, second = (
            self._index(arm, np.arange(n + 1), n - np.arange(n + 1), left)
            for arm, n in enumerate(pulls)
        )
        if np.isnan(second).any() or (np.diff(second) < 0).any():
            return None
        ends = [np.searchsorted(second, first, side) for side in ("left", "right")]
        return np.stack(ends, axis=1).astype(np.uint16)

    def _index(
        self, arm: int, successes: NDArray[np.int64], failures: NDArray[np.int64], left: int
    ) -> Array:
        """The index of one arm after so many responses."""
        a, b = self._prior[arm]
        if self._tables:
            return np.asarray(self._tables[arm][(successes, failures, left)[: self._design.axes]])
        if self.exact:
            return self._design.index(a + successes, b + failures, left)
        counts = np.stack(np.broadcast_arrays(successes, failures))
        kinds, which = np.unique(counts.reshape(2, -1), axis=1, return_inverse=True)
        indices = self._design.index(a + kinds[0], b + kinds[1], left)
        return indices[which.ravel()].reshape(counts.shape[1:])

    def _index_table(self, a: float, b: float) -> Array:
        """The indices after all responses of an arm before the last patient, NaN elsewhere. [s, f]
        or [s, f, left]
        """
        n = np.arange(self._patients + 1, dtype=np.int16)
        responses = np.add.outer(n, n)
        if self._design.axes == 2:
            at = np.nonzero(responses < self._patients)
        else:  # patients left in ascending order, so that each index is a lower bound of the next
            at = np.nonzero((responses[..., None] + n <= self._patients) & (n > 0))
        table = np.full((len(n),) * len(at), np.nan)
        table[at] = self._design.index(a + at[0], b + at[1], at[-1])
        return table


class PosteriorMeanDesign(IndexDesign):
    """Each patient gets the arm with the highest posterior mean: the current belief, without any
    exploration.
    """

    name, key = "posterior mean", "posterior-mean"

    def index(self, successes: Any, failures: Any, left: Any) -> Array:
        return np.asarray(successes / (successes + failures))


class GittinsDesign(IndexDesign):
    """Each patient gets the arm with the highest Gittins index: optimal for infinitely many
    patients with a discount.

    Args:
        discount: weight of a patient relative to the one before, in [0, 1); 0.99 is that of Villar,
            Bowden and Wason (2015).
        tolerance: maximum error of the indices.
    """

    name, key = "Gittins index", "gittins"
    axes, largest_table = 2, 1500

    def __init__(self, discount: float = 0.99, tolerance: float = 1e-6) -> None:
        self.discount = checked_discount(discount)
        self.tolerance = real("tolerance", tolerance, 1e-9, 1)

    def index(self, successes: Any, failures: Any, left: Any) -> Array:
        return np.asarray(gittins_index(successes, failures, self.discount, self.tolerance))


class FiniteGittinsDesign(IndexDesign):
    """Each patient gets the arm with the highest Gittins index for the patients left (Whittle
    index), without a discount.

    Args:
        tolerance: maximum error of the indices.
    """

    name, key = "finite-horizon index", "finite-gittins"
    axes, largest_table = 3, 250  # its time is their fifth power

    def __init__(self, tolerance: float = 1e-9) -> None:
        self.tolerance = real("tolerance", tolerance, 1e-9, 1)

    def index(self, successes: Any, failures: Any, left: Any) -> Array:
        return np.asarray(finite_gittins_index(successes, failures, left, tolerance=self.tolerance))
