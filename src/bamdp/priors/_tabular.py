"""Beliefs over finitely many states that are kept in the native core; those of the conjugate priors
count transitions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bamdp.mdp import MDP, as_mdp
from bamdp.prior import Belief
from bamdp.spaces import describe_action, describe_state
from bamdp.steps import Step, Steps
from bamdp.validation import fits_memory, generator, integer, positive_integer

if TYPE_CHECKING:
    from bamdp.problem import BAMDP


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

    def learn(self, step: Step) -> None:
        state, action, _, next_state, *_ = step
        if not self._possible(state, action, next_state):
            raise self._impossible(state, action, next_state)
        self._native.observe(state, action, next_state)

    def _possible(self, state: int, action: int, next_state: int) -> bool:
        return bool(self._native.possible(state, action, next_state))

    def _impossible(self, state: int, action: int, next_state: int, where: str = "") -> ValueError:
        before, after = (describe_state(self.problem, s) for s in (state, next_state))
        return ValueError(
            f"{where}next_state {after} after state {before} and action "
            f"{describe_action(self.problem, action)} is impossible under the prior: "
            f"{self.impossible}"
        )

    def _pair(self, state: int, action: int) -> tuple[int, int]:
        return integer("state", state, 0, self.problem.num_states - 1), integer(
            "action", action, 0, self.problem.num_actions - 1
        )


class ConjugateBelief(TabularBelief):
    """A conjugate prior and the counts of the observed transitions.

    Example:
        >>> import bamdp
        >>> belief = bamdp.BAMDP(bamdp.priors.Dirichlet(alpha=0.5), rewards=[[0], [1]],
        ...     discount=0.9).belief()
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

    def _learn_many(self, steps: Steps) -> None:
        """In one native call; whether a transition is possible doesn't depend on
        what was observed.
        """
        columns = (steps.states, steps.actions, steps.next_states)
        row = self._native.observe_many(*columns)
        if row < steps.size:
            state, action, next_state = (int(column[row]) for column in columns)
            raise self._impossible(state, action, next_state, f"row {row}: ")

    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        fits_memory("predictive()", self.problem.num_states)
        return np.asarray(self._native.predictive(*self._pair(state, action)))

    def mean(self) -> MDP:
        S, A = self.problem.num_states, self.problem.num_actions
        fits_memory("mean()", S**2 * A)
        return as_mdp(
            self.problem, np.array([[self.predictive(s, a) for a in range(A)] for s in range(S)])
        )

    def sample(self, count: int, rng: np.random.Generator) -> MDP:
        count = positive_integer("count", count, 10**9)
        fits_memory(
            f"sample({count})", count * self.problem.num_states**2 * self.problem.num_actions
        )
        seeds = (
            generator(rng).integers(2**64, size=4, dtype=np.uint64).tolist() for _ in range(count)
        )
        return as_mdp(self.problem, np.stack([self._native.sample_mdp(seed) for seed in seeds]))

    def __repr__(self) -> str:
        S, A = self.problem.num_states, self.problem.num_actions
        return f"<belief over {S} states and {A} actions after {self.observations} observations>"
