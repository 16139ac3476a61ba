"""A known Markov decision process, or K of them: the one value for every table of numbers in the
library.

    Q(s, a) = R(s, a) + γ Σ_s' P(s' | s, a) max_a' Q(s', a')

`solve` computes Q by modified policy iteration: a full backup V ← max_a (R + γ P V), then some
backups of its greedy policy alone, which cost 1/A of a full one. If a full backup changes V
everywhere by an amount in [low, high], then Q* − Q is in γ/(1 − γ) · [low, high] everywhere
(MacQueen's bounds): the midpoint is added, half the width is the error. With a horizon, Q of the
steps left is computed by backward induction, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import validation
from bamdp.validation import (
    LARGEST_REWARD,
    distribution_rows,
    fits_memory,
    positive_integer,
    real,
    real_array,
)

if TYPE_CHECKING:
    from bamdp.problem import BAMDP

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

POLICY_BACKUPS = 20


class Outcomes(NamedTuple):
    """The random rewards of an MDP: some values, or normal around the mean.

    Attributes:
        values: possible rewards; None if they are normal. [V]
        probabilities: the probability of each, for each state and action; None if they are normal.
            [S, A, V]
        deviations: standard deviation of normal rewards; None for some values. [S, A]
    """

    values: Array | None = None
    probabilities: Array | None = None
    deviations: Array | None = None


class Solution(NamedTuple):
    """The optimal values of an MDP.

    Attributes:
        q_values: value of each state and action; of K MDPs, [K, S, A]. [S, A]
        values: value of each state. [S]
        policy: an optimal action in each state, the first one in case of ties. [S]
    """

    q_values: Array
    values: Array
    policy: NDArray[np.int64]


@dataclass(frozen=True, eq=False, init=False)
class MDP:
    """A known MDP, or K of them: then every array has a leading axis [K].

    Args:
        transitions: probability of each next state, [S, A, S] or [K, S, A, S]; with `successors`,
            of each of those.
        rewards: reward of each state and action, [S, A], or of each transition, [S, A, S]; [K, S,
            A] or [K, S, A, S] where K MDPs differ.
        terminal: terminal states, where episodes end, as a list or as booleans [S] or [K, S].
        successors: possible next states of each row, where they are few: [S, A, k] or [K, S, A, k],
            padded at probability 0.
        weights: probability of each of K MDPs, up to a factor; uniform by default. [K]
        outcomes: distribution of random rewards, with `rewards` their means; by default a step pays
            exactly its reward.

    Attributes:
        probabilities: the transitions as they were passed, read-only.

    Example:
        >>> stay_or_switch = [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
        >>> mdp = MDP(stay_or_switch, rewards=[[0, 0], [1, 1]])
        >>> mdp.solve(discount=0.5).q_values
        array([[0.5, 1. ],
               [2. , 1.5]])
    """

    probabilities: Array
    rewards: Array
    terminal: Mask
    successors: NDArray[np.int64] | None
    weights: Array | None
    outcomes: Outcomes | None
    _termination: Array | None  # [S, A, S]; None where it follows from `terminal`

    def __init__(
        self,
        transitions: ArrayLike,
        rewards: ArrayLike,
        *,
        terminal: Collection[Any] | NDArray[np.bool_] = (),
        successors: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        outcomes: Outcomes | None = None,
    ) -> None:
        probabilities = distribution_rows("transitions", transitions)
        if probabilities.ndim not in (3, 4):
            raise ValueError(
                f"transitions must have shape [S, A, S] or [K, S, A, S], got {probabilities.shape}"
            )
        *leading, S, A, width = probabilities.shape
        nexts = None if successors is None else state_table(successors, S)
        if nexts is None and width != S:
            raise ValueError(
                f"transitions must have shape [S, A, S] or [K, S, A, S], got {probabilities.shape}"
            )
        if nexts is not None and nexts.shape not in (probabilities.shape, probabilities.shape[-3:]):
            raise ValueError(
                f"successors must have the shape of transitions, {probabilities.shape}, got "
                f"{nexts.shape}"
            )
        paid = real_array("rewards", rewards, LARGEST_REWARD)
        shapes = [
            (S, A),
            *(((S, A, S),) if not leading else ((*leading, S, A), (*leading, S, A, S))),
        ]
        if paid.shape not in shapes:
            raise ValueError(
                f"rewards must have shape {' or '.join(map(str, shapes))}, got {paid.shape}"
            )
        if leading and paid.ndim == 2:
            paid = np.broadcast_to(paid, (*leading, S, A))
        over = terminal_mask(terminal, S, *leading)
        each = None if not leading else checked_weights(weights, leading[0], "MDPs")
        if weights is not None and not leading:
            raise ValueError(
                "weights must not be given for a single MDP: they are those of K of them"
            )
        drawn = None if outcomes is None else checked_outcomes(outcomes, paid, (*leading, S, A))
        self._set(probabilities, paid, over, nexts, each, drawn)

    def _set(
        self,
        probabilities: Array,
        rewards: Array,
        terminal: Mask,
        successors: NDArray[np.int64] | None = None,
        weights: Array | None = None,
        outcomes: Outcomes | None = None,
        termination: Array | None = None,
    ) -> None:
        parts = (probabilities, rewards, terminal, successors, weights, outcomes, termination)
        for name, value in zip(MDP.__annotations__, parts, strict=True):
            if isinstance(value, np.ndarray) and value.flags.writeable:
                value.setflags(write=False)
            object.__setattr__(self, name, value)

    def __getstate__(self) -> dict[str, Any]:
        """For `pickle`: what is computed when first asked for is not kept."""
        return {name: vars(self)[name] for name in MDP.__annotations__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set(*state.values())

    def __deepcopy__(self, memo: dict[int, Any]) -> MDP:
        """Itself: it never changes."""
        return self

    @property
    def num_states(self) -> int:
        return int(self.probabilities.shape[-3])

    @property
    def num_actions(self) -> int:
        return int(self.probabilities.shape[-2])

    @property
    def num_models(self) -> int | None:
        """K; None for a single MDP."""
        return self.probabilities.shape[0] if self.probabilities.ndim == 4 else None

    @property
    def transitions(self) -> Array:
        """The probability of each next state; made on each access where only successors are kept.
        [S, A, S]
        """
        if self.successors is None:
            return self.probabilities
        *leading, S, A, _ = self.probabilities.shape
        fits_memory(
            "transitions, of which only successors are kept,", int(np.prod(leading)) * S * A * S
        )
        dense = np.zeros((*leading, S, A, S))
        successors = np.broadcast_to(self.successors, self.probabilities.shape)
        first = np.indices(self.probabilities.shape, sparse=True)[:-1]
        np.add.at(dense, (*first, successors), self.probabilities)
        return dense

    @cached_property
    def expected_rewards(self) -> Array:
        """The reward of each state and action, averaged over the next state where it depends on
        that. [S, A]
        """
        if self.rewards.ndim < self.probabilities.ndim:
            return self.rewards
        paid = self.rewards
        if self.successors is not None:
            paid = np.take_along_axis(
                paid, np.broadcast_to(self.successors, self.probabilities.shape), axis=-1
            )
        return np.asarray(np.vecdot(self.probabilities, paid))

    def take(self, index: int | ArrayLike) -> MDP:
        """One of K MDPs by its index, or several by theirs, with equal weights.

        Example:
            >>> both = MDP([[[[1.0]]], [[[1.0]]]], rewards=[[[0.0]], [[1.0]]])
            >>> both.take(1).rewards
            array([[1.]])
        """
        K = self.num_models
        if K is None:
            raise TypeError("take() is of K MDPs, and this is a single one")
        if np.ndim(index) == 0:
            index = validation.integer("index", index, 0, K - 1)
            weights = None
        else:
            index = validation.states("index", np.asarray(index), K)
            if index.ndim != 1 or index.size == 0:
                raise ValueError(
                    "index must be one number or a list of them, not empty, got shape "
                    f"{index.shape}"
                )
            weights = np.full(len(index), 1 / len(index))
        successors = (
            self.successors[index]
            if self.successors is not None and self.successors.ndim == 4
            else self.successors
        )
        outcomes = (
            None
            if self.outcomes is None
            else Outcomes(
                self.outcomes.values,
                *(None if part is None else part[index] for part in self.outcomes[1:]),
            )
        )
        parts = (self.probabilities[index], self.rewards[index], self.terminal[index])
        made = unchecked_mdp(*parts, successors, weights, outcomes)
        for name in ("expected_rewards", "_continuation"):
            if name in vars(self):  # computed already
                vars(made)[name] = vars(self)[name][index]
        return made

    def mean(self) -> MDP:
        """The average of K MDPs, by their weights.

        Where a state is terminal in some of them only, its row is that of the others, and
        `termination` has the part of a row that ends the episode.

        Example:
            >>> both = MDP([[[[1.0]]], [[[1.0]]]], rewards=[[[0.0]], [[1.0]]], weights=[3, 1])
            >>> both.mean().rewards
            array([[0.25]])
        """
        if self.num_models is None:
            return self
        transitions = self.transitions
        paid = np.where(self.terminal[..., None], 0.0, self.expected_rewards)
        ended = None
        if (self.terminal != self.terminal.all(axis=0)).any():
            ended = average(self, transitions - self._continuation)
        return unchecked_mdp(
            average(self, transitions),
            average(self, paid),
            self.terminal.all(axis=0),
            termination=ended,
        )

    def solve(
        self, discount: float, horizon: int | None = None, *, tolerance: float = 1e-8
    ) -> Solution:
        """The optimal values.

        Args:
            discount: discount factor, in [0, 1); 1 with a horizon.
            horizon: number of steps that count; None is no end.
            tolerance: maximum error of the values without a horizon; where that is finer than
                doubles allow, at most 4 (k + 2) ε max|R| γ / (1 − γ)², the effect of rounding sums
                of k terms with relative precision ε.

        Example:
            >>> from bamdp.domains import DoubleLoop
            >>> DoubleLoop().mdp.solve(discount=0.95).values[0].round(3)
            np.float64(7.201)
        """
        discount = validation.discount(discount, ends=horizon is not None)
        if self.num_models is not None:
            each = [
                self.take(k).solve(discount, horizon, tolerance=tolerance)
                for k in range(self.num_models)
            ]
            return Solution(*(np.stack(parts) for parts in zip(*each, strict=True)))
        if horizon is not None:
            ahead = values_by_steps(self, discount, positive_integer("horizon", horizon))[-2]
            q = bellman_backup(self, ahead, discount)
        else:
            q = self._converged(discount, real("tolerance", tolerance, 0, open_low=True))
        return Solution(q, q.max(axis=1), q.argmax(axis=1))

    @cached_property
    def _continuation(self) -> Array:
        """The part of the transitions that doesn't end the episode. [S, A, S]"""
        if self._termination is not None:
            return self.transitions - self._termination
        over = self.terminal[..., :, None, None] | self.terminal[..., None, None, :]
        return np.where(over, 0.0, self.transitions) if self.terminal.any() else self.transitions

    @cached_property
    def _rows(self) -> tuple[Array, Array, NDArray[np.int64] | None]:
        """Expected rewards and transitions, where a terminal state pays nothing
        and leads nowhere.
        """
        if self._termination is not None:
            return self.expected_rewards, self._continuation, None
        if self.num_models is not None:
            return (
                np.where(self.terminal[..., None], 0.0, self.expected_rewards),
                self._continuation,
                None,
            )
        if not self.terminal.any():
            return self.expected_rewards, self.probabilities, self.successors
        paid = np.where(self.terminal[:, None], 0.0, self.expected_rewards)
        if self.successors is None:
            return paid, self._continuation, None
        over = self.terminal[:, None, None] | self.terminal[self.successors]
        return paid, np.where(over, 0.0, self.probabilities), self.successors

    def _converged(self, discount: float, tolerance: float) -> Array:
        paid, moves, nexts = self._rows
        S, width = len(paid), moves.shape[-1]
        scale = discount / (1 - discount)
        rounding = (
            scale
            * (width + 2)
            * np.finfo(np.float64).eps
            * float(np.abs(paid).max())
            / (1 - discount)
        )
        tolerance = max(tolerance, 4 * rounding)
        states = np.arange(S)
        # From below, so that backups only raise the values: convergence is monotone.
        may_end = self._termination is not None or bool(
            self.terminal.any()
        )  # then the end, of value 0, is one more state
        values = np.full(S, (min(0.0, paid.min()) if may_end else paid.min()) / (1 - discount))
        values[self.terminal] = 0.0
        while True:
            q = paid + discount * (
                moves @ values if nexts is None else np.vecdot(moves, values[nexts])
            )
            policy = q.argmax(axis=1)
            change = q[states, policy] - values
            low, high = scale * float(change.min()), scale * float(change.max())
            if may_end:
                low, high = min(low, 0.0), max(high, 0.0)
            if (high - low) / 2 + rounding <= tolerance:
                q = q + (low + high) / 2
                q[self.terminal] = 0.0
                return np.asarray(q)
            values = q[states, policy]
            chosen, earned = moves[states, policy], paid[states, policy]
            to = None if nexts is None else nexts[states, policy]
            for _ in range(POLICY_BACKUPS):
                values = earned + discount * (
                    chosen @ values if to is None else np.vecdot(chosen, values[to])
                )

    def __repr__(self) -> str:
        what = "" if self.num_models is None else f"{self.num_models} of "
        return f"MDP({what}{self.num_states} states, {self.num_actions} actions)"


def unchecked_mdp(*parts: Any, **named: Any) -> MDP:
    """An MDP from arrays that are known to be valid: its attributes in their order, and its
    `termination`; they become read-only.
    """
    made = MDP.__new__(MDP)
    made._set(*parts, **named)
    return made


def as_mdp(problem: BAMDP, transitions: Array) -> MDP:
    """MDPs with these transitions, [S, A, S] or [K, S, A, S], and the rewards and terminal states
    of the problem.
    """
    leading = transitions.shape[:-3]
    terminal = np.isin(np.arange(problem.num_states), sorted(problem.terminal))
    return unchecked_mdp(
        transitions,
        np.broadcast_to(problem.rewards, (*leading, *problem.rewards.shape)),
        np.broadcast_to(terminal, (*leading, *terminal.shape)),
        weights=np.full(leading[0], 1 / leading[0]) if leading else None,
    )


def continuation(mdp: MDP) -> Array:
    """The part of the transitions that doesn't end the episode; nothing after a terminal state.
    [S, A, S]
    """
    return mdp._continuation


def termination(mdp: MDP) -> Array:
    """The part of the transitions that ends the episode. [S, A, S]

    It follows from `terminal`, except in the mean of MDPs with different terminal states.
    """
    return mdp.transitions - mdp._continuation if mdp._termination is None else mdp._termination


def with_rewards(mdp: MDP, rewards: Array) -> MDP:
    """`mdp` with other rewards, one for each state and action. [S, A]"""
    return unchecked_mdp(mdp.transitions, rewards, mdp.terminal, termination=mdp._termination)


def with_weights(mdp: MDP, weights: Array) -> MDP:
    """K MDPs with other weights, which must sum to one. [K]"""
    made = MDP.__new__(MDP)
    vars(made).update(vars(mdp), weights=weights)
    return made


def resample(mdp: MDP, count: int) -> MDP:
    """At most `count` weighted particles of K MDPs: those at equally spaced quantiles of the
    weights, or all that fit.
    """
    assert mdp.weights is not None
    possible = np.flatnonzero(mdp.weights)
    if len(possible) <= count:
        if len(possible) == mdp.num_models:
            return mdp
        return with_weights(mdp.take(possible), mdp.weights[possible])
    chosen, times = np.unique(quantile_indices(mdp.weights, count), return_counts=True)
    return with_weights(mdp.take(chosen), times / count)


def average(mdp: MDP, values: Array) -> Array:
    """The mean of `values` [K, S, …] by the weights; of each state, over the MDPs in which it
    isn't terminal. [S, …]
    """
    assert mdp.weights is not None
    if (mdp.terminal == mdp.terminal[:1]).all():
        return np.asarray(np.tensordot(mdp.weights, values, axes=1))
    weights = mdp.weights[:, None]
    each = np.where(mdp.terminal, 0.0, weights)
    each = np.where(each.sum(axis=0) > 0, each, weights)  # else it is terminal in all of them
    return np.asarray(np.einsum("ks,ks...->s...", each / each.sum(axis=0), values))


def bellman_backup(mdp: MDP, values: Array, discount: float) -> Array:
    """R(s, a) + γ Σ_s' P(s' | s, a) V(s'), and 0 in terminal states. [S, A]

    Args:
        mdp: the MDP, or K of them.
        values: the value of each state, V; that of a terminal one doesn't count. [S] or [K, S]
        discount: discount factor.
    """
    paid, moves, nexts = mdp._rows
    return np.asarray(paid + discount * _expected(moves, values, nexts))


def always_ends(mdp: MDP) -> bool:
    """Whether every policy reaches a terminal state with certainty: no policy can avoid all of
    them.
    """
    avoiding = ~mdp.terminal  # states from which terminal states may yet be avoided
    nexts = np.arange(mdp.num_states) if mdp.successors is None else mdp.successors
    while mdp.terminal.any():
        inside = (avoiding[nexts] | (mdp.probabilities == 0)).all(axis=2).any(axis=1) & avoiding
        if np.array_equal(inside, avoiding):
            return not avoiding.any()
        avoiding = inside
    return False


def annuity(discount: float, steps: int | None) -> float:
    """The discounted sum of a reward of 1 in each of `steps`; without an end if None.

    Example:
        >>> annuity(0.5, 3), annuity(1.0, 3), annuity(0.5, None)
        (1.75, 3.0, 2.0)
    """
    if steps is None:
        return 1 / (1 - discount) if discount < 1 else math.inf
    return float(steps) if discount == 1 else (1 - discount**steps) / (1 - discount)


def values_by_steps(
    mdp: MDP,
    discount: float,
    steps: int | None,
    *,
    episode_length: int | None = None,
    start: int = 0,
) -> Array:
    """The optimal value of every state with 0, 1, … `steps` steps left, by backward induction.
    [steps + 1, S]

    Of K MDPs, [steps + 1, K, S].

    Args:
        mdp: the MDP, or K of them.
        discount: discount factor, in [0, 1].
        steps: number of steps; None for as many as change anything, where every policy ends:
            then only the last. [1, S]
        episode_length: number of steps of each episode, counted from the first of `steps`;
            without episodes by default. Where one ends, the value is that of `start`.
        start: state that each of these episodes starts in.

    Example:
        >>> from bamdp.domains import DoubleLoop
        >>> values_by_steps(DoubleLoop().mdp, 1.0, steps=10)[:, 0]
        array([0., 0., 0., 0., 0., 2., 2., 2., 2., 2., 4.])
    """
    discount = validation.discount(discount, ends=True)
    shape = mdp.terminal.shape
    if steps is None:
        if discount == 1 and not always_ends(mdp):
            raise ValueError("steps must be given for a discount of 1, as some policy never ends")
        values, smallest = np.zeros(shape), np.inf
        while True:  # until rounding is all that changes
            updated: Array = bellman_backup(mdp, values, discount).max(axis=-1)
            change = float(np.abs(updated - values).max())
            if change <= 1e-13 * float(np.abs(updated).max()) and change >= smallest:
                return updated[None]
            values, smallest = updated, min(smallest, change)
    steps = positive_integer("steps", steps)
    fits_memory(f"steps={steps}", (steps + 1) * mdp.terminal.size)
    layers = np.zeros((steps + 1, *shape))
    for k in range(steps):
        layers[k + 1] = bellman_backup(mdp, layers[k], discount).max(axis=-1)
        if episode_length is not None and (steps - k - 1) % episode_length == 0:
            layers[k + 1] = layers[k + 1, ..., start, None]
    return layers


def _expected(moves: Array, values: Array, nexts: NDArray[np.int64] | None) -> Array:
    """Σ_s' P(s' | s, a) V(s'), in one MDP or in each of K. [S, A]"""
    if nexts is not None:
        return np.asarray(np.vecdot(moves, values[nexts]))
    return np.asarray(
        moves @ values if moves.ndim == 3 else (moves @ values[:, None, :, None])[..., 0]
    )


def quantile_indices(weights: Array, count: int, shift: float = 0.5) -> NDArray[np.int64]:
    """Indices at `count` equally spaced quantiles of the weights (systematic resampling)."""
    cumulative = np.cumsum(weights)
    at = np.searchsorted(
        cumulative, (np.arange(count) + shift) / count * cumulative[-1], side="right"
    )
    return np.asarray(np.minimum(at, np.flatnonzero(weights)[-1]))


def checked_weights(value: ArrayLike | None, count: int, what: str) -> Array:
    """`value` as weights that sum to one; uniform if None."""
    weights = np.ones(count) if value is None else real_array("weights", value, 1e300)
    if weights.shape != (count,) or weights.min() < 0 or weights.sum() <= 0:
        raise ValueError(
            f"weights must be one number for each of the {count} {what}, none negative, not all "
            "zero"
        )
    if abs(weights.sum() - 1) > 1e-15 * len(
        weights
    ):  # else normalized already: again would change last digits
        unscaled, weights = weights, weights / weights.sum()
        if np.any((unscaled > 0) & (weights == 0)):
            raise ValueError(
                "weights must be 0 or more than 1e-300 of the largest, got one that is too small "
                "beside the others"
            )
    return weights


def checked_outcomes(value: Any, rewards: Array, shape: tuple[int, ...]) -> Outcomes:
    """`value` as a distribution of rewards with the means `rewards`, which must be of this shape,
    [S, A] or [K, S, A].
    """
    kinds = [part is not None for part in value] if isinstance(value, Outcomes) else []
    if kinds not in ([True, True, False], [False, False, True]):
        raise TypeError(
            "outcomes must be bamdp.mdp.Outcomes, values with probabilities or deviations, got "
            f"{value!r}"
        )
    if rewards.shape != shape:
        raise ValueError(
            f"rewards must be those of each state and action, {shape}, to be random, got "
            f"{rewards.shape}"
        )
    if kinds[2]:
        deviations = real_array("deviations", value.deviations)
        if deviations.shape != shape or deviations.min() < 0:
            raise ValueError(
                f"deviations must have shape {shape}, none negative, got shape {deviations.shape}"
            )
        return Outcomes(deviations=deviations)
    values, rows = (
        real_array("values", value.values, LARGEST_REWARD),
        distribution_rows("probabilities", value.probabilities),
    )
    if values.ndim != 1 or rows.shape != (*shape, len(values)):
        raise ValueError(
            f"probabilities must have shape {shape} and one for each of values, got {rows.shape}"
        )
    if not np.allclose(rows @ values, rewards, rtol=1e-6, atol=1e-6 * float(np.abs(values).max())):
        raise ValueError("rewards must be the means of outcomes")
    return Outcomes(values, rows)


def terminal_mask(value: Any, num_states: int, *models: int) -> Mask:
    """`value`, terminal states of all MDPs or of each of them, as booleans. [S] or [K, S]"""
    shape = (*models, num_states)
    if isinstance(value, np.ndarray) and value.dtype == np.bool_:
        if value.shape not in (shape, (num_states,)):
            raise ValueError(f"terminal must have shape {shape}, got {value.shape}")
        if value.all(axis=-1).any():
            raise ValueError(f"terminal must not contain all states, got all {num_states}")
        return np.array(np.broadcast_to(value, shape))
    listed = validation.listed("terminal", value)
    each = [listed]
    if models:
        each = (
            listed
            if listed and all(isinstance(item, Collection | np.ndarray) for item in listed)
            else [listed] * models[0]
        )
        if len(each) != models[0]:
            raise ValueError(
                f"terminal must be states, or a collection of states for each of the {models[0]} "
                f"worlds, got {len(each)}"
            )
    mask = np.zeros((len(each), num_states), bool)
    for k, states in enumerate(each):
        mask[k, list(validation.terminal_states(states, num_states))] = True
    return mask if models else mask[0]


def state_table(value: Any, num_states: int) -> NDArray[np.int64]:
    """A copy of `value` as an array of states, [S, A, k] or [K, S, A, k]."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"successors must be an array of integers with rows of equal length: {error}"
        ) from None
    if array.dtype.kind not in "iu":
        raise TypeError(
            f"successors must be an array of integers, got numbers of type {array.dtype}"
        )
    if array.ndim not in (3, 4) or 0 in array.shape:
        raise ValueError(f"successors must have shape [S, A, k] or [K, S, A, k], got {array.shape}")
    return validation.states("successors", array, num_states).copy()
