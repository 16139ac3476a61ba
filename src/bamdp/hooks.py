"""Random variates for the hooks of `bamdp.priors.Compiled`: the same numbers with and without
Numba.

`rng` is the state of the search's random generator (xoshiro256++; Blackman, Vigna 2019), an array
of four 64-bit integers.
"""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from bamdp import _core

Generator = NDArray[np.uint64]

FAILED = -1  # returned by a native hook in place of an exception
# of `step`
RETURNS = (
    "(next_state, reward), (next_state, reward, terminal) or (next_state, reward, terminal, key)"
)

_ALL = 2**64 - 1
_gamma = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_double)(_core.gamma_address())


def uniform(rng: Generator) -> float:
    """Draw a number in [0, 1).

    Example:
        >>> rng = np.array([1, 2, 3, 4], dtype=np.uint64)
        >>> uniform(rng), uniform(rng)
        (2.2737367544323206e-12, 3.183231456205249e-12)
    """
    a, b, c, d = (int(word) for word in rng)
    bits = (_rotated((a + d) & _ALL, 23) + a) & _ALL
    c ^= a
    d ^= b
    rng[0], rng[1], rng[2], rng[3] = a ^ d, b ^ c, c ^ (b << 17 & _ALL), _rotated(d, 45)
    return (bits >> 11) * 2.0**-53


def below(n: int, rng: Generator) -> int:
    """Draw an integer from 0 to n − 1."""
    return int(uniform(rng) * n)


def gamma(shape: float, rng: Generator) -> float:
    """Draw a gamma variate of scale one, by NumPy's C library."""
    return float(_gamma(rng.ctypes.data, shape))


def beta(a: float, b: float, rng: Generator) -> float:
    """Draw a beta variate; a and b must not both be tiny."""
    x = gamma(a, rng)
    return x / (x + gamma(b, rng))


def _rotated(x: int, k: int) -> int:
    return (x << k | x >> (64 - k)) & _ALL
