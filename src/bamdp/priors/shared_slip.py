"""One slip probability shared by all states and actions.

    p ~ Beta(slips, holds);   s' = intended(s, a) with probability 1 − p, and ~ slipped(s, a) with p
    P(slip | data) = (slips + observed slips) / (slips + holds + informative steps)

Conjugate, as a step must show whether it was a slip: slips never lead to the intended state, or
always (between two walls); then the step is uninformative. The model is
core/models/shared_slip.hpp.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core
from bamdp.mdp import MDP, as_mdp
from bamdp.prior import Prior
from bamdp.priors._tabular import TabularBelief
from bamdp.validation import distribution_rows, fits_memory, generator, integer, real, states

if TYPE_CHECKING:
    from bamdp.problem import BAMDP


class SharedSlipBelief(TabularBelief):
    """A Beta belief over the slip probability.

    Attributes:
        slips: pseudo-count of slips, prior and observed.
        holds: pseudo-count of steps that went as intended, prior and observed.
    """

    impossible: ClassVar[str] = "it is neither intended nor a slip"

    def __init__(self, problem: BAMDP, prior: SharedSlip) -> None:
        self.problem = problem
        self._intended, self._slipped = np.asarray(prior.intended), np.asarray(prior.slipped)
        self._probabilities = np.asarray(prior.probabilities)
        self._native = _core.SharedSlipBelief(
            self._intended,
            self._slipped,
            np.cumsum(self._probabilities, axis=-1),
            prior.slips,
            prior.holds,
        )

    @property
    def slips(self) -> float:
        return float(self._native.slips)

    @property
    def holds(self) -> float:
        return float(self._native.holds)

    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        return self._row(*self._pair(state, action), self.slips / (self.slips + self.holds))

    def mean(self) -> MDP:
        return as_mdp(self.problem, self._table(self.slips / (self.slips + self.holds)))

    def sample(self, count: int, rng: np.random.Generator) -> MDP:
        fits_memory(
            "sample()",
            integer("count", count, 1) * self.problem.num_states**2 * self.problem.num_actions,
        )
        slips = (generator(rng).beta(self.slips, self.holds) for _ in range(count))
        return as_mdp(self.problem, np.stack([self._table(slip) for slip in slips]))

    def _table(self, slip: float) -> NDArray[np.float64]:
        S, A = self.problem.num_states, self.problem.num_actions
        fits_memory("a table", S * A * S)
        return np.array([[self._row(s, a, slip) for a in range(A)] for s in range(S)])

    def _possible(self, state: int, action: int, next_state: int) -> bool:
        return bool(self._row(state, action, 0.5)[next_state] > 0)

    def _row(self, state: int, action: int, slip: float) -> NDArray[np.float64]:
        row = np.zeros(self.problem.num_states)
        row[self._intended[state, action]] += 1 - slip
        np.add.at(row, self._slipped[state, action], slip * self._probabilities[state, action])
        return row

    def __repr__(self) -> str:
        return (
            "<belief that steps slip with probability "
            f"{self.slips / (self.slips + self.holds):.3g}>"
        )


@dataclass(frozen=True, eq=False)
class SharedSlip(Prior):
    """One unknown slip probability, shared by all states and actions.

    Args:
        intended: intended next state of each action. [S, A]
        slipped: next state after a slip [S, A], or several [S, A, k].
        probabilities: probability of each of `slipped`, 0 for padding; uniform by default. [S, A,
            k]
        slips: pseudo-count of slips.
        holds: pseudo-count of steps that go as intended.

    Example:
        >>> stay_or_go = [[0, 1], [1, 0]]
        >>> import bamdp
        >>> prior = SharedSlip(stay_or_go, slipped=[[1, 0], [0, 1]])
        >>> belief = bamdp.BAMDP(prior, rewards=[[0, 0], [1, 1]], discount=0.9).belief()
        >>> for _ in range(8):
        ...     belief.observe(state=0, action=0, reward=0.0, next_state=0)
        >>> belief.predictive(state=1, action=1)
        array([0.9, 0.1])
    """

    intended: ArrayLike
    slipped: ArrayLike
    probabilities: ArrayLike | None = None
    slips: float = 1.0
    holds: float = 1.0

    def __post_init__(self) -> None:
        for name in ("slips", "holds"):
            object.__setattr__(self, name, real(name, getattr(self, name), 0, 1e14, open_low=True))
        intended, slipped = _integers("intended", self.intended), _integers("slipped", self.slipped)
        slipped = slipped[..., None] if slipped.ndim == 2 else slipped
        if intended.ndim != 2 or slipped.ndim != 3 or slipped.shape[:2] != intended.shape:
            raise ValueError(
                f"intended must be [S, A] and slipped [S, A] or [S, A, k], got {intended.shape} "
                f"and {slipped.shape}"
            )
        intended, slipped = (
            states("intended", intended, len(intended)),
            states("slipped", slipped, len(intended)),
        )
        uniform = np.full(slipped.shape, 1 / slipped.shape[2])
        probabilities = distribution_rows(
            "probabilities", uniform if self.probabilities is None else self.probabilities
        )
        if probabilities.shape != slipped.shape:
            raise ValueError(
                f"probabilities must have the shape of slipped, {slipped.shape}, got "
                f"{probabilities.shape}"
            )
        # Padding gets the first possible state, so that it adds no other.
        first = np.take_along_axis(slipped, np.argmax(probabilities > 0, axis=2)[..., None], axis=2)
        slipped = np.where(probabilities > 0, slipped, first)
        same = (slipped == intended[..., None]).sum(axis=2)
        if np.any((same > 0) & (same < slipped.shape[2])):
            s, a = (int(i) for i in np.argwhere((same > 0) & (same < slipped.shape[2]))[0])
            raise ValueError(
                f"a slip after state {s} and action {a} may or may not lead to the intended state, "
                "so observing it "
                "doesn't show whether it was a slip; leave that state out of slipped"
            )
        for name, array in (
            ("intended", intended),
            ("slipped", slipped),
            ("probabilities", probabilities),
        ):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def sizes(self) -> tuple[int, int]:
        S, A = np.shape(self.intended)
        return S, A

    def belief(self, problem: BAMDP) -> SharedSlipBelief:
        return SharedSlipBelief(problem, self)

    def __repr__(self) -> str:
        return f"SharedSlip(slips={self.slips:g}, holds={self.holds:g})"


def _integers(name: str, value: ArrayLike) -> NDArray[np.int64]:
    """`value` as an array that is not empty."""
    try:
        array = np.array(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} must be an array of states, integers, got rows of different lengths or no "
            "array"
        ) from None
    if array.size == 0:
        raise ValueError(f"{name} must not be empty")
    return array
