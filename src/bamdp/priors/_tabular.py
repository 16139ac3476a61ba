"""Beliefs over finitely many states that are kept in the native core; those of the conjugate priors count transitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp.mdp import MDP
from bamdp.prior import Belief, SummaryTable
from bamdp.validation import Steps, fits_memory, generator, integer, positive_integer

if TYPE_CHECKING:
    from bamdp.problem import BAMDP

LISTED, TOP = 20_000, 10  # at most, rows searched for a summary, and rows shown in it


class TabularBelief(Belief):
    """A belief whose state is kept in the native core.

    Attributes:
        impossible: why a transition is impossible, the end of an error message.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_native",)
    impossible: ClassVar[str]
    _native: Any

    @property
    def native(self) -> tuple[Any, ...]:
        return (self._native,)

    @property
    def observations(self) -> int:
        """Number of transitions observed."""
        return int(self._native.observations)

    def observe(self, state: int, action: int, reward: float | None, next_state: int, terminated: bool | None = False) -> None:
        state, action = self._pair(state, action)
        next_state = integer("next_state", next_state, 0, self.num_states - 1)
        self.problem.check_reward(state, action, reward, next_state)
        if not self._possible(state, action, next_state):
            raise self._impossible(state, action, next_state)
        self._native.observe(state, action, next_state)

    def _possible(self, state: int, action: int, next_state: int) -> bool:
        return bool(self._native.possible(state, action, next_state))

    def _impossible(self, state: int, action: int, next_state: int, where: str = "") -> ValueError:
        name = self.problem.describe_state
        return ValueError(
            f"{where}next_state {name(next_state)} after state {name(state)} and action {self.problem.describe_action(action)} "
            f"is impossible under the prior: {self.impossible}"
        )

    def _pair(self, state: int, action: int) -> tuple[int, int]:
        return integer("state", state, 0, self.num_states - 1), integer("action", action, 0, self.num_actions - 1)


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
        columns = (steps.states, steps.actions, steps.next_states)
        row = self._native.observe_many(*columns)
        if row < steps.size:
            state, action, next_state = (int(column[row]) for column in columns)
            raise self._impossible(state, action, next_state, f"row {row}: ")

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
        counts = {(s, a): sum(self.counts(s, a).values()) for s, a in np.ndindex(S, A)}
        seen = sorted((pair for pair in counts if counts[pair]), key=lambda pair: -counts[pair])
        state, action = self.problem.state_name, self.problem.action_name
        rows = [[state(s), action(a), counts[s, a], self._most_probable(s, a)] for s, a in seen[:TOP]]
        more = [f"and {len(seen) - TOP} rows observed less often"] if len(seen) > TOP else []
        return [SummaryTable(["state", "action", "observed", "next state: posterior mean"], rows), *more] if seen else []

    def _most_probable(self, state: int, action: int) -> str:
        row = self.predictive(state, action)
        first = np.argsort(-row, kind="stable")[:4]
        return ", ".join(f"{self.problem.state_name(int(s))}: {row[s]:.3f}" for s in first) + " …" * (len(row) > 4)

    def __repr__(self) -> str:
        return f"<belief over {self.num_states} states and {self.num_actions} actions after {self.observations} observations>"
