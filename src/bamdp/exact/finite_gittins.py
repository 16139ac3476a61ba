"""Gittins indices of Bernoulli arms with Beta posteriors when a known number of steps is left.

The index of an arm that can be pulled at most T more times is the highest reward per pull that it can be stopped at,

    λ(a, b, T) = max_{1 ≤ τ ≤ T} E[Σ_{t<τ} γᵗ r_t] / E[Σ_{t<τ} γᵗ]

over stopping times τ: the λ at which f_λ = max_τ E[Σ_{t<τ} γᵗ (r_t − λ)] is 0. It is the mean for T = 1, rises with T, and
tends to the Gittins index for γ < 1. Here γ may be 1. Villar, Bowden and Wason (2015) call the policy that pulls the arm with
the highest index the Whittle index policy, after Whittle (1988): the steps left make the arms restless. Unlike for an infinite
horizon it is not optimal, but nearly so.

f is convex in λ with slope −E[Σ_{t<τ} γᵗ] ≤ −1 for the optimal τ. Newton's method, from below, gives a rising sequence of lower
bounds λ; with f_λ computed backwards over the lattice (a + i, b + j), i + j ≤ T, the index is at most λ + f_λ. It ends when
f_λ ≤ `tolerance`, so that the error is at most that, rounding excluded.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core
from bamdp.exact.gittins import counts
from bamdp.executors import cores
from bamdp.validation import real, real_array

LONGEST = 10**5  # steps


def finite_gittins_index(
    successes: ArrayLike, failures: ArrayLike, steps: ArrayLike, discount: float = 1.0, tolerance: float = 1e-9
) -> NDArray[np.float64] | np.float64:
    """The Gittins index of Bernoulli arms with p ~ Beta(successes, failures) that can be pulled at most `steps` more times.

    Args:
        successes: pseudo-counts of successes, real numbers from 0 to 1e14; the three are broadcast against each other.
        failures: pseudo-counts of failures. With 0, the arm always succeeds.
        steps: numbers of steps left, integers from 1 to 100,000; the time taken grows with the square.
        discount: discount factor, in [0, 1].
        tolerance: maximum error of the result.

    Returns:
        The indices, in the shape of the arguments.

    Example:
        >>> finite_gittins_index(1, 1, steps=[1, 2, 10, 100]).round(4)
        array([0.5   , 0.5556, 0.6981, 0.8685])
    """
    a, b = (counts(name, given) for name, given in (("successes", successes), ("failures", failures)))
    left = real_array("steps", steps)
    if left.size and (left.min() < 1 or left.max() > LONGEST or (left % 1).any()):
        raise ValueError(f"steps must be integers from 1 to {LONGEST}, got {steps!r}")
    try:
        a, b, left = np.broadcast_arrays(a, b, left)
    except ValueError:
        shapes = f"{a.shape}, {b.shape} and {left.shape}"
        raise ValueError(f"successes, failures and steps must have shapes that broadcast, got {shapes}") from None
    if np.any(a + b <= 0):
        raise ValueError("successes and failures must not both be zero for an arm")
    discount = real("discount", discount, 0, 1)
    tolerance = real("tolerance", tolerance, max(1e-13, 1e-15 * float(left.max(initial=1))), 1)
    indices = np.array(a / (a + b))  # exact if the arm is known
    uncertain = (a > 0) & (b > 0)
    indices[uncertain] = _core.finite_gittins_indices(
        a[uncertain], b[uncertain], left[uncertain].astype(np.int64), discount, tolerance, cores()
    )
    return indices[()]
