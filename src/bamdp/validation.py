"""Validation of arguments, for your own agents, priors and domains too.

Each error names the argument, what it got and what it accepts.

Example:
    >>> positive_integer("simulations", 0)
    Traceback (most recent call last):
    ValueError: simulations must be an integer of at least 1, got 0
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import pandas

UNBOUNDED = 2**63 - 1  # as num_states: infinitely many

# The largest absolute reward: for any discount below 1 the sum of squared returns of 2³¹
# simulations stays finite.
LARGEST_REWARD = 1e130
LARGEST_RETURN = 1e146  # of such rewards, as 1 − discount is at least 1e-16
MOST_STEPS = 10**6  # of a horizon
MOST_ACTIONS = 10**6  # a visited state then takes up to 54 MiB


def short_repr(value: Any) -> str:
    """The `repr` of `value` for an error message: at most 60 characters."""
    try:
        text = repr(value)
    except Exception:  # too many digits, or a faulty __repr__: the error to report is the caller's
        text = f"some {type(value).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."


def integer(name: str, value: Any, low: int, high: int | None = None) -> int:
    """`value` as an int in [low, high]."""
    accepts = (
        f"an integer of at least {low}" if high is None else f"an integer from {low} to {high}"
    )
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be {accepts}, got {short_repr(value)}") from None
    if isinstance(value, bool) or number < low or (high is not None and number > high):
        raise ValueError(f"{name} must be {accepts}, got {short_repr(value)}")
    return number


def positive_integer(name: str, value: Any, high: int | None = None) -> int:
    """`value` as an int of at least 1."""
    return integer(name, value, 1, high)


def real(
    name: str,
    value: Any,
    low: float = -np.inf,
    high: float = np.inf,
    *,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """`value` as a finite float between low and high (bounds included unless open)."""
    interval = f"{'(' if open_low else '['}{low:g}, {high:g}{')' if open_high else ']'}"
    accepts = (
        "a finite number" if low == -np.inf and high == np.inf else f"a finite number in {interval}"
    )
    try:
        number = float(
            operator.index(value) if np.ndim(value) else value
        )  # float() alone accepts an array of one number
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be {accepts}, got {short_repr(value)}") from None
    except OverflowError:  # an integer beyond the range of doubles
        number = np.inf
    inside = (low < number if open_low else low <= number) and (
        number < high if open_high else number <= high
    )
    if not (np.isfinite(number) and inside):
        raise ValueError(f"{name} must be {accepts}, got {short_repr(value)}")
    return number


def half_life_or_none(value: Any) -> float | None:
    """`value` as a positive number of steps, or None."""
    return None if value is None else real("half_life", value, 0, open_low=True)


def mebibytes(name: str, value: Any) -> int:
    """`value`, a positive number of mebibytes, in bytes."""
    return int(real(name, value, 0, 1e12, open_low=True) * 2**20)


def discount(value: Any, *, ends: bool = False, where: str = "with a horizon") -> float:
    """`value` as a discount factor in [0, 1), or 1 where the sum of rewards `ends`; `where` says in
    words when it does.
    """
    number = real("discount", value, 0, 1)
    if number == 1 and not ends:
        raise ValueError(
            f"discount must be a finite number in [0, 1), or 1 {where}, got {short_repr(value)}"
        )
    return number


def horizon(value: Any) -> int | None:
    """`value` as a number of steps, or None."""
    return None if value is None else positive_integer("horizon", value, MOST_STEPS)


def reward(value: Any) -> float:
    """`value` as a reward that can be summed and squared."""
    return real("reward", value, -LARGEST_REWARD, LARGEST_REWARD)


def generator(value: Any) -> np.random.Generator:
    """`value` as a random generator."""
    if not isinstance(value, np.random.Generator):
        raise TypeError(
            "rng must be a numpy.random.Generator, such as numpy.random.default_rng(), got "
            f"{short_repr(value)}"
        )
    return value


def seed(value: Any) -> int:
    """`value` as a seed, a non-negative integer."""
    return integer("seed", value, 0)


def boolean(name: str, value: Any) -> bool:
    """`value` as a bool; other types are rejected, as they are likely mistakes."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {short_repr(value)}")
    return bool(value)


