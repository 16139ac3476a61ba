"""Worlds with common random numbers, and tables from other tables.

The n-th outcome of a state and action, its next state and its reward, is the same for every agent: agents that do the same
things, in whatever order, see the same. If all states have the same rows and known rewards, as in a bandit, it is the n-th
outcome of the action.
"""

from __future__ import annotations

import copy
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bamdp._validation import generator, integer
from bamdp.domain import Domain
from bamdp.domains.gymnasium import Gymnasium
from bamdp.domains.tabular import Tabular
from bamdp.prior import Outcomes, Prior
from bamdp.prior import World as Drawn

DRAW, STEP, RESET, BEFORE = range(4)  # what a random generator is for


def stream(seed: int, *key: int) -> np.random.Generator:
    """The random generator of the world `seed` for one purpose."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


class World(Tabular):
    """A tabular domain in which the n-th outcome of a state and action is the same in every run.

    Args:
        domain: the domain.
        prior: default prior of agents.
        seed: seed of all outcomes and start states.
    """

    def __init__(self, domain: Tabular, prior: Prior, seed: int) -> None:
        vars(self).update(vars(domain))
        self._domain, self._prior, self._seed = domain, prior, seed
        self.random_rewards = domain.random_rewards
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

    def _stream(self, *key: int) -> np.random.Generator:
        if key not in self._streams:
            self._streams[key] = stream(self._seed, *key)
        return self._streams[key]


class RandomStart(Tabular):
    """A table whose episodes start in a random state.

    Args:
        domain: the table; its `start` is not used.
        starts: probability of each start state. [S]
    """

    def __init__(self, domain: Tabular, starts: NDArray[np.float64]) -> None:
        vars(self).update(vars(domain))
        self._starts = starts

    def reset(self, rng: np.random.Generator) -> int:
        return int(generator(rng).choice(self.num_states, p=self._starts))


def tables(domain: Domain) -> Domain:
    """A Gymnasium domain as tables, if its table says everything; any other domain as it is."""
    if not isinstance(domain, Gymnasium) or domain.table is None or domain.starts is None or domain.table.random_rewards:
        return domain
    starts = np.zeros(domain.num_states)
    starts[: len(domain.starts)] = domain.starts
    made = Tabular.from_successors(
        domain.successors,
        domain.probabilities,
        domain.rewards,
        domain.discount,
        start=int(starts.argmax()),
        steps=domain.steps,
        prior=domain.prior(),
        terminal=domain.terminal,
        time_limit=domain.time_limit,
        deadline=domain.deadline,
    )
    return made if starts.max() == 1 else RandomStart(made, starts)


def in_world(domain: Tabular, drawn: Drawn) -> Tabular:
    """`domain` with the transitions of a world and, if it has any, its rewards, random ones too, and terminal states."""
    other = Tabular.from_world(drawn, domain, start=domain.start, deadline=domain.deadline)
    made = _with_rows(domain, other.successors, other.probabilities, domain.rewards if drawn.rewards is None else other.rewards)
    made.terminal = other.terminal
    if drawn.rewards is not None:
        made._pay(drawn.outcomes)
    return made


def permuted(domain: Tabular, orders: NDArray[np.int64]) -> Tabular:
    """`domain` with its actions in another order in each state: action a does what orders[s, a] did. [S, A]"""
    states = np.arange(domain.num_states)[:, None]
    tables = (domain.successors[states, orders], domain.probabilities[states, orders], domain.rewards[states, orders])
    made = _with_rows(domain, *tables)
    if domain.outcomes is not None:
        values, probabilities, deviations = domain.outcomes
        others = (None if table is None else table[states, orders] for table in (probabilities, deviations))
        made._pay(Outcomes(values, *others))
    return made


def _with_rows(
    domain: Tabular, successors: NDArray[np.int64], probabilities: NDArray[np.float64], rewards: NDArray[np.float64]
) -> Tabular:
    made = copy.copy(domain)
    made.successors, made.probabilities, made.rewards = successors, probabilities, rewards
    for array in (successors, probabilities, rewards):
        array.setflags(write=False)
    return made
