"""A finite set of worlds: the transitions are one of M known tables.

With prior weights w⁰,

    w_m ∝ w_m⁰ Π P_m(s' | s, a) over the observed transitions,   P(s' | s, a) = Σ_m w_m P_m(s' | s, a)

The search draws one table for each simulation: root sampling in its simplest form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core
from bamdp._validation import distribution_rows, generator, real_array, sizes
from bamdp.prior import Prior, SummaryTable
from bamdp.priors._tabular import TabularBelief


class FiniteBelief(TabularBelief):
    """A belief over the tables, by weights."""

    impossible: ClassVar[str] = "no table that is left allows it"
    _native: _core.FiniteBelief

    def __init__(self, transitions: NDArray[np.float64], weights: NDArray[np.float64]) -> None:
        self._transitions = transitions
        self._native = _core.FiniteBelief(transitions, weights)
        self.num_states, self.num_actions = transitions.shape[1:3]

    @property
    def weights(self) -> NDArray[np.float64]:
        """The posterior probability of each table. [M]"""
        return self._native.weights

    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        """The probability of each next state, averaged over the tables. [S]"""
        return self._native.predictive(*self._pair(state, action))

    def mean(self) -> NDArray[np.float64]:
        """The posterior mean of the transition probabilities. [S, A, S]"""
        mean: NDArray[np.float64] = np.tensordot(self.weights, self._transitions, axes=1)
        return mean

    def sample_mdp(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """One of the tables, drawn from the posterior. [S, A, S]"""
        drawn = self._native.draw(generator(rng).integers(2**64, size=4, dtype=np.uint64).tolist())
        table: NDArray[np.float64] = self._transitions[drawn].copy()
        return table

    def model(self, seeds: list[list[int]]) -> tuple[Any, ...]:
        """Arguments of a native search: the tables and their weights."""
        return (self._native,)

    def summary(self) -> list[SummaryTable | str]:
        """The most probable worlds."""
        first = np.argsort(-self.weights, kind="stable")[:10]
        return [SummaryTable(["world", "probability"], [[int(m), f"{self.weights[m]:.4f}"] for m in first])]

    def __repr__(self) -> str:
        return f"<belief over {len(self._transitions)} tables after {self.observations} observations>"


@dataclass(frozen=True, eq=False)
class Finite(Prior):
    """One of a finite set of worlds.

    Args:
        transitions: transition probabilities of each world. [M, S, A, S]
        weights: probability of each world, up to a factor; uniform if not given. [M]

    Example:
        >>> left_or_right = [[[[1, 0]], [[1, 0]]], [[[0, 1]], [[0, 1]]]]
        >>> belief = Finite(left_or_right, weights=[3, 1]).belief(num_states=2, num_actions=1)
        >>> belief.predictive(state=0, action=0)
        array([0.75, 0.25])
        >>> belief.observe(state=0, action=0, next_state=1)
        >>> belief.weights
        array([0., 1.])
    """

    transitions: ArrayLike
    weights: ArrayLike | None = None

    def __post_init__(self) -> None:
        tables = distribution_rows("transitions", self.transitions)
        if tables.ndim != 4 or 0 in tables.shape or tables.shape[1] != tables.shape[3]:
            raise ValueError(f"transitions must have shape [M, S, A, S], got {tables.shape}")
        weights = np.ones(len(tables)) if self.weights is None else real_array("weights", self.weights, 1e300)
        if weights.shape != (len(tables),) or weights.min() < 0 or weights.sum() <= 0:
            raise ValueError(f"weights must be one number for each of the {len(tables)} tables, none negative, not all zero")
        if abs(weights.sum() - 1) > 1e-15 * len(weights):  # else normalized already: again would change last digits
            given, weights = weights, weights / weights.sum()
            if np.any((given > 0) & (weights == 0)):
                raise ValueError(
                    "weights must be 0 or more than 1e-300 of the largest, got one that is too small beside the others"
                )
        for name, array in (("transitions", tables), ("weights", weights)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def belief(self, num_states: int, num_actions: int) -> FiniteBelief:
        """The belief before any observation."""
        tables, weights = np.asarray(self.transitions), np.asarray(self.weights)
        if tables.shape[1:3] != sizes(num_states, num_actions):
            S, A = tables.shape[1:3]
            raise ValueError(f"transitions are for {S} states and {A} actions, not {num_states} and {num_actions}")
        return FiniteBelief(tables, weights)

    def __repr__(self) -> str:
        return f"Finite({len(np.asarray(self.transitions))} worlds)"