def one_of(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """`value` if it is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        hint = suggestion(value, choices) if isinstance(value, str) else ""
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, choices))}, got {short_repr(value)}{hint}"
        )
    return value


# What papers and other libraries say, and the names here; the first that is known is meant.
SYNONYMS = {
    "arms": ("probabilities",),
    "b": ("visits",),
    "c": ("exploration", "branching"),
    "c_puct": ("exploration",),
    "gamma": ("discount",),
    "greedy": ("posterior-mean",),
    "iterations": ("simulations", "trajectories"),
    "k": ("simulations", "models"),
    "lambda": ("lam",),
    "lr": ("learning_rate",),
    "optimistic_psrl": ("opsrl",),
    "psrl": ("bayesian-dp",),
    "return": ("discounted_return",),
    "simulations": ("trajectories",),
    "thompson": ("bayesian-dp",),
    "thompson_sampling": ("bayesian-dp",),
    "total": ("total_reward",),
}


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The one of the `known` names that was probably meant; None if none is near.

    Example:
        >>> nearest("Slpi", ["slip", "discount"]), nearest("gamma", ["slip", "discount"])
        ('slip', 'discount')
    """
    import difflib  # only where something is wrong

    spelt, wanted = {_spelling(text): text for text in known}, _spelling(name)
    same = [text for text in SYNONYMS.get(wanted, ()) if text in spelt.values()]
    return next(
        iter(same + [spelt[near] for near in difflib.get_close_matches(wanted, spelt, 1)]), None
    )


def suggestion(name: str, known: Iterable[str]) -> str:
    """The end of an error message: the nearest of the `known` names, or nothing if none is near.

    Example:
        >>> suggestion("Slpi", ["slip", "discount"])
        "; did you mean 'slip'?"
        >>> suggestion("K", ["models", "delta"])
        "; K is called 'models' here."
    """
    near = nearest(name, known)
    if near in SYNONYMS.get(_spelling(name), ()):
        return f"; {name} is called '{near}' here."
    return f"; did you mean '{near}'?" if near else ""


def _spelling(name: str) -> str:
    return name.lower().replace("-", "_")


def path(name: str, value: Any) -> Path:
    """`value` as the path of a file or folder."""
    try:
        text = os.fspath(value)
    except TypeError:
        text = None
    if not isinstance(text, str):
        raise TypeError(
            f"{name} must be a path, a string or a pathlib.Path, got {short_repr(value)}"
        )
    if "\0" in text:
        raise ValueError(f"{name} must not contain a null character, got {short_repr(value)}")
    return Path(text)


def function(name: str, value: Any) -> Any:
    """`value` if it is callable."""
    if not callable(value):
        raise TypeError(f"{name} must be a function, got {short_repr(value)}")
    return value


def mapping(name: str, value: Any) -> Mapping[Any, Any]:
    """`value` if it is a mapping."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a dictionary, got {short_repr(value)}")
    return value


def listed(name: str, values: Any, kind: type[Any] = object) -> list[Any]:
    """`values` as a list, if all are of type `kind`."""
    message = (
        f"{name} must be a list{'' if kind is object else f' of {kind.__name__}'}, got "
        f"{short_repr(values)}"
    )
    try:
        items = list(values)
    except TypeError:
        raise TypeError(message) from None
    if not all(isinstance(value, kind) for value in items):
        raise TypeError(message)
    return items


def text(name: str, value: Any) -> str:
    """`value` if it is a string."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, got {short_repr(value)}")
    return value


def dimensions(name: str, value: Any) -> int:
    """Number of dimensions of `value`, a number or an array of numbers."""
    try:
        return np.ndim(value)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} must be a number or an array of numbers, got {short_repr(value)}"
        ) from None


def real_array(name: str, value: ArrayLike, largest: float = np.inf) -> NDArray[np.float64]:
    """A C-contiguous copy of `value` as doubles, finite and at most `largest` in absolute value."""
    try:
        raw = np.asarray(value)
        if (
            raw.dtype.kind not in "biufO"
        ):  # no dates or strings, and no complex numbers, which would lose a part
            raise TypeError
        with np.errstate(over="ignore"):  # of longer floats: infinity is rejected below
            array = np.array(raw, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} must be an array of numbers, got {short_repr(value)}") from None
    outside = ~(np.abs(array) <= min(largest, np.finfo(np.float64).max))
    if outside.any():
        where = tuple(int(i) for i in np.argwhere(outside)[0])
        accepts = (
            "finite" if not np.isfinite(array[where]) else f"at most {largest:g} in absolute value"
        )
        raise ValueError(f"{name} must be {accepts}, got {array[where]} at index {where}")
    return array


