"""The belief of the conjugate priors: counts of transitions, kept in the native core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp._validation import fits_memory, generator
from bamdp._validation.steps import Steps
from bamdp.prior import SummaryTable
from bamdp.priors._tabular import TabularBelief

LISTED, TOP = 20_000, 10  # at most, rows searched for a summary, and rows shown in it


class ConjugateBelief(TabularBelief):
    """A conjugate prior and the counts of the observed transitions.

    Example:
        >>> import bamdp
        >>> belief = bamdp.priors.Dirichlet(alpha=0.5).belief(num_states=2, num_actions=1)
        >>> belief.observe(state=0, action=0, next_state=1)
        >>> belief.predictive(state=0, action=0)
        array([0.25, 0.75])
    """

    impossible: ClassVar[str] = "its pseudo-count is 0"

    def __init__(self, native: Any) -> None:
        self._native = native
        self.num_states: int = native.num_states
        self.num_actions: int = native.num_actions

    @property
    def tied(self) -> bool:
        """Whether all states share their rows, as in bandits."""
        return bool(self._native.tied)

    def counts(self, state: int, action: int) -> dict[int, int]:
        """The number of times each next state was observed after `action` in `state`."""
        successors, n = self._native.counts(*self._pair(state, action))
        return dict(zip(successors.tolist(), n.tolist(), strict=True))

    def _observe_rows(self, steps: Steps) -> None:
        """In one native call; whether a transition is possible doesn't depend on what was observed."""
        row = self._native.observe_many(steps.states, steps.actions, steps.next_states)
        if row < steps.size:
            self._reject(row, *(int(column[row]) for column in (steps.states, steps.actions, steps.next_states)))

    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        fits_memory("predictive()", self.num_states)
        return np.asarray(self._native.predictive(*self._pair(state, action)))

    def mean(self) -> NDArray[np.float64]:
        fits_memory("mean()", self.num_states**2 * self.num_actions)
        return super().mean()

    def sample_mdp(self, rng: np.random.Generator) -> NDArray[np.float64]:
        fits_memory("sample_mdp()", self.num_states**2 * self.num_actions)
        return np.asarray(self._native.sample_mdp(generator(rng).integers(2**64, size=4, dtype=np.uint64).tolist()))

    def load_mean(self, solver: _core.Solver, bonus: float = 0.0) -> None:
        """Load the posterior mean into a solver: sparse, and after one more observation only the changed row."""
        solver.load_mean(self._native, bonus)

    def solve_index(
        self,
        solver: _core.Solver,
        state: int,
        tolerance: float,
        on_tick: Callable[[], None] | None = None,
        left: _core.StepsLeft | None = None,
    ) -> None:
        if left is None:
            solver.solve_index(self._native, state, tolerance, on_tick=on_tick)
        else:
            solver.solve_index_steps(self._native, state, left, on_tick=on_tick)

    def load_samples(self, solver: _core.Solver, count: int, rng: np.random.Generator) -> None:
        """Load `count` models drawn from the posterior into a solver, without dense tables."""
        solver.load_samples(self._native, count, rng.integers(2**64, size=4, dtype=np.uint64).tolist())

    def model(self, seeds: list[list[int]]) -> tuple[Any, ...]:
        """Arguments of a native search: the counts."""
        return (self._native,)

    def summary(self) -> list[SummaryTable | str]:
        """The rows observed most often, each with its most probable next states."""
        S, A = self.num_states, self.num_actions
        if S * A > LISTED:
            return [f"too many states and actions to list: {S} · {A}"]
        counts = {(s, a): int(self._native.counts(s, a)[1].sum()) for s, a in np.ndindex(S, A)}
        seen = sorted((pair for pair in counts if counts[pair]), key=lambda pair: -counts[pair])
        rows = [[s, a, counts[s, a], _most_probable(self.predictive(s, a))] for s, a in seen[:TOP]]
        more = [f"and {len(seen) - TOP} rows observed less often"] if len(seen) > TOP else []
        return [SummaryTable(["state", "action", "observed", "next state: posterior mean"], rows), *more] if seen else []

    def __repr__(self) -> str:
        return f"<belief over {self.num_states} states and {self.num_actions} actions after {self.observations} observations>"


def _most_probable(row: NDArray[np.float64], limit: int = 4) -> str:
    first = np.argsort(-row, kind="stable")[:limit]
    rest = " …" if len(row) > limit else ""
    return ", ".join(f"{s}: {row[s]:.3f}" for s in first) + rest
