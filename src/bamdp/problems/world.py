"""Worlds with common random numbers, and tables from other tables.

The n-th outcome of a state and action, its next state and its reward, is the same for every agent: agents that do the same
things, in whatever order, see the same. If all states have the same rows and known rewards, as in a bandit, it is the n-th
outcome of the action.
"""

from __future__ import annotations

import copy
from typing import Self

import numpy as np

from bamdp.domains.tabular import Tabular
from bamdp.mdp import MDP, Outcomes
from bamdp.prior import Prior
from bamdp.problem import BAMDP
from bamdp.validation import integer

DRAW, STEP, RESET, BEFORE = range(4)  # what a random generator is for


def stream(seed: int, *key: int) -> np.random.Generator:
    """The random generator of the world `seed` for one purpose."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


class World(Tabular):
    """A tabular domain in which the n-th outcome of a state and action is the same in every run.

    Args:
        domain: the domain.
        problem: what agents are told, with the names of states and actions; its prior is their default.
        seed: seed of all outcomes and start states.
    """

    def __init__(self, domain: Tabular, problem: BAMDP, seed: int) -> None:
        vars(self).update(vars(domain))
        self._domain, self._problem, self._prior, self._seed = domain, problem, problem.prior, seed
        rows = (self.successors, self.probabilities)
        self._same_rows = not self.random_rewards and all(bool((array == array[:1]).all()) for array in rows)
        self._streams: dict[tuple[int, ...], np.random.Generator] = {}

    def for_run(self) -> Self:
        """The same world, from the first outcome of everything."""
        fresh = copy.copy(self)
        fresh._domain, fresh._streams = self._domain.for_run(), {}
        return fresh

    def reset(self, rng: np.random.Generator) -> int:
        return self._domain.reset(self._stream(RESET))

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        state = integer("state", state, 0, self.num_states - 1)
        action = integer("action", action, 0, self.num_actions - 1)
        return self._domain.step(state, action, self._stream(STEP, 0 if self._same_rows else state, action))

    def truncated(self, steps: int) -> bool:
        return self._domain.truncated(steps)

    def complete(self, prior: Prior) -> Prior:
        return self._domain.complete(prior)

    def _names(self) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
        return self._problem.states, self._problem.actions

    def _stream(self, *key: int) -> np.random.Generator:
        if key not in self._streams:
            self._streams[key] = stream(self._seed, *key)
        return self._streams[key]


def in_world(domain: Tabular, drawn: MDP, *, own_rewards: bool) -> Tabular:
    """`domain` with the transitions and terminal states of a world and, if they are its own, its rewards, random ones too."""
    if not own_rewards:
        outcomes = domain.outcomes
        drawn = MDP.unchecked(drawn.probabilities, domain.rewards, drawn.terminal, drawn.successors, outcomes=outcomes)
    return domain.with_mdp(drawn)


def permuted(domain: Tabular, rng: np.random.Generator, *, tied: bool) -> Tabular:
    """`domain` with its actions in a random order in each state, the same in all states if `tied`."""
    S, A, mdp, outcomes = domain.num_states, domain.num_actions, domain.mdp, domain.outcomes
    orders = rng.permuted(np.tile(np.arange(A), (1 if tied else S, 1)), axis=1)  # action a does what orders[s, a] did
    states, orders = np.broadcast_arrays(np.arange(S)[:, None], orders)
    if outcomes is not None:
        outcomes = Outcomes(outcomes.values, *(None if part is None else part[states, orders] for part in outcomes[1:]))
    parts = mdp.probabilities[states, orders], mdp.rewards[states, orders], mdp.terminal
    return domain.with_mdp(MDP.unchecked(*parts, domain.successors[states, orders], outcomes=outcomes))
