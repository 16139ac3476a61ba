"""The base of model-free agents: entries for visited states, and validation.

They need neither a prior nor tables, so they work in unbounded domains too; memory grows with the visited states.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from bamdp import _validation
from bamdp._validation import integer, positive_integer
from bamdp.agent import Agent
from bamdp.domain import UNBOUNDED, Domain
from bamdp.prior import Prior

Entry = TypeVar("Entry")


class ModelFree(Agent, Generic[Entry]):
    """An agent that keeps an entry for each visited state.

    Args:
        num_states: number of states, to reject others; None for an unbounded domain.
        num_actions: number of actions.
        discount: discount factor, in [0, 1).
        terminal: terminal states, where episodes end.
        seed: seed of the agent's random generator.
    """

    state_attributes: ClassVar[tuple[str, ...]] = ("_rng", "_entries")

    def __init__(
        self, num_states: int | None, num_actions: int, discount: float, *, terminal: Collection[int] = (), seed: int = 0
    ) -> None:
        self.num_states = None if num_states is None else positive_integer("num_states", num_states)
        self.num_actions = _validation.actions(num_actions)
        self.discount = _validation.discount(discount)
        self.terminal = _validation.terminal_states(terminal, self.num_states or UNBOUNDED)
        self.reset(seed)

    @classmethod
    def for_domain(cls, domain: Domain, prior: Prior | None = None, **settings: Any) -> Self:
        """Make an agent for `domain`; `prior` is not used."""
        num_states = None if domain.num_states == UNBOUNDED else domain.num_states
        return cls(num_states, domain.num_actions, domain.discount, **settings, **cls._terminal_setting(domain))

    def reset(self, seed: int) -> None:
        """Forget everything learned, as if newly made with `seed`."""
        self._rng = np.random.default_rng(_validation.seed(seed))
        self._entries: dict[int, Entry] = {}

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
        """Learn from one real step."""
        state, next_state = self._state("state", state), self._state("next_state", next_state)
        _validation.acted_in(state, self.terminal)
        action = integer("action", action, 0, self.num_actions - 1)
        self._learn(state, action, _validation.reward(reward), None if next_state in self.terminal else next_state)

    @abstractmethod
    def _learn(self, state: int, action: int, reward: float, next_state: int | None) -> None:
        """Learn from one real step with valid arguments; `next_state` is None if it is terminal."""

    @abstractmethod
    def _new_entry(self) -> Entry:
        """The entry of an unvisited state."""

    def _entry(self, state: int) -> Entry:
        found = self._entries.get(state)
        if found is None:
            found = self._entries[state] = self._new_entry()
        return found

    def check_state(self) -> None:
        """Check the loaded entries: valid states, and the right shape."""
        new = np.asarray(self._new_entry())
        for state, kept in self._entries.items():
            self._state("state", state)
            entry = np.asarray(kept)
            if entry.shape != new.shape or entry.dtype != new.dtype:
                raise ValueError(f"the entry of state {state} must have shape {new.shape}, got {entry.shape}")

    def _state(self, name: str, value: int) -> int:
        if self.num_states is None:
            return integer(name, value, -(2**63), 2**63 - 1)
        return integer(name, value, 0, self.num_states - 1)
