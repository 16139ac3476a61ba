"""The base of model-free agents: entries for visited states.

They use neither prior nor tables, so they work in unbounded domains too; memory grows with the
visited states. A horizon allows a discount of 1, and nothing else depends on it: they learn the
values of a run without an end.
"""

from __future__ import annotations

from abc import abstractmethod
from operator import index
from typing import ClassVar, Generic, TypeVar

import numpy as np

from bamdp.agent import Agent
from bamdp.steps import check_state

Entry = TypeVar("Entry")


class ModelFree(Agent, Generic[Entry]):
    """An agent that keeps an entry for each visited state, and no belief."""

    state_attributes: ClassVar[tuple[str, ...]] = ("_entries",)

    def _first_belief(self) -> None:
        """No belief."""

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self._entries: dict[int, Entry] = {}

    def observe(
        self,
        state: int,
        action: int,
        reward: float,
        next_state: int,
        terminated: bool | None = False,
    ) -> None:
        super().observe(state, action, reward, next_state, terminated)
        state, action, next_state = index(state), index(action), index(next_state)
        ended = terminated or next_state in self.problem.terminal
        self._learn(state, action, float(reward), None if ended else next_state)

    @abstractmethod
    def _learn(self, state: int, action: int, reward: float, next_state: int | None) -> None:
        """Learn from one real step with valid arguments; `next_state` is None if it is terminal."""

    @abstractmethod
    def _new_entry(self) -> Entry:
        """The entry of an unvisited state."""

    def _entry(self, state: int) -> Entry:
        if state not in self._entries:
            self._entries[state] = self._new_entry()
        return self._entries[state]

    def check_state(self) -> None:
        """Check the loaded entries: valid states, and the right shape."""
        new = np.asarray(self._new_entry())
        for state, kept in self._entries.items():
            check_state(self.problem, state)
            entry = np.asarray(kept)
            if entry.shape != new.shape or entry.dtype != new.dtype:
                raise ValueError(
                    f"the entry of state {state} must have shape {new.shape}, got {entry.shape}"
                )
