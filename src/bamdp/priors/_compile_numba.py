# mypy: disable-error-code="untyped-decorator, no-untyped-call, no-untyped-def"
"""Hooks compiled by Numba. Importing this module imports Numba and registers
`bamdp.hooks` with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray, cfunc, from_dtype, njit, types
from numba.core.errors import NumbaError
from numba.extending import overload
from numba.np.unsafe.ndarray import to_fixed_tuple
from numpy.typing import NDArray

from bamdp import hooks
from bamdp.hooks import FAILED, RETURNS

_c_gamma, _c_normal, _c_poisson = hooks._gamma, hooks._normal, hooks._poisson


@overload(hooks.uniform, inline="always")
def _uniform(rng: Any) -> Any:
    def uniform(rng: Any) -> Any:
        a, b, c, d = rng[0], rng[1], rng[2], rng[3]
        total = a + d
        bits = ((total << np.uint64(23)) | (total >> np.uint64(41))) + a
        shifted = b << np.uint64(17)
        c ^= a
        d ^= b
        rng[0], rng[1], rng[2] = a ^ d, b ^ c, c ^ shifted
        rng[3] = (d << np.uint64(45)) | (d >> np.uint64(19))
        return np.int64(bits >> np.uint64(11)) * 2.0**-53

    return uniform


@overload(hooks.below)
def _below(n: Any, rng: Any) -> Any:
    def below(n: Any, rng: Any) -> Any:
        return np.int64(hooks.uniform(rng) * n)

    return below


@overload(hooks.gamma)
def _gamma(shape: Any, rng: Any) -> Any:
    def gamma(shape: Any, rng: Any) -> Any:
        return _c_gamma(rng.ctypes, shape)

    return gamma


@overload(hooks.beta)
def _beta(a: Any, b: Any, rng: Any) -> Any:
    def beta(a: Any, b: Any, rng: Any) -> Any:
        x = hooks.gamma(a, rng)
        return x / (x + hooks.gamma(b, rng))

    return beta


@overload(hooks.normal)
def _normal(mean: Any, deviation: Any, rng: Any) -> Any:
    def normal(mean: Any, deviation: Any, rng: Any) -> Any:
        return mean + deviation * _c_normal(rng.ctypes)

    return normal


@overload(hooks.poisson)
def _poisson(mean: Any, rng: Any) -> Any:
    def poisson(mean: Any, rng: Any) -> Any:
        return _c_poisson(rng.ctypes, mean)

    return poisson


@overload(hooks.choose)
def _choose(weights: Any, rng: Any) -> Any:
    def choose(weights: Any, rng: Any) -> Any:
        total = 0.0
        for weight in weights:
            total += weight
        left, last = hooks.uniform(rng) * total, 0
        for k in range(len(weights)):
            if weights[k] > 0:
                last = k
                left -= weights[k]
                if left < 0:
                    return k
        return last

    return choose


def jit(function: Any) -> Any:
    """A function, compiled when it is first called."""
    return function if hasattr(function, "py_func") else njit(function)


def world_of(example: Any) -> Any:
    """A function that makes a world of its numbers, in the form of `example`."""
    if isinstance(example, tuple):
        size, make = len(example), type(example)
        if not hasattr(example, "_fields"):
            return njit(lambda row: to_fixed_tuple(row, size))
        return njit(lambda row: make(*to_fixed_tuple(row, size)))
    if np.ndim(example) == 0:
        return njit(lambda row: row[0])
    return njit(lambda row: row)


def compile_hook(name: str, function: Any, belief: NDArray[Any], scratch: NDArray[Any]) -> Any:
    """A Numba cfunc as in core/models/user.hpp that calls `function`."""
    arrays = [_array_type(belief), _array_type(scratch)]
    generator = types.Array(types.uint64, 1, "C")
    rest = [types.int64] * {"begin": 0, "step": 2, "policy": 1}[name]
    dispatcher = function if hasattr(function, "py_func") else njit(function)
    returned = _returned(name, dispatcher, (*arrays, *rest, generator))
    pointers = [types.CPointer(array.dtype) for array in arrays]
    if name == "begin":
        if returned != types.none:
            raise TypeError(f"begin must return nothing, got {returned}")
        return _begin(dispatcher, belief.shape, scratch.shape, pointers)
    if name == "policy":
        if not _is_integer(returned):
            raise TypeError(f"policy must return an action, an integer, got {returned}")
        return _policy(dispatcher, belief.shape, scratch.shape, pointers)
    return _step(dispatcher, belief.shape, scratch.shape, pointers, _width(returned))


def _array_type(array: NDArray[Any]) -> Any:
    return types.Array(from_dtype(array.dtype), array.ndim, "C")


def _returned(name: str, dispatcher: Any, arguments: tuple[Any, ...]) -> Any:
    try:
        dispatcher.compile(arguments)
    except NumbaError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        reason = " ".join([line for line in lines if not line.startswith("Failed in")][:2])
        raise TypeError(
            f"Numba can't compile {name}: {reason}; compile=False runs it as it is, slowly"
        ) from error
    returned = dispatcher.overloads[arguments].signature.return_type
    if isinstance(returned, types.BaseTuple):
        return types.BaseTuple.from_types([types.unliteral(kind) for kind in returned])
    return types.unliteral(returned)


def _width(returned: Any) -> int:
    """The number of values that `step` returns, with their types checked."""
    kinds = (
        ("an integer", _is_integer),
        ("a float", lambda t: t == types.float64),
        ("a bool", lambda t: t == types.boolean),
        ("an integer", _is_integer),
    )
    if not isinstance(returned, types.BaseTuple) or len(returned) not in (2, 3, 4):
        raise TypeError(f"step must return {RETURNS}, got {returned}")
    for kind, name, (wanted, fits) in zip(
        returned, ("next_state", "reward", "terminal", "key"), kinds, strict=False
    ):
        if not fits(kind):
            raise TypeError(f"step must return {RETURNS}: {name} must be {wanted}, got {kind}")
    return len(returned)


def _is_integer(kind: Any) -> bool:
    return isinstance(kind, types.Integer) and (kind.signed or kind.bitwidth < 64)


def _policy(policy: Any, belief_shape: Any, scratch_shape: Any, pointers: list[Any]) -> Any:
    signature = types.int64(*pointers, types.int64, types.CPointer(types.uint64))

    @cfunc(signature)
    def native(belief, scratch, state, rng):
        try:
            return np.int64(
                policy(
                    carray(belief, belief_shape),
                    carray(scratch, scratch_shape),
                    state,
                    carray(rng, 4),
                )
            )
        except Exception:
            return FAILED

    return native


def _begin(begin: Any, belief_shape: Any, scratch_shape: Any, pointers: list[Any]) -> Any:
    signature = types.int32(*pointers, types.CPointer(types.uint64))

    @cfunc(signature)
    def native(belief, scratch, rng):
        try:
            begin(carray(belief, belief_shape), carray(scratch, scratch_shape), carray(rng, 4))
        except Exception:
            return FAILED
        return 0

    return native


def _step(step: Any, belief_shape: Any, scratch_shape: Any, pointers: list[Any], width: int) -> Any:
    integer = types.CPointer(types.int64)
    signature = types.int32(
        *pointers,
        types.int64,
        types.int64,
        types.CPointer(types.uint64),
        integer,
        types.CPointer(types.float64),
        integer,
    )

    @cfunc(signature)
    def native(belief, scratch, state, action, rng, next_state, reward, key):
        terminal = False
        try:
            out = step(
                carray(belief, belief_shape),
                carray(scratch, scratch_shape),
                state,
                action,
                carray(rng, 4),
            )
            carray(next_state, 1)[0] = out[0]
            carray(reward, 1)[0] = out[1]
            if width > 2:
                terminal = out[2]
            if width > 3:
                carray(key, 1)[0] = out[3]
        except Exception:
            return FAILED
        return 1 if terminal else 0

    return native
