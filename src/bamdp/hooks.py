"""Random variates for the compiled functions of `bamdp.priors.Worlds` and `bamdp.priors.Compiled`:
the same numbers with and without Numba.

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
_double, _pointer = ctypes.c_double, ctypes.c_void_p
_gamma = ctypes.CFUNCTYPE(_double, _pointer, _double)(_core.gamma_address())
_normal = ctypes.CFUNCTYPE(_double, _pointer)(_core.normal_address())
_poisson = ctypes.CFUNCTYPE(ctypes.c_int64, _pointer, _double)(_core.poisson_address())


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


def normal(mean: float, deviation: float, rng: Generator) -> float:
    """Draw a normal variate, by NumPy's C library."""
    return mean + deviation * float(_normal(rng.ctypes.data))


def poisson(mean: float, rng: Generator) -> int:
    """Draw a Poisson variate, by NumPy's C library; the mean is at most 1e18."""
    return int(_poisson(rng.ctypes.data, mean))


def choose(weights: NDArray[np.float64], rng: Generator) -> int:
    """Draw an index with probability proportional to its weight.

    Example:
        >>> choose(np.array([0.0, 2.0, 0.0]), np.array([1, 2, 3, 4], dtype=np.uint64))
        1
    """
    left, last = uniform(rng) * sum(weights), 0
    for k in range(len(weights)):
        if weights[k] > 0:
            last = k
            left -= weights[k]
            if left < 0:
                return k
    return last


def _rotated(x: int, k: int) -> int:
    return (x << k | x >> (64 - k)) & _ALL
