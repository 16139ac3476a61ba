"""Gittins indices of Bernoulli arms with Beta posteriors.

An arm with success probability p ~ Beta(a, b) may be pulled, or retired for a pension of λ per
step. With μ = a/(a + b), the advantage of pulling over retiring is

    v_λ(a, b) = max(0, f_λ(a, b)),   f_λ(a, b) = μ − λ + γ (μ v_λ(a + 1, b) + (1 − μ) v_λ(a, b + 1))

and the index is the λ with f_λ = 0 (Gittins 1979; Whittle 1980). Pulling the arm with the highest
index is Bayes-optimal.

The computation, and why its error is at most ε = `tolerance`:

1. f is the supremum, over stopping times τ ≥ 1, of E[Σ_{t<τ} γᵗ (r_t − λ)]: convex in λ, with slope
   −E[Σ_{t<τ} γᵗ] ≤ −1.
2. v is computed backwards over the lattice (a + i, b + j), truncated in two ways by a feasible
   stopping rule, so that the result f̃ is never above f; and, as a path meets at most one
   truncation, f − f̃ is at most the larger of the two errors:
   - After N pulls, retire forever or never: v ← (μ − λ)⁺/(1 − γ). With p known v would be E(p −
     λ)⁺/(1 − γ), which is at most half the mean deviation, ≤ 1/(4 √(n + 1)), above it (n = a + b).
     N is such that γᴺ/(4 (1 − γ) √(N + 1)) ≤ ε.
   - Where μ − λ ≥ x/√(2(n + 1)), pull forever. That loses at most E(λ − p)⁺/(1 − γ). Beta(a, b) is
     sub-Gaussian with variance proxy 1/(4(n + 1)) (Marchal, Arbel 2017): the loss is at most
     e^(−x²)/(2 (1 − γ)) for x ≥ 1; x makes it ε.
   Below, nothing is truncated: with λ fixed, retired arms stay retired after a failure and pulled
   arms are pulled after a success, so the boundary of the pulling region is followed from diagonal
   to diagonal. One λ takes O(N^1.5) time.
3. Each λ gives f̃ and the slope of its stopping rule, a line below f everywhere: its root is a
   lower bound. The chord between (λ₀, f̃ + ε) and (λ₁, f̃ + ε) is above f between them: its root is
   an upper bound. Both converge quadratically. When they are at most 2ε apart, the midpoint is
   returned.

One λ serves all counts that differ by integers, so a table costs far less than its entries one by
one. The bound excludes rounding, which adds at most about 2e-16/(1 − γ)²; a tolerance finer than
four times that is rejected.

Where a known number T of steps is left, the index is the highest reward per pull that the arm can
be stopped at,

    λ(a, b, T) = max_{1 ≤ τ ≤ T} E[Σ_{t<τ} γᵗ r_t] / E[Σ_{t<τ} γᵗ]

the root of the same f with stopping times of at most T. It is the mean for T = 1, rises with T, and
tends to the Gittins index for γ < 1; here γ may be 1. Villar, Bowden and Wason (2015) call the
policy that pulls the arm with the highest index that of the Whittle index, after Whittle (1988):
the steps left make the arms restless. Unlike for an infinite horizon it is not optimal, but nearly
so. Newton's method, from below, gives a rising sequence of lower bounds λ, and the index is at most
λ + f_λ, with f_λ computed backwards over i + j ≤ T. It ends when f_λ ≤ `tolerance`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core, validation
from bamdp.executors import cores
from bamdp.validation import real, real_array

FAR = 1000  # pulls apart: two lattices are then cheaper than one that contains both
LONGEST = 10**5  # steps left


def gittins_index(
    successes: ArrayLike, failures: ArrayLike, discount: float, tolerance: float = 1e-6
) -> NDArray[np.float64] | np.float64:
    """The Gittins index of Bernoulli arms with success probability p ~ Beta(successes, failures).

    The index is the certain reward per step that is worth as much as the option to pull the arm; it
    is at least the mean, and the higher the less is known. The module docstring derives the error
    bound.

    Args:
        successes: pseudo-counts of successes, real numbers from 0 to 1e14; broadcast against
            `failures`.
        failures: pseudo-counts of failures. With 0, the arm always succeeds.
        discount: discount factor, in [0, 1).
        tolerance: maximum error of the result.

    Returns:
        The indices, in the shape of the arguments.

    Example:
        >>> gittins_index(1, 1, discount=0.95).round(5)
        np.float64(0.76143)
        >>> gittins_index([17, 5], [19, 7], discount=0.95).round(4)
        array([0.5044, 0.4999])
    """
    a, b = _posteriors(successes, failures)
    discount = validation.discount(
        discount, where="for finite_gittins_index, which takes the steps left"
    )
    tolerance = real("tolerance", tolerance, max(1e-13, 1e-15 / (1 - discount) ** 2), 1)
    indices = np.array(a / (a + b))  # exact if the arm is known or the discount is 0
    uncertain = (a > 0) & (b > 0) if discount > 0 else np.zeros(a.shape, dtype=bool)
    indices[uncertain] = _calibrate(a[uncertain], b[uncertain], discount, tolerance)
    return indices[()]


def finite_gittins_index(
    successes: ArrayLike,
    failures: ArrayLike,
    steps: ArrayLike,
    discount: float = 1.0,
    tolerance: float = 1e-9,
) -> NDArray[np.float64] | np.float64:
    """The Gittins index of Bernoulli arms with p ~ Beta(successes, failures) that can be pulled at
    most `steps` more times.

    Args:
        successes: pseudo-counts of successes, real numbers from 0 to 1e14; the three are broadcast
            against each other.
        failures: pseudo-counts of failures. With 0, the arm always succeeds.
        steps: numbers of steps left, integers from 1 to 100,000; the time taken grows with the
            square.
        discount: discount factor, in [0, 1].
        tolerance: maximum error of the result.

    Returns:
        The indices, in the shape of the arguments.

    Example:
        >>> finite_gittins_index(1, 1, steps=[1, 2, 10, 100]).round(4)
        array([0.5   , 0.5556, 0.6981, 0.8685])
    """
    left = real_array("steps", steps)
    if left.size and (left.min() < 1 or left.max() > LONGEST or (left % 1).any()):
        raise ValueError(f"steps must be integers from 1 to {LONGEST}, got {steps!r}")
    a, b, left = _posteriors(successes, failures, left)
    discount = real("discount", discount, 0, 1)
    tolerance = real("tolerance", tolerance, max(1e-13, 1e-15 * float(left.max(initial=1))), 1)
    columns = a.ravel(), b.ravel(), left.ravel().astype(np.int64)
    return np.asarray(_core.finite_gittins_indices(*columns, discount, tolerance, cores())).reshape(
        a.shape
    )[()]


def _calibrate(
    a: NDArray[np.float64], b: NDArray[np.float64], discount: float, tolerance: float
) -> NDArray[np.float64]:
    """The indices, solved together for posteriors whose counts differ by small integers. [K]"""
    fractions = np.stack([a % 1, b % 1], axis=1)
    _, lattice = np.unique(fractions, axis=0, return_inverse=True)
    indices = np.empty(a.shape)
    for number in range(int(lattice.max(initial=-1)) + 1):
        for near in _apart(np.flatnonzero(lattice == number), a + b):
            for here in _apart(near, a):
                i, j = (np.rint(x[here] - x[here].min()).astype(np.int64) for x in (a, b))
                indices[here] = _core.gittins_indices(
                    a[here].min(), b[here].min(), discount, tolerance, i, j
                )
    return indices


def _apart(members: NDArray[np.intp], counts: NDArray[np.float64]) -> list[NDArray[np.intp]]:
    """`members` in groups with no gap of more than `FAR` between their counts: a lattice has every
    diagonal in between.
    """
    ordered = members[np.argsort(counts[members], kind="stable")]
    return [
        np.sort(group)
        for group in np.split(ordered, np.flatnonzero(np.diff(counts[ordered]) > FAR) + 1)
    ]


def _posteriors(
    successes: ArrayLike, failures: ArrayLike, *others: NDArray[np.float64]
) -> tuple[NDArray[np.float64], ...]:
    """Pseudo-counts, checked and broadcast with other arrays."""
    found = []
    for name, value in (("successes", successes), ("failures", failures)):
        found.append(real_array(name, value, 1e14))
        if found[-1].size and found[-1].min() < 0:
            raise ValueError(f"{name} must not be negative, got {found[-1].min()}")
    try:
        a, b, *rest = np.broadcast_arrays(*found, *others)
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in (*found, *others))
        raise ValueError(
            f"successes and failures must have shapes that broadcast, got {shapes}"
        ) from None
    if np.any(a + b <= 0):
        raise ValueError("successes and failures must not both be zero for an arm")
    return a, b, *rest
