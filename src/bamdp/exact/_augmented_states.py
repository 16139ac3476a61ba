"""Worlds that differ in rewards and terminal states, as worlds that differ in transitions alone.

A state is taken together with how the agent saw it reached, the reward and whether the episode
ended:

    P'((s', r, e) | (s, ·, ·), a) = P(s' | s, a) if the world pays r for this step and ends in s' or
    not as e says, else 0

The rewards are then known, those in the states, and so are the terminal states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bamdp.mdp import MDP

if TYPE_CHECKING:
    from bamdp.prior import Belief
    from bamdp.problem import BAMDP

Array = NDArray[np.float64]


class AugmentedStates:
    """The states of a finite set of worlds together with the rewards and ends seen on arrival, S' =
    S·C for C kinds of these.

    Attributes:
        rewards: the known rewards. [S', A, S']
        terminal: the terminal states.
    """

    def __init__(self, problem: BAMDP, belief: Belief) -> None:
        known = belief.particles
        assert known is not None
        S, A = problem.num_states, problem.num_actions
        self._own, self._ends = problem.prior.unknown_rewards, problem.prior.unknown_terminal
        self._values = np.unique(known.rewards[~known.terminal] if self._own else np.zeros(1))
        ends = (False, True) if self._ends else (False,)
        self._kinds = len(self._values) * len(ends)
        paid = (
            problem.rewards
            if problem.rewards.ndim == 3
            else np.broadcast_to(problem.rewards[:, :, None], (S, A, S))
        )
        seen = np.tile(self._values, len(ends)) if self._own else np.zeros(self._kinds)
        table = (0 if self._own else paid[..., None]) + np.broadcast_to(
            seen, (S, A, S, self._kinds)
        )
        self.rewards = self._for_each_kind(np.asarray(table))
        over = np.repeat(np.array(ends), len(self._values))
        kinds = [(s, c) for s in range(S) for c in range(self._kinds)]
        self.terminal = frozenset(
            s * self._kinds + c for s, c in kinds if over[c] or s in problem.terminal
        )

    def state(self, state: int) -> int:
        """A state as one in which nothing was seen to end."""
        return state * self._kinds

    def tables(self, worlds: MDP) -> Array:
        """The transitions of K worlds. [K, S', A, S']"""
        return np.stack([self._table(worlds.take(k)) for k in range(len(worlds.probabilities))])

    def _table(self, world: MDP) -> Array:
        kinds = np.zeros(world.transitions.shape, np.int64)
        if self._own:
            kinds += np.searchsorted(
                self._values,
                world.rewards if world.rewards.ndim == 3 else world.rewards[:, :, None],
            )
        if self._ends:
            kinds[:, :, world.terminal] += len(self._values)
        return self._for_each_kind(
            world.transitions[..., None] * (kinds[..., None] == np.arange(self._kinds))
        )

    def _for_each_kind(self, table: Array) -> Array:
        """[S, A, S, C] as [S', A, S']: what was seen before makes no difference."""
        return np.ascontiguousarray(
            np.repeat(table.reshape(*table.shape[:2], -1), self._kinds, axis=0)
        )
