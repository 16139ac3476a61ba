"""Native beliefs over finitely many states, with checks of the observations."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from bamdp.prior import Belief
from bamdp.validation import integer


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
        self._require_possible(state, action, next_state)
        self._native.observe(state, action, next_state)

    def _require_possible(self, state: int, action: int, next_state: int) -> None:
        if not self._possible(state, action, next_state):
            self._reject(None, state, action, next_state)

    def _reject(self, row: int | None, state: int, action: int, next_state: int) -> NoReturn:
        """Raise the error of an impossible transition, in a row of many if given."""
        told, where = self.problem.told_state, "" if row is None else f"row {row}: "
        raise ValueError(
            f"{where}next_state {told(next_state)} after state {told(state)} and action {self.problem.told_action(action)} "
            f"is impossible under the prior: {self.impossible}"
        )

    def _possible(self, state: int, action: int, next_state: int) -> bool:
        return bool(self._native.possible(state, action, next_state))

    def _pair(self, state: int, action: int) -> tuple[int, int]:
        return integer("state", state, 0, self.num_states - 1), integer("action", action, 0, self.num_actions - 1)
