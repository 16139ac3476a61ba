"""Native beliefs over finitely many states, with checks of the observations."""

from __future__ import annotations

from typing import Any, ClassVar

from bamdp._validation import integer
from bamdp.prior import Belief


class TabularBelief(Belief):
    """A belief whose state is kept in the native core.

    Attributes:
        impossible: why a transition is impossible, the end of an error message.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_native",)
    impossible: ClassVar[str]
    _native: Any

    @property
    def observations(self) -> int:
        """Number of transitions observed."""
        return int(self._native.observations)

    def observe(self, state: int, action: int, next_state: int) -> None:
        """Learn from one real transition.

        Raises:
            ValueError: a state or action is out of range, or the transition is impossible under the prior.
        """
        state, action = self._pair(state, action)
        next_state = integer("next_state", next_state, 0, self.num_states - 1)
        if not self._possible(state, action, next_state):
            raise ValueError(
                f"next_state {next_state} after state {state} and action {action} is impossible under the prior: "
                f"{self.impossible}"
            )
        self._native.observe(state, action, next_state)

    def _possible(self, state: int, action: int, next_state: int) -> bool:
        return bool(self._native.possible(state, action, next_state))

    def _pair(self, state: int, action: int) -> tuple[int, int]:
        return integer("state", state, 0, self.num_states - 1), integer("action", action, 0, self.num_actions - 1)
