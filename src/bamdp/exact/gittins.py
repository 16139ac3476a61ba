"""Gittins indices of Bernoulli arms with Beta posteriors.

An arm with success probability p ~ Beta(a, b) may be pulled, or retired for a pension of λ a step. With μ = a/(a + b), what
pulling is worth above retiring is

    v_λ(a, b) = max(0, f_λ(a, b)),   f_λ(a, b) = μ − λ + γ (μ v_λ(a + 1, b) + (1 − μ) v_λ(a, b + 1))

and the index is the λ with f_λ = 0 (Gittins 1979; Whittle 1980). To pull the arm of highest index is Bayes-optimal.

How it is found, and why the error is at most ε = `tolerance`:

1. f is the supremum, over rules τ ≥ 1 when to retire, of E[Σ_{t<τ} γᵗ (r_t − λ)]: convex in λ, with slope −E[Σ_{t<τ} γᵗ] ≤ −1.
2. v is computed backwards over the lattice (a + i, b + j), and cut off in two ways by a rule that can be followed, so that
   the result f̃ is never above f; and, as a path meets one cut at most, f − f̃ is at most the larger of the two errors:
   - After N pulls, retire for ever or never: v ← (μ − λ)⁺/(1 − γ). With p known v would be E(p − λ)⁺/(1 − γ), which is at
     most half the mean deviation, ≤ 1/(4 √(n + 1)), above it (n = a + b). N is such that γᴺ/(4 (1 − γ) √(N + 1)) ≤ ε.
   - Where μ − λ ≥ x/√(2(n + 1)), pull for ever. That gives away at most E(λ − p)⁺/(1 − γ). Beta(a, b) is sub-Gaussian with
     variance proxy 1/(4(n + 1)) (Marchal, Arbel 2017): the loss is at most e^(−x²)/(2 (1 − γ)) for x ≥ 1; x makes it ε.
   Below, nothing is cut: with λ fixed, arms retired stay retired after a failure and arms pulled are pulled after a success,
   so the edge of the region that is pulled is followed from diagonal to diagonal. The work is O(N^1.5) for one λ.
3. Each λ gives f̃ and the slope of the rule behind it, a line that is below f everywhere: its root is a lower bound.
   The chord between (λ₀, f̃ + ε) and (λ₁, f̃ + ε) is above f between them: its root is an upper bound. Both close in
   quadratically. When they are 2ε apart or closer, the middle is returned.

One λ serves all counts that differ by whole numbers, which is why a table costs far less than its cells one by one.
Rounding is not in the bound: it adds at most about 2e-16/(1 − γ)²; a tolerance finer than four times that is refused.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core, _validation
from bamdp._validation import real, real_array

FAR = 1000  # pulls: two lattices take less than one that holds both


def gittins_index(
    successes: ArrayLike, failures: ArrayLike, discount: float, tolerance: float = 1e-6
) -> NDArray[np.float64] | np.float64:
    """The Gittins index of Bernoulli arms with success probability p ~ Beta(successes, failures).

    It is the sure reward per step that is as good as the right to pull the arm as long as one likes; at least the mean, more
    the less is known. The module says how the error bound comes about.

    Args:
        successes: pseudo-counts of successes, any real numbers from 0 to 1e14; arrays are broadcast against `failures`.
        failures: pseudo-counts of failures. With none (0), the arm always succeeds.
        discount: what a reward is worth one step later, in [0, 1).
        tolerance: the greatest error of the result.

    Returns:
        The indices, in the shape of the arguments.

    Example:
        >>> gittins_index(1, 1, discount=0.95).round(5)
        np.float64(0.76143)
        >>> gittins_index([17, 5], [19, 7], discount=0.95).round(4)
        array([0.5044, 0.4999])
    """
    a, b = _counts("successes", successes), _counts("failures", failures)
    try:
        a, b = np.broadcast_arrays(a, b)
    except ValueError:
        raise ValueError(f"successes and failures must have shapes that go together, got {a.shape} and {b.shape}") from None
    if np.any(a + b <= 0):
        raise ValueError("successes and failures must not both be zero for an arm")
    discount = _validation.discount(discount)
    tolerance = real("tolerance", tolerance, max(1e-13, 1e-15 / (1 - discount) ** 2), 1)
    indices = np.array(a / (a + b))  # right where the arm is known, or the future counts nothing
    open_ = (a > 0) & (b > 0) if discount > 0 else np.zeros(a.shape, dtype=bool)
    indices[open_] = _calibrate(a[open_], b[open_], discount, tolerance)
    return indices[()]


def _calibrate(a: NDArray[np.float64], b: NDArray[np.float64], discount: float, tolerance: float) -> NDArray[np.float64]:
    """Lattice by lattice: posteriors whose counts differ by whole numbers, and by few, are worked out together. [K]"""
    fractions = np.stack([a % 1, b % 1], axis=1)
    _, lattice = np.unique(fractions, axis=0, return_inverse=True)
    indices = np.empty(a.shape)
    for number in range(int(lattice.max(initial=-1)) + 1):
        for near in _apart(np.flatnonzero(lattice == number), a + b):
            for here in _apart(near, a):
                i, j = (np.rint(x[here] - x[here].min()).astype(np.int64) for x in (a, b))
                indices[here] = _core.gittins_indices(a[here].min(), b[here].min(), discount, tolerance, i, j)
    return indices


def _apart(members: NDArray[np.intp], counts: NDArray[np.float64]) -> list[NDArray[np.intp]]:
    """`members` in groups with no gap of more than `FAR` between their counts: a lattice has every diagonal in between."""
    ordered = members[np.argsort(counts[members], kind="stable")]
    return [np.sort(group) for group in np.split(ordered, np.flatnonzero(np.diff(counts[ordered]) > FAR) + 1)]


def _counts(name: str, value: ArrayLike) -> NDArray[np.float64]:
    array = real_array(name, value, 1e14)
    if array.size and array.min() < 0:
        raise ValueError(f"{name} must not be negative, got {array.min()}")
    return array
