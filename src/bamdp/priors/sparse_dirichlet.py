"""Sparse Dirichlet rows (Friedman, Singer 1999): few next states are possible, but which ones is
unknown.

    k ~ P(k) ∝ k^-exponent on 1 … S;  V uniform among the sets of k states;
    theta(s, a) ~ Dirichlet(alpha on V)

After N observations of K0 distinct successors, the next one is among these with probability

    C = Σ_k P(k | n) (K0 alpha + N)/(k alpha + N),
    P(k | n) ∝ P(k) k!/(k − K0)! Γ(k alpha)/Γ(k alpha + N)

and then s' with probability (alpha + n_s')/(K0 alpha + N); all unseen states share 1 − C equally.
Computed in log-space, for any number of observations. The paper uses this prior for the grids and
the maze; the defaults are its program's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bamdp import _core
from bamdp.prior import Prior, has_pseudo_counts
from bamdp.priors._tabular import ConjugateBelief
from bamdp.validation import real, table_sizes

if TYPE_CHECKING:
    from bamdp.problem import BAMDP


@dataclass(frozen=True)
class SparseDirichlet(Prior):
    """Sparse Dirichlet rows: few next states are possible, but which ones is unknown.

    Args:
        alpha: pseudo-count of each possible next state, at most 1e6.
        exponent: exponent of the prior over the number of possible next states, P(k) ∝ k^-exponent.

    Example:
        >>> import bamdp
        >>> belief = bamdp.domains.Grid(5).problem(SparseDirichlet()).belief()
        >>> belief.observe(state=0, action=0, reward=0.0, next_state=7)
        >>> round(belief.predictive(0, 0)[7], 6)
        np.float64(0.885479)
    """

    alpha: float = 0.2
    exponent: float = 2.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", real("alpha", self.alpha, 0, 1e6, open_low=True))
        object.__setattr__(self, "exponent", real("exponent", self.exponent, -10, 50))

    def belief(self, problem: BAMDP) -> ConjugateBelief:
        S, A = table_sizes(problem.num_states, problem.num_actions)
        return ConjugateBelief(
            problem, _core.SparseDirichletBelief(S, A, self.alpha, self.exponent)
        )


@has_pseudo_counts.register
def _(prior: SparseDirichlet) -> bool:
    return True
