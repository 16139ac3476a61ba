"""SBOSS: BOSS that samples after enough has been learned (Castro, Precup 2010, "Smarter sampling in model-based Bayesian RL").

After each step the mean m = (α + n) / Σ (α + n) of the visited row is compared with that at the last sampling; new models
are drawn for all state-action pairs when

    D = Σ_s' |m_last(s') − m(s')| / σ_last(s') > δ,   σ² = a (a0 − a) / (a0² (a0 + 1)),  a = α + n,  a0 = Σ a

This is the form in the program behind Guez, Silver, Dayan (2012). Castro and Precup divide by the variance σ² instead (as we
remember it), and also choose the number of samples for each pair; here K is the same for all, as in that program.

Without pseudo-counts, in a finite set of worlds, m and σ² are the posterior mean and variance of P(s' | s, a) over the worlds.
There a step in one row teaches about all of them, and a world may be ruled out altogether, by what it pays too: then new models
are drawn as well, since it may be one of those that were merged.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.agent import Grid
from bamdp.agents._model_based import Ties
from bamdp.agents.boss import BOSS
from bamdp.problem import BAMDP
from bamdp.validation import fits_memory, integer, one_of, real


class SBOSS(BOSS):
    """BOSS that draws new models when the posterior mean of a visited row has moved by more than delta.

    Args:
        problem: the problem, whose prior has pseudo-counts `alpha`, or beliefs with a `variance`: `Finite`, `Parametric`,
            `SharedSlip`. With a sparse prior the criterion uses alpha for every state, while models are drawn from the sparse
            posterior.
        models: number of merged models, the papers' K.
        delta: change of the mean above which new models are drawn.
        criterion: the unit of the change, the standard "deviation" or the "variance" at the last sampling.
        settings: `tolerance`, `ties` and `seed` as in `PosteriorMean`.

    Example:
        >>> import bamdp
        >>> agent = SBOSS(bamdp.domains.DoubleLoop().problem(), models=2, delta=5)
        >>> [round(agent.deviation(0, 0, before={}, after={1: n}), 2) for n in (1, 2, 3)]
        [4.0, 5.33, 6.0]
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_counts", "_last", "_moments", "_worlds")
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
        super().__init__(problem, models=models, visits=0, tolerance=tolerance, ties=ties, seed=seed)

    @property
    def _counted(self) -> bool:
        """Whether the prior has pseudo-counts."""
        return hasattr(self.problem.prior.of_transitions, "alpha")

    def reset(self, seed: int) -> None:
        validation.seed(seed)  # before anything changes
        self.problem.require_table("SBOSS")
        S, A = self.problem.num_states, self.problem.num_actions
        self._moments = np.zeros((2, S, A, S) if not self._counted else 0)  # mean and variance of all rows at the last sampling
        self._worlds = 0  # that were possible then
        self._counts: dict[tuple[int, int], dict[int, int]] = {}
        self._last: dict[tuple[int, int], dict[int, int]] = {}  # counts at the last sampling, of the pairs visited since
        super().reset(seed)

    def observe(self, state: int, action: int, reward: float, next_state: int, terminated: bool | None = False) -> None:
        super().observe(state, action, reward, next_state, terminated)
        state, action, next_state = index(state), index(action), index(next_state)
        if not self._counted:
            mean, variance = self._moments[:, state, action]
            moved = self._moved(mean, variance, self.belief.predictive(state, action))
            self._due = self._due or moved > self.delta or self._possible() < self._worlds
            return
        counts = self._counts.setdefault((state, action), {})
        last = self._last.setdefault((state, action), dict(counts))
        counts[next_state] = counts.get(next_state, 0) + 1
        self._due = self._due or self.deviation(state, action, last, counts) > self.delta

    def deviation(self, state: int, action: int, before: dict[int, int], after: dict[int, int]) -> float:
        """The change of the mean of a row between two sets of counts, {next_state: n}, in units of its deviation.

        Raises:
            TypeError: the prior has no pseudo-counts.
        """
        if not self._counted:
            raise TypeError(f"deviation() is of counts, and {self.problem.prior!r} has no pseudo-counts alpha")
        state, action = self.problem.check_state(state), integer("action", action, 0, self.problem.num_actions - 1)
        for name, counts in (("before", before), ("after", after)):
            _check_counts(name, counts, self.problem.num_states)
        old, new = self._parameters(state, action, before), self._parameters(state, action, after)
        total = old.sum()
        possible = old > 0
        variance = old * (total - old) / (total**2 * (total + 1))
        return self._moved(*(row[possible] for row in (old / total, variance, new / new.sum())))

    def _moved(self, mean: NDArray[np.float64], variance: NDArray[np.float64], new: NDArray[np.float64]) -> float:
        """The paper's D."""
        moved, scale = np.abs(mean - new), variance if self.criterion == "variance" else np.sqrt(variance)
        return float(np.divide(moved, scale, out=np.zeros_like(moved), where=scale > 0).sum())

    def _parameters(self, state: int, action: int, counts: dict[int, int]) -> NDArray[np.float64]:
        alpha = cast(Any, self.problem.prior.of_transitions).alpha
        row = np.asarray(1 / self.problem.num_states if alpha is None else alpha, dtype=np.float64)
        parameters = np.array(np.broadcast_to(row[state, action] if row.ndim == 3 else row, self.problem.num_states))
        for next_state, n in counts.items():
            parameters[next_state] += n
        return parameters

    def _load(self) -> None:
        if self._due:
            self._last.clear()
            if not self._counted:
                self._remember()
        super()._load()

    def _remember(self) -> None:
        """Keep the mean and variance of all rows, to compare with."""
        fits_memory("the criterion of SBOSS", 2 * self.problem.num_states**2 * self.problem.num_actions)
        try:
            self._moments[:] = self.belief.mean().transitions, self.belief.variance()
        except TypeError as error:
            message = f"its criterion takes pseudo-counts alpha or the posterior variance: {error}; use BOSS"
            raise TypeError(message) from error
        self._worlds = self._possible()

    def _possible(self) -> int:
        """Number of worlds that are still possible; 0 if they can't be counted."""
        return int(getattr(self.belief, "num_possible", 0))


def _check_counts(name: str, counts: Any, num_states: int) -> None:
    if not isinstance(counts, Mapping):
        raise TypeError(f"{name} must be counts {{next_state: n}}, got {counts!r}")
    for next_state, n in counts.items():
        integer(f"each next state of {name}", next_state, 0, num_states - 1)
        integer(f"each count of {name}", n, 0, 2**53)
