"""A Bayes-adaptive MDP, the paper's M⁺ = ⟨S⁺, A, P⁺, R⁺, γ⟩: what is possible, what it pays, what counts.

The only place where these are checked: agents, exact solutions, environments and fits all take a `BAMDP`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import validation
from bamdp.prior import Belief, Prior, checked_prior
from bamdp.validation import UNBOUNDED, Steps, integer, positive_integer

if TYPE_CHECKING:
    from bamdp.mdp import MDP


@dataclass(frozen=True, eq=False, init=False, repr=False)
class BAMDP:
    """A problem: an MDP whose transitions, and perhaps rewards and terminal states, are unknown.

    Args:
        prior: prior over the transitions; over rewards and terminal states too, where they are unknown.
        rewards: reward of each state and action [S, A], or of each transition [S, A, S]. Of a prior over rewards only the shape
            is used; None for that of the prior, if it is for a fixed number of states and actions.
            Empty, [0, A], if there are infinitely many states.
        discount: discount factor, in [0, 1); 1 with a horizon or terminal states.
        terminal: terminal states, where episodes end; none of a prior over terminal states.
        horizon: number of steps that count; without an end if not given.
        episode_length: number of steps of each episode, after which the run goes on from `start`; goes with a horizon.
        start: state that runs of `bamdp.compare`, and each of their episodes, start in; 0 there if not given. Agents plan with
            it only where episodes have a fixed length; in general they, and `bamdp.exact`, are given the state to plan from.
        states: names of the states.
        actions: names of the actions.
        random_rewards: whether a step pays a random reward, with `rewards` its mean; otherwise an
            observed reward that differs from `rewards` is an error. Without effect where the prior
            has the rewards.
        misspecified: whether it may differ, on purpose, from the worlds that its agents act in: in
            rewards, discount, terminal states, horizon and episodes. Otherwise `bamdp.run` rejects
            a domain that contradicts it, and beliefs reject such rewards.

    Attributes:
        num_states: number of states; `bamdp.domain.UNBOUNDED` if infinite.
        num_actions: number of actions.

    Example:
        >>> import bamdp
        >>> problem = BAMDP(bamdp.priors.Dirichlet(), rewards=[[0, 0], [1, 1]], discount=0.9, actions=("stay", "go"))
        >>> problem
        BAMDP(Dirichlet(1/S), 2 states, 2 actions, discount=0.9)
        >>> problem.belief().predictive(state=0, action=1)
        array([0.5, 0.5])
    """

    prior: Prior
    rewards: NDArray[np.float64]
    discount: float
    terminal: frozenset[int]
    horizon: int | None
    episode_length: int | None
    start: int | None
    states: tuple[str, ...] | None
    actions: tuple[str, ...] | None
    random_rewards: bool
    misspecified: bool
    num_states: int = field(init=False)
    num_actions: int = field(init=False)

    def __init__(
        self,
        prior: Prior,
        rewards: ArrayLike | None,
        discount: float,
        *,
        terminal: Collection[int] = (),
        horizon: int | None = None,
        episode_length: int | None = None,
        start: int | None = None,
        states: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
        random_rewards: bool = False,
        misspecified: bool = False,
    ) -> None:
        checked = checked_prior(prior)
        table = _prior_shape(checked) if rewards is None else validation.rewards(rewards)
        table.setflags(write=False)
        S, A = table.shape[0] or UNBOUNDED, table.shape[1]
        checked.check_sizes(S, A)
        over = validation.terminal_states(terminal, S)
        if over and checked.unknown_terminal:
            raise ValueError(f"terminal must not be given with {checked!r}, whose worlds have terminal states of their own")
        end = validation.horizon(horizon)
        length = checked_episode_length(episode_length, end, over)
        if start is not None:
            start = integer("start", start, *_range(S))
            if start in over:
                raise ValueError(f"start must not be terminal, got the terminal state {start}")
        if length is not None and start is None:
            raise ValueError(
                f"episode_length goes with start, the state that each episode starts in, got {length} and no start"
            )
        ends = end is not None or bool(over) or checked.unknown_terminal
        values: dict[str, Any] = {
            "prior": checked,
            "rewards": table,
            "discount": validation.discount(discount, ends=ends, where="with a horizon or terminal states"),
            "terminal": over,
            "horizon": end,
            "episode_length": length,
            "start": start,
            "states": checked_names("states", states, S),
            "actions": checked_names("actions", actions, A),
            "random_rewards": validation.boolean("random_rewards", random_rewards),
            "misspecified": validation.boolean("misspecified", misspecified),
            "num_states": S,
            "num_actions": A,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.rewards.setflags(write=False)

    def __deepcopy__(self, memo: dict[int, Any]) -> BAMDP:
        """Itself: it never changes."""
        return self

    def belief(self) -> Belief:
        """The belief before any observation."""
        return self.prior.belief(self)

    def resolve_belief(self, belief: Belief | None) -> Belief:
        """`belief`, if it is one of this problem, whatever the horizon; the prior's if None."""
        if belief is None:
            return self.belief()
        if not isinstance(belief, Belief):
            raise TypeError(f"belief must be a bamdp.Belief, got {validation.short_repr(belief)}")
        for name in ("prior", "rewards", "terminal", "discount"):
            if not _equal(getattr(self, name), getattr(belief.problem, name)):
                raise ValueError(
                    f"belief must be one of the problem, {self!r}, whatever its horizon, "
                    f"got one of {belief.problem!r}, which differs in {name}"
                )
        return belief

    @property
    def known_rewards(self) -> bool:
        """Whether a step pays what `rewards` has: not random, nor the prior's, nor misspecified."""
        exact = not self.random_rewards and not self.misspecified
        return exact and bool(self.rewards.size) and self.prior.known_rewards

    def mean_reward(self, state: Any, action: Any, next_state: Any) -> Any:
        """What `rewards` has for a step, or for each of many."""
        step = (state, action, next_state)
        return self.rewards[step[: self.rewards.ndim]]

    def check_rewards(self, steps: Steps) -> None:
        """Reject steps of which one pays something else than `rewards` has, if these are known."""
        if steps.rewards is None or not self.known_rewards:
            return
        expected = self.mean_reward(steps.states, steps.actions, steps.next_states)
        wrong = np.flatnonzero(~np.isclose(steps.rewards, expected, *ROUNDED))
        if wrong.size:
            row = int(wrong[0])
            columns = (steps.states, steps.actions, steps.next_states)
            step = tuple(int(column[row]) for column in columns)
            message = self._wrong_reward(step, steps.rewards[row], expected[row])
            raise ValueError(f"row {row}: {message}")

    def check_reward(self, state: int, action: int, reward: float | None, next_state: int) -> None:
        """Reject a reward that differs from that of `rewards`, if these are known."""
        if reward is None or not self.known_rewards:
            return
        expected = float(self.mean_reward(state, action, next_state))
        if not math.isclose(reward, expected, rel_tol=ROUNDED[0], abs_tol=ROUNDED[1]):
            raise ValueError(self._wrong_reward((state, action, next_state), reward, expected))

    def _wrong_reward(self, step: tuple[int, ...], reward: float, expected: float) -> str:
        state, action, next_state = step
        where = f"action {self.describe_action(action)} in state {self.describe_state(state)}"
        then = f" with next_state {self.describe_state(next_state)}" if self.rewards.ndim == 3 else ""
        return (
            f"reward must be {expected:g}, which {where} pays{then}, got {reward:g}; "
            "if rewards are random, with these as means, give BAMDP random_rewards=True"
        )

    def sample_world(self, rng: np.random.Generator) -> MDP:
        """A world drawn from the prior.

        Example:
            >>> import bamdp
            >>> problem = bamdp.domains.Grid(5).problem()
            >>> problem.sample_world(np.random.default_rng(0))
            MDP(25 states, 4 actions)
        """
        return self.belief().sample(1, rng).take(0)

    def state_name(self, state: int) -> str:
        """The name of a state, its number if it has none."""
        return str(state) if self.states is None else self.states[state]

    def action_name(self, action: int) -> str:
        """The name of an action, its number if it has none."""
        return str(action) if self.actions is None else self.actions[action]

    def describe_state(self, state: int) -> str:
        """A state as messages show it: its number, and its name if it has one."""
        return str(state) if self.states is None else f"{state} ({self.states[state]})"

    def describe_action(self, action: int) -> str:
        """An action as messages show it: its number, and its name if it has one."""
        return str(action) if self.actions is None else f"{action} ({self.actions[action]})"

    def check_state(self, state: Any, name: str = "state") -> int:
        """`state`, if it is one of the problem's."""
        if isinstance(state, str) and state in (self.states or ()):
            raise TypeError(f"{name} must be an integer, got {state!r}, the name of state {(self.states or ()).index(state)}")
        return integer(name, state, *_range(self.num_states))

    def check_nonterminal(self, state: Any, name: str = "state") -> int:
        """`state`, if it is one of the problem's and not terminal."""
        checked = self.check_state(state, name)
        if checked in self.terminal:
            raise ValueError(f"{name} must not be terminal, got the terminal state {self.describe_state(checked)}")
        return checked

    def require_table(self, who: str) -> None:
        """Reject a problem with infinitely many states."""
        if self.num_states == UNBOUNDED:
            raise TypeError(f"{who} needs a table of rewards, and rewards is empty; {WITHOUT_TABLES}")

    def require_discount(self, who: str) -> None:
        """Reject a discount of 1 without a horizon."""
        if self.discount == 1 and self.horizon is None:
            raise ValueError(f"discount must be below 1 for {who}, or the problem must have a horizon, got 1")

    def __repr__(self) -> str:
        size = "infinitely many" if self.num_states == UNBOUNDED else self.num_states
        horizon = "" if self.horizon is None else f", horizon={self.horizon}"
        return f"BAMDP({self.prior!r}, {size} states, {self.num_actions} actions, discount={self.discount:g}{horizon})"


