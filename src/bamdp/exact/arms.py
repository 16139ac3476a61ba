"""Bernoulli arms with Beta priors and a known number of steps, solved exactly: values, and the
whole policy.

With n_k pulls and s_k successes of arm k after t = Σ n_k of T steps,

    V_t(n, s) = max_k e_k + γ (p_k V_{t+1}(n + 1_k, s + 1_k) + (1 − p_k) V_{t+1}(n + 1_k, s))
    V_T = 0,   p_k = (a_k + s_k) / (a_k + b_k + n_k),   e_k the mean reward

is computed backwards, each layer in the place of the next one (core/exact/arms.hpp). K arms have
C(t + 2K − 1, 2K − 1) states in layer t. Two arms take T⁴/24 operations and T³/6 numbers: a tenth of
a second for T = 148, and 1.3 GB for T = 1000 (Jacko 2019 has the history of what was believed
possible). Their policy takes half as much again: the more successes of an arm, the better it is
beside the other, so that the policy at (n_1, s_1, n_2) is a number of successes s_2. That is
checked in each state; a policy that is not of this form takes a byte for each state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core
from bamdp.exact.belief_states import LIMIT
from bamdp.exact.solution import BayesOptimal, LaterValues, Question
from bamdp.executors import cores
from bamdp.prior import Belief
from bamdp.priors.beta_arms import has_independent_arms
from bamdp.problem import BAMDP, checked_problem, require_table, resolve_belief
from bamdp.progress import progress
from bamdp.validation import boolean, function, integer, positive_integer, real_array

MOST_ARMS = 6  # the core's
MEMORY = 2**31  # bytes
MANY = 10**8  # states, a few seconds, from which on progress is shown
FEW = 10**6  # states that one thread has done before another has started


@dataclass(frozen=True)
class OptimalArms:
    """The solution of a bandit with a known number of steps.

    Attributes:
        action: index, from 0, of the Bayes-optimal arm, the first one in case of ties.
        q_values: the Bayes-optimal value of each arm: the expected sum of all rewards after
            pulling it. [A]
        horizon: number of steps.
        belief_states: number of belief states.
        policy: the optimal arms in every belief state; None unless asked for.
    """

    action: int
    q_values: NDArray[np.float64]
    horizon: int
    belief_states: int
    policy: ArmsPolicy | None

    @property
    def value(self) -> float:
        """The value of the optimal arm."""
        return float(self.q_values[self.action])


class ArmsPolicy:
    """The Bayes-optimal arms after any numbers of successes and failures. Values that differ by
    rounding alone are equal.

    Args:
        num_arms: number of arms.
        horizon: number of steps.
        kept: one byte for each state, a bit for each optimal arm; or for two arms two numbers for
            each (n_1, s_1, n_2), the s_2 from which on the second arm is optimal, and below which
            the first one is. See core/exact/arms.hpp.
    """

    def __init__(
        self, num_arms: int, horizon: int, kept: NDArray[np.uint8] | NDArray[np.uint16]
    ) -> None:
        self.num_arms, self.horizon, self._kept = num_arms, horizon, kept

    def optimal(self, pulls: Sequence[int]) -> NDArray[np.bool_]:
        """Whether each arm is optimal after so many pulls of each and s_1 … s_K successes. [A,
        pulls_1 + 1, …, pulls_K + 1]
        """
        n = [integer("each of pulls", m, 0, self.horizon - 1) for m in pulls]
        if len(n) != self.num_arms or sum(n) >= self.horizon:
            raise ValueError(
                f"pulls must be {self.num_arms} numbers with a sum below {self.horizon}, got "
                f"{pulls!r}"
            )
        if (cuts := self.cuts(n)) is not None:
            low, high = cuts.T[:, :, None]
            successes = np.arange(n[1] + 1, dtype=np.uint16)
            return np.stack([successes < high, successes >= low])
        shape, start = [m + 1 for m in n], _layer_start(self.num_arms, sum(n)) + _slab_start(n)
        masks = self._kept[start : start + prod(shape)].reshape(shape)
        return np.stack([masks >> arm & 1 for arm in range(self.num_arms)]).astype(bool)

    def cuts(self, pulls: Sequence[int]) -> NDArray[np.uint16] | None:
        """For two arms and each s_1, the s_2 from which on the second arm is optimal, and below
        which the first one is.

        None if the policy is not of this form. [pulls_1 + 1, 2]
        """
        if self._kept.dtype != np.uint16:
            return None
        t, first = sum(pulls), pulls[0]
        start = t * (t + 1) * (t + 2) // 6 + first * (first + 1) // 2
        return self._kept[start : start + first + 1].astype(np.uint16, copy=False)

    def arms(self, successes: Sequence[int], failures: Sequence[int]) -> tuple[int, ...]:
        """The indices, from 0, of the optimal arms after so many successes and failures of each."""
        s = [integer("each of successes", n, 0) for n in successes]
        f = [integer("each of failures", n, 0) for n in failures]
        if len(s) != len(f):
            raise ValueError(
                f"successes and failures must be for the same number of arms, got {len(s)} and "
                f"{len(f)}"
            )
        optimal = self.optimal([x + y for x, y in zip(s, f, strict=True)])
        return tuple(arm for arm in range(self.num_arms) if optimal[(arm, *s)])

    def __repr__(self) -> str:
        states = _layer_start(self.num_arms, self.horizon)
        return (
            f"<policy for {self.num_arms} arms and {self.horizon} steps, {states:,} belief states>"
        )


def optimal_arms(
    problem: BAMDP,
    *,
    belief: Belief | None = None,
    policy: bool = False,
    final: Callable[[tuple[int, ...]], ArrayLike] | None = None,
    threads: int | None = None,
) -> OptimalArms:
    """The Bayes-optimal value of each arm of a bandit with a horizon, and the optimal policy if
    asked for.

    Args:
        problem: the problem, with the prior `BetaArms` of six arms at most, rewards that don't
            depend on the state, and a horizon.
        belief: the belief after observations; that of the prior if not given.
        policy: return the optimal arms in every belief state as well.
        final: what the end is worth, beside the rewards: a function of the pulls (n_1, …, n_K) that
            returns a value for each s_1 … s_K, [n_1 + 1, …, n_K + 1]; nothing if not given.
        threads: number of threads; one for each core if not given. The result does not depend on
            it.

    Raises:
        MemoryError: values and policy take more than 2 GiB, about 1000 steps of two arms and 90 of
            three.

    Example:
        >>> import bamdp
        >>> problem = bamdp.BAMDP(bamdp.priors.BetaArms(), rewards=[[[0, 1], [0, 1]]] * 2,
        ...     discount=1, horizon=100)
        >>> trial = optimal_arms(problem, policy=True)
        >>> round(trial.value, 6), trial.policy.arms(successes=[1, 3], failures=[0, 1])
        (64.918421, (0,))
    """
    require_table(checked_problem(problem), "optimal_arms")
    arms = arms_table(resolve_belief(problem, belief))
    if arms is None:
        raise TypeError(
            f"prior must be BetaArms, got {problem.prior!r}: bayes_optimal solves others"
        )
    payoffs = outcome_rewards(problem.rewards)
    if payoffs is None:
        raise ValueError(
            "rewards must not depend on the state, the last outcome: bayes_optimal solves such a "
            "problem"
        )
    if len(arms) > MOST_ARMS:
        raise ValueError(f"rewards must be those of at most {MOST_ARMS} arms, got {len(arms)}")
    horizon, discount = positive_integer("horizon", problem.horizon), problem.discount
    policy = boolean("policy", policy)
    needed = memory_needed(len(arms), horizon, policy)
    if needed > MEMORY:
        fitting = longest(len(arms), policy)
        raise MemoryError(
            f"horizon={horizon} needs {needed / 2**30:.3g} GiB for {len(arms)} "
            f"arms{' and their policy' if policy else ''}, "
            f"more than the {MEMORY / 2**30:g} GiB allowed; horizon={fitting} would work"
        )
    last = np.empty(0) if final is None else _final_values(final, len(arms), horizon)
    return _solved_arms(np.hstack([arms, payoffs]), horizon, discount, policy, threads, last)


def solve_beta_arms(question: Question, later: LaterValues) -> BayesOptimal | None:
    """The solution of a bandit by addresses; None for other problems, or if the belief states can
    be enumerated: only these are needed with a discount, and have their values kept.
    """
    problem, horizon = question.problem, question.horizon
    A, discount = problem.num_actions, problem.discount
    if question.limit is not None or not question.is_finite or question.restart is not None:
        return None
    if problem.terminal or problem.num_states != 2 or A > MOST_ARMS:
        return None
    if discount < 1 and comb(horizon + 2 * A - 1, 2 * A) <= LIMIT:
        return None
    arms, payoffs = arms_table(question.belief), outcome_rewards(problem.rewards)
    if arms is None or payoffs is None or memory_needed(A, horizon, policy=False) > MEMORY:
        return None
    solution = _solved_arms(np.hstack([arms, payoffs]), horizon, discount, policy=False)
    return BayesOptimal(
        solution.q_values,
        question.error_bound,
        horizon,
        question.leaf,
        solution.belief_states,
        later,
    )


def _solved_arms(
    arms: NDArray[np.float64],
    horizon: int,
    discount: float,
    policy: bool,
    threads: int | None = None,
    last: NDArray[np.float64] | None = None,
) -> OptimalArms:
    """The solution for arms that were checked, [A, 4]: successes, failures, rewards of a failure
    and of a success.
    """
    A, states = len(arms), _layer_start(len(arms), horizon)
    workers = cores() if threads is None else positive_integer("threads", threads, 1024)
    bandit = np.ascontiguousarray(arms), discount, horizon
    end = np.empty(0) if last is None else last
    kept: NDArray[np.uint8] | NDArray[np.uint16] | None = None
    with (
        progress("belief states")
        if states > MANY
        else nullcontext(lambda note, done, total: None) as show
    ):
        tick = partial(show, "", total=states)
        options: dict[str, Any] = {
            "last": end,
            "threads": 1 if states <= FEW else workers,
            "on_tick": tick,
        }
        values, _, cuts = _core.solve_arms(
            *bandit, keep="cuts" if policy and A == 2 else "", **options
        )
        kept = cuts
        if policy and not len(cuts):
            if _layer_start(A, horizon) > MEMORY:
                raise MemoryError(
                    f"horizon={horizon} needs {states / 2**30:.3g} GiB for a policy of this kind; "
                    "take fewer steps"
                )
            values, kept, _ = _core.solve_arms(*bandit, keep="masks", **options)
    return OptimalArms(
        int(values.argmax()),
        values,
        horizon,
        states,
        ArmsPolicy(A, horizon, kept) if policy else None,
    )


def _final_values(
    final: Callable[[tuple[int, ...]], ArrayLike], num_arms: int, horizon: int
) -> NDArray[np.float64]:
    """The values of all counts after the last step, in the order of the core."""
    parts = []
    for pulls in _compositions(horizon, num_arms):
        shape = tuple(n + 1 for n in pulls)
        values = real_array("final", function("final", final)(pulls))
        if values.shape != shape:
            raise ValueError(
                f"final must return an array of shape {shape} for the pulls {pulls}, got "
                f"{values.shape}"
            )
        parts.append(values.ravel())
    return np.concatenate(parts)


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a number as a sum of non-negative ones, in ascending order."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for others in _compositions(total - first, parts - 1):
            yield (first, *others)


def arms_table(belief: Belief) -> NDArray[np.float64] | None:
    """Pseudo-counts of successes and failures of each arm, after what was observed, [A, 2]; None if
    these are no Beta arms.
    """
    if (
        belief.counts is None
        or belief.native is None
        or not has_independent_arms(belief.problem.prior)
    ):
        return None
    counts = [belief.counts(0, arm) for arm in range(belief.problem.num_actions)]
    alpha = belief.native[0].alpha
    return np.array(
        [[alpha(0, arm, x) + seen.get(x, 0) for x in (1, 0)] for arm, seen in enumerate(counts)]
    )


def outcome_rewards(rewards: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The reward of a failure and of a success of each arm, [A, 2]; None if they depend on the
    state.
    """
    S, A = rewards.shape[:2]
    failure, success = np.broadcast_to(
        rewards[:, :, None] if rewards.ndim == 2 else rewards, (S, A, 2)
    )
    return np.array(success) if np.array_equal(failure, success) else None


