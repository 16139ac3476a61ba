"""Two normal arms with a known number of steps, solved exactly; one of them may be a sure payment.

    r ~ N(μ_k, σ_k²),   μ_k ~ N(m_k, v_k),   σ_k known

v_k depends on the number of pulls alone. A pull of arm k moves x = m_1 − m_2 by s_k Z with Z ~ N(0,
1) and s_k = v_k / √(v_k + σ_k²). Adding a constant to both means adds it to all rewards, so that
with h steps left and A_h = 1 + γ + … + γ^(h−1) the value is A_h m_2 + w_h(x), a function of one
variable for each pair of numbers of pulls:

    q_1(x) = x + γ E w_{h−1}(x + s_1 Z),   q_2(x) = γ E w_{h−1}(x + s_2 Z)
    w_h = max(q_1, q_2),   w_1(x) = max(x, 0)

The computation, and its error:

1. With S² the largest variance that x can still gain, w_h(x) is at most A_h S φ(x/S) above A_h
   max(x, 0), the value of staying with one arm. Where |x| ≥ u S that value is taken; u makes this
   at most `TOLERANCE` times S. Errors of steps add up.
2. Between, q_1 and q_2 are analytic and w_h has a kink where they are equal. Expectations are sums
   by Gauss–Legendre rules of 20 points on panels from kink to kink, at most nine times as wide as
   the smallest s_k: nothing is interpolated. With panels half as wide, values change by less than
   1e-9 of the deviation of a reward (tests/exact/test_normal_arms.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, singledispatch
from itertools import pairwise
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import validation
from bamdp.exact.solution import BayesOptimal, LaterValues, Question, Walk
from bamdp.prior import Belief
from bamdp.priors.normal_arms import NormalArmsBelief
from bamdp.problem import BAMDP, checked_problem, resolve_belief
from bamdp.validation import integer, real_array

Array = NDArray[np.float64]
TOLERANCE = 1e-10  # of point 1, for each step
PANEL, POINTS = 9.0, 20
REACH = 8.5  # standard deviations beyond which the normal density is nothing
BLOCK = 80  # values of x at a time
MOST_STEPS = 100
SCAN = 257  # places between which a kink is looked for
NARROW = 1e-8  # width to which it is narrowed down; the error is of the order of its square
ABSCISSAS, WEIGHTS = np.polynomial.legendre.leggauss(POINTS)


class _Nodes(NamedTuple):
    """w of one pair of numbers of pulls and one number of steps left."""

    x: Array  # nodes, from bottom to top
    weighted: Array  # w at the nodes, times the weight of the rule
    top: float  # from here on w = annuity · x, and 0 from −top down
    annuity: float


class TwoNormalArms:
    """Bayes-optimal values of two normal arms, for any means, numbers of pulls and steps left.

    What is solved for one choice serves all others.

    Args:
        deviations: standard deviation of each unknown mean before any pull; 0 for a mean that is
            known. [2]
        noise: standard deviation of a reward around its mean, one number or one per arm.
        discount: discount factor, in [0, 1].

    Example:
        >>> arms = TwoNormalArms([1.0, 0.0], noise=1.0)  # an unknown arm and a sure payment
        >>> arms.q_values(means=[0.0, 0.1], pulls=[0, 0], steps=10).round(3)
        array([3.46 , 3.152])
    """

    def __init__(
        self, deviations: ArrayLike, noise: float | ArrayLike, discount: float = 1.0
    ) -> None:
        spread, around = real_array("deviations", deviations), real_array("noise", noise)
        if spread.shape != (2,) or spread.min() < 0:
            raise ValueError(
                f"deviations must be those of two arms, at least 0, got {spread.tolist()}"
            )
        if around.shape not in ((), (2,)) or around.min() <= 0:
            raise ValueError(
                "noise must be one positive number or one for each of the two arms, got "
                f"{around.tolist()}"
            )
        self._prior: list[float] = (spread**2).tolist()
        self._noise: list[float] = np.broadcast_to(around**2, 2).tolist()
        self._discount = validation.real("discount", discount, 0, 1)
        self._solved: dict[tuple[int, int, int], _Nodes] = {}
        self._lock = RLock()

    @property
    def functions(self) -> int:
        """Number of functions of x that were solved so far: pairs of numbers of pulls, for each
        number of steps left.
        """
        return len(self._solved)

    def q_values(self, means: ArrayLike, pulls: ArrayLike, steps: ArrayLike) -> Array:
        """The value of each arm: the expected sum of rewards after pulling it. [..., 2]

        Args:
            means: posterior mean of each arm. [..., 2]
            pulls: number of pulls of each arm since the prior. [..., 2]
            steps: number of steps left, at least 1. [...]
        """
        m, n, h = (
            real_array("means", means),
            real_array("pulls", pulls).astype(int),
            real_array("steps", steps).astype(int),
        )
        h = np.broadcast_to(h, m.shape[:-1])
        if h.size and not 1 <= h.min() <= h.max() <= MOST_STEPS:
            raise ValueError(f"steps must be from 1 to {MOST_STEPS}, got {h.min()} to {h.max()}")
        values = np.empty(m.shape)
        keys = np.stack([*np.moveaxis(np.broadcast_to(n, m.shape), -1, 0), h], axis=-1)
        flat, out = m.reshape(-1, 2), values.reshape(-1, 2)
        if len(flat) == 0:
            return values
        different, which = np.unique(keys.reshape(-1, 3), axis=0, return_inverse=True)
        for i, (n1, n2, left) in enumerate(different.tolist()):
            here = which.reshape(-1) == i
            with self._lock:
                q = self._q(n1, n2, left, flat[here, 0] - flat[here, 1])
            out[here] = q.T + self._annuity(left) * flat[here, 1:]
        return out.reshape(m.shape)

    def _annuity(self, steps: int) -> float:
        return steps if self._discount == 1 else (1 - self._discount**steps) / (1 - self._discount)

    def gain(self, k: int, n: int) -> float:
        """How far a reward of arm k moves its mean after n pulls, relative to the distance of the
        two.
        """
        left = self._variance(k, n)
        return left / (left + self._noise[k])

    def _variance(self, k: int, n: int) -> float:
        """The variance of the mean of arm k after n pulls."""
        v = self._prior[k]
        return v - v * v / (v + self._noise[k] / n) if n and v > 0 else v

    def _moves(self, n1: int, n2: int) -> list[float]:
        """The standard deviation of the move of x by a pull of each arm."""
        left = self._variance(0, n1), self._variance(1, n2)
        return [left[k] / math.sqrt(left[k] + self._noise[k]) for k in (0, 1)]

    def _q(self, n1: int, n2: int, steps: int, x: Array) -> Array:
        """q_1 and q_2. [2, n]"""
        if steps == 1:
            return np.stack([x, np.zeros_like(x)])
        children, moves = ((n1 + 1, n2), (n1, n2 + 1)), self._moves(n1, n2)
        ahead = [self._expected(*children[k], steps - 1, x, moves[k]) for k in (0, 1)]
        return np.stack([x + self._discount * ahead[0], self._discount * ahead[1]])

    def _expected(self, n1: int, n2: int, steps: int, x: Array, move: float) -> Array:
        """E w(x + move · Z)."""
        if move == 0:
            return np.asarray(self._q(n1, n2, steps, x).max(axis=0))
        nodes = self._nodes(n1, n2, steps)
        beyond = (nodes.top - x) / move
        total = nodes.annuity * (x * _upper_tail(beyond) + move * _normal_density(beyond))
        for first in range(0, len(x) if len(nodes.x) else 0, BLOCK):
            some = x[first : first + BLOCK]
            near = slice(
                *np.searchsorted(nodes.x, [some.min() - REACH * move, some.max() + REACH * move])
            )
            density = _normal_density((nodes.x[near] - some[:, None]) / move)
            total[first : first + BLOCK] += density @ nodes.weighted[near] / move
        return np.asarray(total)

    def _nodes(self, n1: int, n2: int, steps: int) -> _Nodes:
        key = n1, n2, steps
        if key not in self._solved:
            self._solved[key] = self._solve(n1, n2, steps)
        return self._solved[key]

    def _solve(self, n1: int, n2: int, steps: int) -> _Nodes:
        annuity = self._annuity(steps)
        now, later = (
            self._variance(0, n1 + more) + self._variance(1, n2 + more) for more in (0, steps - 1)
        )
        spread = math.sqrt(max(0.0, now - later))
        moves = [move for move in self._moves(n1, n2) if move > 0]
        if steps == 1 or spread == 0 or not moves:
            return _Nodes(np.empty(0), np.empty(0), 0.0, annuity)
        top = spread * math.sqrt(2 * math.log(annuity / TOLERANCE))
        ends = [-top, *self._kinks(n1, n2, steps, top), top]
        x, weights = zip(
            *(_panels(*pair, PANEL * min(moves)) for pair in pairwise(ends)), strict=True
        )
        nodes = np.concatenate(x)
        return _Nodes(
            nodes, np.concatenate(weights) * self._q(n1, n2, steps, nodes).max(axis=0), top, annuity
        )

    def _kinks(self, n1: int, n2: int, steps: int, top: float) -> list[float]:
        """Where both arms are worth the same."""

        def better(x: Array) -> Array:
            q = self._q(n1, n2, steps, x)
            return np.asarray(q[0] - q[1])

        places = np.linspace(-top, top, SCAN)
        signs = better(places) > 0
        kinks = []
        for i in np.flatnonzero(signs[1:] != signs[:-1]).tolist():
            ends = places[i : i + 2]
            while np.ptp(ends) > NARROW * top:
                inside = np.linspace(float(ends[0]), float(ends[1]), 18)
                same = (better(inside[1:-1]) > 0) == signs[i]
                ends = inside[int(np.argmin([*same, False])) :][:2]
            kinks.append(float(ends.mean()))
        return kinks


def two_normal_arms(problem: BAMDP, belief: Belief | None = None) -> tuple[TwoNormalArms, Array]:
    """The solution of a problem of two normal arms, kept for later calls with the same prior, and
    the mean of each arm.

    Args:
        problem: the problem, with the prior `NormalArms`, known noise and two actions.
        belief: the belief after observations; that of the prior if not given.

    Example:
        >>> import bamdp
        >>> arms, means = two_normal_arms(bamdp.domains.NormalBandit([0.0, 0.0], 1.0, 1.0,
        ...     horizon=3).problem())
        >>> arms.q_values(means, pulls=[0, 0], steps=3).round(3)
        array([0.648, 0.648])
    """
    checked_problem(problem)
    belief = resolve_belief(problem, belief)
    known = _arms(belief)
    if known is None:
        raise TypeError(f"prior must be NormalArms, got {problem.prior!r}")
    if problem.num_actions != 2:
        raise TypeError(
            f"normal arms with a horizon are solved for two arms, got {problem.num_actions}"
        )
    if not all(outcome.known_noise for outcome in known):
        raise ValueError(
            "degrees must be infinite: normal arms with a horizon are solved for known noise"
        )
    made = _kept(
        *((float(outcome.deviation), float(outcome.noise)) for outcome in known), problem.discount
    )
    return made, np.array([float(outcome.mean) for outcome in known])


@singledispatch
def _arms(belief: Belief) -> list[Any] | None:
    """What is known of each arm, in numbers; None if a belief is not one over normal arms."""
    return None


@_arms.register
def _(belief: NormalArmsBelief) -> list[Any] | None:
    return [belief.arm(k) for k in range(belief.problem.num_actions)]


@lru_cache(maxsize=64)
def _kept(
    first: tuple[float, float], second: tuple[float, float], discount: float
) -> TwoNormalArms:
    return TwoNormalArms([first[0], second[0]], [first[1], second[1]], discount)


class NormalArmsWalk(Walk):
    """A path through the beliefs over two normal arms, following real rewards."""

    def __init__(self, question: Question) -> None:
        super().__init__(question.horizon)
        self._arms, self._means = two_normal_arms(question.problem, question.belief)
        self._pulls = np.zeros(2, dtype=np.int64)

    def __copy__(self) -> NormalArmsWalk:
        twin = object.__new__(type(self))
        own = {"_means": self._means.copy(), "_pulls": self._pulls.copy()}
        vars(twin).update({**vars(self), **own})
        return twin

    def _q_values(self) -> Array:
        return self._arms.q_values(self._means, self._pulls, self._horizon - self.depth)

    def _move(
        self, action: int, next_state: int, reward: float | None, terminated: bool | None
    ) -> None:
        k = integer("action", action, 0, 1)
        if reward is None:
            raise ValueError("reward must be given: it is what normal arms are learned from")
        self._means[k] += self._arms.gain(k, int(self._pulls[k])) * (
            validation.reward(reward) - self._means[k]
        )
        self._pulls[k] += 1


class _LaterValues(NamedTuple):
    """The values after the root are functions that were solved for it."""

    question: Question
    fits: bool = True

    def walk(self) -> NormalArmsWalk:
        return NormalArmsWalk(self.question)


def solve_normal_arms(question: Question, later: LaterValues) -> BayesOptimal | None:
    """The solution of two normal arms; None for other priors."""
    if _arms(question.belief) is None:
        return None
    integer("horizon", question.horizon, 1, MOST_STEPS)
    later = _LaterValues(question)
    q_values, (arms, _) = later.walk().q_values, two_normal_arms(question.problem, question.belief)
    return BayesOptimal(
        q_values, question.error_bound, question.horizon, question.leaf, arms.functions, later
    )


def _panels(low: float, high: float, width: float) -> tuple[Array, Array]:
    """Nodes and weights of the rule from low to high, on panels of at most this width."""
    count = max(1, math.ceil((high - low) / width))
    half = (high - low) / (2 * count)
    middles = low + half * (2 * np.arange(count) + 1)
    return (middles[:, None] + half * ABSCISSAS).ravel(), np.tile(half * WEIGHTS, count)


def _normal_density(z: Array) -> Array:
    return np.asarray(np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi))


_erfc: Callable[[Array], Array] = np.vectorize(math.erfc, otypes=[np.float64])


def _upper_tail(z: Array) -> Array:
    return np.asarray(_erfc(z / math.sqrt(2)) / 2)
