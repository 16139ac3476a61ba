"""Beliefs over finitely many states whose native part takes in what was observed: what is checked before it does."""

from __future__ import annotations

from typing import Any, ClassVar

from bamdp._validation import integer
from bamdp.prior import Belief


class TabularBelief(Belief):
    """A belief with a native part.

    Attributes:
        impossible: why a transition can't be, the end of a sentence.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_native",)
    impossible: ClassVar[str]
    _native: Any

    @property
    def observations(self) -> int:
        """How many transitions were observed."""
        return int(self._native.observations)

    def observe(self, state: int, action: int, next_state: int) -> None:
        """Take in one real transition.

        Raises:
            ValueError: a state or action is out of range, or the prior says that this can't happen.
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
