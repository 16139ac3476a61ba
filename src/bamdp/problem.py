"""A Bayes-adaptive MDP, the paper's M⁺ = ⟨S⁺, A, P⁺, R⁺, γ⟩: what is possible, what it pays, what counts.

The only place where these are checked: agents, exact solutions, environments and fits all take a `BAMDP`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import validation
from bamdp.prior import Belief, Prior, checked_prior
from bamdp.validation import UNBOUNDED, integer, positive_integer

if TYPE_CHECKING:
    from bamdp.mdp import MDP


@dataclass(frozen=True, eq=False, init=False, repr=False)
class BAMDP:
    """A problem: an MDP whose transitions, and perhaps rewards and terminal states, are unknown.

    Args:
        prior: prior over the transitions; over rewards and terminal states too, where they are unknown.
        rewards: reward of each state and action [S, A], or of each transition [S, A, S]. Of a prior over rewards only the shape
            is used. Empty, [0, A], if there are infinitely many states.
        discount: discount factor, in [0, 1); 1 with a horizon or terminal states.
        terminal: terminal states, where episodes end; none of a prior over terminal states.
        horizon: number of steps that count; without an end if not given.
        episode_length: number of steps of each episode, after which the run goes on from `start`; goes with a horizon.
        start: state that runs of `bamdp.compare`, and each of their episodes, start in; 0 there if not given. Agents plan with
            it only where episodes have a fixed length; in general they, and `bamdp.exact`, are given the state to plan from.
        states: names of the states.
        actions: names of the actions.

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
    num_states: int = field(init=False)
    num_actions: int = field(init=False)

    def __init__(
        self,
        prior: Prior,
        rewards: ArrayLike,
        discount: float,
        *,
        terminal: Collection[int] = (),
        horizon: int | None = None,
        episode_length: int | None = None,
        start: int | None = None,
        states: Sequence[str] | None = None,
        actions: Sequence[str] | None = None,
    ) -> None:
        table = validation.rewards(rewards)
        table.setflags(write=False)
        S, A = table.shape[0] or UNBOUNDED, table.shape[1]
        checked = checked_prior(prior)
        over = validation.terminal_states(terminal, S)
        if over and checked.has_ends:
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
        ends = end is not None or bool(over) or checked.has_ends
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

    def given_belief(self, belief: Belief | None) -> Belief:
        """`belief`, if it is one over worlds of this size; that before any observation if None."""
        if belief is None:
            return self.belief()
        if not isinstance(belief, Belief):
            raise TypeError(f"belief must be a bamdp.Belief, got {validation.short_repr(belief)}")
        if (belief.num_states, belief.num_actions) != (self.num_states, self.num_actions):
            raise ValueError(
                f"belief must be one of the problem, with {self.num_states} states and {self.num_actions} actions, "
                f"got {belief.num_states} and {belief.num_actions}"
            )
        return belief

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

    def told_state(self, state: int) -> str:
        """A state as messages show it: its number, and its name if it has one."""
        return str(state) if self.states is None else f"{state} ({self.states[state]})"

    def told_action(self, action: int) -> str:
        """An action as messages show it: its number, and its name if it has one."""
        return str(action) if self.actions is None else f"{action} ({self.actions[action]})"

    def check_state(self, state: Any, name: str = "state") -> int:
        """`state`, if it is one of the problem's."""
        if isinstance(state, str) and state in (self.states or ()):
            raise TypeError(f"{name} must be an integer, got {state!r}, the name of state {(self.states or ()).index(state)}")
        return integer(name, state, *_range(self.num_states))

    def check_going_on(self, state: Any, name: str = "state") -> int:
        """`state`, if it is one of the problem's and not terminal."""
        checked = self.check_state(state, name)
        if checked in self.terminal:
            raise ValueError(f"{name} must not be terminal, got the terminal state {self.told_state(checked)}")
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


WITHOUT_TABLES = "BAMCP, BayesAdaptive and PosteriorMean with the domain's default prior, QLearning and Random work there"


def _range(num_states: int) -> tuple[int, int]:
    return (0, num_states - 1) if num_states < UNBOUNDED else (-(2**63), 2**63 - 1)


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