def rewards(value: ArrayLike) -> NDArray[np.float64]:
    """`value` as a table of rewards, [S, A] or [S, A, S]; [0, A] for an unbounded domain."""
    array = real_array("rewards", value, LARGEST_REWARD)
    if (
        array.ndim not in (2, 3)
        or array.shape[1] == 0
        or (array.ndim == 3 and not 0 < array.shape[0] == array.shape[2])
    ):
        raise ValueError(f"rewards must have shape [S, A] or [S, A, S], got {array.shape}")
    return array


def terminal_states(value: Any, num_states: int) -> frozenset[int]:
    """`value` as a set of states, but not all of `num_states`; any 64-bit integers if unbounded."""
    try:
        listed_states = None if isinstance(value, str) else list(value)
    except TypeError:
        listed_states = None
    if listed_states is None:
        raise TypeError(f"terminal must be a collection of states, got {short_repr(value)}")
    low, high = (0, num_states - 1) if num_states < UNBOUNDED else (-(2**63), 2**63 - 1)
    states = frozenset(integer("each of terminal", state, low, high) for state in listed_states)
    if len(states) == num_states:
        raise ValueError(f"terminal must not contain all states, got all {num_states}")
    return states


def sizes(num_states: Any, num_actions: Any) -> tuple[int, int]:
    """Numbers of states, perhaps unbounded, and actions."""
    return positive_integer("num_states", num_states, UNBOUNDED), positive_integer(
        "num_actions", num_actions, MOST_ACTIONS
    )


def table_sizes(num_states: Any, num_actions: Any) -> tuple[int, int]:
    """Numbers of states and actions of a table."""
    S, A = sizes(num_states, num_actions)
    if S == UNBOUNDED:
        raise ValueError(
            "num_states must be finite for this prior, and empty rewards mean an unbounded domain; "
            "use GridRewards, Lazy or Compiled there"
        )
    return S, A


def fits_memory(what: str, numbers: int) -> None:
    """Reject a dense table of more than 1 GiB of doubles."""
    if 8 * numbers > 2**30:
        raise MemoryError(
            f"{what} needs a table of {8 * numbers / 2**30:.1f} GiB, more than the 1 GiB allowed"
        )


def states(name: str, value: NDArray[Any], num_states: int) -> NDArray[np.int64]:
    """`value` as an array of states, or of actions, below `num_states`; any
    integers if unbounded.
    """
    if value.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, got numbers of type {value.dtype}")
    low = 0 if num_states < UNBOUNDED else -(2**63)
    outside = (value < low) | (value >= num_states + (num_states == UNBOUNDED))
    if outside.any():
        where = tuple(int(i) for i in np.argwhere(outside)[0])
        raise ValueError(
            f"{name} must be integers from {low} to {num_states - 1}, got {value[where]} at index "
            f"{where}"
        )
    return np.ascontiguousarray(value, dtype=np.int64)


def distribution_rows(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """`value` as an array whose rows, along the last axis, are probabilities that sum to one."""
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
        raise ValueError(
            f"{name}: each row must sum to one, the row at index {where} sums to {sums[where]:.9g}"
        )
    return array


def beta_parameters(name: str, value: Any) -> tuple[float, float]:
    """`value` as the two parameters of a Beta distribution, in (0, 1e6]."""
    message = f"{name} must be two numbers above 0 and up to 1e6, got {short_repr(value)}"
    try:
        a, b = value
    except (TypeError, ValueError):
        raise TypeError(message) from None
    try:
        return real(name, a, 0, 1e6, open_low=True), real(name, b, 0, 1e6, open_low=True)
    except (TypeError, ValueError) as error:
        raise type(error)(message) from None


def require(module: str, need: str, extra: str) -> Any:
    """Import an optional dependency; if it isn't installed, the error begins with `need` and names
    the `extra` to install.

    Example:
        >>> require("no_such_module", "it is needed", "fit")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ImportError: it is needed, which is not installed: pip ... (in a clone: '.[fit]')
    """
    try:
        return import_module(module)
    except ImportError as error:
        hint = f"pip install 'bamdp[{extra}]' (in a clone: '.[{extra}]')"
        raise ImportError(f"{need}, which is not installed: {hint}") from error


def data_frame(columns: Mapping[str, list[Any]]) -> pandas.DataFrame:
    """A table as a `pandas.DataFrame`, which is an optional dependency."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            "to_pandas() needs pandas: pip install pandas; `columns` is the same without it"
        ) from error
    return pandas.DataFrame(columns)
