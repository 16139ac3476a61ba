"""A domain given by arrays.

    P(s' | s, a) = Σᵢ probabilities[s, a, i] · [successors[s, a, i] = s'],   i = 0 … k − 1

Rows are sparse and padded to the same length k; padding has probability 0. A successor may occur
more than once in a row (two slips into the same wall): its probabilities are added. The reward of a
step is R(s, a) or R(s, a, s'). A terminal state is absorbing and pays nothing, whatever the arrays
contain.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bamdp import validation
from bamdp.domain import Domain
from bamdp.mdp import MDP, Outcomes, always_ends, unchecked_mdp
from bamdp.prior import Prior, checked_prior
from bamdp.priors.dirichlet import Dirichlet
from bamdp.problem import BAMDP, checked_episode_length, checked_episodes, checked_names

COMPASS = ("up", "right", "down", "left")
MOST_NAMES = 1000  # states whose names agents are told


class Tabular(Domain):
    """A domain from tables.

    Args:
        mdp: transitions, rewards and terminal states.
        discount: discount factor, in [0, 1); 1 with a horizon, or where every policy ends in a
            terminal state.
        start: state that every episode, and so every run, starts in.
        steps: default number of steps of a run; if not given, the horizon, or 1000 without one.
        prior: default prior of agents; `bamdp.priors.Dirichlet()` if not given.
        time_limit: number of steps after which an episode is truncated; never if not given.
        horizon: number of steps of a run that count, which agents are given; none if not given.
        episode_length: a time limit that agents are told; goes with a horizon.
        episodes: number of episodes of a run, which agents are told; None if it goes on after each.
        states: names of the states, such as `problem.states` of a problem whose world it is.
        actions: names of the actions.

    Attributes:
        mdp: the tables; a terminal state is absorbing and pays nothing.
        successors: possible next states of each row; read-only. [S, A, k]
        probabilities: their probabilities, 0 in the padding; read-only. [S, A, k]
        start: state that every episode starts in.
        episode_length: number of steps of each episode, if agents are told it.
        random_rewards: whether a step pays a random reward, with `rewards` its mean.
        action_names: names of the actions; None if they have none.

    Example:
        >>> import bamdp
        >>> stay_or_switch = [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
        >>> domain = Tabular(bamdp.MDP(stay_or_switch, rewards=[[0, 0], [1, 1]]), discount=0.9)
        >>> domain
        Tabular(2 states, 2 actions, discount=0.9)
        >>> domain.step(0, 1, np.random.default_rng(0))
        (1, 0.0)
    """

    mdp: MDP
    start: int
    random_rewards: bool
    action_names: tuple[str, ...] | None = None
    _cumulative: NDArray[np.float64] | None = None  # probabilities of the values of random rewards

    def __init__(
        self,
        mdp: MDP,
        discount: float,
        *,
        start: int = 0,
        steps: int | None = None,
        prior: Prior | None = None,
        time_limit: int | None = None,
        horizon: int | None = None,
        episode_length: int | None = None,
        episodes: int | None = None,
        states: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
    ) -> None:
        if not isinstance(mdp, MDP) or mdp.num_models is not None:
            raise TypeError(f"mdp must be a single bamdp.MDP, got {mdp!r}")
        self.num_states, self.num_actions = mdp.num_states, mdp.num_actions
        self._state_names = checked_names("states", states, mdp.num_states)
        if actions is not None:
            self.action_names = checked_names("actions", actions, mdp.num_actions)
        self.horizon = validation.horizon(horizon)
        self.start = validation.integer("start", start, 0, self.num_states - 1)
        default = type(self).steps if self.horizon is None else self.horizon
        self.steps = validation.positive_integer(
            "steps", default if steps is None else steps, self.horizon
        )
        self._prior = Dirichlet() if prior is None else checked_prior(prior)
        self.time_limit = (
            None if time_limit is None else validation.positive_integer("time_limit", time_limit)
        )
        self._set_tables(mdp)
        self.episode_length = checked_episode_length(
            episode_length, self.horizon, self.terminal, self.time_limit
        )
        self.episodes = checked_episodes(episodes)
        if self.episode_length is not None:
            self.time_limit = self.episode_length
        undiscounted = isinstance(discount, int | float) and discount == 1
        ends = self.horizon is not None or (undiscounted and always_ends(self.mdp))
        where = "with a horizon, or if every policy reaches a terminal state"
        self.discount = validation.discount(discount, ends=ends, where=where)

    def _set_tables(self, mdp: MDP) -> None:
        """Sparse rows; terminal states are absorbing, without rewards."""
        over, rewards = np.flatnonzero(mdp.terminal), mdp.rewards
        successors, probabilities = (
            _sparse(mdp.probabilities)
            if mdp.successors is None
            else (mdp.successors, mdp.probabilities)
        )
        self.terminal = frozenset(over.tolist())
        if self.start in self.terminal:
            raise ValueError(f"start must not be terminal, got the terminal state {self.start}")
        if self.terminal:
            successors, rewards = successors.copy(), rewards.copy()
            successors[over] = over[:, None, None]
            rewards[over] = 0
        self.mdp = unchecked_mdp(
            probabilities, rewards, mdp.terminal, successors, None, mdp.outcomes
        )
        self.rewards, self.random_rewards, self._cumulative = (
            rewards,
            mdp.outcomes is not None,
            None,
        )
        if mdp.outcomes is not None and mdp.outcomes.probabilities is not None:
            self._cumulative = np.cumsum(mdp.outcomes.probabilities, axis=2)
            self.random_rewards = bool((mdp.outcomes.probabilities.max(axis=2) < 1).any())

    @property
    def successors(self) -> NDArray[np.int64]:
        assert self.mdp.successors is not None
        return self.mdp.successors

    @property
    def probabilities(self) -> NDArray[np.float64]:
        return self.mdp.probabilities

    @property
    def outcomes(self) -> Outcomes | None:
        """Distribution of random rewards, with `rewards` their means; None if a step pays its
        reward exactly.
        """
        return self.mdp.outcomes

    @property
    def transitions(self) -> NDArray[np.float64]:
        """Dense transition probabilities, computed on each access. [S, A, S]"""
        return self.mdp.transitions

    def with_mdp(self, mdp: MDP) -> Self:
        """The same domain with other tables of its size."""
        if not isinstance(mdp, MDP) or mdp.probabilities.shape[:-1] != (
            self.num_states,
            self.num_actions,
        ):
            raise ValueError(
                f"mdp must be an MDP of {self.num_states} states and {self.num_actions} actions, "
                f"got {mdp!r}"
            )
        made = copy.copy(self)
        made._set_tables(mdp)
        return made

    def _draw_reward(self, state: int, action: int, rng: np.random.Generator) -> float:
        """A random reward."""
        assert self.outcomes is not None
        values, _, deviations = self.outcomes
        if deviations is not None:
            return float(
                self.rewards[state, action] + deviations[state, action] * rng.standard_normal()
            )
        assert values is not None
        assert self._cumulative is not None
        cumulative = self._cumulative[state, action]
        return float(values[cumulative.searchsorted(rng.random() * cumulative[-1], side="right")])

    def reset(self, rng: np.random.Generator) -> int:
        return self.start

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        if type(state) is not int or not 0 <= state < self.num_states:
            state = validation.integer("state", state, 0, self.num_states - 1)
        if type(action) is not int or not 0 <= action < self.num_actions:
            action = validation.integer("action", action, 0, self.num_actions - 1)
        rng = validation.generator(rng)
        next_state = 0
        if self.num_states > 1:
            cumulative = self.probabilities[state, action].cumsum()
            # Scaled by the rounded sum and searched from the right, so that padding and zeros are
            # never drawn.
            drawn = cumulative.searchsorted(rng.random() * cumulative[-1], side="right")
            next_state = int(self.successors[state, action, drawn])
        if self.outcomes is not None and state not in self.terminal:
            return next_state, self._draw_reward(state, action, rng)
        if self.rewards.ndim == 2:
            return next_state, float(self.rewards[state, action])
        return next_state, float(self.rewards[state, action, next_state])

    def state_name(self, state: int) -> str:
        """The name of a state; its number if it has none."""
        return str(state) if self._state_names is None else self._state_names[state]

    def problem(self, prior: Prior | None = None, **changes: Any) -> BAMDP:
        prior = self._prior if prior is None else checked_prior(prior)
        names = self._state_names
        told: dict[str, Any] = {
            "start": self.start,
            "episode_length": self.episode_length,
            "episodes": self.episodes,
            "random_rewards": self.random_rewards and not prior.unknown_rewards,
            "states": names or distinct_names(self.state_name, self.num_states),
            "actions": self.action_names,
        }
        return super().problem(prior, **{**told, **changes})

    def __repr__(self) -> str:
        name = type(self).__name__
        horizon = "" if self.horizon is None else f", horizon={self.horizon}"
        return (
            f"{name}({self.num_states} states, {self.num_actions} actions, "
            f"discount={self.discount:g}{horizon})"
        )


def distinct_names(name: Callable[[int], str], num_states: int) -> tuple[str, ...] | None:
    """The names of all states; None if they are many, shared, or numbers alone."""
    if num_states > MOST_NAMES:
        return None
    names = tuple(map(name, range(num_states)))
    numbers = tuple(map(str, range(num_states)))
    return None if names == numbers or len(set(names)) < num_states else names


def _sparse(dense: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Sparse rows of a dense table, padded with state 0 at probability 0."""
    S, A, _ = dense.shape
    counts = np.count_nonzero(dense, axis=2)
    states, actions, nexts = np.nonzero(dense)
    first = np.cumsum(counts) - counts.ravel()
    position = np.arange(len(nexts)) - np.repeat(first, counts.ravel())
    successors = np.zeros((S, A, int(counts.max())), dtype=np.int64)
    probabilities = np.zeros(successors.shape)
    successors[states, actions, position] = nexts
    probabilities[states, actions, position] = dense[states, actions, nexts]
    return successors, probabilities
