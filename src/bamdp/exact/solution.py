"""What exact solvers are asked, `Question`, and what they answer, `BayesOptimal`."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bamdp.prior import Belief
from bamdp.problem import BAMDP, checked_problem, require_table, resolve_belief
from bamdp.steps import check_nonterminal
from bamdp.validation import integer, positive_integer, real

LONGEST = 2**16 - 1  # steps, whose counts are 16-bit
PRECISE = 0.01  # tolerance if neither that nor a horizon is given, in half the range of values
MOST_BELIEF_STATES = 10**12  # that a limit may ask for

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Question:
    """A problem from one belief state on, checked.

    Attributes:
        problem: the problem.
        belief: belief at the root.
        state: state at the root.
        horizon: number of steps looked ahead.
        tolerance: precision asked for; None if a horizon was given: then these steps are all.
        leaf: value of what comes after the horizon.
        error_bound: maximum error of a value that is exact but for what comes after the horizon.
        restart: state in which the next episode starts; None if the end of an episode is the end.
        time_limit: number of steps after which an episode is truncated; None for never.
        limit: maximum number of belief states, if one was asked for: then they are enumerated.
    """

    problem: BAMDP
    belief: Belief
    state: int
    horizon: int
    tolerance: float | None
    leaf: float
    error_bound: float
    restart: int | None
    time_limit: int | None
    limit: int | None

    @classmethod
    def of(
        cls,
        problem: BAMDP,
        state: int,
        horizon: int | None,
        tolerance: float | None,
        belief: Belief | None,
        restart: int | None,
        time_limit: int | None,
        limit: int | None,
    ) -> Question:
        """The arguments of `bayes_optimal`, checked."""
        require_table(checked_problem(problem), "bayes_optimal")
        discount = problem.discount
        horizon = problem.horizon if horizon is None and tolerance is None else horizon
        if discount == 1 and horizon is None:
            raise ValueError(
                "discount must be below 1 without a horizon, got 1: give the horizon, the number "
                "of steps that count"
            )
        state = check_nonterminal(problem, state)
        if restart is None and time_limit is None and problem.episode_length is not None:
            restart, time_limit = problem.start, problem.episode_length
        restart, time_limit = _checked_episodes(problem, restart, time_limit)
        belief = resolve_belief(problem, belief)
        values = _value_range(problem, belief, restart)
        if horizon is None and not math.isfinite(values[1] - values[0]):
            raise ValueError(
                f"horizon must be given for {problem.prior!r}, whose rewards have no bounds, or be "
                "that of the problem: the number of steps that count"
            )
        if horizon is None:
            leaf, steps, tolerance = _infinite_horizon(values, discount, tolerance)
        elif tolerance is None:
            leaf, steps = 0.0, integer("horizon", horizon, 1, LONGEST)
        else:
            raise ValueError(
                f"give either horizon or tolerance, got horizon={horizon} and tolerance={tolerance}"
            )
        exact = steps == problem.horizon or discount == 0
        return cls(
            problem,
            belief,
            state,
            steps,
            tolerance,
            leaf,
            0.0 if exact else _beyond(values, leaf) * discount**steps,
            restart,
            time_limit,
            None if limit is None else positive_integer("limit", limit, MOST_BELIEF_STATES),
        )

    @property
    def is_finite(self) -> bool:
        """Whether the steps up to the horizon are all that count."""
        return self.tolerance is None

    @property
    def has_end(self) -> bool:
        """Whether nothing follows the end of an episode."""
        return _has_end(self.problem, self.belief, self.restart)


def _checked_episodes(
    problem: BAMDP, restart: int | None, time_limit: int | None
) -> tuple[int | None, int | None]:
    """Validate `restart` and `time_limit`."""
    if restart is None and time_limit is not None:
        raise ValueError(
            f"time_limit goes with restart; the value of one episode of {time_limit} steps is that "
            "of horizon"
        )
    if restart is not None:
        restart = check_nonterminal(problem, restart, "restart")
    return restart, None if time_limit is None else positive_integer("time_limit", time_limit)


def _has_end(problem: BAMDP, belief: Belief, restart: int | None) -> bool:
    return restart is None and (bool(problem.terminal) or belief.problem.prior.unknown_terminal)


def _value_range(problem: BAMDP, belief: Belief, restart: int | None) -> tuple[float, float]:
    """The lowest and the highest possible value, over any number of steps."""
    worlds, discount = belief.particles, problem.discount
    if belief.problem.prior.unknown_rewards and worlds is not None:
        paid = worlds.rewards[~worlds.terminal]
        rewards = float(paid.min()), float(paid.max())
    elif belief.problem.prior.unknown_rewards:
        rewards = problem.prior.reward_range(problem.rewards)
    else:
        paid = np.delete(problem.rewards, sorted(problem.terminal), axis=0)
        rewards = float(paid.min()), float(paid.max())
    low, high = (
        reward / (1 - discount)
        if discount < 1
        else math.copysign(math.inf, reward)
        if reward
        else 0.0
        for reward in rewards
    )
    return (min(low, 0.0), max(high, 0.0)) if _has_end(problem, belief, restart) else (low, high)


def _infinite_horizon(
    values: tuple[float, float], discount: float, tolerance: float | None
) -> tuple[float, int, float]:
    """The value of the leaves, the number of steps that makes its error the tolerance, and that."""
    leaf = sum(values) / 2
    beyond = _beyond(values, leaf)
    if tolerance is None:
        tolerance = (beyond or 1.0) * PRECISE
    else:
        tolerance = real("tolerance", tolerance, 0, open_low=True)
    if beyond * discount <= tolerance:
        return leaf, 1, tolerance
    steps = math.ceil(math.log(tolerance / beyond) / math.log(discount))
    if steps > LONGEST:
        raise ValueError(
            f"tolerance must be larger: {tolerance:g} needs {steps} steps, more than the {LONGEST} "
            "allowed"
        )
    return leaf, steps, tolerance


def _beyond(values: tuple[float, float], leaf: float) -> float:
    """Maximum distance of a value from `leaf`."""
    return max(values[1] - leaf, leaf - values[0])


class Walk(ABC):
    """A path through the belief states of a solution, following real transitions.

    Attributes:
        depth: number of steps taken.
    """

    def __init__(self, horizon: int) -> None:
        self._horizon, self.depth = horizon, 0

    @property
    def q_values(self) -> Array:
        """The value of each action here, over the remaining steps. [A]"""
        self._require_more()
        return self._q_values()

    def step(
        self,
        action: int,
        next_state: int,
        reward: float | None = None,
        terminated: bool | None = None,
    ) -> None:
        """Move to the belief state after one transition; where worlds differ in them, its reward
        and whether it terminated.
        """
        self._require_more()
        self._move(action, next_state, reward, terminated)
        self.depth += 1

    @property
    def key(self) -> Hashable | None:
        """What tells this belief state from others after as many steps; None if it is not known."""
        return None

    @abstractmethod
    def _q_values(self) -> Array: ...

    @abstractmethod
    def _move(self, action: Any, next_state: Any, reward: Any, terminated: Any) -> None:
        """Move, with arguments that are not checked yet."""

    def _require_more(self) -> None:
        if self.depth >= self._horizon:
            raise ValueError(f"the solution ends after {self._horizon} steps")


class LaterValues(Protocol):
    """The values of the belief states after the root."""

    @property
    def fits(self) -> bool:
        """Whether all of them can be kept."""

    def walk(self) -> Walk:
        """A walk from the root; raises `TooManyBeliefStatesError` if they can't."""


