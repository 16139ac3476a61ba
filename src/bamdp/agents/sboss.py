"""SBOSS: BOSS that samples after enough has been learned (Castro, Precup 2010, "Smarter sampling in
model-based Bayesian RL").

After each step the mean m = (α + n) / Σ (α + n) of the visited row is compared with that at the
last sampling; new models are drawn for all state-action pairs when

    D = Σ_s' |m_last(s') − m(s')| / σ_last(s') > δ,
    σ² = a (a0 − a) / (a0² (a0 + 1)),  a = α + n,  a0 = Σ a

This is the form in the program behind Guez, Silver, Dayan (2012). Castro and Precup divide by the
variance σ² instead (as we remember it), and also choose the number of samples for each pair; here K
is the same for all, as in that program.
"""

from __future__ import annotations

from operator import index
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.agent import Grid
from bamdp.agents._model_based import Ties, alternatives
from bamdp.agents.boss import BOSS
from bamdp.prior import has_pseudo_counts
from bamdp.priors.unknown_rewards import transition_prior
from bamdp.problem import BAMDP, require_table
from bamdp.validation import one_of, real


class SBOSS(BOSS):
    """BOSS that draws new models when the posterior mean of a visited row has moved by more than
    delta.

    Args:
        problem: the problem, whose prior has pseudo-counts `alpha`: `Dirichlet` or
            `SparseDirichlet`. With a sparse prior the criterion uses alpha for every state, while
            models are drawn from the sparse posterior.
        models: number of merged models, the papers' K.
        delta: change of the mean above which new models are drawn.
        criterion: the unit of the change, the standard "deviation" or the "variance" at the last
            sampling.
        settings: `tolerance`, `ties` and `seed` as in `PosteriorMean`.

    Example:
        >>> import bamdp
        >>> domain = bamdp.domains.DoubleLoop()
        >>> bamdp.run(SBOSS(domain.problem(), models=2, delta=3), domain,
        ...     steps=1000).total_reward > 150
        True
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_counts", "_last")
    grid: ClassVar[Grid] = ({"models": (2, 4, 8, 16, 32), "delta": (3, 5, 7)},)

    def __init__(
        self,
        problem: BAMDP,
        *,
        models: int = 8,
        delta: float = 5.0,
        criterion: Literal["deviation", "variance"] = "deviation",
        tolerance: float = 1e-6,
        ties: Ties = "random",
        seed: int = 0,
    ) -> None:
        self.delta = real("delta", delta, 0)
        self.criterion = one_of("criterion", criterion, ("deviation", "variance"))
        super().__init__(
            problem, models=models, visits=0, tolerance=tolerance, ties=ties, seed=seed
        )

    def reset(self, seed: int) -> None:
        validation.seed(seed)  # before anything changes
        require_table(self.problem, "SBOSS")
        if not has_pseudo_counts(transition_prior(self.problem.prior)):
            prior, usable = self.problem.prior, alternatives(self.problem.belief())
            raise TypeError(f"SBOSS needs a prior with pseudo-counts, got {prior!r}; {usable}")
        self._counts: dict[tuple[int, int], dict[int, int]] = {}
        self._last: dict[
            tuple[int, int], dict[int, int]
        ] = {}  # counts at the last sampling, of the pairs visited since
        super().reset(seed)

    def observe(
        self,
        state: int,
        action: int,
        reward: float,
        next_state: int,
        terminated: bool | None = False,
    ) -> None:
        super().observe(state, action, reward, next_state, terminated)
        state, action, next_state = index(state), index(action), index(next_state)
        counts = self._counts.setdefault((state, action), {})
        last = self._last.setdefault((state, action), dict(counts))
        counts[next_state] = counts.get(next_state, 0) + 1
        before, after = (
            self._parameters(state, action, last),
            self._parameters(state, action, counts),
        )
        self._due = self._due or deviation(before, after, self.criterion) > self.delta

    def _parameters(self, state: int, action: int, counts: dict[int, int]) -> NDArray[np.float64]:
        """The pseudo-counts of a row and its counts, α + n. [S]"""
        alpha = cast(Any, transition_prior(self.problem.prior)).alpha
        row = np.asarray(1 / self.problem.num_states if alpha is None else alpha, dtype=np.float64)
        parameters = np.array(
            np.broadcast_to(row[state, action] if row.ndim == 3 else row, self.problem.num_states)
        )
        for next_state, n in counts.items():
            parameters[next_state] += n
        return parameters

    def _load(self) -> None:
        if self._due:
            self._last.clear()
        super()._load()


def deviation(old: NDArray[np.float64], new: NDArray[np.float64], criterion: str) -> float:
    """D, the change of the mean of a row from one vector of α + n to another, in units of its
    deviation or variance before.

    Example:
        >>> alpha = np.full(9, 1 / 9)
        >>> [round(deviation(alpha, alpha + n * np.eye(9)[1], "deviation"), 2) for n in (1, 2, 3)]
        [4.0, 5.33, 6.0]
    """
    total, possible = old.sum(), old > 0
    variance = (old * (total - old) / (total**2 * (total + 1)))[possible]
    scale = variance if criterion == "variance" else np.sqrt(variance)
    moved = np.abs(old / total - new / new.sum())[possible]
    return float(np.divide(moved, scale, out=np.zeros_like(moved), where=scale > 0).sum())
