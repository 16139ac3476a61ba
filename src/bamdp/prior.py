"""The contracts of priors and beliefs.

A prior is a frozen set of hyperparameters. `problem.belief()` makes a belief, which `observe`
updates to the posterior, step by step. Optional capabilities are attributes; `None` means
unsupported.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import singledispatch
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp.steps import (
    Step,
    Steps,
    check_reward,
    check_rewards,
    checked_rows,
    checked_step,
    learn_all,
)
from bamdp.validation import short_repr

if TYPE_CHECKING:
    from bamdp.mdp import MDP
    from bamdp.problem import BAMDP


class Belief(ABC):
    """A belief over the worlds of a problem.

    Only `learn` is required. `mean`, `sample` and `predictive` raise a `TypeError` where they are
    not supported; agents say what they need. To be saved with an agent, a class names the
    attributes that `learn` changes in `state_attributes`; see `bamdp.saving.state`.

    Attributes:
        problem: the problem.
        counts: `counts(state, action)`, how often each next state was observed, where rows are
            independent and conjugate; else None.
        particles: the worlds that are possible, with their weights, where these are finitely many;
            else None.
        native: parts of the belief that the core's searches read, which sees all later
            observations; where there are `counts`, its solver too. A part that is a function makes
            the draws of a search, from a seed for each of its trees and one for the decision. None
            if there are none.
    """

    problem: BAMDP
    counts: Callable[[int, int], dict[int, int]] | None = None

    @property
    def particles(self) -> MDP | None:
        return None

    @property
    def native(self) -> tuple[Any, ...] | None:
        return None

    def observe(
        self,
        state: int,
        action: int,
        reward: float | None,
        next_state: int,
        terminated: bool | None = False,
    ) -> None:
        """Learn from one real step.

        Args:
            state: state before the step.
            action: action of the step.
            reward: its reward; None if it was not observed. Only a belief over rewards learns from
                it.
            next_state: state after the step.
            terminated: whether the step ended the episode; None if it was not observed. Only a
                belief over terminal states learns from it.

        Raises:
            ValueError: an argument is out of range, the reward is not that of the problem, or the
                step is impossible under the prior; then nothing was learned.
        """
        step = checked_step(self.problem, state, action, reward, next_state, terminated)
        check_reward(self.problem, step)
        self.learn(step)

    @abstractmethod
    def learn(self, step: Step) -> None:
        """Learn from a step that was checked: its arguments are in range, and it pays what the
        problem's rewards have, where these are known.

        Raises:
            ValueError: the step is impossible under the prior; then nothing was learned.
        """

    def observe_many(
        self,
        states: ArrayLike,
        actions: ArrayLike,
        rewards: ArrayLike | None,
        next_states: ArrayLike,
        terminated: ArrayLike | None = None,
    ) -> None:
        """Learn from many steps, as by `observe` for each in turn.

        Args:
            states: state before each step. [T]
            actions: action of each step. [T]
            rewards: reward of each step; None if not observed. [T]
            next_states: state after each step. [T]
            terminated: whether each step ended an episode; only a belief over terminal states needs
                it. [T]

        Raises:
            ValueError: a step is out of range or impossible under the prior, or its reward is not
                that of the problem; the message has its row, and nothing was learned.

        Example:
            >>> import bamdp
            >>> belief = bamdp.BAMDP(bamdp.priors.Dirichlet(1.0), rewards=[[0], [1]],
            ...     discount=0.9).belief()
            >>> belief.observe_many(states=[0, 0, 1], actions=[0, 0, 0], rewards=None,
            ...     next_states=[1, 1, 0])
            >>> belief.predictive(state=0, action=0)
            array([0.25, 0.75])
        """
        steps = checked_rows(self.problem, states, actions, rewards, next_states, terminated)
        check_rewards(self.problem, steps)
        self._learn_many(steps)

    def _learn_many(self, steps: Steps) -> None:
        """Learn from all steps, or from none if one of them is impossible."""
        learn_all(self.learn, steps, self._undo())

    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        """The probability of each next state, with the unknown dynamics integrated out. [S]"""
        raise TypeError(f"{type(self).__name__} can't give predictive probabilities")

    def mean(self) -> MDP:
        """The posterior mean."""
        raise TypeError(f"{type(self).__name__} can't give the posterior mean")

    def sample(self, count: int, rng: np.random.Generator) -> MDP:
        """`count` worlds drawn from the posterior, with a leading axis."""
        raise TypeError(f"{type(self).__name__} can't sample whole transition tables")

    def __copy__(self) -> Self:
        """A deep copy: beliefs that share counts would learn from each other."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        S, A = self.problem.num_states, self.problem.num_actions
        return f"<{type(self).__name__} over {S} states and {A} actions>"

    def _undo(self) -> Callable[[], None]:
        """A function that takes back everything learned from now on."""
        listed = {
            name for cls in type(self).__mro__ for name in vars(cls).get("state_attributes", ())
        }
        parts = [_undo_of(self, name) for name in sorted(listed) or list(vars(self))]

        def undo() -> None:
            for part in parts:
                part()

        return undo


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
        unknown_rewards: whether its worlds have rewards of their own; then only the shape of the
            problem's is used.
        unknown_terminal: whether its worlds have terminal states of their own.
    """

    unknown_rewards: bool = False
    unknown_terminal: bool = False

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Itself: it never changes."""
        return self

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """The numbers of states and actions that it is for; None for any number."""
        return None, None

    @abstractmethod
    def belief(self, problem: BAMDP) -> Belief:
        """The belief before any observation; `problem.belief()` calls it.

        Raises:
            ValueError: the prior is not for a problem of this size.
        """

    def reward_range(self, rewards: NDArray[np.float64]) -> tuple[float, float]:
        """The lowest and the highest reward of its worlds, infinite if there is no bound.

        Where it is infinite though no rewards are unknown, worlds are code that may pay anything.

        Args:
            rewards: those of the problem.
        """
        return (float(rewards.min()), float(rewards.max())) if rewards.size else (-np.inf, np.inf)

    def reward_scale(self, rewards: NDArray[np.float64]) -> float:
        """The range of the rewards, about; 0 if it is unknown."""
        low, high = self.reward_range(rewards)
        return high - low if np.isfinite(high - low) else 0.0


@singledispatch
def ends_are_known(prior: Prior) -> bool:
    """Whether a problem knows all terminal states of the worlds of its prior."""
    return not prior.unknown_terminal


@singledispatch
def has_pseudo_counts(prior: Prior) -> bool:
    """Whether rows have pseudo-counts of next states, `prior.alpha`."""
    return False


def checked_belief(value: Any) -> Belief:
    """`value`, if it is a belief."""
    if not isinstance(value, Belief):
        raise TypeError(f"belief must be a bamdp.Belief, got {short_repr(value)}")
    return value


def checked_prior(value: Any) -> Prior:
    """`value`, if it is a prior."""
    if not isinstance(value, Prior):
        raise TypeError(
            "prior must be one of bamdp.priors or of your own subclass of bamdp.Prior, got "
            f"{short_repr(value)}"
        )
    return value


@singledispatch
def has_policy(belief: Belief) -> bool:
    """Whether the user has a policy for roll-outs."""
    return False


@singledispatch
def policy_action(belief: Belief, state: int, rng: np.random.Generator) -> int | None:
    """The action of the user's policy at the beginning of a simulation; None if there is none that
    can be called from here.
    """
    return None
