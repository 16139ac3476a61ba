"""A Bayes-adaptive MDP, the paper's M⁺ = ⟨S⁺, A, P⁺, R⁺, γ⟩: what is possible, what it pays, what
counts.

The only place where these are checked: agents, exact solutions, environments and fits all take a
`BAMDP`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import validation
from bamdp.prior import Belief, Prior, checked_belief, checked_prior
from bamdp.spaces import Spaces, StateNumbering
from bamdp.steps import check_state, rewards_known, state_range
from bamdp.validation import UNBOUNDED, integer, positive_integer, short_repr


@dataclass(frozen=True, eq=False, init=False, repr=False)
class BAMDP(Spaces):
    """A problem: an MDP whose transitions, and perhaps rewards and terminal states, are unknown.

    Args:
        prior: prior over the transitions; over rewards and terminal states too, where they are
            unknown.
        rewards: reward of each state and action [S, A], or of each transition [S, A, S]. Of a prior
            over rewards only the shape is used; None for that of the prior, if it is for a fixed
            number of states and actions. Empty, [0, A], if there are infinitely many states.
        discount: discount factor, in [0, 1); 1 with a horizon or terminal states.
        terminal: terminal states, where episodes end; none of a prior over terminal states.
        horizon: number of steps that count; no end by default.
        episode_length: number of steps of each episode, after which the run goes on from `start`;
            goes with a horizon.
        episodes: number of episodes of a run, which ends with the last of them; if not given, runs
            go on from `start` after each.
        start: state that runs of `bamdp.compare`, and each of their episodes, start in; 0 there if
            not given. Agents plan with it only where episodes have a fixed length; in general they,
            and `bamdp.exact`, are given the state to plan from.
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
        >>> problem = BAMDP(bamdp.priors.Dirichlet(), rewards=[[0, 0], [1, 1]], discount=0.9,
        ...     actions=("stay", "go"))
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
    episodes: int | None
    random_rewards: bool
    misspecified: bool
    _pays_table: bool = field(init=False)  # whether a step pays exactly what `rewards` has

    def __init__(
        self,
        prior: Prior,
        rewards: ArrayLike | None = None,
        discount: float | None = None,
        *,
        terminal: Collection[int] = (),
        horizon: int | None = None,
        episode_length: int | None = None,
        episodes: int | None = None,
        start: Any = None,
        states: Sequence[str] | None = None,
        actions: Sequence[Any] | None = None,
        random_rewards: bool = False,
        misspecified: bool = False,
    ) -> None:
        checked = checked_prior(prior)
        numbers = state_numbers(checked)
        if numbers is not None:
            actions = checked_actions(actions)
            start = None if start is None else numbers.start(start)
            table = _no_rewards(checked, rewards, len(actions))
        else:
            table = _prior_shape(checked) if rewards is None else validation.rewards(rewards)
        table.setflags(write=False)
        S, A = table.shape[0] or UNBOUNDED, table.shape[1]
        _check_sizes(checked, S, A)
        over = validation.terminal_states(terminal, S)
        if over and checked.unknown_terminal:
            raise ValueError(
                f"terminal must not be given with {checked!r}, whose worlds have terminal states "
                "of their own"
            )
        end = validation.horizon(horizon)
        length = checked_episode_length(episode_length, end, over)
        if start is not None:
            start = start if numbers is not None else integer("start", start, *state_range(S))
            if start in over:
                raise ValueError(f"start must not be terminal, got the terminal state {start}")
        if length is not None and start is None:
            raise ValueError(
                "episode_length goes with start, the state that each episode starts in, got "
                f"{length} and no start"
            )
        ends = end is not None or bool(over) or checked.unknown_terminal
        values: dict[str, Any] = {
            "prior": checked,
            "rewards": table,
            "discount": validation.discount(
                discount, ends=ends, where="with a horizon or terminal states"
            ),
            "terminal": over if numbers is None else numbers.ended,
            "horizon": end,
            "episode_length": length,
            "start": start,
            "states": checked_names("states", states, S),
            "actions": actions if numbers is not None else checked_names("actions", actions, A),
            "episodes": checked_episodes(episodes),
            "random_rewards": validation.boolean("random_rewards", random_rewards),
            "misspecified": validation.boolean("misspecified", misspecified),
            "num_states": S,
            "num_actions": A,
        }
        for name, value in (*values.items(), ("_numbers", numbers)):
            object.__setattr__(self, name, value)
        exact = not self.random_rewards and not self.misspecified and table.size > 0
        object.__setattr__(self, "_pays_table", exact and rewards_known(self))

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.rewards.setflags(write=False)

    def __deepcopy__(self, memo: dict[int, Any]) -> BAMDP:
        """Itself: it never changes."""
        return self

    def belief(self) -> Belief:
        """The belief before any observation."""
        return self.prior.belief(self)

    def sample_world(self, rng: np.random.Generator) -> Any:
        """A world drawn from the prior: an MDP, or a domain if worlds are the user's functions.

        Example:
            >>> import bamdp
            >>> problem = bamdp.domains.Grid(5).problem()
            >>> problem.sample_world(np.random.default_rng(0))
            MDP(25 states, 4 actions)
        """
        return draw_world(self.prior, self, rng)

    def state(self, state: Any, seen: Any = None) -> int:
        """The number of a state, and of what was seen there, for `act` and `observe` of agents.

        Args:
            state: the state, as the functions of `bamdp.priors.Worlds` have it; of other priors its
                name, or its number.
            seen: an observation that is no state; only with `Worlds`.
        """
        if self._numbers is not None:
            return self._numbers.number(state, seen)
        if seen is not None:
            raise TypeError(f"seen must be None with {self.prior!r}, got {seen!r}")
        if isinstance(state, str) and state in (self.states or ()):
            return (self.states or ()).index(state)
        return check_state(self, state)

    def __repr__(self) -> str:
        size = "infinitely many" if self.num_states == UNBOUNDED else self.num_states
        horizon = "" if self.horizon is None else f", horizon={self.horizon}"
        return (
            f"BAMDP({self.prior!r}, {size} states, {self.num_actions} actions, "
            f"discount={self.discount:g}{horizon})"
        )


