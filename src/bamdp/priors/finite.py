"""A finite set of worlds: the transitions are one of M known tables.

With prior weights w⁰,

    w_m ∝ w_m⁰ Π P_m(s' | s, a) over the observed transitions,
    P(s' | s, a) = Σ_m w_m P_m(s' | s, a)

The worlds may also differ in what they pay and where they end: those that pay something else than
was observed, or end elsewhere, are ruled out. The search draws one world for each simulation: root
sampling in its simplest form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, singledispatch
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core, validation
from bamdp.mdp import MDP, as_mdp, checked_weights, terminal_mask, unchecked_mdp, with_weights
from bamdp.prior import Belief, Prior
from bamdp.priors._tabular import TabularBelief
from bamdp.spaces import describe_action, describe_state
from bamdp.steps import Step, Steps
from bamdp.validation import (
    LARGEST_REWARD,
    distribution_rows,
    generator,
    integer,
    real_array,
)

if TYPE_CHECKING:
    from bamdp.problem import BAMDP

SAME = 1e-9  # relative difference up to which rewards are the same; that of core/models/worlds.hpp

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Tables(NamedTuple):
    """Worlds as tables.

    Attributes:
        transitions: [M, S, A, S].
        rewards: [M, S, A] or [M, S, A, S]; None if they are those of the problem.
        terminal: [M, S]; None if they are those of the problem.
    """

    transitions: Array
    rewards: Array | None = None
    terminal: Mask | None = None


class FiniteBelief(TabularBelief):
    """A belief over the worlds, by weights.

    Args:
        problem: the problem.
        rows: what may happen in each world.
        weights: probability of each world. [M]
        tables: makes the tables of the worlds, where they are asked for.
        own_rewards: whether worlds have rewards of their own.
        own_terminal: whether worlds have terminal states of their own.
        names: names of the worlds; None if they have none.
    """

    impossible: ClassVar[str] = "no table that is left allows it"
    _native: _core.WorldsBelief

    def __init__(
        self,
        problem: BAMDP,
        rows: _core.WorldRows,
        weights: Array,
        tables: Callable[[], Tables],
        *,
        own_rewards: bool,
        own_terminal: bool,
        names: Sequence[str] | None = None,
    ) -> None:
        self.problem, self.rows, self._tables, self.names = problem, rows, tables, names
        self._own_rewards, self._own_terminal = own_rewards, own_terminal
        self._native = _core.WorldsBelief(
            rows, weights, problem.num_states, own_rewards, own_terminal
        )

    @cached_property
    def _worlds(self) -> MDP:
        transitions, *own = self._tables()
        known = as_mdp(self.problem, transitions)
        rewards, terminal = (
            mine if part is None else part
            for mine, part in zip((known.rewards, known.terminal), own, strict=True)
        )
        return unchecked_mdp(transitions, rewards, terminal, weights=self.weights)

    @property
    def weights(self) -> Array:
        """The posterior probability of each world. [M]"""
        return self._native.weights

    @property
    def particles(self) -> MDP:
        """The worlds, with their posterior probabilities as weights."""
        return with_weights(self._worlds, self.weights)

    def learn(self, step: Step) -> None:
        state, action, reward, next_state, terminated = step
        paid = math.nan if reward is None or not self._own_rewards else reward
        ended = -1 if terminated is None else int(terminated)
        if self._native.observe(state, action, next_state, paid, ended):
            return
        if not self._possible(state, action, next_state):
            raise self._impossible(state, action, next_state)
        reached = describe_state(self.problem, next_state)
        if not self._native.possible(state, action, next_state, paid):
            what = (
                f"reward {paid:g} after state {describe_state(self.problem, state)}, action "
                f"{describe_action(self.problem, action)} and next_state {reached}"
            )
            raise ValueError(f"{what} is impossible under the prior: no world that is left pays it")
        what = f"an episode that {'ends' if terminated else 'goes on'} in state {reached}"
        raise ValueError(f"{what} is impossible under the prior: no world that is left allows it")

    def _learn_many(self, steps: Steps) -> None:
        """In one native call; where a row is impossible, by a loop up to that row to say why."""
        T = steps.size
        rewards = np.full(T, np.nan) if steps.rewards is None else steps.rewards
        ended = np.full(T, -1) if steps.terminated is None else steps.terminated.astype(np.int64)
        row = self._native.observe_many(
            steps.states, steps.actions, rewards, steps.next_states, ended
        )
        if row < T:
            super()._learn_many(steps.part(slice(row + 1)))

    def predictive(self, state: int, action: int) -> Array:
        """The probability of each next state, averaged over the worlds. [S]"""
        row = np.zeros(self.problem.num_states)
        states, probabilities = self._native.predictive(*self._pair(state, action))
        row[states] = probabilities
        return row

    def mean(self) -> MDP:
        """The average of the worlds; of each state, only of those in which it is not terminal."""
        if self._own_rewards or self._own_terminal:
            return self.particles.mean()
        return as_mdp(
            self.problem, np.asarray(np.tensordot(self.weights, self._worlds.transitions, axes=1))
        )

    def sample(self, count: int, rng: np.random.Generator) -> MDP:
        """Some of the worlds, drawn from the posterior."""
        count = integer("count", count, 1, 10**9)
        return self._worlds.take([self.draw(rng) for _ in range(count)])

    def draw(self, rng: np.random.Generator) -> int:
        """The index of a world drawn from the posterior."""
        return int(
            self._native.draw(generator(rng).integers(2**64, size=4, dtype=np.uint64).tolist())
        )

    def __repr__(self) -> str:
        return f"<belief over {len(self.weights)} tables after {self.observations} observations>"


@singledispatch
def weights_of(belief: Belief) -> Array | None:
    """The posterior probabilities of finitely many worlds; None if there are others. [M]"""
    return None if belief.particles is None else belief.particles.weights


@weights_of.register
def _(belief: FiniteBelief) -> Array | None:
    return belief.weights  # without the worlds, which may be large


@singledispatch
def world_names(prior: Prior) -> tuple[str, ...] | None:
    """The names of finitely many worlds; None if they have none."""
    return None


@dataclass(frozen=True, eq=False)
class Finite(Prior):
    """One of a finite set of worlds.

    Args:
        transitions: transition probabilities of each world. [M, S, A, S]
        weights: probability of each world, up to a factor; uniform by default. [M]
        rewards: what each world pays, for each state and action [M, S, A] or for each transition
            [M, S, A, S]; if not given, what the agent is given. With them, only the shape of the
            rewards given to the agent is used.
        terminal: terminal states of all worlds, such as [3], or of each world, such as [[3], [4]];
            if not given, those that the agent is given. Also as an array of booleans, [M, S].
        names: name of each world, shown with its probability. [M]

    Example:
        >>> import bamdp
        >>> left_or_right = [[[[1, 0]], [[1, 0]]], [[[0, 1]], [[0, 1]]]]
        >>> prior = Finite(left_or_right, weights=[3, 1])
        >>> belief = bamdp.BAMDP(prior, rewards=[[0], [1]], discount=0.9).belief()
        >>> belief.predictive(state=0, action=0)
        array([0.75, 0.25])
        >>> belief.observe(state=0, action=0, reward=0.0, next_state=1)
        >>> belief.weights
        array([0., 1.])

        Two worlds with the same transitions, of which only the second pays:

        >>> stay = [[[1.0]]]
        >>> prior = Finite([stay, stay], rewards=[[[0.0]], [[1.0]]])
        >>> belief = bamdp.BAMDP(prior, rewards=[[0]], discount=0.9).belief()
        >>> belief.mean().rewards
        array([[0.5]])
        >>> belief.observe(state=0, action=0, reward=1.0, next_state=0)
        >>> belief.mean().rewards
        array([[1.]])
    """

    transitions: ArrayLike
    weights: ArrayLike | None = None
    rewards: ArrayLike | None = None
    terminal: Collection[Any] | NDArray[np.bool_] | None = None
    names: Sequence[str] | None = None

    def __post_init__(self) -> None:
        tables = distribution_rows("transitions", self.transitions)
        if tables.ndim != 4 or 0 in tables.shape or tables.shape[1] != tables.shape[3]:
            raise ValueError(f"transitions must have shape [M, S, A, S], got {tables.shape}")
        weights = checked_weights(self.weights, len(tables), "tables")
        if self.names is not None:
            names = (
                [] if isinstance(self.names, str) else validation.listed("names", self.names, str)
            )
            if len(names) != len(tables) or len(set(names)) < len(names):
                raise ValueError(
                    f"names must be {len(tables)} different names, one for each world, got "
                    f"{self.names!r}"
                )
        rewards = None if self.rewards is None else _rewards(self.rewards, tables.shape)
        terminal = (
            None
            if self.terminal is None
            else terminal_mask(self.terminal, tables.shape[1], len(tables))
        )
        for name, array in (
            ("transitions", tables),
            ("weights", weights),
            ("rewards", rewards),
            ("terminal", terminal),
        ):
            if array is not None:
                array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def unknown_rewards(self) -> bool:  # type: ignore[override]  # of the prior, not of the class
        return self.rewards is not None

    def reward_range(self, rewards: Array) -> tuple[float, float]:
        if self.rewards is None:
            return super().reward_range(rewards)
        paid = np.asarray(self.rewards)
        return super().reward_range(
            paid if self.terminal is None else paid[~np.asarray(self.terminal)]
        )

    @property
    def unknown_terminal(self) -> bool:  # type: ignore[override]  # of the prior, not of the class
        return self.terminal is not None

    @property
    def sizes(self) -> tuple[int, int]:
        _, S, A, _ = np.shape(self.transitions)
        return S, A

    def belief(self, problem: BAMDP) -> FiniteBelief:
        weights = np.asarray(self.weights)
        tables = Tables(
            np.asarray(self.transitions),
            *(None if part is None else np.asarray(part) for part in (self.rewards, self.terminal)),
        )
        rows = _core.WorldRows(len(weights), problem.num_actions)
        add_tables(rows, problem, tables)
        return FiniteBelief(
            problem,
            rows,
            weights,
            lambda: tables,
            own_rewards=self.unknown_rewards,
            own_terminal=self.unknown_terminal,
            names=self.names,
        )

    def __repr__(self) -> str:
        return f"Finite({len(np.asarray(self.transitions))} worlds)"


@world_names.register
def _(prior: Finite) -> tuple[str, ...] | None:
    return None if prior.names is None else tuple(prior.names)


def add_tables(
    rows: _core.WorldRows, problem: BAMDP, tables: Tables, state: int = 0, action: int = 0
) -> None:
    """Add tables of some states and actions, from `state` and `action` on, which pay and end as the
    problem says where they don't say it themselves.
    """
    _, states, actions, _ = tables.transitions.shape
    rewards, terminal = tables.rewards, tables.terminal
    if rewards is None:
        rewards = problem.rewards[None, state : state + states, action : action + actions]
    if terminal is None:
        terminal = np.isin(np.arange(problem.num_states), sorted(problem.terminal))[None]
    rows.add_tables(
        np.ascontiguousarray(tables.transitions),
        np.ascontiguousarray(rewards),
        np.ascontiguousarray(terminal, np.float64),
        conditional=tables.terminal is not None,
        state=state,
        action=action,
    )


def _rewards(value: ArrayLike, shape: tuple[int, ...]) -> Array:
    rewards = real_array("rewards", value, LARGEST_REWARD)
    if rewards.shape not in (shape[:3], shape):
        raise ValueError(
            f"rewards must have shape [M, S, A], here {shape[:3]}, or [M, S, A, S], {shape}, got "
            f"{rewards.shape}"
        )
    return same_rewards(rewards)


def same_rewards(rewards: Array) -> Array:
    """`rewards`, those that count as the same made equal."""
    values, where = np.unique(rewards + 0.0, return_inverse=True)  # not −0
    steps = np.diff(values) > SAME * np.maximum(np.abs(values[:-1]), np.abs(values[1:]))
    first = np.flatnonzero(np.concatenate([[True], steps]))
    return np.ascontiguousarray(
        values[first][np.cumsum(np.concatenate([[0], steps]))[where]].reshape(rewards.shape)
    )
