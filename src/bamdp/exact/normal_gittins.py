"""Gittins indices of normal arms with known variance.

An arm pays r ~ N(μ, σ²) with known σ, and μ ~ N(m, σ²/n): n is the number of rewards that the
knowledge of μ is worth. Adding a constant to all rewards adds it to the index, and so does scaling:
the index is m + σ ν(n, γ). With σ = 1 and x = m − λ, what pulling is worth above retiring for a
pension of λ per step is

    v_n(x) = max(0, f_n(x)),   f_n(x) = x + γ E v_{n+1}(x + Z / √(n (n + 1))),   Z ~ N(0, 1)
    f_n(−ν(n)) = 0

(Gittins 1979; Gittins, Glazebrook, Weber 2011, chapter 8). λ is nowhere but in x, so one pass from
large n to small gives ν of n, n + 1, n + 2, …. The computation, and why its error is at most ε =
`tolerance`:

1. f increases with a slope of at least 1, so an error of f is an error of ν at most as large.
2. After N pulls, retire forever or never: v ← x⁺/(1 − γ). With μ known v would be E(x + Z/√n)⁺/(1 −
   γ), at most 1/√(2πn)/(1 − γ) above it. N is such that this, times γᴺ, is at most ε.
3. Where x ≥ u s, s the standard deviation of the posterior mean at step 2, pull forever: v ← x/(1 −
   γ). With that mean known now v would be E(x + s Z)⁺/(1 − γ), at most s φ(u)/(1 − γ) above it; u
   makes that ε.
4. Both are feasible stopping rules, so the result is never above ν, and at most 2ε below: ε is
   added.
5. f is analytic, v is f to the right of the root and 0 to the left. The expectation is a sum by
   Gauss–Legendre rules, of 20 points on panels of at most six standard deviations of Z, of f at
   these points: nothing is interpolated. Its error isn't bounded but measured: with panels half as
   wide, results change by less than 1e-11 (tests/exact/test_normal_gittins.py).

Time is that of (1 − γ)^−1.5 times a logarithm: 0.2 s for γ = 0.99.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bamdp import _core, validation
from bamdp.validation import LARGEST_REWARD, real, real_array

BLOCK = 64  # indices of one pass that are kept: an arm that is pulled needs the next ones


def normal_gittins_index(
    mean: ArrayLike,
    deviation: ArrayLike,
    noise: ArrayLike,
    discount: float,
    tolerance: float = 1e-6,
) -> NDArray[np.float64] | np.float64:
    """The Gittins index of normal arms with rewards of known variance, r ~ N(μ, noise²) and μ ~
    N(mean, deviation²).

    The index is the certain reward per step that is worth as much as the option to pull the arm.
    The module docstring derives the error bound.

    Args:
        mean: mean of the posterior of μ; broadcast against `deviation` and `noise`.
        deviation: its standard deviation. With 0 the mean is known, and is the index.
        noise: standard deviation of a reward around μ.
        discount: discount factor, in [0, 1).
        tolerance: maximum error of the result, in units of `noise`.

    Returns:
        The indices, in the shape of the arguments.

    Example:
        >>> normal_gittins_index(0, 1, 1, discount=0.9).round(4)
        np.float64(0.7466)
        >>> normal_gittins_index([5, 5], [2, 0], 2, discount=0.9).round(3)
        array([6.493, 5.   ])
    """
    parts = [
        real_array("mean", mean, LARGEST_REWARD),
        _positive("deviation", deviation),
        _positive("noise", noise),
    ]
    if parts[2].size and parts[2].min() <= 0:
        raise ValueError(f"noise must be positive, got {parts[2].min()}")
    try:
        m, s, sigma = np.broadcast_arrays(*parts)
    except ValueError:
        raise ValueError(
            "mean, deviation and noise must be of the same shape, or broadcast"
        ) from None
    discount = validation.real("discount", discount, 0, 1, open_high=True)
    tolerance = real("tolerance", tolerance, max(1e-10, 1e-13 / (1 - discount) ** 2), 1)
    index = np.array(m, dtype=np.float64)
    for at in np.ndindex(m.shape):
        if s[at] > 0 and discount > 0:
            strength = real("(noise / deviation)²", (sigma[at] / s[at]) ** 2, 1e-14, 1e14)
            index[at] += sigma[at] * unit_index(strength, 0, discount, tolerance)
    return index[()]


def unit_index(strength: float, pulls: int, discount: float, tolerance: float) -> float:
    """ν(strength + pulls, discount), from a cache if an arm of this initial strength was asked for
    before.
    """
    return float(_block(strength + pulls // BLOCK * BLOCK, discount, tolerance)[pulls % BLOCK])


@lru_cache(maxsize=4096)
def _block(strength: float, discount: float, tolerance: float) -> NDArray[np.float64]:
    """ν(strength), ν(strength + 1), …. [BLOCK]"""
    return (
        np.asarray(_core.normal_gittins_indices(strength, BLOCK, discount, tolerance)) + tolerance
    )


def _positive(name: str, value: ArrayLike) -> NDArray[np.float64]:
    array = real_array(name, value, 1e100)
    if array.size and array.min() < 0:
        raise ValueError(f"{name} must not be negative, got {array.min()}")
    return array
