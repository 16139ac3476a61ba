"""A finite set of worlds: the transitions are one of M known tables.

With prior weights w⁰,

    w_m ∝ w_m⁰ Π P_m(s' | s, a) over the observed transitions,   P(s' | s, a) = Σ_m w_m P_m(s' | s, a)

The worlds may also differ in what they pay and where they end: those that pay something else than was observed, or end
elsewhere, are ruled out. The search draws one world for each simulation: root sampling in its simplest form.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core, validation
from bamdp.mdp import MDP, checked_weights, terminal_mask
from bamdp.prior import Prior, SummaryTable
from bamdp.priors._tabular import TabularBelief
from bamdp.validation import LARGEST_REWARD, Steps, distribution_rows, generator, integer, real_array

if TYPE_CHECKING:
    from bamdp.problem import BAMDP

SAME = 1e-9  # relative difference up to which rewards are the same; that of core/models/finite.hpp

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class FiniteBelief(TabularBelief):
    """A belief over the worlds, by weights."""

    impossible: ClassVar[str] = "no table that is left allows it"
    _native: _core.FiniteBelief

    def __init__(
        self,
        problem: BAMDP,
        transitions: Array,
        weights: Array,
        rewards: Array | None = None,
        terminal: Mask | None = None,
    ) -> None:
        self.problem, self.unknown_rewards, self.unknown_terminal = problem, rewards is not None, terminal is not None
        ends = None if terminal is None else terminal.astype(np.float64)
        self._native = _core.FiniteBelief(transitions, weights, rewards, ends)
        known = self.of(transitions)
        paid, over = (mine if own is None else own for mine, own in ((known.rewards, rewards), (known.terminal, terminal)))
        self._worlds = MDP.unchecked(transitions, paid, over, weights=weights)

    @property
    def weights(self) -> Array:
        """The posterior probability of each world. [M]"""
        return self._native.weights

    @property
    def particles(self) -> MDP:
        """The worlds, with their posterior probabilities as weights."""
        return self._worlds.with_weights(self.weights)

    def observe(self, state: int, action: int, reward: float | None, next_state: int, terminated: bool | None = False) -> None:
        state, action = self._pair(state, action)
        next_state = integer("next_state", next_state, 0, self.num_states - 1)
        self.problem.check_reward(state, action, reward, next_state)
        paid = math.nan if reward is None or not self.unknown_rewards else validation.reward(reward)
        if self._native.observe(state, action, next_state, paid, -1 if terminated is None else int(bool(terminated))):
            return
        name, reached = self.problem.describe_state, self.problem.describe_state(next_state)
        if not self._possible(state, action, next_state):
            raise self._impossible(state, action, next_state)
        if not self._native.possible(state, action, next_state, paid):
            step = f"state {name(state)}, action {self.problem.describe_action(action)} and next_state {reached}"
            what = f"reward {paid:g} after {step}"
            raise ValueError(f"{what} is impossible under the prior: no world that is left pays it")
        what = f"an episode that {'ends' if terminated else 'goes on'} in state {reached}"
        raise ValueError(f"{what} is impossible under the prior: no world that is left allows it")

    def _observe_rows(self, steps: Steps) -> None:
        """In one native call; where a row is impossible, as by a loop over the rows before it to say why."""
        rewards = np.full(steps.size, np.nan) if steps.rewards is None else steps.rewards
        ended = np.full(steps.size, -1) if steps.terminated is None else steps.terminated.astype(np.int64)
        row = self._native.observe_many(steps.states, steps.actions, rewards, steps.next_states, ended)
        if row < steps.size:
            super()._observe_rows(Steps(*(None if part is None else part[: row + 1] for part in steps)))  # type: ignore[arg-type]  # a slice

    def predictive(self, state: int, action: int) -> Array:
        """The probability of each next state, averaged over the worlds. [S]"""
        return self._native.predictive(*self._pair(state, action))

    def mean(self) -> MDP:
        """The average of the worlds; of each state, only of those in which it is not terminal."""
        if self.unknown_rewards or self.unknown_terminal:
            return self.particles.mean()
        return self.of(np.asarray(np.tensordot(self.weights, self._worlds.transitions, axes=1)))

    def sample(self, count: int, rng: np.random.Generator) -> MDP:
        """Some of the worlds, drawn from the posterior."""
        count = integer("count", count, 1, 10**9)
        return self._worlds.take([self.draw(rng) for _ in range(count)])

    def draw(self, rng: np.random.Generator) -> int:
        """The index of a world drawn from the posterior."""
        return int(self._native.draw(generator(rng).integers(2**64, size=4, dtype=np.uint64).tolist()))

    def summary(self) -> list[SummaryTable | str]:
        """The most probable worlds."""
        first = np.argsort(-self.weights, kind="stable")[:10].tolist()
        names = getattr(self.problem.prior, "names", None) or range(len(self.weights))
        return [SummaryTable(["world", "probability"], [[names[m], f"{self.weights[m]:.4f}"] for m in first])]

    def __repr__(self) -> str:
        return f"<belief over {len(self.weights)} tables after {self.observations} observations>"


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

    supports_unknown_rewards: ClassVar[bool] = True
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
            names = [] if isinstance(self.names, str) else validation.listed("names", self.names, str)
            if len(names) != len(tables) or len(set(names)) < len(names):
                raise ValueError(f"names must be {len(tables)} different names, one for each world, got {self.names!r}")
        rewards = None if self.rewards is None else _rewards(self.rewards, tables.shape)
        terminal = None if self.terminal is None else terminal_mask(self.terminal, tables.shape[1], len(tables))
        for name, array in (("transitions", tables), ("weights", weights), ("rewards", rewards), ("terminal", terminal)):
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
        return super().reward_range(paid if self.terminal is None else paid[~np.asarray(self.terminal)])

    @property
    def unknown_terminal(self) -> bool:  # type: ignore[override]  # of the prior, not of the class
        return self.terminal is not None

    @property
    def sizes(self) -> tuple[int, int]:
        _, S, A, _ = np.shape(self.transitions)
        return S, A

    def belief(self, problem: BAMDP) -> FiniteBelief:
        self.check_sizes(problem.num_states, problem.num_actions)
        tables = np.asarray(self.transitions)
        rewards, terminal = (None if part is None else np.asarray(part) for part in (self.rewards, self.terminal))
        return FiniteBelief(problem, tables, np.asarray(self.weights), rewards, terminal)

    def __repr__(self) -> str:
        return f"Finite({len(np.asarray(self.transitions))} worlds)"


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
