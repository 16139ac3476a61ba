"""One unknown parameter, shared by all states and actions: growth, demand, wind, slip.

The transitions are a known function of a parameter θ, whose prior is a set of points with weights
w⁰ (a grid, draws, or the quantiles of a distribution):

    w_m ∝ w_m⁰ Π P(s' | s, a, θ_m) over the observed transitions,
    P(s' | s, a) = Σ_m w_m P(s' | s, a, θ_m)

The belief is that of `Finite` over the worlds of the points. Their rows are computed of all points
at a time; when they are first needed, where they are many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core, validation
from bamdp.mdp import checked_weights
from bamdp.prior import Prior
from bamdp.priors.finite import FiniteBelief, Tables, add_tables, same_rewards
from bamdp.validation import (
    LARGEST_REWARD,
    distribution_rows,
    fits_memory,
    integer,
    real,
    real_array,
    table_sizes,
)

if TYPE_CHECKING:
    from bamdp.problem import BAMDP

Array = NDArray[np.float64]
Function = Callable[..., Any]
MOST_POINTS = 10**6
COMPUTED_AT_ONCE = 10**7  # probabilities, so that a mistake in the function shows early


class ParametricBelief(FiniteBelief):
    """A belief over a parameter, by the weights of its points.

    Attributes:
        parameters: the points, [M] or [M, d]; `weights` has their probabilities.
    """

    def __init__(self, problem: BAMDP, prior: Parametric) -> None:
        self.parameters = np.asarray(prior.parameters)
        S, A = table_sizes(problem.num_states, problem.num_actions)

        def request(world: int, state: int, action: int) -> None:
            add_tables(rows, problem, prior.tables(S, [(state, action)]), state, action)

        def tables() -> Tables:
            fits_memory(
                f"Parametric with {len(self.parameters)} points", len(self.parameters) * S * A * S
            )
            transitions, rewards, _ = prior.tables(S, list(np.ndindex(S, A)))
            if rewards is not None:
                rewards = rewards.reshape(-1, S, A, *rewards.shape[3:])
            return Tables(transitions.reshape(-1, S, A, S), rewards)

        rows = _core.WorldRows(len(self.parameters), A, request)
        if len(self.parameters) * S * A * S <= COMPUTED_AT_ONCE:
            for state, action in np.ndindex(S, A):
                request(0, state, action)
        super().__init__(
            problem,
            rows,
            np.asarray(prior.weights),
            tables,
            own_rewards=prior.unknown_rewards,
            own_terminal=False,
        )

    def parameter_mean(self) -> Any:
        """The posterior mean of the parameter: a number, or [d]."""
        mean = self.weights @ self.parameters
        return float(mean) if self.parameters.ndim == 1 else mean

    def parameter_interval(self, level: float = 0.95) -> Array:
        """The central interval with this probability, [2], or one for each of d
        parameters, [2, d].
        """
        tail = (1 - real("level", level, 0, 1, open_low=True, open_high=True)) / 2
        columns = self.parameters.reshape(len(self.parameters), -1).T
        interval = np.array(
            [_quantiles(column, self.weights, (tail, 1 - tail)) for column in columns]
        ).T
        return interval[:, 0] if self.parameters.ndim == 1 else interval

    def __repr__(self) -> str:
        mean = np.array2string(np.asarray(self.parameter_mean()), precision=4)
        return (
            f"<belief over {len(self.parameters)} parameters after {self.observations} "
            f"observations, mean {mean}>"
        )


def _quantiles(values: Array, weights: Array, levels: tuple[float, ...]) -> Array:
    """The smallest value below or at which there is this much of the weight."""
    order = np.argsort(values)
    cumulative = np.cumsum(weights[order])
    return np.asarray(values[order][np.searchsorted(cumulative, np.array(levels) * cumulative[-1])])


@dataclass(frozen=True, eq=False)
class Parametric(Prior):
    """One unknown parameter of a known function, shared by all states and actions.

    Args:
        function: `function(parameters, state, action)` returns the probabilities of the next states
            for each of the points `parameters`, [M] or [M, d]: rows [M, S], or one row [S] if they
            don't depend on the parameter.
        parameters: points of the parameter, [M] or [M, d]: a grid, or draws; or its distribution,
            such as `scipy.stats.beta(2, 5)`, or a list of d distributions, which are independent.
        weights: probability of each point, up to a factor; uniform by default. [M]
        rewards: if they depend on the parameter, `rewards(parameters, state, action)` returns the
            reward for each point [M], or for each point and next state [M, S]. Then only the shape
            of the rewards given to an agent is used.
        points: number of points for a distribution, in the middles of equally probable parts; for
            several, they are spread evenly by a low-discrepancy sequence, and a few dozen do as
            well as hundreds of draws.

    Example:
        >>> import numpy as np
        >>> def row(slip, state, action):  # two states: stay or go
        ...     stays = 1 - slip if action == 0 else slip
        ...     return np.stack([stays, 1 - stays], axis=1) if state == 0 else np.stack([1 - stays,
        ...     stays], axis=1)
        >>> import bamdp
        >>> prior = Parametric(row, np.linspace(0.01, 0.99, 99))
        >>> belief = bamdp.BAMDP(prior, rewards=np.zeros((2, 2)), discount=0.9).belief()
        >>> for _ in range(8):
        ...     belief.observe(state=0, action=0, reward=0.0, next_state=0)
        >>> round(belief.parameter_mean(), 2), belief.parameter_interval().round(1).tolist()
        (0.1, [0.0, 0.3])
    """

    function: Function
    parameters: Any
    weights: ArrayLike | None = None
    rewards: Function | None = None
    points: int = 200

    def __post_init__(self) -> None:
        validation.function("function", self.function)
        if self.rewards is not None:
            validation.function("rewards", self.rewards)
        points = integer("points", self.points, 1, MOST_POINTS)
        parameters, weights = _parameter_points(self.parameters, self.weights, points)
        for name, array in (("parameters", parameters), ("weights", weights)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def unknown_rewards(self) -> bool:  # type: ignore[override]  # of the prior, not of the class
        return self.rewards is not None

    def reward_range(self, rewards: Array) -> tuple[float, float]:
        if self.rewards is None:
            return super().reward_range(rewards)
        S, A = rewards.shape[:2]
        return super().reward_range(
            np.concatenate([self._paid(s, a, S).ravel() for s, a in np.ndindex(S, A)])
        )

    def tables(self, num_states: int, pairs: list[tuple[int, int]]) -> Tables:
        """The rows of some states and actions, of all points: transitions [M, 1, pairs, S] and, if
        they depend on the parameter, rewards [M, 1, pairs] or [M, 1, pairs, S].
        """
        transitions = np.stack([self._rows(s, a, num_states) for s, a in pairs], axis=1)
        if self.rewards is None:
            return Tables(transitions[:, None])
        paid = [self._paid(s, a, num_states) for s, a in pairs]
        if any(part.ndim == 2 for part in paid):
            paid = [
                part if part.ndim == 2 else np.repeat(part[:, None], num_states, axis=1)
                for part in paid
            ]
        return Tables(transitions[:, None], same_rewards(np.stack(paid, axis=1)[:, None]))

    def _rows(self, state: int, action: int, num_states: int) -> Array:
        """The rows of all points. [M, S]"""
        where, shape = (
            f"function(parameters, state={state}, action={action})",
            (len(self.parameters), num_states),
        )
        rows = distribution_rows(where, self.function(self.parameters, state, action))
        if rows.shape not in ((num_states,), shape):
            raise ValueError(f"{where} must return rows of shape {shape}, got {rows.shape}")
        return np.broadcast_to(rows, shape)

    def _paid(self, state: int, action: int, num_states: int) -> Array:
        """The rewards of all points. [M] or [M, S]"""
        assert self.rewards is not None
        where, M = f"rewards(parameters, state={state}, action={action})", len(self.parameters)
        paid = real_array(where, self.rewards(self.parameters, state, action), LARGEST_REWARD)
        if paid.shape not in ((), (M,), (M, num_states)):
            raise ValueError(
                f"{where} must return rewards of shape {(M,)} or {(M, num_states)}, got "
                f"{paid.shape}"
            )
        return np.broadcast_to(paid, M) if paid.ndim == 0 else paid

    def belief(self, problem: BAMDP) -> ParametricBelief:
        return ParametricBelief(problem, self)

    def __repr__(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return f"Parametric({name}, {len(self.parameters)} parameters)"


def _parameter_points(
    parameters: Any, weights: ArrayLike | None, points: int
) -> tuple[Array, Array]:
    """Points of the parameter, [M] or [M, d], and their weights [M].

    A distribution, anything with a quantile function `ppf` such as a frozen one of `scipy.stats`,
    becomes the quantiles in the middles of `points` equally probable parts.
    """
    several = isinstance(parameters, list | tuple) and len(parameters) > 0
    several = several and all(hasattr(parameter, "ppf") for parameter in parameters)
    if (several or hasattr(parameters, "ppf")) and weights is not None:
        raise ValueError(
            "weights must be None for a distribution, whose points are equally probable"
        )
    if several:
        return _spread_points(parameters, points), np.full(points, 1 / points)
    if hasattr(parameters, "ppf"):
        quantiles = real_array(
            "parameters.ppf()", parameters.ppf((np.arange(points) + 0.5) / points)
        )
        if quantiles.shape != (points,):
            raise ValueError(
                "parameters must be a distribution of one number, its ppf has shape "
                f"{quantiles.shape}"
            )
        distinct, counts = np.unique(quantiles, return_counts=True)
        return distinct, counts / points
    array = real_array("parameters", parameters)
    if array.ndim not in (1, 2) or array.size == 0 or len(array) > MOST_POINTS:
        raise ValueError(
            f"parameters must be points, [M] or [M, d] with M from 1 to {MOST_POINTS}, got shape "
            f"{array.shape}"
        )
    return array, checked_weights(weights, len(array), "parameters")


def _spread_points(distributions: Sequence[Any], points: int) -> Array:
    """Points of independent parameters by a sequence of Halton (1960), which fills a cube more
    evenly than draws do. [M, d]
    """
    from scipy.stats import qmc

    # The first point, 0, has no finite quantile.
    uniform = qmc.Halton(len(distributions), scramble=False).fast_forward(1).random(points)
    columns = [
        real_array(f"parameters[{i}].ppf()", distribution.ppf(column))
        for i, (distribution, column) in enumerate(zip(distributions, uniform.T, strict=True))
    ]
    for i, column in enumerate(columns):
        if column.shape != (points,):
            raise ValueError(
                f"parameters[{i}] must be a distribution of one number, its ppf has shape "
                f"{column.shape}"
            )
    return np.stack(columns, axis=1)