@dataclass(frozen=True, eq=False)
class BayesOptimal:
    """The solution of a Bayes-adaptive MDP from one belief state on.

    Attributes:
        q_values: the Bayes-optimal value of each action. [A]
        error_bound: maximum distance of `q_values` from the optimal ones: 0 for the problem's own
            horizon, else the distance to the infinite horizon, which is infinite for a discount of
            1; for a few possible models also that of their bounds.
        horizon: number of steps looked ahead.
        leaf: value of what comes after them; 0 for a finite horizon.
        belief_states: number of belief states compared: points of the grid for a few possible
            models, paths to an unknown goal; for normal arms, functions of the difference of their
            means.
    """

    q_values: Array
    error_bound: float
    horizon: int
    leaf: float
    belief_states: int
    _later: LaterValues = field(repr=False)

    @property
    def action(self) -> int:
        """The Bayes-optimal action, the first one in case of ties."""
        return int(self.q_values.argmax())

    @property
    def value(self) -> float:
        """The value of the optimal action."""
        return float(self.q_values[self.action])

    @property
    def lower(self) -> Array:
        """Lower bounds on the optimal values. [A]"""
        return self.q_values - self.error_bound

    @property
    def upper(self) -> Array:
        """Upper bounds on the optimal values. [A]"""
        return self.q_values + self.error_bound

    @property
    def keeps_values(self) -> bool:
        """Whether the values of all later belief states can be kept, for `walk`."""
        return self._later.fits

    def walk(self) -> Walk:
        """A walk through the belief states, starting at the root.

        Raises:
            TooManyBeliefStatesError: the values of later belief states can't be kept, as
                `keeps_values` says: only that of the root is known.
        """
        return self._later.walk()
