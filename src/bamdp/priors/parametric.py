"""One unknown parameter, shared by all states and actions: growth, demand, wind, slip.

The transitions are a known function of a parameter θ, whose prior is a set of points with weights w⁰ (a grid, draws, or the
quantiles of a distribution):

    w_m ∝ w_m⁰ Π P(s' | s, a, θ_m) over the observed transitions,   P(s' | s, a) = Σ_m w_m P(s' | s, a, θ_m)

The function is asked for one row of all points at a time, so tables are made only if they fit in `memory`: then the belief is
that of `Finite`, at native speed. Else the weights of all points are exact, with rows asked for when they are needed, and a
search runs in tables of a few hundred points, drawn again from the posterior before each decision.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import validation
from bamdp.prior import Prior
from bamdp.priors._parameter import ParameterBelief, parameter_points
from bamdp.priors._particles import ParticleBelief
from bamdp.priors.finite import FiniteBelief, same_rewards
from bamdp.validation import LARGEST_REWARD, distribution_rows, integer, real_array, table_sizes

if TYPE_CHECKING:
    from bamdp.problem import BAMDP

Array = NDArray[np.float64]
Function = Callable[..., Any]
BYTES = 24  # of an entry of a table: the probability, once in Python and once in the core, and a column to draw from


class ParametricBelief(ParameterBelief, FiniteBelief):
    """A belief over a parameter, by the weights of its points, with the tables of all of them.

    Attributes:
        parameters: the points, [M] or [M, d].
    """

    def __init__(self, problem: BAMDP, prior: Parametric) -> None:
        self.parameters = np.asarray(prior.parameters)
        tables, rewards = prior.tables(self.parameters, problem.num_states, problem.num_actions)
        FiniteBelief.__init__(self, problem, tables, np.asarray(prior.weights), rewards)

    @property
    def weights(self) -> Array:
        return self._native.weights

    @property
    def observations(self) -> int:
        return int(self._native.observations)


@dataclass(frozen=True, eq=False)
class Parametric(Prior):
    """One unknown parameter of a known function, shared by all states and actions.

    Args:
        function: `function(parameters, state, action)` returns the probabilities of the next states for each of the points
            `parameters`, [M] or [M, d]: rows [M, S], or one row [S] if they don't depend on the parameter.
        parameters: points of the parameter, [M] or [M, d]: a grid, or draws; or its distribution, such as
            `scipy.stats.beta(2, 5)`.
        weights: probability of each point, up to a factor; uniform if not given. [M]
        rewards: if they depend on the parameter, `rewards(parameters, state, action)` returns the reward for each point [M], or
            for each point and next state [M, S]. Then only the shape of the rewards given to an agent is used.
        points: number of points for a distribution, in the middles of equally probable parts.
        memory: memory limit of tables, in MiB.

    Example:
        >>> import numpy as np
        >>> def row(slip, state, action):  # two states: stay or go
        ...     stays = 1 - slip if action == 0 else slip
        ...     return np.stack([stays, 1 - stays], axis=1) if state == 0 else np.stack([1 - stays, stays], axis=1)
        >>> import bamdp
        >>> prior = Parametric(row, np.linspace(0.01, 0.99, 99))
        >>> belief = bamdp.BAMDP(prior, rewards=np.zeros((2, 2)), discount=0.9).belief()
        >>> for _ in range(8):
        ...     belief.observe(state=0, action=0, reward=0.0, next_state=0)
        >>> round(belief.parameter_mean(), 2), belief.parameter_interval().round(1).tolist()
        (0.1, [0.0, 0.3])
    """

    own_code: ClassVar[bool] = True
    function: Function
    parameters: Any
    weights: ArrayLike | None = None
    rewards: Function | None = None
    points: int = 200
    memory: float = 512.0

    def __post_init__(self) -> None:
        validation.function("function", self.function)
        if self.rewards is not None:
            validation.function("rewards", self.rewards)
        points = integer("points", self.points, 1, 10**6)
        validation.mebibytes("memory", self.memory)
        parameters, weights = parameter_points(self.parameters, self.weights, points)
        for name, array in (("parameters", parameters), ("weights", weights)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def has_rewards(self) -> bool:  # type: ignore[override]  # of the prior, not of the class
        return self.rewards is not None

    def reward_range(self, rewards: Array) -> tuple[float, float]:
        """That at some of the points, the first and the last ones among them."""
        if self.rewards is None:
            return super().reward_range(rewards)
        some = np.unique(np.linspace(0, len(self.parameters) - 1, 1000).astype(int))
        S, A = rewards.shape[:2]
        paid = [self.paid(self.parameters[some], s, a, S).ravel() for s in range(S) for a in range(A)]
        return super().reward_range(np.concatenate(paid))

    def rows(self, parameters: Array, state: int, action: int, num_states: int) -> Array:
        """The rows of some points, checked. [M, S]"""
        where = f"function(parameters, state={state}, action={action})"
        rows = distribution_rows(where, self.function(parameters, state, action))
        if rows.shape not in ((num_states,), (len(parameters), num_states)):
            raise ValueError(f"{where} must return rows of shape {(len(parameters), num_states)}, got {rows.shape}")
        return np.array(np.broadcast_to(rows, (len(parameters), num_states)))

    def paid(self, parameters: Array, state: int, action: int, num_states: int) -> Array:
        """The rewards of some points, checked. [M] or [M, S]"""
        assert self.rewards is not None
        where = f"rewards(parameters, state={state}, action={action})"
        paid = real_array(where, self.rewards(parameters, state, action), LARGEST_REWARD)
        if paid.shape not in ((), (len(parameters),), (len(parameters), num_states)):
            shapes = f"{(len(parameters),)} or {(len(parameters), num_states)}"
            raise ValueError(f"{where} must return rewards of shape {shapes}, got {paid.shape}")
        return np.array(np.broadcast_to(paid, len(parameters))) if paid.ndim == 0 else paid

    def tables(self, parameters: Array, num_states: int, num_actions: int) -> tuple[Array, Array | None]:
        """Transitions [M, S, A, S] and, if they depend on the parameter, rewards [M, S, A] or [M, S, A, S] of some points."""
        S, A = num_states, num_actions
        pairs = list(np.ndindex(S, A))
        transitions = np.stack([self.rows(parameters, s, a, S) for s, a in pairs], axis=1).reshape(-1, S, A, S)
        if self.rewards is None:
            return transitions, None
        paid = [self.paid(parameters, s, a, S) for s, a in pairs]
        if any(part.ndim == 2 for part in paid):
            paid = [part if part.ndim == 2 else np.repeat(part[:, None], S, axis=1) for part in paid]
        rewards = np.stack(paid, axis=1)
        return transitions, same_rewards(rewards.reshape(-1, S, A, *rewards.shape[2:]))

    def belief(self, problem: BAMDP) -> ParametricBelief | ParticleBelief:
        S, A = table_sizes(problem.num_states, problem.num_actions)
        entries = S * A * S * (1 if self.rewards is None else 2)
        fitting = validation.mebibytes("memory", self.memory) // (BYTES * entries)
        if fitting == 0:
            raise MemoryError(
                f"the table of one parameter needs {BYTES * entries / 2**20:.0f} MiB, more than memory={self.memory:g}"
            )
        if len(self.parameters) > fitting:
            return ParticleBelief(problem, self, fitting)
        return ParametricBelief(problem, self)

    def __repr__(self) -> str:
        name = getattr(self.function, "__name__", type(self.function).__name__)
        return f"Parametric({name}, {len(self.parameters)} parameters)"
