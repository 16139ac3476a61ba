"""Values with a bonus for learning, for any belief that has counts or can be sampled; see `IndexPolicy`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.prior import Belief, Models
from bamdp.priors._conjugate import ConjugateBelief
from bamdp.priors.unknown_rewards import UnknownRewardsBelief

MODELS = 32  # that stand for a belief without counts
SMALLEST_SHARE = 1e-6  # of a variance that one observation removes
ROUNDS = 2  # of bonus and values in turns, as in core/solve/solver.hpp


def solve_index(
    solver: _core.Solver,
    belief: Belief,
    rewards: NDArray[np.float64],
    discount: float,
    state: int,
    tolerance: float,
    rng: np.random.Generator,
    on_tick: Callable[[], None] | None = None,
    left: _core.StepsLeft | None = None,
) -> NDArray[np.float64] | None:
    """Solve the posterior mean of `belief`, with a bonus for learning as seen from `state`; with `left`, until the run ends.

    Beliefs with counts have it in the core. Another one is represented by some models and their weights: the standard deviation
    is that of the models' values, n0 follows from what an observation tells (`_counts`), and it is of use at every later step,
    N = discount / (1 - discount). Models that must be sampled are, with `rng`.

    Returns:
        The values of the actions in `state` without the bonus [A], of a belief without counts; None of one with counts.
    """
    if isinstance(belief, ConjugateBelief | UnknownRewardsBelief):
        belief.solve_index(solver, state, tolerance, on_tick, left)
        return None
    models, weights = belief.weighted_models(MODELS, rng)
    models.mean(weights).load(solver)
    if left is not None:
        return _solve_steps(solver, models, weights, rewards, discount, state, left, on_tick)
    solver.solve(tolerance, on_tick)
    by_mean = solver.q_values(state)
    for _ in range(ROUNDS):
        later = discount * solver.values()
        solver.set_bonuses(_bonuses(models, weights, rewards, later, discount / (1 - discount)))
        solver.solve(tolerance, on_tick)
    return by_mean


def annuity(discount: float, steps: int | None) -> float:
    """The discounted sum of a reward of 1 in each of `steps`; without an end if None.

    Example:
        >>> annuity(0.5, 3), annuity(1.0, 3), annuity(0.5, None)
        (1.75, 3.0, 2.0)
    """
    if steps is None:
        return 1 / (1 - discount)
    return float(steps) if discount == 1 else (1 - discount**steps) / (1 - discount)


def _solve_steps(
    solver: _core.Solver,
    models: Models,
    weights: NDArray[np.float64],
    rewards: NDArray[np.float64],
    discount: float,
    state: int,
    left: _core.StepsLeft,
    on_tick: Callable[[], None] | None,
) -> NDArray[np.float64]:
    """Until the end of the run: the bonus that an observation is worth now, in all of its steps."""
    solver.solve_steps(left, on_tick)
    by_mean = solver.q_values(state)
    later = discount * solver.next_values()
    solver.set_bonuses(_bonuses(models, weights, rewards, later, discount * annuity(discount, left.steps - 1)))
    solver.solve_steps(left, on_tick)
    return by_mean


def _bonuses(
    models: Models, weights: NDArray[np.float64], rewards: NDArray[np.float64], later: NDArray[np.float64], uses: float
) -> NDArray[np.float64]:
    """The bonus of each action if the value of a next state is `later` [S] and what is learned can be used so often. [S, A]"""
    values = _values(models, rewards, later)
    off = values - models.average(weights, values)
    variance = models.average(weights, off**2)
    units = uses / (_counts(models, weights, off, variance) + 2)
    return np.asarray(np.vectorize(_core.index_units, otypes=[float])(units) * np.sqrt(variance))


def _counts(
    models: Models, weights: NDArray[np.float64], off: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Number of observations that what is known of each action is worth, n0. [S, A]

    One more removes the share 1 / (n0 + 1) of the variance of a mean, so that share, Var(E(Q | s')) / Var(Q) over the models,
    gives n0. A reward that models disagree on tells everything.
    """
    joint = np.einsum("k,ksan,ksa->san", weights, models.transitions, off)
    likely = np.einsum("k,ksan->san", weights, models.transitions)
    told = np.divide(joint**2, likely, out=np.zeros_like(joint), where=likely > 0).sum(axis=2)
    share = np.divide(told, variance, out=np.ones_like(told), where=variance > 0).clip(SMALLEST_SHARE, 1.0)
    if models.paid is not None:
        differ = np.ptp(models.paid, axis=0) > 0
        share[differ if differ.ndim == 2 else differ.any(axis=2)] = 1.0
    return np.asarray(1 / share - 1)


def _values(models: Models, rewards: NDArray[np.float64], later: NDArray[np.float64]) -> NDArray[np.float64]:
    """The value of each action by each model, if that of a next state is `later` [S]. [K, S, A]"""
    if models.rewards is None and models.ends is None:
        paid = rewards if rewards.ndim == 3 else rewards[:, :, None]
        return np.asarray((models.transitions * (paid + later)).sum(axis=-1))
    going_on = models.transitions if models.ends is None else models.transitions - models.ends
    if models.rewards is not None:
        return np.asarray(models.rewards + going_on @ later)
    paid = np.broadcast_to(rewards if rewards.ndim == 3 else rewards[:, :, None], models.transitions.shape[1:])
    return np.asarray((models.transitions * paid).sum(axis=-1) + going_on @ later)