@singledispatch
def state_numbers(prior: Prior) -> StateNumbering | None:
    """The numbers of the states of a prior; None if states are numbers themselves."""
    return None


@singledispatch
def draw_world(prior: Prior, problem: BAMDP, rng: np.random.Generator) -> Any:
    """A world of a problem, drawn from its prior; see `BAMDP.sample_world`."""
    return problem.belief().sample(1, rng).take(0)


@singledispatch
def actions_in(prior: Prior, problem: BAMDP) -> Callable[[int], Sequence[int]] | None:
    """A function of a state that lists the actions which are considered there, in ascending order;
    None for all.
    """
    return None


def considered_actions(problem: BAMDP, state: int) -> Sequence[int]:
    """The actions that are considered in a state."""
    considered = actions_in(problem.prior, problem)
    return range(problem.num_actions) if considered is None else considered(state)


WITHOUT_TABLES = (
    "BAMCP, BayesAdaptive and PosteriorMean with the domain's default prior, QLearning and Random "
    "work there"
)


def resolve_belief(problem: BAMDP, belief: Belief | None) -> Belief:
    """`belief`, if it is one of the problem, whatever the horizon; the prior's if None."""
    if belief is None:
        return problem.belief()
    belief = checked_belief(belief)
    for name in ("prior", "rewards", "terminal", "discount"):
        if not _equal(vars(problem)[name], vars(belief.problem)[name]):
            raise ValueError(
                f"belief must be one of the problem, {problem!r}, whatever its horizon, "
                f"got one of {belief.problem!r}, which differs in {name}"
            )
    return belief


def require_table(problem: BAMDP, who: str) -> None:
    """Reject a problem with infinitely many states."""
    if problem.num_states == UNBOUNDED:
        raise TypeError(f"{who} needs a table of rewards, and rewards is empty; {WITHOUT_TABLES}")


def require_discount(problem: BAMDP, who: str) -> None:
    """Reject a discount of 1 without a horizon."""
    if problem.discount == 1 and problem.horizon is None:
        raise ValueError(
            f"discount must be below 1 for {who}, or the problem must have a horizon, got 1"
        )


def _check_sizes(prior: Prior, num_states: int, num_actions: int) -> None:
    """Reject numbers of states and actions that the prior is not for."""
    S, A = prior.sizes
    if S in (None, num_states) and A in (None, num_actions):
        return
    wanted = " and ".join(
        _counted(n, what) for n, what in ((S, "state"), (A, "action")) if n is not None
    )
    passed = f"{_counted(num_states, 'state')} and {_counted(num_actions, 'action')}"
    raise ValueError(f"rewards must be of {wanted} for the prior {short_repr(prior)}, got {passed}")


def _counted(number: int, what: str) -> str:
    many = "infinitely many" if number == UNBOUNDED else str(number)
    return f"{many} {what}" if number == 1 else f"{many} {what}s"


def checked_actions(value: Any) -> tuple[Any, ...]:
    """`value` as a list of different actions, which are anything hashable."""
    message = f"actions must be a list of different actions, got {validation.short_repr(value)}"
    actions = tuple(validation.listed("actions", value))
    try:
        if not actions or len(set(actions)) < len(actions):
            raise ValueError(message)
    except TypeError:
        raise TypeError(f"{message}, which can't be hashed") from None
    return actions


def _no_rewards(prior: Prior, rewards: Any, num_actions: int) -> NDArray[np.float64]:
    """The table of a prior whose outcomes pay. [0, A]"""
    table = np.empty((0, num_actions))
    if rewards is not None and np.shape(rewards) != table.shape:
        raise TypeError(f"rewards must be left out with {prior!r}, whose outcomes pay")
    return table


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
        raise ValueError(
            f"{what} must be {count} different names, got {validation.short_repr(value)}"
        )
    return names


def checked_episode_length(
    value: Any, horizon: int | None, terminal: Collection[int] = (), time_limit: int | None = None
) -> int | None:
    """`value` as a number of steps, or None: goes with a horizon, and without other ends of
    episodes.
    """
    if value is None:
        return None
    length = positive_integer("episode_length", value, validation.MOST_STEPS)
    if horizon is None:
        raise ValueError(
            f"episode_length goes with a horizon, the steps of all episodes together, got {length} "
            "and no horizon"
        )
    if terminal or time_limit is not None:
        raise ValueError(
            "episode_length must be None where episodes end otherwise, by terminal or time_limit, "
            f"got {length}"
        )
    return length


def checked_episodes(value: Any) -> int | None:
    """`value` as a number of episodes, or None."""
    return None if value is None else positive_integer("episodes", value, validation.MOST_STEPS)


def checked_problem(value: Any) -> BAMDP:
    """`value`, if it is a problem."""
    if not isinstance(value, BAMDP):
        hint = "; a domain has one: domain.problem()" if hasattr(value, "problem") else ""
        raise TypeError(f"problem must be a bamdp.BAMDP, got {validation.short_repr(value)}{hint}")
    return value
