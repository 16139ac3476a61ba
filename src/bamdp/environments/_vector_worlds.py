"""The worlds of many copies of an environment, stepped at once.

A finite set of worlds has one set of tables, into which each copy has an index. Worlds of other priors have a table each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bamdp._validation import fits_memory
from bamdp.domain import Domain
from bamdp.domains.tabular import Tabular
from bamdp.environments._parts import Array, Index
from bamdp.mdp import MDP, Outcomes
from bamdp.prior import Belief
from bamdp.priors.finite import FiniteBelief


class VectorWorlds:
    """A world for each copy, drawn from a belief.

    Attributes:
        index: the tables of each copy. [N]
    """

    def __init__(self, domain: Domain, belief: Belief, copies: int) -> None:
        self._domain, self._belief, self._copies = domain, belief, copies
        self._drawn: dict[int, MDP] = {}
        if isinstance(belief, FiniteBelief):
            self.index = np.zeros(copies, np.int64)
            self._chosen_by = np.cumsum(belief.weights)
            self._fill([belief.world(m) for m in range(len(belief.weights))])
        else:
            self.index = np.arange(copies)
            self._fill([belief.sample_world(np.random.default_rng(0))], copies)

    def world(self, copy: int) -> MDP:
        """The world of a copy."""
        index = int(self.index[copy])
        return self._belief.world(index) if isinstance(self._belief, FiniteBelief) else self._drawn[index]

    def draw(self, at: Index, rng: np.random.Generator) -> None:
        """Draw new worlds for some copies."""
        if isinstance(self._belief, FiniteBelief):
            drawn = self._chosen_by.searchsorted(rng.random(len(at)) * self._chosen_by[-1], side="right")
            self.index[at] = drawn
            return
        for i in at.tolist():
            self._drawn[i] = self._belief.sample_world(rng)
            self._put(i, self._drawn[i])

    def step(self, at: Index, states: Index, actions: Index, rng: np.random.Generator) -> tuple[Index, Array]:
        """Next states and rewards of some copies."""
        world = self.index[at]
        if self._certain is not None:
            next_states = self._certain[world, states, actions]
        else:
            rows = self._cumulative[world, states, actions]  # [K, S]
            next_states = (rows <= (rng.random(len(at)) * rows[:, -1])[:, None]).sum(axis=1)
        return next_states, self._paid(world, states, actions, next_states, rng)

    def ended(self, at: Index, states: Index) -> NDArray[np.bool_]:
        """Whether these are terminal states."""
        return self._terminal[states] if self._terminal.ndim == 1 else self._terminal[self.index[at], states]

    def _paid(self, world: Index, states: Index, actions: Index, next_states: Index, rng: np.random.Generator) -> Array:
        if self._values is not None:
            rows = self._reward_cumulative[world, states, actions]  # [K, V]
            return np.asarray(self._values[(rows <= (rng.random(len(world)) * rows[:, -1])[:, None]).sum(axis=1)])
        table = self._rewards
        where = (states, actions) if self._shared_rewards else (world, states, actions)
        paid = table[where] if table.ndim == len(where) else table[(*where, next_states)]
        if self._deviations is not None:
            paid = paid + self._deviations[world, states, actions] * rng.standard_normal(len(world))
        return np.asarray(paid)

    def _fill(self, worlds: list[MDP], copies: int | None = None) -> None:
        """Tables of the worlds or, with `copies`, of so many like the first, to be drawn."""
        count, first, domain = len(worlds) if copies is None else copies, worlds[0], self._domain
        parts = sum(np.size(part) for part in (first.transitions, first.rewards, *(first.outcomes or ())) if part is not None)
        fits_memory(f"num_envs={self._copies}", count * parts)
        S, A, _ = first.transitions.shape
        self._certain: Index | None = None
        self._cumulative: Array = np.empty((count, S, A, S))
        self._shared_rewards = first.rewards is None
        self._rewards = domain.rewards if first.rewards is None else np.empty((count, *first.rewards.shape))
        ends = np.zeros((count, S), bool) if first.terminal is not None else np.zeros(S, bool)
        self._terminal = ends
        if first.terminal is None:
            ends[sorted(domain.terminal)] = True
        values, probabilities, deviations = first.outcomes or Outcomes()
        self._values = values
        self._reward_cumulative: Array = np.empty(0) if probabilities is None else np.empty((count, *probabilities.shape))
        self._deviations = None if deviations is None else np.empty((count, S, A))
        for i, world in enumerate(worlds):
            self._put(i, world)
        if copies is None and bool(((self._cumulative == 0) | (self._cumulative == self._cumulative[..., -1:])).all()):
            self._certain = np.argmax(self._cumulative > 0, axis=3)  # every row has one successor
            self._cumulative = np.empty(0)

    def _put(self, index: int, world: MDP) -> None:
        np.cumsum(world.transitions, axis=2, out=self._cumulative[index])
        if world.rewards is not None:
            self._rewards[index] = world.rewards
        if world.terminal is not None:
            self._terminal[index] = False
            self._terminal[index, sorted(world.terminal)] = True
        if world.outcomes is not None and world.outcomes.probabilities is not None:
            np.cumsum(world.outcomes.probabilities, axis=2, out=self._reward_cumulative[index])
        if world.outcomes is not None and self._deviations is not None:
            self._deviations[index] = world.outcomes.deviations


class Starts:
    """The start states of a domain."""

    def __init__(self, domain: Domain) -> None:
        constant = isinstance(domain, Tabular) and type(domain).reset is Tabular.reset
        self._domain = domain.for_run()
        self._start = domain.start if constant and isinstance(domain, Tabular) else None

    def draw(self, count: int, rng: np.random.Generator) -> Index:
        """So many of them."""
        if self._start is not None:
            return np.full(count, self._start, np.int64)
        return np.array([self._domain.reset(rng) for _ in range(count)], np.int64)
