"""The user's hooks as function pointers for the core: compiled by Numba, from C, or uncompiled
through ctypes.

core/models/user.hpp describes their signatures. Nothing is cast silently: arguments and return
values of a hook are checked before anything runs.
"""

from __future__ import annotations

import ctypes
import dis
import inspect
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from threading import get_ident
from types import CodeType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp import hooks
from bamdp.hooks import FAILED, RETURNS

FIRST_ADDRESS = 2**16  # no system has code below it: smaller numbers are mistakes
PARAMETERS = {
    "begin": ("belief", "scratch", "rng"),
    "step": ("belief", "scratch", "state", "action", "rng"),
    "policy": ("belief", "scratch", "state", "rng"),
}
OPTIONAL = ("begin", "policy")
_INTEGER, _POINTER = ctypes.c_int64, ctypes.c_void_p
C_TYPES = {
    "begin": (_POINTER, _POINTER, _POINTER),
    "step": (_POINTER, _POINTER, _INTEGER, _INTEGER, _POINTER, _POINTER, _POINTER, _POINTER),
    "policy": (_POINTER, _POINTER, _INTEGER, _POINTER),
}
C_RESULTS = {"begin": ctypes.c_int32, "step": ctypes.c_int32, "policy": _INTEGER}


@dataclass(frozen=True)
class Hook:
    """A function pointer for the core."""

    address: int  # address of a function as in core/models/user.hpp; 0 for none
    function: Callable[..., Any] | None  # the user's function, if it is in Python
    errors: dict[int, BaseException]  # exceptions of an uncompiled hook, by thread
    owner: Any  # the object that keeps the address valid


