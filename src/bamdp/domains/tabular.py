"""A domain given by arrays.

    P(s' | s, a) = Σᵢ probabilities[s, a, i] · [successors[s, a, i] = s'],   i = 0 … k − 1

Rows are sparse and padded to the same length k; padding has probability 0. A successor may occur more than once in a
row (two slips into the same wall): its probabilities are added. The reward of a step is R(s, a) or R(s, a, s').
A terminal state is absorbing and pays nothing, whatever the arrays contain.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _validation
from bamdp.domain import Domain, checked_episode_length
from bamdp.prior import Outcomes, Prior, World, checked_prior

_DENSE_LIMIT = 2**30  # bytes


class Tabular(Domain):
    """A domain from arrays.

    Args:
        transitions: probability of each next state. [S, A, S]
        rewards: reward of each state and action, [S, A], or of each transition, [S, A, S].
        discount: discount factor, in [0, 1); 1 with a deadline, or where every policy ends in a terminal state.
        start: state that every episode starts in.
        steps: default number of steps of a run; if not given, the deadline, or 1000 without one.
        prior: default prior of agents; `bamdp.priors.Dirichlet()` if not given.
        terminal: terminal states, where episodes end.
        time_limit: number of steps after which an episode is truncated; never if not given.
        deadline: number of steps of a run that count, which agents are given; none if not given.
        episode_length: number of steps of each episode, which agents are given, unlike the time limit; goes with a deadline.

    Attributes:
        successors: possible next states of each row; read-only. [S, A, k]
        probabilities: their probabilities, 0 in the padding; read-only. [S, A, k]
        start: state that every episode starts in.
        outcomes: distribution of random rewards, with `rewards` their means; None if a step pays its reward exactly.

    Example:
        >>> stay_or_switch = [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
        >>> domain = Tabular(stay_or_switch, rewards=[[0, 0], [1, 1]], discount=0.9)
        >>> domain
        Tabular(2 states, 2 actions, discount=0.9)
        >>> domain.step(0, 1, np.random.default_rng(0))
        (1, 0.0)
    """

    successors: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    start: int
    outcomes: Outcomes | None = None
    _cumulative: NDArray[np.float64] | None = None  # probabilities of the values of random rewards

    def __init__(
        self,
        transitions: ArrayLike,
        rewards: ArrayLike,
        discount: float,
        *,
        start: int = 0,
        steps: int | None = None,
        prior: Prior | None = None,
        terminal: Iterable[int] = (),
        time_limit: int | None = None,
        deadline: int | None = None,
        episode_length: int | None = None,
    ) -> None:
        dense = _validation.distribution_rows("transitions", transitions)
        if dense.ndim != 3 or dense.shape[0] != dense.shape[2]:
            raise ValueError(f"transitions must have shape [S, A, S], got {dense.shape}")
        successors, probabilities = _sparse(dense)
        self._fill(
            successors,
            probabilities,
            rewards,
            discount,
            start=start,
            steps=steps,
            prior=prior,
            terminal=terminal,
            time_limit=time_limit,
            deadline=deadline,
            episode_length=episode_length,
        )

    @classmethod
    def from_successors(
        cls,
        successors: ArrayLike,
        probabilities: ArrayLike,
        rewards: ArrayLike,
        discount: float,
        *,
        start: int = 0,
        steps: int | None = None,
        prior: Prior | None = None,
        terminal: Iterable[int] = (),
        time_limit: int | None = None,
        deadline: int | None = None,
        episode_length: int | None = None,
    ) -> Tabular:
        """Make a plain `Tabular` from sparse rows, for domains too large for a dense table.

        Args:
            successors: possible next states of each row. [S, A, k]
            probabilities: their probabilities, 0 in the padding. [S, A, k]
            rewards: see the class, as for all further arguments.
            discount: see the class.
            start: see the class.
            steps: see the class.
            prior: see the class.
            terminal: see the class.
            time_limit: see the class.
            deadline: see the class.
            episode_length: see the class.

        Example:
            >>> ring = [[[1]], [[2]], [[0]]]
            >>> Tabular.from_successors(ring, np.ones((3, 1, 1)), rewards=[[0], [0], [1]], discount=0.9)
            Tabular(3 states, 1 actions, discount=0.9)
        """
        domain = Tabular.__new__(Tabular)
        domain._fill(
            _state_table(successors),
            probabilities,
            rewards,
            discount,
            start=start,
            steps=steps,
            prior=prior,
            terminal=terminal,
            time_limit=time_limit,
            deadline=deadline,
            episode_length=episode_length,
        )
        return domain

    @classmethod
    def from_world(cls, world: World, domain: Domain, *, start: int, **settings: Any) -> Tabular:
        """A world drawn from a prior as a domain; if its rewards are random, so are those of the domain.

        Args:
            world: the world, from `Belief.sample_world`.
            domain: has the discount, and the rewards and terminal states if the world has none of its own.
            start: state in which episodes start.
            settings: `steps`, `prior`, `time_limit`, `deadline` and `episode_length` as in the class.

        Example:
            >>> import numpy as np
            >>> import bamdp
            >>> grid = bamdp.domains.Grid(2)
            >>> goals = np.eye(4)[1:3, :, None] * np.ones(4)  # which of two states pays
            >>> prior = bamdp.priors.Finite([grid.transitions] * 2, rewards=goals)
            >>> world = prior.belief(4, 4).sample_world(np.random.default_rng(0))
            >>> Tabular.from_world(world, grid, start=0).rewards.sum()
            np.float64(4.0)
        """
        rewards = domain.rewards if world.rewards is None else world.rewards
        terminal = domain.terminal if world.terminal is None else world.terminal
        made = Tabular(world.transitions, rewards, domain.discount, start=start, terminal=terminal, **settings)
        made._pay(world.outcomes)
        return made

    def _pay(self, outcomes: Outcomes | None) -> None:
        """Draw rewards from `outcomes`, whose means the table must have; or pay those of the table, if None."""
        self.outcomes, self._cumulative, self.random_rewards = outcomes, None, outcomes is not None
        if outcomes is not None and outcomes.probabilities is not None:
            self._cumulative = np.cumsum(outcomes.probabilities, axis=2)
            self.random_rewards = bool((outcomes.probabilities.max(axis=2) < 1).any())

    def _draw_reward(self, state: int, action: int, rng: np.random.Generator) -> float:
        """A random reward."""
        assert self.outcomes is not None
        values, _, deviations = self.outcomes
        if deviations is not None:
            return float(self.rewards[state, action] + deviations[state, action] * rng.standard_normal())
        assert values is not None
        assert self._cumulative is not None
        cumulative = self._cumulative[state, action]
        return float(values[cumulative.searchsorted(rng.random() * cumulative[-1], side="right")])

    def _fill(
        self,
        successors: NDArray[np.int64],
        probabilities: ArrayLike,
        rewards: ArrayLike,
        discount: float,
        *,
        start: int = 0,
        steps: int | None = None,
        prior: Prior | None = None,
        terminal: Iterable[int] = (),
        time_limit: int | None = None,
        deadline: int | None = None,
        episode_length: int | None = None,
    ) -> None:
        """Validate and copy the arrays; `successors` must be valid and is not copied."""
        self.num_states, self.num_actions, width = successors.shape
        S, A = self.num_states, self.num_actions
        self.successors = np.ascontiguousarray(successors)
        self.probabilities = _validation.distribution_rows("probabilities", probabilities)
        if self.probabilities.shape != (S, A, width):
            raise ValueError(
                f"probabilities must have the shape of successors, {(S, A, width)}, got {self.probabilities.shape}"
            )
        self.rewards = _validation.rewards(rewards)
        if self.rewards.shape not in ((S, A), (S, A, S)):
            raise ValueError(f"rewards must have shape {(S, A)} or {(S, A, S)}, got {self.rewards.shape}")
        self.deadline = _validation.deadline(deadline)
        self.start = _validation.integer("start", start, 0, S - 1)
        default = type(self).steps if self.deadline is None else self.deadline
        self.steps = _validation.positive_integer("steps", default if steps is None else steps, self.deadline)
        self._prior = None if prior is None else checked_prior(prior)
        self._set_terminal(terminal, time_limit)
        self.episode_length = checked_episode_length(episode_length, self.deadline, self.terminal, self.time_limit)
        undiscounted = isinstance(discount, int | float) and discount == 1
        ends = self.deadline is not None or (undiscounted and self._always_ends())
        where = "with a deadline, or if every policy reaches a terminal state"
        self.discount = _validation.discount(discount, ends=ends, where=where)
        for array in (self.successors, self.probabilities, self.rewards):
            array.setflags(write=False)

    def _set_terminal(self, terminal: Iterable[int], time_limit: int | None) -> None:
        """Make terminal states absorbing, without rewards."""
        self.time_limit = None if time_limit is None else _validation.positive_integer("time_limit", time_limit)
        self.terminal = _validation.terminal_states(terminal, self.num_states)
        if self.start in self.terminal:
            raise ValueError(f"start must not be terminal, got the terminal state {self.start}")
        if self.terminal:
            absorbing = sorted(self.terminal)
            self.successors = self.successors.copy()  # may be the caller's
            self.successors[absorbing] = np.array(absorbing)[:, None, None]
            self.rewards[absorbing] = 0

    def _always_ends(self) -> bool:
        """Whether every policy reaches a terminal state with certainty: from no state can it be avoided for ever."""
        avoiding = np.ones(self.num_states, dtype=bool)  # states from which terminal states may yet be avoided
        avoiding[sorted(self.terminal)] = False
        while self.terminal:
            inside = (avoiding[self.successors] | (self.probabilities == 0)).all(axis=2).any(axis=1) & avoiding
            if np.array_equal(inside, avoiding):
                return not avoiding.any()
            avoiding = inside
        return False

    @property
    def transitions(self) -> NDArray[np.float64]:
        """Dense transition probabilities, computed on each access. [S, A, S]"""
        S, A = self.num_states, self.num_actions
        if 8 * S * A * S > _DENSE_LIMIT:
            raise MemoryError(
                f"transitions would take {8 * S * A * S / 1e9:.3g} GB as a dense [S, A, S] array; "
                "use the sparse successors and probabilities"
            )
        dense = np.zeros((S, A, S))
        np.add.at(dense, (np.arange(S)[:, None, None], np.arange(A)[:, None], self.successors), self.probabilities)
        return dense

    def reset(self, rng: np.random.Generator) -> int:
        return self.start

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        if type(state) is not int or not 0 <= state < self.num_states:
            state = _validation.integer("state", state, 0, self.num_states - 1)
        if type(action) is not int or not 0 <= action < self.num_actions:
            action = _validation.integer("action", action, 0, self.num_actions - 1)
        rng = _validation.generator(rng)
        cumulative = self.probabilities[state, action].cumsum()
        # Scaled by the rounded sum and searched from the right, so that padding and zeros are never drawn.
        drawn = cumulative.searchsorted(rng.random() * cumulative[-1], side="right")
        next_state = int(self.successors[state, action, drawn])
        if self.outcomes is not None and state not in self.terminal:
            return next_state, self._draw_reward(state, action, rng)
        if self.rewards.ndim == 2:
            return next_state, float(self.rewards[state, action])
        return next_state, float(self.rewards[state, action, next_state])

    def prior(self) -> Prior:
        return super().prior() if self._prior is None else self._prior

    def __repr__(self) -> str:
        name = type(self).__name__
        deadline = "" if self.deadline is None else f", deadline={self.deadline}"
        return f"{name}({self.num_states} states, {self.num_actions} actions, discount={self.discount:g}{deadline})"


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


def _state_table(value: Any) -> NDArray[np.int64]:
    """A copy of `value` as an array of states, [S, A, k]."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"successors must be an array of integers with rows of equal length: {error}") from None
    if array.dtype.kind not in "iu":
        raise TypeError(f"successors must be an array of integers, got numbers of type {array.dtype}")
    if array.ndim != 3 or 0 in array.shape:
        raise ValueError(f"successors must have shape [S, A, k], got {array.shape}")
    return _validation.states("successors", array, array.shape[0]).copy()
