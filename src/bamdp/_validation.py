"""Checks of arguments. Each error names the argument, says what it got and what it accepts."""

from __future__ import annotations

import operator
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

UNBOUNDED = 2**63 - 1  # as a number of states: there is no end to them


# The largest reward, in size: with any discount below 1 the sum of squared returns of 2³¹ simulations is still finite.
LARGEST_REWARD = 1e130
LARGEST_RETURN = 1e146  # of which: 1 − discount is at least 1e-16
MOST_ACTIONS = 10**6  # of which a state that was met takes up to 56 MB


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:  # an integer of too many digits, or an object's own fault: what it got must not hide what is wrong
        text = f"some {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


def integer(name: str, value: Any, low: int, high: int | None = None) -> int:
    """`value` as an int in [low, high]."""
    accepts = f"an integer of at least {low}" if high is None else f"an integer from {low} to {high}"
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be {accepts}, got {_short(value)}") from None
    if isinstance(value, bool) or number < low or (high is not None and number > high):
        raise ValueError(f"{name} must be {accepts}, got {_short(value)}")
    return number


def positive_integer(name: str, value: Any, high: int | None = None) -> int:
    """`value` as an int of at least 1."""
    return integer(name, value, 1, high)


def actions(value: Any) -> int:
    """`value` as a number of actions."""
    return positive_integer("num_actions", value, MOST_ACTIONS)


def real(
    name: str,
    value: Any,
    low: float = -np.inf,
    high: float = np.inf,
    *,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """`value` as a finite float between low and high (ends included unless open)."""
    ends = f"{'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"
    accepts = "a finite number" if low == -np.inf and high == np.inf else f"a finite number in {ends}"
    try:
        number = float(operator.index(value) if np.ndim(value) else value)  # float() alone takes an array of one number
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be {accepts}, got {_short(value)}") from None
    except OverflowError:  # an integer beyond all doubles
        number = np.inf
    inside = (low < number if open_low else low <= number) and (number < high if open_high else number <= high)
    if not (np.isfinite(number) and inside):
        raise ValueError(f"{name} must be {accepts}, got {_short(value)}")
    return number


def half_life_or_none(value: Any) -> float | None:
    """`value` as a number of steps above 0, or None."""
    return None if value is None else real("half_life", value, 0, open_low=True)


def mebibytes(name: str, value: Any) -> int:
    """`value`, a number of mebibytes above 0, as bytes."""
    return int(real(name, value, 0, 1e12, open_low=True) * 2**20)


def discount(value: Any) -> float:
    """`value` as a discount in [0, 1)."""
    return real("discount", value, 0, 1, open_high=True)


def reward(value: Any) -> float:
    """`value` as a reward, not too large to be summed and squared."""
    return real("reward", value, -LARGEST_REWARD, LARGEST_REWARD)


def generator(value: Any) -> np.random.Generator:
    """`value` as a source of randomness."""
    if not isinstance(value, np.random.Generator):
        raise TypeError(f"rng must be a numpy.random.Generator, as numpy.random.default_rng makes one, got {_short(value)}")
    return value


def seed(value: Any) -> int:
    """`value` as a seed: any integer from 0 on."""
    return integer("seed", value, 0)


def boolean(name: str, value: Any) -> bool:
    """`value` as a bool; a string or None is more likely a mistake than a choice."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {_short(value)}")
    return bool(value)


def one_of(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """`value` if it is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {_short(value)}")
    return value


def path(name: str, value: Any) -> Path:
    """`value` as the path of a file or folder."""
    try:
        text = os.fspath(value)
    except TypeError:
        text = None
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a path, a text or a pathlib.Path, got {_short(value)}")
    if "\0" in text:
        raise ValueError(f"{name} must not have a zero character in it, got {_short(value)}")
    return Path(text)


def function(name: str, value: Any) -> Any:
    """`value` if it can be called."""
    if not callable(value):
        raise TypeError(f"{name} must be a function, got {_short(value)}")
    return value


def mapping(name: str, value: Any) -> Mapping[Any, Any]:
    """`value` if it is a dictionary, or like one."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a dictionary, got {_short(value)}")
    return value


def listed(name: str, values: Any, kind: type[Any] = object) -> list[Any]:
    """`values` as a list, if all are of a kind."""
    refusal = f"{name} must be a list{'' if kind is object else f' of {kind.__name__}'}, got {_short(values)}"
    try:
        found = list(values)
    except TypeError:
        raise TypeError(refusal) from None
    if not all(isinstance(value, kind) for value in found):
        raise TypeError(refusal)
    return found


def text(name: str, value: Any) -> str:
    """`value` if it is one."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, got {_short(value)}")
    return value


def dimensions(name: str, value: Any) -> int:
    """Of `value`, a number or an array of numbers."""
    try:
        return np.ndim(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number or an array of numbers, got {_short(value)}") from None


def real_array(name: str, value: ArrayLike, largest: float = np.inf) -> NDArray[np.float64]:
    """`value` as a C-contiguous array of doubles of its own, finite and none larger than `largest` in size."""
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "biufO":  # neither dates nor texts are numbers, and no part of a complex one is dropped
            raise TypeError
        with np.errstate(over="ignore"):  # of longer floats: infinity is refused below
            array = np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} must be an array of numbers, got {_short(value)}") from None
    outside = ~(np.abs(array) <= min(largest, np.finfo(np.float64).max))
    if outside.any():
        where = tuple(int(i) for i in np.argwhere(outside)[0])
        accepts = "finite" if not np.isfinite(array[where]) else f"at most {largest:g} in size"
        raise ValueError(f"{name} must be {accepts}, got {array[where]} at index {where}")
    return array


