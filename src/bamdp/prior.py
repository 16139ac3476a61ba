"""The contracts of priors and beliefs.

A prior is a frozen set of hyperparameters. `prior.belief(S, A)` makes a belief, which `observe` updates to the posterior, one
transition at a time. A belief also has a native model for a search (`model`).
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core
from bamdp._validation.steps import Steps, checked_steps
from bamdp.notebook.html import joined, table, tag


class SummaryTable(NamedTuple):
    """A small table that summarizes a belief, as plain data; the first cell of each row is its name."""

    columns: Sequence[str]
    rows: Iterable[Sequence[object]]


class Outcomes(NamedTuple):
    """The random rewards of a world: some values, or normal around the mean.

    Attributes:
        values: possible rewards; None if they are normal. [V]
        probabilities: the probability of each, for each state and action; None if they are normal. [S, A, V]
        deviations: standard deviation of normal rewards; None for some values. [S, A]
    """

    values: NDArray[np.float64] | None = None
    probabilities: NDArray[np.float64] | None = None
    deviations: NDArray[np.float64] | None = None


class World(NamedTuple):
    """One world drawn from a belief.

    Attributes:
        transitions: transition probabilities. [S, A, S]
        rewards: reward of each state and action [S, A] or of each transition [S, A, S]; None for those that agents are given.
        terminal: terminal states; None for those that agents are given.
        outcomes: how rewards are drawn, with `rewards` their means, [S, A]; None if they are not random.
    """

    transitions: NDArray[np.float64]
    rewards: NDArray[np.float64] | None = None
    terminal: frozenset[int] | None = None
    outcomes: Outcomes | None = None


class Models(NamedTuple):
    """Models as a solver takes them.

    Attributes:
        transitions: transition probabilities. [K, S, A, S]
        rewards: expected reward of each state and action [K, S, A]; None for those that agents are given.
        ends: the part of `transitions` that ends the episode, where models have terminal states of their own. [K, S, A, S]
        terminal: those states. [K, S]
        paid: reward of each step, [K, S, A] or [K, S, A, S]; None for those that agents are given.
    """

    transitions: NDArray[np.float64]
    rewards: NDArray[np.float64] | None = None
    ends: NDArray[np.float64] | None = None
    terminal: NDArray[np.bool_] | None = None
    paid: NDArray[np.float64] | None = None

    def of(self, chosen: list[int] | NDArray[np.int64]) -> Models:
        """Some of the models, by their indices."""
        transitions, *more = self
        return Models(transitions[chosen], *(None if part is None else part[chosen] for part in more))  # type: ignore[arg-type]  # parts in their order

    def average(self, weights: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean of `values` [K, S, ...] by the weights [K]; of each state, over the models in which it is not terminal."""
        if self.terminal is None:
            return np.asarray(np.tensordot(weights, values, axes=1))
        each = np.where(self.terminal, 0.0, weights[:, None])
        each = np.where(each.sum(axis=0) > 0, each, weights[:, None])  # else it is terminal in all of them
        return np.asarray(np.einsum("ks,ks...->s...", each / each.sum(axis=0), values))

    def mean(self, weights: NDArray[np.float64]) -> Models:
        """The average of the models, as one."""
        parts = (self.transitions, self.rewards, self.ends)
        return Models(*(None if part is None else self.average(weights, part)[None] for part in parts))  # type: ignore[arg-type]  # parts in their order

    def load(self, solver: _core.Solver) -> None:
        """Load the models into a solver, to be solved as one."""
        solver.load_tables(self.transitions, self.rewards, self.ends)


