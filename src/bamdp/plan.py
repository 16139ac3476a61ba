"""What a search found out: the decision, the evidence for it, and the tree behind it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bamdp.tree import SearchTree


@dataclass(frozen=True)
class Plan:
    """The outcome of one search.

    Attributes:
        action: the decision.
        values: mean return of each action, 0 for one never tried. [A]
        visits: simulations that began with each action. [A]
        standard_errors: of `values`, infinite below two visits. [A]
        simulations: simulations run by this search.
        seconds: time it took.
        depth: most steps from the root to the end of the tree in one simulation.
        tree: the tree (or trees) of the search.
    """

    action: int
    values: NDArray[np.float64]
    visits: NDArray[np.int64]
    standard_errors: NDArray[np.float64]
    simulations: int
    seconds: float
    depth: int
    tree: SearchTree = field(repr=False)

    @property
    def value(self) -> float:
        """Mean return of the chosen action."""
        return float(self.values[self.action])


@dataclass(frozen=True)
class BoundedPlan(Plan):
    """The outcome of a search by bounds: `values` are those that it decides by, and have no standard errors (infinity).

    Attributes:
        lower: lower bound of the value of each action. [A]
        upper: upper bound of the value of each action. [A]
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def standard_errors(squares: NDArray[np.float64], visits: NDArray[np.int64]) -> NDArray[np.float64]:
    """Of means, from sums of squared deviations; infinite below two visits."""
    n = visits.astype(np.float64)
    errors = np.full(n.shape, np.inf)
    enough = n > 1
    errors[enough] = np.sqrt(squares[enough] / (n[enough] * (n[enough] - 1)))
    return errors
