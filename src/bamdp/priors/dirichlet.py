"""Independent Dirichlet rows.

    theta(s, a) ~ Dirichlet(alpha),  n observed successors
    ⇒  P(s' | n) = (alpha_s' + n_s') / (Σ alpha + N)

The paper uses the symmetric one with alpha = 1/S for Double-loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core
from bamdp.prior import Prior, has_pseudo_counts
from bamdp.priors._tabular import ConjugateBelief
from bamdp.validation import dimensions, real, real_array, table_sizes

if TYPE_CHECKING:
    from bamdp.problem import BAMDP

MOST = 1e15  # sum of the pseudo-counts of a row; doubles still resolve one observation there


@dataclass(frozen=True, eq=False)
class Dirichlet(Prior):
    """Independent Dirichlet rows, symmetric or with any pseudo-counts.

    Args:
        alpha: pseudo-count of each next state: one positive number for all, an array [S] for all
            rows, or an array [S, A, S]; zero in an array means impossible. 1/S by default.

    Example:
        >>> import bamdp
        >>> bamdp.BAMDP(Dirichlet(), rewards=np.zeros((4, 2)),
        ...     discount=0.9).belief().predictive(state=0, action=0)
        array([0.25, 0.25, 0.25, 0.25])
        >>> bamdp.BAMDP(Dirichlet(alpha=[3, 1, 0]), rewards=np.zeros((3, 1)),
        ...     discount=0.9).belief().predictive(0, 0)
        array([0.75, 0.25, 0.  ])
    """

    alpha: float | ArrayLike | None = None

    def __post_init__(self) -> None:
        if self.alpha is None:
            return
        if dimensions("alpha", self.alpha) == 0:
            object.__setattr__(self, "alpha", real("alpha", self.alpha, 0, open_low=True))
        else:
            array = pseudo_counts("alpha", self.alpha)
            if array.ndim not in (1, 3) or array.shape[0] != array.shape[-1]:
                raise ValueError(
                    "alpha must be a number or have shape [S] or [S, A, S], got shape "
                    f"{array.shape}"
                )
            object.__setattr__(self, "alpha", array)

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        shape = np.shape(self.alpha)  # type: ignore[arg-type]  # None has none
        return (shape[0] if shape else None), (shape[1] if len(shape) == 3 else None)

    def belief(self, problem: BAMDP) -> ConjugateBelief:
        S, A = table_sizes(problem.num_states, problem.num_actions)
        if not isinstance(self.alpha, np.ndarray):
            alpha = 1 / S if self.alpha is None else cast(float, self.alpha)
            _check_sums("alpha", np.array([S * alpha]))
            return ConjugateBelief(problem, _core.DirichletBelief(S, A, alpha))
        return ConjugateBelief(problem, _core.DirichletBelief(S, A, self.alpha))

    def __repr__(self) -> str:
        if self.alpha is None:
            return "Dirichlet(1/S)"
        return f"Dirichlet({'array' if np.ndim(self.alpha) else self.alpha})"


def pseudo_counts(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """`value` as an array of counts: none negative, at least one positive in each row."""
    array = real_array(name, value)
    if array.size == 0 or array.min() < 0:
        raise ValueError(
            f"{name} must not be empty or negative, got "
            f"{array.min() if array.size else 'no entries'}"
        )
    if not np.all(array.max(axis=-1) > 0):
        where = tuple(int(i) for i in np.argwhere(np.atleast_1d(array.max(axis=-1)) <= 0)[0])
        raise ValueError(
            f"{name} must leave some next state possible, but the row at index {where} is all zero"
        )
    with np.errstate(over="ignore"):
        _check_sums(name, array.sum(axis=-1))
    return array


def _check_sums(name: str, sums: NDArray[np.float64]) -> None:
    """Reject pseudo-counts too large to add an observation to."""
    if np.max(sums) > MOST:
        raise ValueError(
            f"{name} must sum to at most {MOST:g} over the next states, got {np.max(sums):g}"
        )


@has_pseudo_counts.register
def _(prior: Dirichlet) -> bool:
    return True
