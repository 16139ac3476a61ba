"""The contracts of priors and beliefs.

A prior is a frozen set of hyperparameters. `problem.belief()` makes a belief, which `observe` updates to the posterior, step
by step. What a belief can do shows in its attributes, not in its type.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp.mdp import MDP
from bamdp.pictures.markup import joined, table, tag
from bamdp.validation import UNBOUNDED, Steps, checked_steps, short_repr

if TYPE_CHECKING:
    from bamdp.priors._normal import Normal
    from bamdp.problem import BAMDP


class SummaryTable(NamedTuple):
    """A small table that summarizes a belief, as plain data; the first cell of each row is its name."""

    columns: Sequence[str]
    rows: Iterable[Sequence[object]]


class Belief(ABC):
    """A belief over the worlds of a problem.

    Only `observe` is required. `mean`, `sample` and `predictive` raise a `TypeError` where they are not supported; agents say
    what they need.

    Attributes:
        problem: the problem.
        counts: `counts(state, action)`, how often each next state was observed, where rows are independent and conjugate; else
            None.
        particles: the worlds that are possible, with their weights, where these are finitely many; else None.
        native: parts of the belief that the core's searches read; where there are `counts`, its solver too. None if there are
            none.
        unknown_rewards: whether worlds have rewards of their own; then only the shape of the problem's is used.
        unknown_terminal: whether worlds have terminal states of their own.
        state_attributes: for saving: names of the attributes that `observe` changes; see `bamdp.saving.state`.
    """

    state_attributes: ClassVar[tuple[str, ...]]
    problem: BAMDP
    counts: Callable[[int, int], dict[int, int]] | None = None
    unknown_rewards: bool = False
    unknown_terminal: bool = False

    @property
    def num_states(self) -> int:
        return self.problem.num_states

    @property
    def num_actions(self) -> int:
        return self.problem.num_actions

    @property
    def particles(self) -> MDP | None:
        return None

    @property
    def native(self) -> tuple[Any, ...] | None:
        return None

    @abstractmethod
    def observe(self, state: int, action: int, reward: float | None, next_state: int, terminated: bool | None = False) -> None:
        """Learn from one real step.

        Args:
            state: state before the step.
            action: action of the step.
            reward: its reward; None if it was not observed. Only a belief over rewards learns from it.
            next_state: state after the step.
            terminated: whether the step ended the episode; None if it was not observed. Only a belief over terminal states
                learns from it.

        Raises:
            ValueError: an argument is out of range, the reward is not that of the problem, or the
                step is impossible under the prior; then nothing was learned.
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
            terminated: whether each step ended an episode; only a belief over terminal states needs it. [T]

        Raises:
            ValueError: a step is out of range or impossible under the prior, or its reward is not
                that of the problem; the message has its row, and nothing was learned.

        Example:
            >>> import bamdp
            >>> belief = bamdp.BAMDP(bamdp.priors.Dirichlet(1.0), rewards=[[0], [1]], discount=0.9).belief()
            >>> belief.observe_many(states=[0, 0, 1], actions=[0, 0, 0], rewards=None, next_states=[1, 1, 0])
            >>> belief.predictive(state=0, action=0)
            array([0.25, 0.75])
        """
        if terminated is None and self.unknown_terminal:
            raise TypeError(
                "terminated must be given, whether each step ended an episode: the prior is over terminal states too"
            )
        columns = (states, actions, rewards, next_states, terminated)
        steps = checked_steps(columns, self.num_states, self.num_actions)
        self.problem.check_rewards(steps)
        self._observe_rows(steps)

    def _observe_rows(self, steps: Steps) -> None:
        """Learn from all steps, or from none if one of them raises."""
        undo, row = self._undo(), 0
        try:
            for row, step in enumerate(steps.rows()):  # noqa: B007 - for the message
                self.observe(*step)
        except BaseException as error:
            undo()
            if type(error) in (ValueError, TypeError):
                raise type(error)(f"row {row}: {error}") from error
            raise

    def predictive(self, state: int, action: int) -> NDArray[np.float64]:
        """The probability of each next state, with the unknown dynamics integrated out. [S]"""
        raise TypeError(f"{type(self).__name__} can't give predictive probabilities")

    def mean(self) -> MDP:
        """The posterior mean."""
        raise TypeError(f"{type(self).__name__} can't give the posterior mean")

    def sample(self, count: int, rng: np.random.Generator) -> MDP:
        """`count` worlds drawn from the posterior, with a leading axis."""
        raise TypeError(f"{type(self).__name__} can't sample whole transition tables")

    def perfect_information_values(
        self, state: int, horizon: int | None, worlds: int, rng: np.random.Generator
    ) -> NDArray[np.float64]:
        """The most that an agent can earn that is told its world, in each of some drawn from the posterior. [worlds]

        For worlds without tables: elsewhere `bamdp.exact.upper_bound` solves the worlds of `sample`.

        Args:
            state: the current state.
            horizon: number of steps left; None is no end.
            worlds: number of worlds.
            rng: random generator.
        """
        raise TypeError(f"{type(self).__name__} can't tell what knowing the world is worth")

    def open_loop(self, settings: Any, *, index: bool = False) -> Any:
        """A native search for the best sequence of actions, where a world has no tables and can only be stepped; else None.

        Args:
            settings: the native settings: discount and terminal states.
            index: with a bonus for what is learned on the way, which is added to the settings.
        """
        return None

    def search_parts(self, seeds: list[list[int]]) -> tuple[Any, ...]:
        """What a native search reads, which sees all later observations: `native`, and draws by the seeds where it has some.

        Args:
            seeds: one seed for each tree, and a last one for the decision.
        """
        if self.native is None:
            raise TypeError(f"{type(self).__name__} has no native model to search with")
        return self.native

    @property
    def is_searchable(self) -> bool:
        """Whether a native search can use it."""
        return self.native is not None

    def of(self, transitions: NDArray[np.float64]) -> MDP:
        """MDPs with these transitions, [S, A, S] or [K, S, A, S], and the rewards and terminal states of the problem."""
        problem, leading = self.problem, transitions.shape[:-3]
        terminal = np.isin(np.arange(problem.num_states), sorted(problem.terminal))
        parts = (np.broadcast_to(part, (*leading, *part.shape)) for part in (problem.rewards, terminal))
        return MDP.unchecked(transitions, *parts, weights=np.full(leading[0], 1 / leading[0]) if leading else None)

    def __copy__(self) -> Self:
        """A deep copy: beliefs that share counts would learn from each other."""
        return copy.deepcopy(self)

    def summary(self) -> list[SummaryTable | str]:
        """Small tables or sentences that a notebook shows below the `repr`."""
        return []

    def __repr__(self) -> str:
        return f"<{type(self).__name__} over {self.num_states} states and {self.num_actions} actions>"

    def _repr_html_(self) -> str:
        parts = [repr(self), *self.summary()]
        return joined([table(*part) if isinstance(part, SummaryTable) else tag("p", part) for part in parts])

    def _undo(self) -> Callable[[], None]:
        """A function that takes back everything learned from now on."""
        listed = {name for cls in type(self).__mro__ for name in vars(cls).get("state_attributes", ())}
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
        unknown_rewards: whether its worlds have rewards of their own.
        unknown_terminal: whether its worlds have terminal states of their own.
        known_rewards: whether steps pay what the problem's table has; not if rewards are the
            prior's or those of code of the user.
        known_terminal: whether the terminal states are those of the problem; not if they are the
            prior's or those of code of the user.
        own_code: whether it is made of the user's code, which a file can't hold.
        supports_unknown_rewards: whether `UnknownRewards` can add rewards to it.
        independent_arms: whether its problems are bandits with independent Bernoulli arms.
        outcomes: prior of normal rewards; None if rewards are known, or of another kind.
    """

    unknown_rewards: bool = False
    unknown_terminal: bool = False
    own_code: ClassVar[bool] = False
    supports_unknown_rewards: ClassVar[bool] = False
    independent_arms: ClassVar[bool] = False
    outcomes: Normal | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Itself: it never changes."""
        return self

    @property
    def exchangeable_actions(self) -> bool:
        """Whether permuting the labels of actions changes nothing: in each state or, with `independent_arms`, in all alike."""
        return False

    @property
    def known_rewards(self) -> bool:
        return not self.unknown_rewards

    @property
    def known_terminal(self) -> bool:
        return not self.unknown_terminal

    @property
    def sizes(self) -> tuple[int | None, int | None]:
        """The numbers of states and actions that it is for; None for any number."""
        return None, None

    def check_sizes(self, num_states: int, num_actions: int) -> None:
        """Reject numbers of states and actions that it is not for."""
        S, A = self.sizes
        if S not in (None, num_states) or A not in (None, num_actions):
            sizes = (S, "state"), (A, "action")
            wanted = " and ".join(_counted(n, what) for n, what in sizes if n is not None)
            passed = f"{_counted(num_states, 'state')} and {_counted(num_actions, 'action')}"
            prior = short_repr(self)
            raise ValueError(f"rewards must be of {wanted} for the prior {prior}, got {passed}")

    @property
    def of_transitions(self) -> Prior:
        """The prior over the transitions alone."""
        return self

    def with_transitions(self, transitions: Prior) -> Prior:
        """The same prior with another one over the transitions."""
        return transitions

    @abstractmethod
    def belief(self, problem: BAMDP) -> Belief:
        """The belief before any observation; `problem.belief()` calls it.

        Raises:
            ValueError: the prior is not for a problem of this size.
        """

    def reward_range(self, rewards: NDArray[np.float64]) -> tuple[float, float]:
        """The lowest and the highest reward of its worlds, infinite if there is no bound.

        Args:
            rewards: those of the problem.
        """
        return (float(rewards.min()), float(rewards.max())) if rewards.size else (-np.inf, np.inf)

    def reward_scale(self, rewards: NDArray[np.float64]) -> float:
        """The range of the rewards, about; 0 if it is unknown."""
        low, high = self.reward_range(rewards)
        return high - low if np.isfinite(high - low) else 0.0


def _counted(number: int, what: str) -> str:
    many = "infinitely many" if number == UNBOUNDED else str(number)
    return f"{many} {what}" if number == 1 else f"{many} {what}s"


def checked_prior(value: Any) -> Prior:
    """`value`, if it is a prior."""
    if not isinstance(value, Prior):
        raise TypeError(f"prior must be one of bamdp.priors or of your own subclass of bamdp.Prior, got {short_repr(value)}")
    return value
