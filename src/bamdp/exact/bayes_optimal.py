"""The exact Bayes-optimal value and action of a small MDP.

A belief state is a state s and the counts n of the simulated transitions since the root. With P(s' | s, a, n) the predictive
probabilities given them,

    V_d(s, n) = max_a Σ_s' P(s' | s, a, n) (R(s, a, s') + γ V_{d+1}(s', n + (s, a, s')))

is computed backwards from V_H; V = 0 in a terminal state. Two problems are solved this way:

- `horizon`: finite horizon H, V_H = 0. The result is exact for that problem.
- `tolerance`: infinite horizon. The value after H steps is between min R/(1 − γ) and max R/(1 − γ). V_H is the midpoint, so
  the error is at most γᴴ (max R − min R)/(2 (1 − γ)), and H is chosen such that this is at most the tolerance.

Histories with the same counts and the same state share a belief state; uninformative transitions aren't counted. Belief states
are enumerated first, step by step, then evaluated, so that exceeding the limit is noticed before the evaluation.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core, _validation
from bamdp._validation import fits_world, integer, positive_integer, real
from bamdp.prior import Belief, Prior
from bamdp.priors._conjugate import ConjugateBelief
from bamdp.priors.finite import FiniteBelief

LIMIT = 5_000_000
LONGEST = 2**16 - 1  # counts are 16-bit


class TooManyBeliefStatesError(MemoryError):
    """The problem needs more belief states than `limit`; the message estimates how many."""


@dataclass(frozen=True)
class BayesOptimal:
    """The solution of a small Bayes-adaptive MDP.

    Attributes:
        action: the Bayes-optimal action, the first one in case of ties.
        values: the Bayes-optimal value of each action. [A]
        error_bound: maximum distance of `values` from those of the infinite horizon.
        horizon: number of steps looked ahead.
        belief_states: number of belief states.
    """

    action: int
    values: NDArray[np.float64]
    error_bound: float
    horizon: int
    belief_states: int
    _lattice: _core.Lattice = field(repr=False)
    _num_states: int = field(repr=False)

    @property
    def value(self) -> float:
        """The value of the optimal action."""
        return float(self.values[self.action])

    def walk(self) -> Walk:
        """A walk through the belief states, starting at the root."""
        return Walk(self._lattice, self.horizon, self._num_states, len(self.values))


class Walk:
    """A path through the belief states of a solution, following real transitions."""

    def __init__(self, lattice: _core.Lattice, horizon: int, num_states: int, num_actions: int) -> None:
        self._lattice, self._horizon, self._sizes = lattice, horizon, (num_states, num_actions)
        self.depth, self._node = 0, 0

    @property
    def values(self) -> NDArray[np.float64]:
        """The value of each action here, over the remaining steps. [A]"""
        self._require_more()
        return self._lattice.q_values(self.depth, self._node)

    def step(self, action: int, next_state: int) -> None:
        """Move to the belief state after one transition."""
        self._require_more()
        S, A = self._sizes
        action, next_state = integer("action", action, 0, A - 1), integer("next_state", next_state, 0, S - 1)
        child = self._lattice.child(self.depth, self._node, action, next_state)
        if self.depth + 1 < self._horizon:
            if child is None:
                raise ValueError(f"next_state {next_state} after action {action} is impossible under the prior, or terminal")
            self._node = child
        self.depth += 1

    def _require_more(self) -> None:
        if self.depth >= self._horizon:
            raise ValueError(f"the solution ends after {self._horizon} steps")


def bayes_optimal(
    prior: Prior | Belief,
    rewards: ArrayLike,
    discount: float,
    state: int,
    horizon: int | None = None,
    tolerance: float | None = None,
    *,
    terminal: Collection[int] = (),
    limit: int = LIMIT,
) -> BayesOptimal:
    """The Bayes-optimal value of each action, by dynamic programming over all reachable belief states.

    Args:
        prior: prior over the transitions, or a belief after observations: `Dirichlet`, `SparseDirichlet`, `BetaArms` or
            `Finite`.
        rewards: reward of each state and action [S, A], or of each transition [S, A, S].
        discount: discount factor, in [0, 1).
        state: the current state.
        horizon: solve for a finite horizon; `error_bound` is then the distance to the infinite one.
        tolerance: solve for the infinite horizon to this precision. Give one of the two.
        terminal: terminal states, where episodes end.
        limit: maximum number of belief states; each takes about 40 to 150 bytes.

    Raises:
        TooManyBeliefStatesError: more than `limit` are needed.

    Example:
        >>> from bamdp.priors import BetaArms
        >>> one_arm_and_a_sure_half = BetaArms(successes=[17, 1], failures=[19, 0])
        >>> rewards = [[[0, 1], [0, 0.5]]] * 2
        >>> optimum = bayes_optimal(one_arm_and_a_sure_half, rewards, discount=0.95, state=0, tolerance=0.001)
        >>> optimum.action, optimum.values.round(3).tolist()
        (0, [10.022, 10.021])
    """
    table = _validation.rewards(rewards)
    discount = _validation.discount(discount)
    state = integer("state", state, 0, table.shape[0] - 1)
    terminal = _validation.terminal_states(terminal, table.shape[0])
    _validation.acted_in(state, terminal)
    native = _native(prior, table)
    extremes = _extremes(table, discount, can_end=bool(terminal))
    leaf, horizon = _leaf_and_horizon(extremes, discount, horizon, tolerance)
    lattice = _core.make_lattice(native, table, discount, horizon, leaf, sorted(terminal))
    if not lattice.expand(state, positive_integer("limit", limit, 10**12)):
        raise TooManyBeliefStatesError(_limit_message(lattice.layer_sizes, horizon, limit))
    lattice.solve()
    values = lattice.q_values(0, 0)
    bound = _beyond(extremes, leaf) * discount**horizon
    return BayesOptimal(int(values.argmax()), values, bound, horizon, sum(lattice.layer_sizes), lattice, table.shape[0])


def _native(
    prior: Prior | Belief, rewards: NDArray[np.float64]
) -> _core.DirichletBelief | _core.SparseDirichletBelief | _core.FiniteBelief:
    belief = prior.belief(*rewards.shape[:2]) if isinstance(prior, Prior) else prior
    if not isinstance(belief, ConjugateBelief | FiniteBelief):
        raise TypeError(
            f"prior must be Dirichlet, SparseDirichlet, BetaArms or Finite, or a belief of theirs, got {type(prior).__name__}: "
            "belief states can be enumerated only if they are counts"
        )
    fits_world(rewards, belief.num_states, belief.num_actions)
    native: _core.DirichletBelief | _core.SparseDirichletBelief | _core.FiniteBelief = belief._native
    return native


def _extremes(rewards: NDArray[np.float64], discount: float, can_end: bool) -> tuple[float, float]:
    """The lowest and the highest possible value."""
    bounds = np.array([rewards.min(), rewards.max()]) / (1 - discount)
    low, high = (min(bounds[0], 0), max(bounds[1], 0)) if can_end else bounds
    return float(low), float(high)


def _leaf_and_horizon(
    extremes: tuple[float, float], discount: float, horizon: int | None, tolerance: float | None
) -> tuple[float, int]:
    """The value of the belief states at the horizon, and the horizon."""
    if (horizon is None) == (tolerance is None):
        raise ValueError(f"give either horizon or tolerance, got horizon={horizon} and tolerance={tolerance}")
    if horizon is not None:
        return 0.0, integer("horizon", horizon, 1, LONGEST)
    tolerance = real("tolerance", tolerance, 0, open_low=True)
    leaf = sum(extremes) / 2
    beyond = _beyond(extremes, leaf)
    steps = 1 if beyond * discount <= tolerance else math.ceil(math.log(tolerance / beyond) / math.log(discount))
    if steps > LONGEST:
        raise ValueError(f"tolerance must be larger: {tolerance:g} needs {steps} steps, more than the {LONGEST} allowed")
    return leaf, steps


def _beyond(extremes: tuple[float, float], leaf: float) -> float:
    """Maximum distance of a value from `leaf`."""
    return max(extremes[1] - leaf, leaf - extremes[0])


def _limit_message(sizes: list[int], horizon: int, limit: int) -> str:
    """The error message; the number of belief states is extrapolated as a power of the steps."""
    complete = sizes[:-1]
    steps, known = len(complete), sum(complete)
    back = max(1, steps // 2)
    power = math.log(known / sum(complete[:back])) / math.log(steps / back) if steps > 1 else 1.0
    needed = max(float(limit), known * (horizon / max(steps, 1)) ** power)
    return (
        f"about {needed:.1e} belief states would be needed for {horizon} steps, more than limit={limit:,}; "
        f"the first {steps} steps have {known:,}. A shorter horizon, a coarser tolerance or a smaller discount needs fewer"
    )
