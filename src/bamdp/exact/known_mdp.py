"""Exact values of a known MDP, in plain NumPy on its sparse rows, for the oracle, tests and reports.

    Q*(s, a) = R(s, a) + γ Σ_s' P(s' | s, a) max_a' Q*(s', a')

`q_values` solves it by modified policy iteration: a full backup V ← max_a (R + γ P V), then some backups of its greedy
policy alone, which cost 1/A of a full one. If a full backup changes V everywhere by an amount in [low, high], then Q* − Q is
in γ/(1 − γ) · [low, high] everywhere (MacQueen's bounds): the midpoint is added, half the width is the error.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp._validation import dimensions, distribution_rows, fits_memory, integer, positive_integer, real
from bamdp._validation import discount as valid_discount
from bamdp.domains.tabular import Tabular

_POLICY_BACKUPS = 20


def expected_rewards(
    successors: NDArray[np.int64], probabilities: NDArray[np.float64], rewards: NDArray[np.float64]
) -> NDArray[np.float64]:
    """R(s, a), averaged over the next state where rewards depend on it. [S, A]"""
    if rewards.ndim == 2:
        return rewards
    return np.asarray(np.vecdot(probabilities, np.take_along_axis(rewards, successors, axis=2)))


def q_values(
    successors: NDArray[np.int64],
    probabilities: NDArray[np.float64],
    rewards: NDArray[np.float64],
    discount: float,
    tolerance: float = 1e-8,
) -> NDArray[np.float64]:
    """The optimal discounted value of every state and action. [S, A]

    The error, max |Q − Q*|, is at most `tolerance`; where that is finer than doubles allow, at most
    4 (k + 2) ε max|R| γ / (1 − γ)², the effect of rounding sums of k terms with relative precision ε.

    Args:
        successors: possible next states of each row. [S, A, k]
        probabilities: their probabilities. [S, A, k]
        rewards: [S, A] or [S, A, S].
        discount: in [0, 1).
        tolerance: maximum error, above 0.

    Example:
        >>> from bamdp.domains import DoubleLoop
        >>> mdp = DoubleLoop()
        >>> q_values(mdp.successors, mdp.probabilities, mdp.rewards, mdp.discount).max(axis=1)[0].round(3)
        np.float64(7.201)
    """
    discount = valid_discount(discount)
    tolerance = real("tolerance", tolerance, 0, open_low=True)
    means = expected_rewards(successors, probabilities, rewards)
    per_backup = (successors.shape[2] + 2) * np.finfo(np.float64).eps * float(np.abs(means).max()) / (1 - discount)
    scale = discount / (1 - discount)
    rounding = scale * per_backup
    tolerance = max(tolerance, 4 * rounding)
    states = np.arange(len(means))
    # From below, so that backups only raise the values: convergence is monotone.
    values = np.full(len(means), means.min() / (1 - discount))
    while True:
        q = means + discount * np.vecdot(probabilities, values[successors])
        policy = q.argmax(axis=1)
        change = q[states, policy] - values
        low, high = scale * float(change.min()), scale * float(change.max())
        if (high - low) / 2 + rounding <= tolerance:
            return np.asarray(q + (low + high) / 2)
        values = q[states, policy]
        chosen, weights, paid = successors[states, policy], probabilities[states, policy], means[states, policy]
        for _ in range(_POLICY_BACKUPS):
            values = paid + discount * np.vecdot(weights, values[chosen])


def values_by_steps(
    successors: NDArray[np.int64],
    probabilities: NDArray[np.float64],
    rewards: NDArray[np.float64],
    discount: float,
    steps: int | None,
    *,
    episode_length: int | None = None,
    start: int = 0,
) -> NDArray[np.float64]:
    """The optimal value of every state with 0, 1, … `steps` steps left, by backward induction. [steps + 1, S]

    Args:
        successors: possible next states of each row. [S, A, k]
        probabilities: their probabilities. [S, A, k]
        rewards: [S, A] or [S, A, S].
        discount: in [0, 1].
        steps: number of steps; None for as many as change anything, where every policy ends: then only the last values. [1, S]
        episode_length: number of steps of each episode, counted from the first of `steps`; without episodes if not given. Where
            one ends, the value is that of `start`.
        start: state that each of these episodes starts in.

    Example:
        >>> from bamdp.domains import DoubleLoop
        >>> mdp = DoubleLoop()
        >>> values_by_steps(mdp.successors, mdp.probabilities, mdp.rewards, 1.0, steps=10)[:, 0]
        array([0., 0., 0., 0., 0., 2., 2., 2., 2., 2., 4.])
    """
    discount = valid_discount(discount, ends=True)
    means = expected_rewards(successors, probabilities, rewards)
    if steps is None:
        return _converged(successors, probabilities, means, discount)
    steps = positive_integer("steps", steps)
    fits_memory(f"steps={steps}", (steps + 1) * len(means))
    values = np.zeros((steps + 1, len(means)))
    for k in range(steps):
        values[k + 1] = (means + discount * np.vecdot(probabilities, values[k][successors])).max(axis=1)
        if episode_length is not None and (steps - k - 1) % episode_length == 0:
            values[k + 1] = values[k + 1, start]
    return values


def _converged(
    successors: NDArray[np.int64], probabilities: NDArray[np.float64], means: NDArray[np.float64], discount: float
) -> NDArray[np.float64]:
    """Value iteration until rounding is all that changes."""
    values, smallest = np.zeros(len(means)), np.inf
    while True:
        updated = (means + discount * np.vecdot(probabilities, values[successors])).max(axis=1)
        change = float(np.abs(updated - values).max())
        if change <= 1e-13 * float(np.abs(updated).max()) and change >= smallest:
            return np.asarray(updated[None])
        values, smallest = updated, min(smallest, change)


def policy_rewards(domain: Tabular, policy: ArrayLike, steps: int) -> float:
    """The exact expected undiscounted total reward of a stationary policy over `steps` steps from the start state.

    A terminal state is followed by the start state, as in `bamdp.run`; time limits are ignored.

    Args:
        domain: the domain.
        policy: action of each state, [S], or probability of each action in each state, [S, A].
        steps: number of steps.

    Example:
        >>> from bamdp.domains import DoubleLoop
        >>> policy_rewards(DoubleLoop(), [1] * 9, steps=1000)
        400.0
    """
    steps = positive_integer("steps", steps)
    _require_rows(domain)
    choice = _choice(domain, policy)
    S = domain.num_states
    paid = (choice * expected_rewards(domain.successors, domain.probabilities, domain.rewards)).sum(axis=1)
    weights = (choice[:, :, None] * domain.probabilities).reshape(S, -1)
    successors = domain.successors.reshape(S, -1)
    values, terminal = np.zeros(S), sorted(domain.terminal)
    for _ in range(steps):
        values[terminal] = values[domain.start]
        values = paid + np.vecdot(weights, values[successors])
    return float(values[domain.start])


def optimal_total(domain: Tabular, steps: int) -> float:
    """The maximum expected undiscounted total reward over `steps` steps from the start state.

    A terminal state is followed by the start state, as in `bamdp.run`; time limits are ignored.

    Example:
        >>> from bamdp.domains import DoubleLoop
        >>> optimal_total(DoubleLoop(), steps=1000)
        400.0
    """
    steps = positive_integer("steps", steps)
    _require_rows(domain)
    means = expected_rewards(domain.successors, domain.probabilities, domain.rewards)
    values, terminal = np.zeros(domain.num_states), sorted(domain.terminal)
    for _ in range(steps):
        values[terminal] = values[domain.start]
        values = (means + np.vecdot(domain.probabilities, values[domain.successors])).max(axis=1)
    return float(values[domain.start])


def _require_rows(domain: Any) -> None:
    if not hasattr(domain, "successors") or not hasattr(domain, "probabilities"):
        raise TypeError(f"domain must have successors and probabilities, like bamdp.domains.Tabular, got {domain!r}")


def _choice(domain: Tabular, policy: ArrayLike) -> NDArray[np.float64]:
    """`policy` as the probability of each action in each state. [S, A]"""
    S, A = domain.num_states, domain.num_actions
    if dimensions("policy", policy) == 0:
        raise ValueError(f"policy must have shape {(S,)} or {(S, A)}, got one number")
    array = np.asarray(policy)
    if array.shape == (S, A):
        return distribution_rows("policy", array)
    if array.shape != (S,):
        raise ValueError(f"policy must have shape {(S,)} or {(S, A)}, got {array.shape}")
    return np.eye(A)[[integer(f"policy[{state}]", action, 0, A - 1) for state, action in enumerate(array)]]
