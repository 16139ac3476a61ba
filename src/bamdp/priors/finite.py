"""A finite set of worlds: the transitions are one of M known tables.

With prior weights w⁰,

    w_m ∝ w_m⁰ Π P_m(s' | s, a) over the observed transitions,   P(s' | s, a) = Σ_m w_m P_m(s' | s, a)

The worlds may also differ in what they pay and where they end: those that pay something else than was observed, or end
elsewhere, are ruled out. The search draws one world for each simulation: root sampling in its simplest form.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core, _validation
from bamdp._validation import LARGEST_REWARD, distribution_rows, generator, integer, real_array, sizes
from bamdp._validation.steps import Steps
from bamdp.prior import Models, Prior, SummaryTable, World
from bamdp.priors._tabular import TabularBelief

SAME = 1e-9  # relative difference up to which rewards are the same; that of core/models/finite.hpp

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class FiniteBelief(TabularBelief):
    """A belief over the worlds, by weights."""

    impossible: ClassVar[str] = "no table that is left allows it"
    _native: _core.FiniteBelief

    def __init__(self, transitions: Array, weights: Array, rewards: Array | None = None, terminal: Mask | None = None) -> None:
        self._transitions, self._rewards, self._terminal = transitions, rewards, terminal
        self.has_rewards, self.has_ends = rewards is not None, terminal is not None
        ends = None if terminal is None else terminal.astype(np.float64)
        self._native = _core.FiniteBelief(transitions, weights, rewards, ends)
        self.num_states, self.num_actions = transitions.shape[1:3]

    @property
    def weights(self) -> Array:
        """The posterior probability of each world. [M]"""
        return self._native.weights

    def observe_step(self, state: int, action: int, reward: float, next_state: int) -> None:
        """Learn from one real step.

        Raises:
            ValueError: a state or action is out of range, or no world that is left allows the step; then nothing was learned.
        """
        if not self.has_rewards:
            self.observe(state, action, next_state)
            return
        state, action = self._pair(state, action)
        next_state, reward = integer("next_state", next_state, 0, self.num_states - 1), _validation.reward(reward)
        if not self._native.possible_step(state, action, reward, next_state):
            self._require_possible(state, action, next_state)
            raise ValueError(
                f"reward {reward:g} after state {state}, action {action} and next_state {next_state} is impossible under the "
                "prior: no world that is left pays it"
            )
        self._native.observe_step(state, action, reward, next_state)

    def _observe_rows(self, steps: Steps) -> None:
        """In one native call; where a row is impossible, as by a loop over the rows before it to say why."""
        rewards = np.full(steps.size, np.nan) if steps.rewards is None else steps.rewards
        ended = np.full(steps.size, -1) if steps.terminated is None else steps.terminated.astype(np.int64)
        row = self._native.observe_many(steps.states, steps.actions, rewards, steps.next_states, ended)
        if row < steps.size:
            super()._observe_rows(Steps(*(None if part is None else part[: row + 1] for part in steps)))  # type: ignore[arg-type]

    def observe_end(self, state: int, terminated: bool) -> None:
        """Learn whether the episode was terminated on arrival in `state`.

        Raises:
            ValueError: no world that is left allows it; then nothing was learned.
        """
        state = integer("state", state, 0, self.num_states - 1)
        if self.has_ends and not self._native.observe_end(state, bool(terminated)):
            raise ValueError(
                f"an episode that {'ends' if terminated else 'goes on'} in state {state} is impossible under the prior: "
                "no world that is left allows it"
            )

    @property
    def payable(self) -> Array:
        """All rewards that the worlds may pay, where a step is taken."""
        if self._rewards is None:
            raise TypeError("the worlds have no rewards: they are those that the agent is given")
        return self._rewards if self._terminal is None else self._rewards[~self._terminal]

    def predictive(self, state: int, action: int) -> Array:
        """The probability of each next state, averaged over the worlds. [S]"""
        return self._native.predictive(*self._pair(state, action))

    def mean(self) -> Array:
        return np.asarray(np.tensordot(self.weights, self._transitions, axes=1))

    def variance(self) -> Array:
        """The variance of the transition probabilities over the worlds. [S, A, S]"""
        squares = np.einsum("m,msan,msan->san", self.weights, self._transitions, self._transitions)
        return np.asarray(np.maximum(squares - self.mean() ** 2, 0.0))

    @property
    def worlds_left(self) -> int:
        """Number of worlds that no observation has ruled out."""
        return int(np.count_nonzero(self.weights))

    def sample_mdp(self, rng: np.random.Generator) -> Array:
        """The transitions of one of the worlds, drawn from the posterior. [S, A, S]"""
        return np.array(self._transitions[self._draw(rng)])

    def sample_world(self, rng: np.random.Generator) -> World:
        """One of the worlds, drawn from the posterior."""
        return self.world(self._draw(rng))

    def world(self, index: int) -> World:
        """One of the worlds, by its index."""
        index = integer("index", index, 0, len(self._transitions) - 1)
        rewards = None if self._rewards is None else np.array(self._rewards[index])
        ends = None if self._terminal is None else frozenset(np.flatnonzero(self._terminal[index]).tolist())
        return World(np.array(self._transitions[index]), rewards, ends)

    def _draw(self, rng: np.random.Generator) -> int:
        return int(self._native.draw(generator(rng).integers(2**64, size=4, dtype=np.uint64).tolist()))

    def mean_rewards(self) -> Array:
        """The posterior mean of the reward of each state and action. [S, A]"""
        found = self.mean_model().rewards
        return super().mean_rewards() if found is None else found[0]

    def mean_model(self) -> Models:
        """The average of the worlds; of each state, only of those in which it is not terminal."""
        return self._models.mean(self.weights) if self.has_rewards or self.has_ends else super().mean_model()

    def sample_models(self, count: int, rng: np.random.Generator) -> Models:
        if not self.has_rewards and not self.has_ends:
            return super().sample_models(count, rng)
        return self._models_of(np.array([self._draw(rng) for _ in range(count)]))

    def models(self, count: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """The transitions of the most probable worlds."""
        first, weights = self._most_probable(count)
        return self._transitions[first], weights

    def weighted_models(self, count: int, rng: np.random.Generator) -> tuple[Models, Array]:
        """The most probable worlds."""
        first, weights = self._most_probable(count)
        return self._models_of(first), weights

    def _most_probable(self, count: int) -> tuple[NDArray[np.int64], Array]:
        first = np.sort(np.argsort(-self.weights, kind="stable")[:count])
        return first, self.weights[first] / self.weights[first].sum()

    def _models_of(self, worlds: NDArray[np.int64]) -> Models:
        return self._models.of(worlds)

    @cached_property
    def _models(self) -> Models:
        """The worlds as models; a terminal state pays nothing and ends again."""
        rewards, ends = self._rewards, None
        if rewards is not None and rewards.ndim == 4:
            rewards = np.einsum("msan,msan->msa", self._transitions, rewards)
        if self._terminal is not None:
            over = self._terminal[:, :, None, None] | self._terminal[:, None, None, :]
            ends = np.where(over, self._transitions, 0.0)
            rewards = None if rewards is None else np.where(self._terminal[:, :, None], 0.0, rewards)
        return Models(self._transitions, rewards, ends, self._terminal, self._rewards)

    def model(self, seeds: list[list[int]]) -> tuple[Any, ...]:
        """Arguments of a native search: the worlds and their weights."""
        return (self._native,)

    def summary(self) -> list[SummaryTable | str]:
        """The most probable worlds."""
        first = np.argsort(-self.weights, kind="stable")[:10]
        return [SummaryTable(["world", "probability"], [[int(m), f"{self.weights[m]:.4f}"] for m in first])]

    def __repr__(self) -> str:
        return f"<belief over {len(self._transitions)} tables after {self.observations} observations>"


@dataclass(frozen=True, eq=False)
class Finite(Prior):
    """One of a finite set of worlds.

    Args:
        transitions: transition probabilities of each world. [M, S, A, S]
        weights: probability of each world, up to a factor; uniform if not given. [M]
        rewards: what each world pays, for each state and action [M, S, A] or for each transition [M, S, A, S]; if not given,
            what the agent is given. With them, only the shape of the rewards given to the agent is used.
        terminal: terminal states of all worlds, such as [3], or of each world, such as [[3], [4]]; if not given, those that
            the agent is given. Also as an array of booleans, [M, S].

    Example:
        >>> left_or_right = [[[[1, 0]], [[1, 0]]], [[[0, 1]], [[0, 1]]]]
        >>> belief = Finite(left_or_right, weights=[3, 1]).belief(num_states=2, num_actions=1)
        >>> belief.predictive(state=0, action=0)
        array([0.75, 0.25])
        >>> belief.observe(state=0, action=0, next_state=1)
        >>> belief.weights
        array([0., 1.])

        Two worlds with the same transitions, of which only the second pays:

        >>> stay = [[[1.0]]]
        >>> belief = Finite([stay, stay], rewards=[[[0.0]], [[1.0]]]).belief(num_states=1, num_actions=1)
        >>> belief.mean_rewards()
        array([[0.5]])
        >>> belief.observe_step(state=0, action=0, reward=1.0, next_state=0)
        >>> belief.mean_rewards()
        array([[1.]])
    """

    transitions: ArrayLike
    weights: ArrayLike | None = None
    rewards: ArrayLike | None = None
    terminal: Collection[Any] | NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        tables = distribution_rows("transitions", self.transitions)
        if tables.ndim != 4 or 0 in tables.shape or tables.shape[1] != tables.shape[3]:
            raise ValueError(f"transitions must have shape [M, S, A, S], got {tables.shape}")
        weights = checked_weights(self.weights, len(tables), "tables")
        rewards = None if self.rewards is None else _rewards(self.rewards, tables.shape)
        terminal = None if self.terminal is None else _terminal(self.terminal, *tables.shape[:2])
        for name, array in (("transitions", tables), ("weights", weights), ("rewards", rewards), ("terminal", terminal)):
            if array is not None:
                array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def has_rewards(self) -> bool:  # type: ignore[override]  # of the prior, not of the class
        return self.rewards is not None

    def payable(self, rewards: Array) -> Array:
        return rewards if self.rewards is None else np.asarray(self.rewards)

    @property
    def has_ends(self) -> bool:  # type: ignore[override]
        return self.terminal is not None

    def belief(self, num_states: int, num_actions: int) -> FiniteBelief:
        tables = np.asarray(self.transitions)
        if tables.shape[1:3] != sizes(num_states, num_actions):
            S, A = tables.shape[1:3]
            raise ValueError(f"transitions are for {S} states and {A} actions, not {num_states} and {num_actions}")
        rewards, terminal = (None if part is None else np.asarray(part) for part in (self.rewards, self.terminal))
        return FiniteBelief(tables, np.asarray(self.weights), rewards, terminal)

    def __repr__(self) -> str:
        return f"Finite({len(np.asarray(self.transitions))} worlds)"


def checked_weights(value: ArrayLike | None, count: int, what: str) -> Array:
    """`value` as weights that sum to one; uniform if None."""
    weights = np.ones(count) if value is None else real_array("weights", value, 1e300)
    if weights.shape != (count,) or weights.min() < 0 or weights.sum() <= 0:
        raise ValueError(f"weights must be one number for each of the {count} {what}, none negative, not all zero")
    if abs(weights.sum() - 1) > 1e-15 * len(weights):  # else normalized already: again would change last digits
        given, weights = weights, weights / weights.sum()
        if np.any((given > 0) & (weights == 0)):
            raise ValueError(
                "weights must be 0 or more than 1e-300 of the largest, got one that is too small beside the others"
            )
    return weights


def _rewards(value: ArrayLike, shape: tuple[int, ...]) -> Array:
    rewards = real_array("rewards", value, LARGEST_REWARD)
    if rewards.shape not in (shape[:3], shape):
        raise ValueError(f"rewards must have shape [M, S, A], here {shape[:3]}, or [M, S, A, S], {shape}, got {rewards.shape}")
    return same_rewards(rewards)


def same_rewards(rewards: Array) -> Array:
    """`rewards`, those that count as the same made equal."""
    values, where = np.unique(rewards + 0.0, return_inverse=True)  # not −0
    steps = np.diff(values) > SAME * np.maximum(np.abs(values[:-1]), np.abs(values[1:]))
    first = np.flatnonzero(np.concatenate([[True], steps]))
    return np.ascontiguousarray(values[first][np.cumsum(np.concatenate([[0], steps]))[where]].reshape(rewards.shape))


def _terminal(value: Any, worlds: int, num_states: int) -> Mask:
    """Terminal states of each world. [M, S]"""
    if isinstance(value, np.ndarray) and value.dtype == np.bool_:
        if value.shape != (worlds, num_states):
            raise ValueError(f"terminal must have shape [M, S], here {(worlds, num_states)}, got {value.shape}")
        return np.array(value)
    given = _validation.listed("terminal", value)
    each = given if given and all(isinstance(item, Collection | np.ndarray) for item in given) else [given] * worlds
    if len(each) != worlds:
        raise ValueError(f"terminal must be states, or a collection of states for each of the {worlds} worlds, got {len(each)}")
    mask = np.zeros((worlds, num_states), bool)
    for m, states in enumerate(each):
        mask[m, list(_validation.terminal_states(states, num_states))] = True
    return mask
