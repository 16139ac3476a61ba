"""What the agents that learn values without a model share: states met so far, and their validation.

They need neither a prior nor tables, so they work in unbounded worlds too; memory grows with the states met.
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
    """An agent that keeps something for each state it has met.

    Args:
        num_states: how many states there are, to refuse others; None for an unbounded world.
        num_actions: how many actions there are.
        discount: what a reward is worth one step later, in [0, 1).
        terminal: the states in which an episode ends.
        seed: of all its chances.
    """

    learned: ClassVar[tuple[str, ...]] = ("_rng", "_entries")

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
        """An agent for `domain`; it has no use for a prior."""
        num_states = None if domain.num_states == UNBOUNDED else domain.num_states
        return cls(num_states, domain.num_actions, domain.discount, **settings, **cls._told_of_ends(domain))

    def reset(self, seed: int) -> None:
        """Back to nothing, with a new seed: the agent is as if newly made."""
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
        """Learn from one real step; the arguments are right. No next state means that nothing is earned after this step."""

    @abstractmethod
    def _new_entry(self) -> Entry:
        """What is kept for a state never met."""

    def _entry(self, state: int) -> Entry:
        found = self._entries.get(state)
        if found is None:
            found = self._entries[state] = self._new_entry()
        return found

    def check_learned(self) -> None:
        """After loading: what is kept is for states that there are."""
        new = np.asarray(self._new_entry())
        for state, kept in self._entries.items():
            self._state("state", state)
            entry = np.asarray(kept)
            if entry.shape != new.shape or entry.dtype != new.dtype:
                raise ValueError(f"what is kept for state {state} must have shape {new.shape}, got {entry.shape}")

    def _state(self, name: str, value: int) -> int:
        if self.num_states is None:
            return integer(name, value, -(2**63), 2**63 - 1)
        return integer(name, value, 0, self.num_states - 1)