def memory_needed(num_arms: int, horizon: int, policy: bool) -> int:
    """Bytes for the values, their addresses, and the policy."""
    slabs: int = (horizon + 1) ** (num_arms - 1)
    values = comb(horizon + 2 * num_arms - 1, 2 * num_arms - 1) + slabs
    kept = 4 * comb(horizon + 2, 3) if num_arms == 2 else _layer_start(num_arms, horizon)
    return 8 * values + (kept if policy else 0)


def longest(num_arms: int, policy: bool) -> int:
    """The longest horizon that fits into memory."""
    horizon = 1
    while memory_needed(num_arms, 2 * horizon, policy) <= MEMORY:
        horizon *= 2
    step = horizon
    while step := step // 2:
        horizon += step if memory_needed(num_arms, horizon + step, policy) <= MEMORY else 0
    return horizon


def _layer_start(num_arms: int, t: int) -> int:
    """Number of states before layer t."""
    return comb(t + 2 * num_arms - 1, 2 * num_arms)


def _slab_start(pulls: Sequence[int]) -> int:
    """Number of states of a layer before those with so many pulls of each arm."""
    n, *others = pulls
    if not others:
        return 0
    t, rest = sum(pulls), 2 * len(others) - 1
    return sum((i + 1) * comb(t - i + rest, rest) for i in range(n)) + (n + 1) * _slab_start(others)
