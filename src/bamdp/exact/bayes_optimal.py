"""The exact Bayes-optimal value and action of a small MDP.

A belief state is a state s and the counts n of the simulated transitions since the root. With P(s' | s, a, n) the predictive
probabilities given them,

    V_d(s, n) = max_a Σ_s' P(s' | s, a, n) (R(s, a, s') + γ V_{d+1}(s', n + (s, a, s')))

is computed backwards from V_H. In a terminal state V = 0 or, if the run goes on with the next episode (`restart`), that of the
start state with the same counts; with a time limit, the steps of the episode are part of s. Two problems are solved this way:

- `horizon`: finite horizon H, V_H = 0. The result is exact for that problem, and γ may be 1.
- `tolerance`: infinite horizon. The value after H steps is between min R/(1 − γ) and max R/(1 − γ). V_H is the midpoint, so
  the error is at most γᴴ (max R − min R)/(2 (1 − γ)), and H is chosen such that this is at most the tolerance.

Histories with the same counts and the same state share a belief state; uninformative transitions aren't counted. Belief states
are enumerated first, step by step, then evaluated. Their number is estimated beforehand from the first PROBE of them: with c_d
after d steps, c_{d+1}/c_d = 1 + p/(d + 1). For arms that is exact, as c_d is a binomial coefficient; elsewhere p grows with d
at first, and the estimate is low.

Beta arms over a finite horizon need no enumeration: their belief states have addresses (`bamdp.exact.arms`). They are solved
that way without a discount, or where the belief states would be too many. Two normal arms are solved by functions of the
difference of their means (`bamdp.exact.normal_arms`). The best policy for an unknown goal, as in GridNavi, is a path
(`bamdp.exact.hidden_goal`), which is looked for where the belief states would be too many.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.exact import arms, hidden_goal
from bamdp.exact.model_set import MOST_MODELS
from bamdp.exact.normal_arms import MOST_STEPS, NormalArmsWalk, two_normal_arms
from bamdp.prior import Belief
from bamdp.priors.finite import SAME
from bamdp.problem import BAMDP, checked_problem
from bamdp.validation import integer, positive_integer, real

LIMIT, MEMORY = 5_000_000, 2**31  # belief states by default, and bytes that they may take
LONGEST = 2**16 - 1  # counts are 16-bit
PRECISE = 0.01  # tolerance if neither that nor a horizon is given, in half the range of values
MOST_PATHS = 5_000_000  # to an unknown goal
PROBE = 30_000  # belief states that are enumerated before the others are estimated, in less than 0.1 s


class TooManyBeliefStatesError(MemoryError):
    """The problem needs more belief states than `limit`.

    Attributes:
        needed: estimate of their number.
        horizon: number of steps that needs fewer.
    """

    needed: float
    horizon: int


@dataclass(frozen=True)
class BayesOptimal:
    """The solution of a small Bayes-adaptive MDP.

    Attributes:
        action: the Bayes-optimal action, the first one in case of ties.
        values: the Bayes-optimal value of each action. [A]
        error_bound: maximum distance of `values` from the optimal ones: 0 for the problem's own horizon, else the distance to
            the infinite horizon, which is infinite for a discount of 1.
        horizon: number of steps looked ahead.
        leaf: value of what comes after them; 0 for a finite horizon.
        belief_states: number of belief states; of normal arms, of functions of the difference of their means.
    """

    action: int
    values: NDArray[np.float64]
    error_bound: float
    horizon: int
    leaf: float
    belief_states: int
    _start: Callable[[], Walk | NormalArmsWalk] = field(repr=False)

    @property
    def value(self) -> float:
        """The value of the optimal action."""
        return float(self.values[self.action])

    def walk(self) -> Walk | NormalArmsWalk:
        """A walk through the belief states, starting at the root.

        Raises:
            TooManyBeliefStatesError: the values of Beta arms or of an unknown goal, which need not all be kept, don't
                fit into memory.
        """
        return self._start()


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

    def step(self, action: int, next_state: int, reward: float | None = None, terminated: bool | None = None) -> None:
        """Move to the belief state after one transition; where worlds differ in them, its reward and whether it terminated."""
        self._require_more()
        S, A = self._sizes
        action, next_state = integer("action", action, 0, A - 1), integer("next_state", next_state, 0, S - 1)
        if self.depth + 1 < self._horizon:
            self._node = self._next(action, next_state, reward, terminated)
        self.depth += 1

    def _next(self, action: int, next_state: int, reward: float | None, terminated: bool | None) -> int:
        found = [seen for seen in self._lattice.outcomes(self.depth, self._node, action) if seen[0] == next_state]
        if len(found) > 1:
            found = [seen for seen in found if reward is None or math.isclose(seen[1], reward, rel_tol=SAME)]
            found = [seen for seen in found if terminated is None or seen[2] == terminated]
        if len(found) > 1:
            raise ValueError(f"reward and terminated must be given: worlds differ in them at next_state {next_state}")
        if not found or found[0][3] is None:
            raise ValueError(f"next_state {next_state} after action {action} is impossible under the prior, or terminal")
        return found[0][3]

    def _require_more(self) -> None:
        if self.depth >= self._horizon:
            raise ValueError(f"the solution ends after {self._horizon} steps")


def bayes_optimal(
    problem: BAMDP,
    state: int,
    horizon: int | None = None,
    tolerance: float | None = None,
    *,
    belief: Belief | None = None,
    restart: int | None = None,
    time_limit: int | None = None,
    limit: int | None = None,
) -> BayesOptimal:
    """The Bayes-optimal value of each action, by dynamic programming over all reachable belief states.

    Args:
        problem: the problem, with the prior `Dirichlet`, `SparseDirichlet`, `BetaArms`, `Finite` or `Parametric`, or two
            `NormalArms` with known noise and a horizon.
        state: the current state.
        horizon: solve for a finite horizon, the problem's if not given.
        tolerance: solve for the infinite horizon to this precision, where there is no horizon; if not given, to 1 % of half the
            range of values.
        belief: the belief after observations; that of the prior if not given.
        restart: state in which the next episode starts, as in `bamdp.run`; if not given, the value is that of one episode, or
            of a problem with an episode length, of all of them.
        time_limit: number of steps after which an episode is truncated, with `restart`; never if not given.
        limit: maximum number of belief states; by default five million, or as many as fit in 2 GiB.

    Raises:
        TooManyBeliefStatesError: more than `limit` are needed, by an estimate made at once; it says what would work.

    Example:
        >>> import bamdp
        >>> one_arm_and_a_sure_half = bamdp.priors.BetaArms(successes=[17, 1], failures=[19, 0])
        >>> problem = bamdp.BAMDP(one_arm_and_a_sure_half, rewards=[[[0, 1], [0, 0.5]]] * 2, discount=0.95)
        >>> optimum = bayes_optimal(problem, state=0, tolerance=0.001)
        >>> optimum.action, optimum.values.round(3).tolist()
        (0, [10.022, 10.021])
    """
    checked_problem(problem).require_table("bayes_optimal")
    table, discount, terminal = problem.rewards, problem.discount, problem.terminal
    horizon = problem.horizon if horizon is None and tolerance is None else horizon
    if problem.prior.outcomes is not None:
        return _normal_arms(problem, problem.check_state(state), horizon, belief)
    if discount == 1 and horizon is None:
        raise ValueError("discount must be below 1 without a horizon, got 1: give the horizon, the number of steps that count")
    state = problem.check_nonterminal(state)
    if restart is None and time_limit is None:
        restart, time_limit = (problem.start, problem.episode_length) if problem.episode_length is not None else (None, None)
    restart, time_limit = _episodes(restart, time_limit, table.shape[0], terminal)
    belief = _checked(problem.resolve_belief(belief))
    played = np.delete(table, sorted(terminal), axis=0)  # no action is taken in a terminal state
    if belief.unknown_rewards and belief.particles is not None:
        played = belief.particles.rewards[~belief.particles.terminal]
    can_end = (bool(terminal) or belief.unknown_terminal) and restart is None
    extremes = _extremes(played, discount, can_end)
    leaf, steps = _leaf_and_horizon(extremes, discount, horizon, tolerance)
    follows = (-1 if restart is None else restart, 0 if time_limit is None or time_limit >= steps else time_limit)
    most = None if limit is None else positive_integer("limit", limit, 10**12)

    @cache
    def lattice() -> _core.Lattice:
        assert belief.native is not None
        made = _core.make_lattice(belief.native[0], table, discount, steps, leaf, sorted(terminal), *follows)
        each = 48 + 2 * made.num_cells + 4 * made.num_outcomes * table.shape[1]  # bytes
        fitting = max(1, min(LIMIT, MEMORY // each)) if most is None else most
        if not _expanded(made, state, steps, fitting, can_end):
            raise _too_many(made.layer_sizes.tolist(), steps, fitting, belief)
        made.solve()
        return made

    def start() -> Walk:
        return Walk(lattice(), steps, *table.shape[:2])

    bound = 0.0 if steps == problem.horizon else _beyond(extremes, leaf) * discount**steps
    if limit is None and horizon is not None and not terminal and restart is None:
        bandit = _solved_arms(problem, belief, steps)
        if bandit is not None:
            return BayesOptimal(bandit.action, bandit.values, bound, steps, leaf, bandit.belief_states, start)
    try:
        values = lattice().q_values(0, 0)
    except TooManyBeliefStatesError:
        goal = None
        if limit is None and horizon is not None and not terminal:
            with suppress(hidden_goal.TooManyPathsError):
                goal = hidden_goal.solved(belief, discount, state, steps, restart, time_limit, MOST_PATHS)
        if goal is None:
            raise
        values, paths = goal
        return BayesOptimal(int(values.argmax()), values, bound, steps, leaf, paths, start)
    return BayesOptimal(int(values.argmax()), values, bound, steps, leaf, int(lattice().layer_sizes.sum()), start)


def _normal_arms(problem: BAMDP, state: int, horizon: int | None, belief: Belief | None) -> BayesOptimal:
    """The solution of two normal arms."""
    if horizon is None:
        raise ValueError("horizon must be given for NormalArms, or be that of the problem: the number of steps that count")
    steps = integer("horizon", horizon, 1, MOST_STEPS)

    def start() -> NormalArmsWalk:
        return NormalArmsWalk(problem, belief, steps)

    arms, values = two_normal_arms(problem, belief)[0], start().values
    bound = 0.0 if steps == problem.horizon else math.inf
    return BayesOptimal(int(values.argmax()), values, bound, steps, 0.0, arms.functions, start)


def _solved_arms(problem: BAMDP, belief: Belief, horizon: int) -> arms.OptimalArms | None:
    """The solution of a bandit by addresses, where that is needed and possible."""
    S, A, discount = problem.num_states, problem.num_actions, problem.discount
    needed = math.comb(horizon + 2 * A - 1, 2 * A)
    if S != 2 or A > arms.MOST_ARMS or (discount < 1 and needed <= LIMIT):
        return None
    counts, payoffs = arms.arms_table(belief), arms.outcome_rewards(problem.rewards)
    if counts is None or payoffs is None or arms.memory_needed(A, horizon, policy=False) > arms.MEMORY:
        return None
    return arms.solved(np.hstack([counts, payoffs]), horizon, discount, policy=False)


def _episodes(
    restart: int | None, time_limit: int | None, num_states: int, terminal: Collection[int]
) -> tuple[int | None, int | None]:
    """Checked."""
    if restart is None and time_limit is not None:
        raise ValueError(f"time_limit goes with restart; the value of one episode of {time_limit} steps is that of horizon")
    if restart is not None:
        restart = integer("restart", restart, 0, num_states - 1)
        if restart in terminal:
            raise ValueError(f"restart must not be terminal, got the terminal state {restart}")
    return restart, None if time_limit is None else positive_integer("time_limit", time_limit)


def _expanded(lattice: _core.Lattice, state: int, horizon: int, limit: int, can_end: bool) -> bool:
    """Enumerate the belief states; False if there are more than `limit`, or if that is to be expected."""
    probe = min(limit, PROBE, max(300, 2**24 // max(lattice.num_cells, 1)))
    if lattice.expand(state, probe):
        return True
    # Where episodes end for good, layers may become empty: no estimate then.
    if probe == limit or (not can_end and _estimate(lattice.layer_sizes.tolist(), horizon, limit)[0] > limit):
        return False
    return lattice.expand(state, limit)


def _checked(belief: Belief) -> Belief:
    if (belief.counts is None or belief.unknown_rewards) and belief.particles is None:
        raise TypeError(
            f"prior must be Dirichlet, SparseDirichlet, BetaArms, Finite or Parametric, got {belief.problem.prior!r}: "
            "belief states can be enumerated only if they are counts"
        )
    return belief


def _extremes(rewards: NDArray[np.float64], discount: float, can_end: bool) -> tuple[float, float]:
    """The lowest and the highest possible value."""
    ends = float(rewards.min()), float(rewards.max())
    bounds = [end / (1 - discount) if discount < 1 else math.copysign(math.inf, end) if end else 0.0 for end in ends]
    return (min(bounds[0], 0.0), max(bounds[1], 0.0)) if can_end else (bounds[0], bounds[1])


def _leaf_and_horizon(
    extremes: tuple[float, float], discount: float, horizon: int | None, tolerance: float | None
) -> tuple[float, int]:
    """The value of the belief states at the horizon, and the horizon."""
    if horizon is not None and tolerance is not None:
        raise ValueError(f"give either horizon or tolerance, got horizon={horizon} and tolerance={tolerance}")
    if horizon is not None:
        return 0.0, integer("horizon", horizon, 1, LONGEST)
    leaf = sum(extremes) / 2
    beyond = _beyond(extremes, leaf)
    tolerance = (beyond or 1.0) * PRECISE if tolerance is None else real("tolerance", tolerance, 0, open_low=True)
    steps = 1 if beyond * discount <= tolerance else math.ceil(math.log(tolerance / beyond) / math.log(discount))
    if steps > LONGEST:
        raise ValueError(f"tolerance must be larger: {tolerance:g} needs {steps} steps, more than the {LONGEST} allowed")
    return leaf, steps


def _beyond(extremes: tuple[float, float], leaf: float) -> float:
    """Maximum distance of a value from `leaf`."""
    return max(extremes[1] - leaf, leaf - extremes[0])


def _too_many(sizes: list[int], steps: int, limit: int, belief: Belief) -> TooManyBeliefStatesError:
    """The error, with what would work."""
    needed, horizon = _estimate(sizes, steps, limit)
    counted = f"about {needed:.1e}" if needed < 1e12 else "more than 10^12"
    wanted = f"{counted} belief states would be needed for {steps} steps, more than limit={limit:,}"
    weights = None if belief.particles is None else belief.particles.weights
    few = weights is not None and np.count_nonzero(weights) <= MOST_MODELS
    other = "; bamdp.exact.solve_model_set takes a few possible models, over any number of steps" if few else ""
    error = TooManyBeliefStatesError(f"{wanted}; horizon={horizon} would work{other}")
    error.needed, error.horizon = needed, horizon
    return error


def _estimate(sizes: list[int], horizon: int, limit: int) -> tuple[float, int]:
    """The number of belief states for `horizon` steps, and a number of steps that needs at most `limit`."""
    *complete, partial = sizes
    known = np.array(sizes if len(sizes) == 2 else complete, float)
    p, last = _growth(known[len(known) // 2 - 1 :], len(known) // 2), math.log(complete[-1])
    further = np.arange(len(complete), horizon)
    layers = last + np.cumsum(np.log1p(p / further))  # logarithms of their sizes
    needed = sum(complete) + float(np.exp(np.minimum(layers, 700)).sum())
    # For what surely fits, the layers grow as before: in most problems they grow ever less.
    growth, fitting, total, size = (
        float((known[1:] / known[:-1])[-3:].max()),
        len(complete),
        float(sum(complete)),
        float(complete[-1]),
    )
    while fitting < horizon - 1 and total + (size := max(size * growth, partial)) <= limit:
        total, fitting = total + size, fitting + 1
    return max(needed, float(sum(sizes))), fitting


def _growth(sizes: NDArray[np.float64], step: int) -> float:
    """The p with which the last layer grows from the first of `sizes`; its first ratio is 1 + p/step."""
    steps, low, high = np.arange(step, step + len(sizes) - 1), 0.0, 1.0
    grown = math.log(sizes[-1] / sizes[0]) if sizes[-1] > sizes[0] else 0.0
    while np.log1p(high / steps).sum() < grown:
        high *= 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if np.log1p(middle / steps).sum() < grown else (low, middle)
    return low