ROUNDED = 1e-6, 1e-12  # relative and absolute difference of rewards that are the same but rounded
WITHOUT_TABLES = "BAMCP, BayesAdaptive and PosteriorMean with the domain's default prior, QLearning and Random work there"


def _range(num_states: int) -> tuple[int, int]:
    return (0, num_states - 1) if num_states < UNBOUNDED else (-(2**63), 2**63 - 1)


def _prior_shape(prior: Prior) -> NDArray[np.float64]:
    """Rewards of the shape that the prior is for. [S, A]"""
    if not prior.unknown_rewards:
        own = "which has no rewards of its own"
        raise TypeError(f"rewards must be an array with {prior!r}, {own}, got None")
    S, A = prior.sizes
    if S is None or A is None:
        sized = "an array, whose shape says how many states and actions there are,"
        raise TypeError(f"rewards must be {sized} with {prior!r}, got None")
    return np.zeros((S, A))


def _equal(one: Any, other: Any) -> bool:
    """Whether values, such as arrays and priors, are of the same type and contents."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if is_dataclass(one):
        names = [part.name for part in fields(one) if part.init]
        return all(_equal(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, Prior):
        return _equal(sorted(vars(one).items()), sorted(vars(other).items()))
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other)


def checked_names(what: str, value: Any, count: int) -> tuple[str, ...] | None:
    """`value` as different names of `count` things, or None."""
    if value is None:
        return None
    names = () if isinstance(value, str) else tuple(validation.listed(what, value, str))
    if len(names) != count or len(set(names)) < count:
        raise ValueError(f"{what} must be {count} different names, got {validation.short_repr(value)}")
    return names


def checked_episode_length(
    value: Any, horizon: int | None, terminal: Collection[int] = (), time_limit: int | None = None
) -> int | None:
    """`value` as a number of steps, or None: goes with a horizon, and without other ends of episodes."""
    if value is None:
        return None
    length = positive_integer("episode_length", value, validation.MOST_STEPS)
    if horizon is None:
        raise ValueError(f"episode_length goes with a horizon, the steps of all episodes together, got {length} and no horizon")
    if terminal or time_limit is not None:
        raise ValueError(f"episode_length must be None where episodes end otherwise, by terminal or time_limit, got {length}")
    return length


def checked_problem(value: Any) -> BAMDP:
    """`value`, if it is a problem."""
    if not isinstance(value, BAMDP):
        hint = "; a domain has one: domain.problem()" if hasattr(value, "problem") else ""
        raise TypeError(f"problem must be a bamdp.BAMDP, got {validation.short_repr(value)}{hint}")
    return value