class Belief(ABC):
    """A belief over the transitions of a domain with `num_states` states and `num_actions` actions.

    Only `observe` is required. The others (`predictive`, `mean`, `sample_mdp`, `model`) raise a `TypeError` if not supported;
    agents name what they need. A belief over rewards or terminal states too also has `observe_step`, `observe_end`,
    `sample_world`, `mean_model` and `weighted_models`.

    Attributes:
        state_attributes: for saving: names of the attributes that `observe` changes; see `bamdp.saving.state`.
        has_rewards: whether worlds have rewards of their own; then only the shape of the rewards given to an agent is used.
        has_ends: whether worlds have terminal states of their own.
    """

    state_attributes: ClassVar[tuple[str, ...]]
    num_states: int
    num_actions: int
    has_rewards: bool = False
    has_ends: bool = False

    @abstractmethod
    def observe(self, state: int, action: int, next_state: int) -> None:
        """Learn from one real transition.

        Raises:
            ValueError: a state or action is out of range, or the transition is impossible under the prior.
        """

    def __copy__(self) -> Self:
        """A deep copy: beliefs that share counts would learn from each other."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} over {self.num_states} states and {self.num_actions} actions>"

    def _repr_html_(self) -> str:
        parts = [repr(self), *self.summary()]
        return joined([table(*part) if isinstance(part, SummaryTable) else tag("p", part) for part in parts])

    def summary(self) -> list[SummaryTable | str]:
        """Small tables or sentences that a notebook shows below the `repr`."""
        return []

    def observe_step(self, state: int, action: int, reward: float, next_state: int) -> None:
        """Learn from one real step; a belief over rewards learns from the reward too."""
        self.observe(state, action, next_state)

    def observe_end(self, state: int, terminated: bool) -> None:  # noqa: B027 - most beliefs have no use for it
        """Learn whether the episode was terminated on arrival in `state`; only a belief over terminal states does."""

    def observe_many(
        self,
        states: ArrayLike,
        actions: ArrayLike,
        rewards: ArrayLike | None,
        next_states: ArrayLike,
        terminated: ArrayLike | None = None,
    ) -> None:
        """Learn from many steps, as by `observe_step` for each in turn, and `observe_end` if `terminated` is given.

        Args:
            states: state before each step. [T]
            actions: action of each step. [T]
            rewards: reward of each step; None if not observed. [T]
            next_states: state after each step. [T]
            terminated: whether each step ended an episode; None if not observed. [T]

        Raises:
            ValueError: a step is out of range or impossible under the prior; the message has its row, and nothing was learned.

        Example:
            >>> import bamdp
            >>> belief = bamdp.priors.Dirichlet(1.0).belief(num_states=2, num_actions=1)
            >>> belief.observe_many(states=[0, 0, 1], actions=[0, 0, 0], rewards=None, next_states=[1, 1, 0])
            >>> belief.predictive(state=0, action=0)
            array([0.25, 0.75])
        """
        columns = (states, actions, rewards, next_states, terminated)
        self._observe_rows(checked_steps(columns, self.num_states, self.num_actions))

    def _observe_rows(self, steps: Steps) -> None:
        """Learn from all steps, or from none if one of them raises."""
        undo, row = self._undo(), 0
        try:
            for row, (state, action, reward, next_state, ended) in enumerate(steps.rows()):  # noqa: B007 - for the message
                if reward is None:
                    self.observe(state, action, next_state)
                else:
                    self.observe_step(state, action, reward, next_state)
                if ended is not None:
                    self.observe_end(next_state, ended)
        except BaseException as error:
            undo()
            if type(error) in (ValueError, TypeError):
                raise type(error)(f"row {row}: {error}") from error
            raise

    def _undo(self) -> Callable[[], None]:
        """A function that takes back everything learned from now on."""
        listed = {name for cls in type(self).__mro__ for name in vars(cls).get("state_attributes", ())}
        parts = [_undo_of(self, name) for name in sorted(listed) or list(vars(self))]

        def undo() -> None:
            for part in parts:
                part()

        return undo

    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        """The probability of each next state, with the unknown dynamics integrated out. [S]"""
        raise TypeError(f"{type(self).__name__} can't give predictive probabilities")

    def mean(self) -> NDArray[np.float64]:
        """The posterior mean of the transition probabilities. [S, A, S]"""
        rows = [[self.predictive(s, a) for a in range(self.num_actions)] for s in range(self.num_states)]
        return np.array(rows)

    def variance(self) -> NDArray[np.float64]:
        """The posterior variance of the transition probabilities. [S, A, S]"""
        raise TypeError(f"{type(self).__name__} can't give the variance of transition probabilities")

    def sample_mdp(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Transition probabilities drawn from the posterior. [S, A, S]"""
        raise TypeError(f"{type(self).__name__} can't sample whole transition tables")

    def sample_world(self, rng: np.random.Generator) -> World:
        """A world drawn from the posterior: its transitions and, where they are part of the belief, rewards and ends."""
        return World(self.sample_mdp(rng))

    def mean_rewards(self) -> NDArray[np.float64]:
        """The posterior mean of the reward of each state and action, for a belief over rewards. [S, A]"""
        raise TypeError(f"{type(self).__name__} has no rewards: they are those that the agent is given")

    def mean_model(self) -> Models:
        """The posterior mean, as one model."""
        return Models(self.mean()[None])

    def sample_models(self, count: int, rng: np.random.Generator) -> Models:
        """Models drawn from the posterior."""
        return Models(np.stack([self.sample_mdp(rng) for _ in range(count)]))

    def weighted_models(self, count: int, rng: np.random.Generator) -> tuple[Models, NDArray[np.float64]]:
        """At most `count` models that stand for the belief, and their weights [K]: here those of `models`."""
        transitions, weights = self.models(count, rng)
        return Models(transitions), weights

    def solver(self, rewards: NDArray[np.float64], discount: float, terminal: Iterable[int] = ()) -> _core.Solver:
        """A solver for models of this belief, with the rewards and terminal states that an agent is given."""
        return _core.Solver(rewards, discount, sorted(terminal), self.has_ends)

    def load_mean(self, solver: _core.Solver, bonus: float = 0.0) -> None:
        """Load the posterior mean into a solver, with each reward increased by bonus / (1 + pseudo-counts + visits)."""
        if bonus != 0:
            raise TypeError(f"{type(self).__name__} has no counts to make an exploration bonus of")
        self.mean_model().load(solver)

    def models(self, count: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """At most `count` models that stand for the belief, [M, S, A, S], and their weights [M]: here, samples."""
        return np.stack([self.sample_mdp(rng) for _ in range(count)]), np.full(count, 1 / count)

    def load_samples(self, solver: _core.Solver, count: int, rng: np.random.Generator) -> None:
        """Load `count` models drawn from the posterior into a solver, which takes the best of them in every state."""
        self.sample_models(count, rng).load(solver)

    def prepare(self) -> None:  # noqa: B027 - most beliefs have no use for it
        """Called before each search."""

    def model(self, seeds: list[list[int]]) -> tuple[Any, ...]:
        """Arguments of a native search with this belief: the native belief, and what else the core takes.

        The search sees all later observations. `seeds` has one seed for each tree, and a last one for the decision.
        """
        raise TypeError(f"{type(self).__name__} has no native model to search with")


def _undo_of(belief: Belief, name: str) -> Callable[[], Any]:
    value = getattr(belief, name)
    if isinstance(value, Belief):
        return value._undo()
    if isinstance(value, np.ndarray):  # in place, as native code may hold a pointer to it
        array = value.copy()
        return lambda: value.__setitem__(..., array)
    if hasattr(value, "state") and hasattr(value, "restore"):  # native
        state = value.state()
        return lambda: value.restore(state)
    kept = copy.deepcopy(value)
    return lambda: setattr(belief, name, kept)


class Prior(ABC):
    """Frozen hyperparameters that make beliefs.

    Attributes:
        has_rewards: whether its worlds have rewards of their own.
        has_ends: whether its worlds have terminal states of their own.
    """

    has_rewards: bool = False
    has_ends: bool = False

    def payable(self, rewards: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rewards that its worlds pay: those that an agent is given, or their own."""
        return rewards

    @abstractmethod
    def belief(self, num_states: int, num_actions: int) -> Belief:
        """The belief before any observation; `num_states` is `bamdp.domain.UNBOUNDED` if infinite.

        Raises:
            ValueError: the prior is not for a domain of this size.
        """


def checked_prior(value: Any) -> Prior:
    """`value`, if it is a prior."""
    if not isinstance(value, Prior):
        raise TypeError(f"prior must be one of bamdp.priors or of your own subclass of bamdp.Prior, got {value!r}")
    return value
