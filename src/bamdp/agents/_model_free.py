"""The base of model-free agents: entries for visited states, and validation.

They need neither a prior nor tables, so they work in unbounded domains too; memory grows with the visited states. A deadline
allows a discount of 1, and nothing else depends on it: they learn the values of a run without an end.
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
    """An agent that keeps an entry for each visited state; `num_states` is None in an unbounded domain."""

    state_attributes: ClassVar[tuple[str, ...]] = ("_rng", "_entries")
    fixed: ClassVar[tuple[str, ...]] = ("num_states", "num_actions", "deadline")

    def __init__(
        self,
        num_states: int | None,
        num_actions: int,
        discount: float,
        *,
        terminal: Collection[int] = (),
        deadline: int | None = None,
        seed: int = 0,
    ) -> None:
        self.num_states = None if num_states is None else positive_integer("num_states", num_states)
        self.num_actions = _validation.actions(num_actions)
        self.terminal = _validation.terminal_states(terminal, self.num_states or UNBOUNDED)
        self.deadline = _validation.deadline(deadline)
        self.discount = _validation.discount(discount, ends=self.deadline is not None or bool(self.terminal))
        self.reset(seed)

    @classmethod
    def for_domain(cls, domain: Domain, prior: Prior | None = None, **settings: Any) -> Self:
        """Make an agent for `domain`; `prior` is not used."""
        num_states = None if domain.num_states == UNBOUNDED else domain.num_states
        known = cls._terminal_setting(domain) | cls._deadline_setting(domain)
        return cls(num_states, domain.num_actions, domain.discount, **cls._with(known, settings, domain))

    def reset(self, seed: int) -> None:
        self._rng = np.random.default_rng(_validation.seed(seed))
        self._entries: dict[int, Entry] = {}

    def observe(self, state: int, action: int, reward: float, next_state: int) -> None:
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
