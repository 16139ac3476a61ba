"""Worlds that differ in rewards and terminal states, as worlds that differ in transitions alone.

A state is taken together with how the agent saw it reached, the reward and whether the episode ended:

    P'((s', r, e) | (s, ·, ·), a) = P(s' | s, a) if the world pays r for this step and ends in s' or not as e says, else 0

The rewards are then known, those in the states, and so are the terminal states.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bamdp.prior import World
from bamdp.priors.finite import FiniteBelief

Array = NDArray[np.float64]


class SeenStates:
    """The states of a finite set of worlds together with the rewards and ends seen on arrival, S' = S·C for C kinds of these.

    Attributes:
        rewards: the known rewards. [S', A, S']
        terminal: the terminal states.
    """

    def __init__(self, belief: FiniteBelief, rewards: Array, terminal: frozenset[int]) -> None:
        self._belief = belief
        S, A = belief.num_states, belief.num_actions
        own = belief.payable if belief.has_rewards else np.zeros(1)
        self._values = np.unique(own)
        ends = (False, True) if belief.has_ends else (False,)
        self._kinds = len(self._values) * len(ends)
        self.num_states, self.num_actions = S * self._kinds, A
        paid = rewards if rewards.ndim == 3 else np.broadcast_to(rewards[:, :, None], (S, A, S))
        seen = np.tile(self._values, len(ends)) if belief.has_rewards else np.zeros(self._kinds)
        table = (0 if belief.has_rewards else paid[..., None]) + np.broadcast_to(seen, (S, A, S, self._kinds))
        self.rewards = self._for_each_kind(table)
        over = np.repeat(np.array(ends), len(self._values))
        self.terminal = frozenset(s * self._kinds + c for s in range(S) for c in range(self._kinds) if over[c] or s in terminal)

    def state(self, state: int) -> int:
        """A state as one in which nothing was seen to end."""
        return state * self._kinds

    @property
    def weights(self) -> Array:
        """The posterior probability of each world. [M]"""
        return self._belief.weights

    @property
    def worlds_left(self) -> int:
        return self._belief.worlds_left

    def world(self, index: int) -> World:
        """One of the worlds, by its index: transitions [S', A, S']."""
        return World(self._seen(self._belief.world(index)))

    def sample_mdp(self, rng: np.random.Generator) -> Array:
        """A world drawn from the posterior. [S', A, S']"""
        return self._seen(self._belief.sample_world(rng))

    def _seen(self, world: World) -> Array:
        S, A = self._belief.num_states, self._belief.num_actions
        kinds = np.zeros((S, A, S), np.int64)
        if world.rewards is not None:
            kinds += np.searchsorted(self._values, world.rewards if world.rewards.ndim == 3 else world.rewards[:, :, None])
        kinds[:, :, sorted(world.terminal or ())] += len(self._values)
        return self._for_each_kind(world.transitions[..., None] * (kinds[..., None] == np.arange(self._kinds)))

    def _for_each_kind(self, table: Array) -> Array:
        """[S, A, S, C] as [S', A, S']: what was seen before makes no difference."""
        return np.ascontiguousarray(np.repeat(table.reshape(*table.shape[:2], -1), self._kinds, axis=0))