def hook(
    name: str, value: Any, belief: NDArray[Any], scratch: NDArray[Any], *, compile: bool
) -> Hook:
    """The hook `name` from any kind of function with the required types."""
    if value is None and name in OPTIONAL:
        return Hook(0, None, {}, None)
    if isinstance(value, int) and not isinstance(value, bool) and FIRST_ADDRESS <= value < 2**64:
        return Hook(value, None, {}, None)
    native = getattr(value, "ctypes", value)  # that of a Numba cfunc
    # The base of all ctypes functions:
    if isinstance(native, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        check_randomness(name, getattr(value, "__wrapped__", None))
        return Hook(_checked_address(name, native), None, {}, value)
    function = getattr(value, "py_func", value)
    if not inspect.isfunction(function):
        raise TypeError(
            f"{name} must be a function, a Numba cfunc, a ctypes function or an address, got "
            f"{value!r}"
        )
    parameters = tuple(inspect.signature(function).parameters)
    if len(parameters) != len(PARAMETERS[name]):
        raise TypeError(
            f"{name} must take ({', '.join(PARAMETERS[name])}), got a function of "
            f"({', '.join(parameters)})"
        )
    check_randomness(name, function)
    if not compile:
        return _uncompiled(name, function, belief, scratch)
    try:
        from bamdp.priors import _compile_numba
    except ImportError as error:
        raise ImportError(
            "compiled hooks need Numba: pip install 'bamdp[numba]', or compile=False to run them "
            "slowly"
        ) from error
    made = _compile_numba.compile_hook(name, value, belief, scratch)
    return Hook(made.address, function, {}, made)


def native_function(name: str, made: Hook) -> Callable[..., int]:
    """A hook as a function of addresses and integers."""
    call: Callable[..., int] = ctypes.CFUNCTYPE(C_RESULTS[name], *C_TYPES[name])(made.address)
    return call


def check_randomness(name: str, function: Any) -> None:
    """Reject a hook that draws random numbers otherwise than by `rng`, itself or in a call."""
    for where, source in _other_generators(function, set()):
        own = where == getattr(function, "__name__", "")
        called = name if own else f"{name} calls {where}, which"
        raise TypeError(
            f"{called} uses {source}, whose numbers don't follow from the agent's seed: "
            "draw them from rng, by the functions of bamdp.hooks"
        )


def _other_generators(function: Any, visited: set[Any]) -> Iterator[tuple[str, str]]:
    """The uses of `random` and `numpy.random` by a function and its calls: where, and as what."""
    function = getattr(function, "py_func", function)
    if not inspect.isfunction(function) or function in visited or _is_library(function):
        return
    visited.add(function)
    names = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # not filled yet: what the function itself is called
            names[name] = cell.cell_contents
    for source, value in _named_values(function.__code__, names):
        if _is_generator(value):
            yield function.__name__, source
        yield from _other_generators(value, visited)


def _named_values(code: CodeType, names: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The names that code reads, with attributes of modules, and their values."""
    source, value = "", None
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"):
            source, value = step.argval, names.get(step.argval)
        elif step.opname == "IMPORT_NAME":
            source, value = step.argval, sys.modules.get(step.argval)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and inspect.ismodule(value):
            source, value = f"{source}.{step.argval}", getattr(value, step.argval, None)
        elif step.opname not in ("EXTENDED_ARG", "PUSH_NULL"):
            value = None
        if value is not None:
            yield source, value
    for part in code.co_consts:
        if inspect.iscode(part):
            yield from _named_values(part, names)


def _is_generator(value: Any) -> bool:
    """Whether a value is a random generator, or a module or function that has one."""
    kinds = random.Random, np.random.RandomState, np.random.Generator
    home = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None)
    draws = home == "random" or str(home).startswith("numpy.random")
    return draws or isinstance(value, kinds) or isinstance(getattr(value, "__self__", None), kinds)


def _is_library(function: Any) -> bool:
    """Whether a function is one that Numba compiles in its own way."""
    root = str(function.__module__).partition(".")[0]
    return root in ("numpy", "numba") or root in sys.stdlib_module_names


def _checked_address(name: str, function: Any) -> int:
    expected = C_TYPES[name]
    declared = function.argtypes
    if declared is None:
        raise TypeError(
            f"{name}: declare the argtypes of the ctypes function, so that they can be checked"
        )
    pairs = zip(declared, expected, strict=False)
    fits = [
        kind is want or (want is _POINTER and issubclass(kind, ctypes._Pointer))
        for kind, want in pairs
    ]
    if len(declared) != len(expected) or not all(fits) or function.restype is not C_RESULTS[name]:
        names = ", ".join(kind.__name__ for kind in declared)
        described = f"{getattr(function.restype, '__name__', None)}({names})"
        raise TypeError(
            f"{name} must be {C_RESULTS[name].__name__}("
            f"{', '.join(kind.__name__ for kind in expected)}), got "
            f"{described}"
        )
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


def _uncompiled(
    name: str, function: Callable[..., Any], belief: NDArray[Any], scratch: NDArray[Any]
) -> Hook:
    errors: dict[int, BaseException] = {}

    def call(belief_at: int, scratch_at: int, *rest: int) -> Any:
        return function(
            _array(belief_at, belief),
            _array(scratch_at, scratch),
            *rest[:-1],
            _array(rest[-1], _GENERATOR),
        )

    def begin(belief_at: int, scratch_at: int, rng_at: int) -> int:
        try:
            returned = call(belief_at, scratch_at, rng_at)
            if returned is not None:
                raise TypeError(f"begin must return nothing, got {returned!r}")
        except BaseException as error:
            errors[get_ident()] = error
            return FAILED
        return 0

    def step(
        belief_at: int,
        scratch_at: int,
        state: int,
        action: int,
        rng_at: int,
        next_at: int,
        reward_at: int,
        key_at: int,
    ) -> int:
        try:
            next_state, reward, terminal, key = outcome(
                call(belief_at, scratch_at, state, action, rng_at)
            )
        except BaseException as error:
            errors[get_ident()] = error
            return FAILED
        ctypes.c_int64.from_address(next_at).value = next_state
        ctypes.c_double.from_address(reward_at).value = reward
        if key is not None:
            ctypes.c_int64.from_address(key_at).value = key
        return int(terminal)

    def policy(belief_at: int, scratch_at: int, state: int, rng_at: int) -> int:
        try:
            return checked_action(call(belief_at, scratch_at, state, rng_at))
        except BaseException as error:
            errors[get_ident()] = error
            return FAILED

    native: dict[str, Callable[..., int]] = {"begin": begin, "step": step, "policy": policy}
    pointer = ctypes.CFUNCTYPE(C_RESULTS[name], *C_TYPES[name])(native[name])
    return Hook(_checked_address(name, pointer), function, errors, pointer)


_GENERATOR: hooks.Generator = np.zeros(4, dtype=np.uint64)


def _array(address: int, like: NDArray[Any]) -> NDArray[Any]:
    memory = (ctypes.c_byte * like.nbytes).from_address(address)
    return np.ndarray(like.shape, dtype=like.dtype, buffer=memoryview(memory))


def checked_action(returned: Any) -> int:
    """The return value of `policy`, checked; the core checks that there is such an action."""
    if not isinstance(returned, int | np.integer) or isinstance(returned, bool | np.bool_):
        raise TypeError(f"policy must return an action, an integer, got {returned!r}")
    if not -(2**63) <= returned < 2**63:
        raise ValueError(f"policy must return an action, got {returned}")
    return int(returned)


def outcome(returned: Any) -> tuple[int, float, bool, int | None]:
    """The return value of `step`, checked."""
    kinds: tuple[tuple[str, Any], ...] = (
        ("an integer", int | np.integer),
        ("a float", float | np.floating),
        ("a bool", bool | np.bool_),
        ("an integer", int | np.integer),
    )
    if not isinstance(returned, tuple) or len(returned) not in (2, 3, 4):
        raise TypeError(f"step must return {RETURNS}, got {returned!r}")
    for value, name, (kind, wanted) in zip(
        returned, ("next_state", "reward", "terminal", "key"), kinds, strict=False
    ):
        if not isinstance(value, wanted) or (
            isinstance(value, bool | np.bool_) and kind != "a bool"
        ):
            raise TypeError(f"step must return {RETURNS}: {name} must be {kind}, got {value!r}")
    for value, name in zip(returned[::3], ("next_state", "key"), strict=False):
        if not -(2**63) <= value < 2**63:
            raise ValueError(f"step must return {name} as a 64-bit integer, got {value}")
    terminal = bool(returned[2]) if len(returned) > 2 else False
    return (
        int(returned[0]),
        float(returned[1]),
        terminal,
        int(returned[3]) if len(returned) > 3 else None,
    )