def rewards(value: ArrayLike) -> NDArray[np.float64]:
    """`value` as a table of rewards, [S, A] or [S, A, S]; [0, A] for an unbounded world."""
    array = real_array("rewards", value, LARGEST_REWARD)
    if array.ndim not in (2, 3) or array.shape[1] == 0 or (array.ndim == 3 and not 0 < array.shape[0] == array.shape[2]):
        raise ValueError(f"rewards must have shape [S, A] or [S, A, S], got {array.shape}")
    return array


def terminal_states(value: Any, num_states: int) -> frozenset[int]:
    """`value` as a set of states, some of `num_states` but not all; any 64-bit integers if there is no end of states."""
    try:
        given = None if isinstance(value, str) else list(value)
    except TypeError:
        given = None
    if given is None:
        raise TypeError(f"terminal must be a collection of states, got {_short(value)}")
    low, high = (0, num_states - 1) if num_states < UNBOUNDED else (-(2**63), 2**63 - 1)
    states = frozenset(integer("each of terminal", state, low, high) for state in given)
    if len(states) == num_states:
        raise ValueError(f"terminal must leave a state to act in, got all {num_states}")
    return states


def acted_in(state: Any, terminal: frozenset[int]) -> None:
    """Refuse a terminal state as one to act in; whether it is a state at all is for others to say."""
    if isinstance(state, int | np.integer) and state in terminal:
        raise ValueError(f"state must be one to act in, got the terminal state {state}")


def sizes(num_states: Any, num_actions: Any) -> tuple[int, int]:
    """Numbers of states, perhaps without end, and actions."""
    return positive_integer("num_states", num_states, UNBOUNDED), actions(num_actions)


def table_sizes(num_states: Any, num_actions: Any) -> tuple[int, int]:
    """Numbers of states and actions that tables can be indexed by."""
    S, A = sizes(num_states, num_actions)
    if S == UNBOUNDED:
        raise ValueError(
            "num_states must be finite for this prior, and rewards without entries mean a world without end; "
            "GridRewards, Lazy and Compiled are for such worlds"
        )
    return S, A


def fits_memory(what: str, numbers: int, limit: int = 2**30) -> None:
    """Refuse a dense table of more than `limit` bytes of doubles."""
    if 8 * numbers > limit:
        raise MemoryError(f"{what} needs a table of {8 * numbers / 2**30:.1f} GiB, more than the {limit / 2**30:g} GiB allowed")


def fits_world(table: NDArray[np.float64], num_states: int, num_actions: int) -> None:
    """Refuse rewards of another world."""
    S, A = table.shape[0] or UNBOUNDED, table.shape[1]
    if (num_states, num_actions) != (S, A):
        raise ValueError(f"rewards are for {S} states and {A} actions, the belief for {num_states} and {num_actions}")


def states(name: str, value: NDArray[Any], num_states: int) -> NDArray[np.int64]:
    """`value` as an array of states below `num_states`; any integers will do if the world is unbounded."""
    if value.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, got numbers of type {value.dtype}")
    low = 0 if num_states < UNBOUNDED else -(2**63)
    outside = (value < low) | (value >= num_states + (num_states == UNBOUNDED))
    if outside.any():
        where = tuple(int(i) for i in np.argwhere(outside)[0])
        raise ValueError(f"{name} must be states from {low} to {num_states - 1}, got {value[where]} at index {where}")
    return np.ascontiguousarray(value, dtype=np.int64)


def distribution_rows(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """`value` as an array whose rows along the last axis are probabilities that sum to one."""
    array = real_array(name, value)
    if array.ndim == 0 or array.size == 0:
        raise ValueError(f"{name} must be an array of probability rows, got shape {array.shape}")
    if array.min() < 0:
        where = tuple(int(i) for i in np.argwhere(array < 0)[0])
        raise ValueError(f"{name} must not be negative, got {array[where]} at index {where}")
    with np.errstate(over="ignore"):
        sums = np.atleast_1d(array.sum(axis=-1))
    off = np.abs(sums - 1) > 1e-8
    if np.any(off):
        where = tuple(int(i) for i in np.argwhere(off)[0])
        raise ValueError(f"{name}: each row must sum to one, the row at index {where} sums to {sums[where]:.9g}")
    return array


def beta_parameters(name: str, value: Any) -> tuple[float, float]:
    """`value` as the two parameters of a Beta distribution, above zero and not beyond reason."""
    refusal = f"{name} must be two numbers above 0 and up to 1e6, got {_short(value)}"
    try:
        a, b = value
    except (TypeError, ValueError):
        raise TypeError(refusal) from None
    try:
        return real(name, a, 0, 1e6, open_low=True), real(name, b, 0, 1e6, open_low=True)
    except (TypeError, ValueError) as error:
        raise type(error)(refusal) from None
