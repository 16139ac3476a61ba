"""The value of a problem with a few possible models, between bounds, over any number of steps.

A belief over K models is a point b of a simplex, b_k the probability of model k, and the optimal
value is convex in it:

    V_t(s, b) = max_a Σ_o P_b(o | s, a) (r_o + γ V_{t+1}(s_o, b_o))
    P_b(o | s, a) = Σ_k b_k P_k(o | s, a),   b_o ∝ b P(o | s, a)

where an outcome o is a next state, with the reward and the end of the episode where models differ
in these. On a grid of beliefs, linear interpolation between its points is an upper bound of a
convex function (Lovejoy 1991). The lower bound is the value of a policy: in belief b, act as is
best at one of the grid points around b; its value in each model, a vector α with V ≥ b·α, goes with
each point (point-based value iteration). The grid is refined until the bounds are close.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import validation
from bamdp.exact.solution import BayesOptimal, LaterValues, Question
from bamdp.mdp import MDP, checked_weights
from bamdp.prior import Belief
from bamdp.priors.finite import world_names
from bamdp.problem import BAMDP, checked_problem, require_discount, require_table, resolve_belief
from bamdp.progress import progress
from bamdp.spaces import action_name, state_name
from bamdp.steps import check_state
from bamdp.validation import real

Array = NDArray[np.float64]
Index = NDArray[np.int64]

MOST_MODELS = 8
MEMORY = 2**30  # bytes for the beliefs after each outcome at each point
GAP = 0.01  # of the bounds at the root by default, in the range of the rewards of a step
COARSEST = 4  # first grid: fractions of so many parts
MOST_WORK = 2 * 10**8  # outcomes · models · points · steps, for `bayes_optimal`: 20 s


class _Outcomes(NamedTuple):
    """Everything that can be observed after each state and action. [O]"""

    state: Index
    action: Index
    next_state: Index
    reward: Array
    continues: NDArray[np.bool_]
    likelihood: Array  # [O, K]

    def of(self, state: int) -> _Outcomes:
        """The outcomes in one state."""
        here: Any = np.flatnonzero(self.state == state)
        return _Outcomes(*(part[here] for part in self))


class _Grid(NamedTuple):
    """Beliefs with fractions of `parts`."""

    parts: int
    points: Array  # [G, K]
    rank: Index  # of a point by its key; see `_keys`


class _Around(NamedTuple):
    """Where the beliefs after each outcome are, seen from some beliefs. [O, B]"""

    probability: Array  # of the outcome, at each belief
    belief: Array  # after it [O, B, K]
    vertex: Index  # grid points around that [O, B, K]
    weight: Array  # with which they average to it [O, B, K]


class _Layer(NamedTuple):
    """Bounds at the grid points with some steps left."""

    upper: Array  # [S, G]
    vectors: Array  # value of a policy in each model [S, G, K]


class ModelSetBounds(NamedTuple):
    """Bounds on the value of each action, and the action of the policy whose value the lower bound
    is.

    Attributes:
        action: action with the largest lower bound.
        lower: lower bound on the optimal value of each action. [A]
        upper: upper bound. [A]
    """

    action: int
    lower: Array
    upper: Array


@dataclass(frozen=True)
class ModelSetSolution:
    """The solution of a problem with a few possible models.

    Attributes:
        problem: the problem.
        parts: the grid has the beliefs with fractions of so many parts.
        points: number of its points.
        steps: number of steps looked ahead.
    """

    problem: BAMDP
    parts: int
    points: int
    steps: int
    _layers: list[_Layer] = field(repr=False)  # by steps left, 0 first
    _grid: _Grid = field(repr=False)
    _outcomes: _Outcomes = field(repr=False)
    _weights: Array = field(repr=False)

    def bounds(
        self, state: int, weights: ArrayLike | None = None, steps_left: int | None = None
    ) -> ModelSetBounds:
        """Bounds on the values in a state.

        Args:
            state: the state.
            weights: probability of each model; if not given, those of the belief that was solved
                for. [K]
            steps_left: number of steps that are left, of a problem with a horizon; all of them if
                not given.
        """
        state = check_state(self.problem, state)
        K = len(self._weights)
        belief = self._weights if weights is None else checked_weights(weights, K, "models")
        if steps_left is not None:
            if self.problem.horizon is None:
                raise ValueError("steps_left goes with a horizon, which the problem does not have")
            steps_left = validation.integer("steps_left", steps_left, 1, self.steps)
        outcomes = self._outcomes.of(state)
        around = _around(self._grid, outcomes, belief[None])
        layer = self._layers[-2 if steps_left is None else steps_left - 1]
        lower, upper, _ = _backup(self.problem, outcomes, around, layer)
        return ModelSetBounds(
            int(lower[state, :, 0].argmax()), lower[state, :, 0], upper[state, :, 0]
        )

    def table(self, parts: int = 4, steps_left: int | None = None) -> list[dict[str, Any]]:
        """What to do in each state for a range of beliefs, as rows for `pandas.DataFrame`.

        Args:
            parts: the beliefs of the table have fractions of so many parts.
            steps_left: as in `bounds`.
        """
        parts = validation.positive_integer("parts", parts)
        points = _belief_grid(len(self._weights), parts).points
        names = world_names(self.problem.prior) or [f"model {k}" for k in range(len(self._weights))]
        rows = []
        for state, point in itertools.product(np.unique(self._outcomes.state).tolist(), points):
            bounds = self.bounds(state, point, steps_left)
            models = {
                name: round(float(weight), 6) for name, weight in zip(names, point, strict=True)
            }
            rows.append(
                {
                    "state": state_name(self.problem, state),
                    **models,
                    "action": action_name(self.problem, bounds.action),
                    "lower": float(bounds.lower.max()),
                    "upper": float(bounds.upper.max()),
                }
            )
        return rows


def solve_model_set(
    problem: BAMDP, state: int, *, belief: Belief | None = None, tolerance: float | None = None
) -> ModelSetSolution:
    """Solve a problem with a few possible models, over any number of steps.

    Args:
        problem: problem with a prior such as `bamdp.priors.Finite` of at most eight models.
        state: the state whose value is to be known within `tolerance`.
        belief: current belief of the problem; that before any observation if not given.
        tolerance: distance of the bounds at which the grid is fine enough; a hundredth of the range
            of rewards if not given. Where memory does not allow it, the bounds stay further apart.

    Returns:
        Bounds on the values, in every state and for every belief.

    Example:
        A coin that shows heads with probability 0.2 or 0.8, 30 bets on heads (1 or −1) or none:

        >>> import bamdp
        >>> coins = [[[[p, 1 - p]] * 2] * 2 for p in (0.2,
        ...     0.8)]  # next state: heads or tails, whether one bets or not
        >>> prior = bamdp.priors.Finite(coins, weights=[0.7, 0.3])
        >>> bets = [[[0, 0], [1, -1]]] * 2  # [state, action, next state]
        >>> problem = bamdp.BAMDP(prior, bets, discount=1, horizon=30, actions=("wait", "bet"))
        >>> solution = solve_model_set(problem, state=0)
        >>> bounds = solution.bounds(0)
        >>> print(action_name(problem, bounds.action), bounds.lower.round(2), bounds.upper.round(2))
        wait [4.75 4.51] [4.77 4.53]
        >>> for row in solution.table(parts=2)[:3]:
        ...     print(row["model 0"], row["model 1"], row["action"])
        1.0 0.0 wait
        0.5 0.5 wait
        0.0 1.0 bet
    """
    require_table(checked_problem(problem), "solve_model_set")
    require_discount(problem, "solve_model_set")
    if problem.episode_length is not None:
        raise ValueError(
            "solve_model_set has one episode: the problem must not have an episode_length"
        )
    state, belief = check_state(problem, state), resolve_belief(problem, belief)
    models, weights = possible_models(belief)
    if models is None:
        raise TypeError(
            "prior must be a finite set of models, such as bamdp.priors.Finite, got "
            f"{belief.problem.prior!r}"
        )
    if len(weights) > MOST_MODELS:
        raise ValueError(
            f"prior must have at most {MOST_MODELS} models that are possible, got {len(weights)}"
        )
    if tolerance is not None:
        tolerance = real("tolerance", tolerance, 0, open_low=True)
    solution = _refined(problem, state, models, weights, tolerance, most_work=math.inf)
    assert solution is not None
    return solution


def bound_few_models(question: Question, later: LaterValues) -> BayesOptimal | None:
    """The middle of bounds that are as close as the tolerance; None for other beliefs, for a run of
    several episodes, or if that takes a finer grid than can be solved in seconds.
    """
    if question.limit is not None or question.restart is not None or not is_few(question.belief):
        return None
    problem = replace(question.problem, horizon=question.horizon if question.is_finite else None)
    gap = None if question.tolerance is None else 2 * question.tolerance
    models, weights = possible_models(question.belief)
    assert models is not None
    solution = _refined(problem, question.state, models, weights, gap, most_work=MOST_WORK)
    if solution is None or _gap(solution, question.state) > _tolerance(problem, gap):
        return None
    bounds = solution.bounds(question.state)
    return BayesOptimal(
        (bounds.lower + bounds.upper) / 2,
        float((bounds.upper - bounds.lower).max()) / 2
        + (question.error_bound if question.is_finite else 0.0),
        solution.steps,
        question.leaf,
        solution.points,
        later,
    )


def possible_models(belief: Belief) -> tuple[MDP | None, Array]:
    """The models that are possible, [K], and their probabilities; none if the belief is not over
    finitely many.
    """
    models = belief.particles
    if models is None or models.weights is None or models.outcomes is not None:
        return None, np.empty(0)
    possible = np.flatnonzero(models.weights)
    return models.take(possible), models.weights[possible] / models.weights[possible].sum()


def is_few(belief: Belief) -> bool:
    """Whether a few models are possible."""
    return 0 < len(possible_models(belief)[1]) <= MOST_MODELS


def _refined(
    problem: BAMDP,
    state: int,
    models: MDP,
    weights: Array,
    tolerance: float | None,
    *,
    most_work: float,
) -> ModelSetSolution | None:
    """The solution on the first grid that is fine enough, or on the last one that memory and work
    allow; None if they allow none.
    """
    outcomes, tolerance = _listed_outcomes(models), _tolerance(problem, tolerance)
    low, high = problem.prior.reward_range(problem.rewards)
    steps, ends = _steps(problem, low, high, tolerance)
    solution, parts, work = None, COARSEST, 0
    with progress("grid") as show:
        while solution is None or _gap(solution, state) > tolerance:
            size = math.comb(parts + len(weights) - 1, parts)
            work += steps * size * outcomes.likelihood.size
            too_large = solution is not None and 24 * size * outcomes.likelihood.size > MEMORY
            if too_large or work > most_work:
                break
            show(f"{size} beliefs")
            grid = _belief_grid(len(weights), parts)
            solution = _backed_up(problem, outcomes, weights, grid, steps, ends)
            parts *= 2
    return solution


def _tolerance(problem: BAMDP, tolerance: float | None) -> float:
    low, high = problem.prior.reward_range(problem.rewards)
    return (GAP * (high - low) or GAP) if tolerance is None else tolerance


def _gap(solution: ModelSetSolution, state: int) -> float:
    bounds = solution.bounds(state)
    return float(bounds.upper.max() - bounds.lower.max())


def _listed_outcomes(models: MDP) -> _Outcomes:
    """The outcomes: next states, told apart by reward and end where models differ in them."""
    transitions, (K, S, A) = models.transitions, models.transitions.shape[:3]
    rewards = np.broadcast_to(
        models.rewards if models.rewards.ndim == 4 else models.rewards[..., None], (K, S, A, S)
    )
    over = models.terminal.all(axis=0)
    rows = []
    for s, a, n in itertools.product(np.flatnonzero(~over).tolist(), range(A), range(S)):
        groups: dict[tuple[float, bool], Array] = {}
        for k in np.flatnonzero(transitions[:, s, a, n]).tolist():
            observed = float(rewards[k, s, a, n]), bool(models.terminal[k, n])
            groups.setdefault(observed, np.zeros(K))[k] = transitions[k, s, a, n]
        rows += [
            (s, a, n, reward, not ends, likelihood) for (reward, ends), likelihood in groups.items()
        ]
    columns = zip(*rows, strict=True)
    return _Outcomes(*(np.array(column) for column in columns))


def _steps(
    problem: BAMDP, low: float, high: float, tolerance: float
) -> tuple[int, tuple[float, float]]:
    """How far to look, and the bounds on the value of what comes after."""
    if problem.horizon is not None:
        return problem.horizon, (0.0, 0.0)
    bottom, top = (end / (1 - problem.discount) for end in (low, high))
    if problem.terminal or problem.prior.unknown_terminal:
        bottom, top = min(bottom, 0.0), max(top, 0.0)
    if problem.discount == 0 or top == bottom:
        return 1, (bottom, top)
    return max(
        1, math.ceil(math.log(0.1 * tolerance / (top - bottom)) / math.log(problem.discount))
    ), (bottom, top)


def _belief_grid(num_models: int, parts: int) -> _Grid:
    """All beliefs with fractions of `parts`: v, with parts = v_1 ≥ v_2 ≥ … ≥ v_K ≥ 0, is the belief
    (v_k − v_{k+1})/parts.
    """
    tails = np.array(
        [v[::-1] for v in itertools.combinations_with_replacement(range(parts + 1), num_models - 1)]
    )
    tails = tails.reshape(len(tails), num_models - 1).astype(np.int64)
    steps = np.column_stack(
        [np.full(len(tails), parts), tails, np.zeros(len(tails), dtype=np.int64)]
    )
    index = np.zeros((parts + 1) ** (num_models - 1), dtype=np.int64)
    index[_keys(tails, parts)] = np.arange(len(tails))
    return _Grid(parts, -np.diff(steps, axis=1) / parts, index)


def _keys(tails: Index, parts: int) -> Index:
    return np.asarray(tails @ (parts + 1) ** np.arange(tails.shape[-1], dtype=np.int64))


def _around(grid: _Grid, outcomes: _Outcomes, beliefs: Array) -> _Around:
    """The beliefs after each outcome, between the corners of the Freudenthal simplex that they lie
    in.
    """
    joint = outcomes.likelihood[:, None, :] * beliefs  # [O, B, K]
    probability = joint.sum(axis=-1)
    after = np.where(
        probability[..., None] > 0, joint / np.maximum(probability, 1e-300)[..., None], beliefs
    )
    K = after.shape[-1]
    x = np.minimum(grid.parts * np.cumsum(after[..., ::-1], axis=-1)[..., ::-1], grid.parts)
    x[..., 0] = grid.parts
    base = np.floor(x + 1e-12).astype(np.int64)
    rest = np.clip(x - base, 0.0, 1.0)
    order = np.argsort(-rest, axis=-1, kind="stable")
    sorted_rest = np.take_along_axis(rest, order, axis=-1)
    vertex, weight = np.empty(after.shape, dtype=np.int64), np.empty(after.shape)
    corner = base
    for j in range(K):
        vertex[..., j] = grid.rank[_keys(corner[..., 1:], grid.parts)]
        weight[..., j] = (1.0 if j == 0 else sorted_rest[..., j - 1]) - sorted_rest[..., j]
        if j + 1 < K:
            corner = corner.copy()
            np.put_along_axis(
                corner,
                order[..., j : j + 1],
                np.take_along_axis(corner, order[..., j : j + 1], -1) + 1,
                axis=-1,
            )
            corner = np.minimum(corner, grid.parts)  # corners of weight 0 may lie outside
    return _Around(probability, after, vertex, weight)


def _backup(
    problem: BAMDP, outcomes: _Outcomes, around: _Around, after: _Layer
) -> tuple[Array, Array, Index]:
    """Bounds on the value of each state and action [S, A, B], and the grid point to act by after
    each outcome [O, B].
    """
    shape = (problem.num_states, problem.num_actions, around.probability.shape[1])
    lower, upper = np.zeros(shape), np.zeros(shape)
    chosen = np.zeros(around.probability.shape, dtype=np.int64)
    for o, (s, a, n) in enumerate(
        zip(outcomes.state, outcomes.action, outcomes.next_state, strict=True)
    ):
        least = most = np.zeros(shape[2])
        if outcomes.continues[o]:
            vertex = around.vertex[o]  # [B, K]
            most = (around.weight[o] * after.upper[n][vertex]).sum(axis=-1)
            each = np.einsum("bjk,bk->bj", after.vectors[n][vertex], around.belief[o])
            best = each.argmax(axis=1)
            least, chosen[o] = (
                each.max(axis=1),
                np.take_along_axis(vertex, best[:, None], axis=1)[:, 0],
            )
        lower[s, a] += around.probability[o] * (outcomes.reward[o] + problem.discount * least)
        upper[s, a] += around.probability[o] * (outcomes.reward[o] + problem.discount * most)
    return lower, upper, chosen


def _backed_up(
    problem: BAMDP,
    outcomes: _Outcomes,
    weights: Array,
    grid: _Grid,
    steps: int,
    ends: tuple[float, float],
) -> ModelSetSolution:
    """The solution on a grid, from bounds on the value of what comes after all steps."""
    around = _around(grid, outcomes, grid.points)
    S, G, K = problem.num_states, len(grid.points), len(weights)
    layers = [_Layer(np.full((S, G), ends[1]), np.full((S, G, K), ends[0]))]
    acting = np.unique(outcomes.state)
    for _ in range(steps):
        lower, upper, chosen = _backup(problem, outcomes, around, layers[-1])
        policy = lower.argmax(axis=1)  # [S, G]
        top, vectors = np.zeros((S, G)), np.zeros((S, G, K))
        top[acting] = upper[acting].max(axis=1)
        for o, (s, a, n) in enumerate(
            zip(outcomes.state, outcomes.action, outcomes.next_state, strict=True)
        ):
            taken = np.flatnonzero(policy[s] == a)
            later = layers[-1].vectors[n][chosen[o, taken]] if outcomes.continues[o] else 0.0
            vectors[s, taken] += outcomes.likelihood[o] * (
                outcomes.reward[o] + problem.discount * later
            )
        layers.append(_Layer(top, vectors))
        if problem.horizon is None:
            layers = layers[-2:]
    return ModelSetSolution(problem, grid.parts, G, steps, layers, grid, outcomes, weights)
