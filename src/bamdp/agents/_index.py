"""Values with a bonus for learning, for any belief that has counts or can be sampled; see
`IndexPolicy`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bamdp import _core
from bamdp.mdp import MDP, annuity, average, continuation
from bamdp.search.solver import ModelSolver, Tick, particles

MODELS = 32  # particles of a belief without counts
SMALLEST_SHARE = 1e-6  # of a variance that one observation removes
ROUNDS = 2  # of bonus and values in turns, as in core/solve/solver.hpp


def solve_index(
    solver: ModelSolver,
    state: int,
    tolerance: float,
    rng: np.random.Generator,
    on_tick: Tick = None,
    left: _core.StepsLeft | None = None,
) -> NDArray[np.float64] | None:
    """Solve the posterior mean, with a bonus for learning as seen from `state`; with `left`, until
    the run ends.

    Beliefs with counts have it in the core. Another one is represented by some models and their
    weights: the standard deviation is that of the models' values, n0 follows from what an
    observation tells (`_counts`), and it is of use at every later step, N = discount / (1 -
    discount). Models that must be sampled are, with `rng`.

    Returns:
        The values of the actions in `state` without the bonus [A], of a belief without counts; None
        of one with counts.
    """
    belief, discount = solver.belief, solver.discount
    if belief.counts is not None and belief.native is not None:
        transitions, *learned = belief.native
        solver.native.solve_index(
            transitions, state, tolerance, left, learned[0] if learned else None, on_tick
        )
        return None
    models = particles(belief, MODELS, rng)
    solver.load(models.mean())
    solver.solve(tolerance, left, on_tick)
    by_mean = solver.q_values(state)
    uses = discount * annuity(discount, None if left is None else left.steps - 1)
    for _ in range(ROUNDS if left is None else 1):
        later = discount * (
            solver.q_table().max(axis=1) if left is None else solver.native.next_values()
        )
        solver.native.set_bonuses(_bonuses(models, later, uses))
        solver.solve(tolerance, left, on_tick)
    return by_mean


def _bonuses(models: MDP, later: NDArray[np.float64], uses: float) -> NDArray[np.float64]:
    """The bonus of each action if the value of a next state is `later` [S] and what is learned can
    be used so often. [S, A]
    """
    values = models.expected_rewards + continuation(models) @ later  # [K, S, A]
    off = values - average(models, values)
    variance = average(models, off**2)
    units = uses / (_counts(models, off, variance) + 2)
    return np.asarray(np.vectorize(_core.index_units, otypes=[float])(units) * np.sqrt(variance))


def _counts(
    models: MDP, off: NDArray[np.float64], variance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Number of observations that what is known of each action is worth, n0. [S, A]

    One more removes the share 1 / (n0 + 1) of the variance of a mean, so that share, Var(E(Q | s'))
    / Var(Q) over the models, gives n0. A reward that models disagree on tells everything.
    """
    assert models.weights is not None
    joint = np.einsum("k,ksan,ksa->san", models.weights, models.transitions, off)
    likely = np.einsum("k,ksan->san", models.weights, models.transitions)
    explained = np.divide(joint**2, likely, out=np.zeros_like(joint), where=likely > 0).sum(axis=2)
    share = np.divide(explained, variance, out=np.ones_like(explained), where=variance > 0).clip(
        SMALLEST_SHARE, 1.0
    )
    differ = np.ptp(models.rewards, axis=0) > 0
    share[differ if differ.ndim == 2 else differ.any(axis=2)] = 1.0
    return np.asarray(1 / share - 1)
