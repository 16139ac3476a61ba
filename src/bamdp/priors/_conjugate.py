"""The belief of the conjugate priors: counts of transitions, kept in the native core."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp.mdp import MDP
from bamdp.prior import SummaryTable
from bamdp.priors._tabular import TabularBelief
from bamdp.validation import Steps, fits_memory, generator, positive_integer

if TYPE_CHECKING:
    from bamdp.problem import BAMDP

LISTED, TOP = 20_000, 10  # at most, rows searched for a summary, and rows shown in it


class ConjugateBelief(TabularBelief):
    """A conjugate prior and the counts of the observed transitions.

    Example:
        >>> import bamdp
        >>> belief = bamdp.BAMDP(bamdp.priors.Dirichlet(alpha=0.5), rewards=[[0], [1]], discount=0.9).belief()
        >>> belief.observe(state=0, action=0, reward=0.0, next_state=1)
        >>> belief.predictive(state=0, action=0)
        array([0.25, 0.75])
    """

    impossible: ClassVar[str] = "its pseudo-count is 0"

    def __init__(self, problem: BAMDP, native: Any) -> None:
        self.problem, self._native = problem, native

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

    def mean(self) -> MDP:
        S, A = self.num_states, self.num_actions
        fits_memory("mean()", S**2 * A)
        return self.of(np.array([[self.predictive(s, a) for a in range(A)] for s in range(S)]))

    def sample(self, count: int, rng: np.random.Generator) -> MDP:
        count = positive_integer("count", count, 10**9)
        fits_memory(f"sample({count})", count * self.num_states**2 * self.num_actions)
        seeds = (generator(rng).integers(2**64, size=4, dtype=np.uint64).tolist() for _ in range(count))
        return self.of(np.stack([self._native.sample_mdp(seed) for seed in seeds]))

    def summary(self) -> list[SummaryTable | str]:
        """The rows observed most often, each with its most probable next states."""
        S, A = self.num_states, self.num_actions
        if S * A > LISTED:
            return [f"too many states and actions to list: {S} · {A}"]
        counts = {(s, a): int(self._native.counts(s, a)[1].sum()) for s, a in np.ndindex(S, A)}
        seen = sorted((pair for pair in counts if counts[pair]), key=lambda pair: -counts[pair])
        names = self.problem.state_name, self.problem.action_name
        rows = [[names[0](s), names[1](a), counts[s, a], self._most_probable(s, a)] for s, a in seen[:TOP]]
        more = [f"and {len(seen) - TOP} rows observed less often"] if len(seen) > TOP else []
        return [SummaryTable(["state", "action", "observed", "next state: posterior mean"], rows), *more] if seen else []

    def __repr__(self) -> str:
        return f"<belief over {self.num_states} states and {self.num_actions} actions after {self.observations} observations>"

    def _most_probable(self, state: int, action: int, limit: int = 4) -> str:
        row = self.predictive(state, action)
        first = np.argsort(-row, kind="stable")[:limit]
        rest = " …" if len(row) > limit else ""
        return ", ".join(f"{self.problem.state_name(int(s))}: {row[s]:.3f}" for s in first) + rest
