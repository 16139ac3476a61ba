"""Worlds in the forms in which users have them: a list, rows of draws, columns with names."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp.validation import listed, real_array, short_repr

MOST_WORLDS = 10**6


class ListedWorlds:
    """Worlds, one by one and all at once.

    Attributes:
        worlds: each world, as the user's function gets it. [M]
        together: all of them, as a vectorised function gets them: an array [M] or [M, d], one with
            names, or the list.
    """

    def __init__(self, value: Any, names: Sequence[str] | None = None) -> None:
        value = _columns(value)
        self.worlds: list[Any]
        self._together: Any = None
        if isinstance(value, Mapping):
            self._of_columns(value, names)
        elif isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            self._of_rows(value, names)
        else:
            self._of_list(value, names)
        if not 1 <= len(self.worlds) <= MOST_WORLDS:
            raise ValueError(
                f"worlds must be 1 to {MOST_WORLDS} worlds, got {len(self.worlds)}: "
                f"{short_repr(value)}"
            )

    def _of_columns(self, value: Mapping[Any, Any], names: Sequence[str] | None) -> None:
        if names is not None:
            raise ValueError(f"names must be None for columns with names, got {short_repr(names)}")
        columns = {str(name): real_array(str(name), column) for name, column in value.items()}
        sizes = {column.shape[0] if column.ndim else 0 for column in columns.values()}
        if len(sizes) != 1:
            raise ValueError(
                "worlds must have columns of the same length, one entry for each draw, got "
                f"{short_repr({name: column.shape for name, column in columns.items()})}"
            )
        World = _named(list(columns))
        self._together = World(*map(_fixed, columns.values()))
        self.worlds = [
            World(*parts) for parts in zip(*map(_entries, columns.values()), strict=True)
        ]

    def _of_rows(self, value: NDArray[Any], names: Sequence[str] | None) -> None:
        rows = real_array("worlds", value) if value.dtype.kind == "f" else np.array(value)
        if rows.ndim not in (1, 2):
            raise ValueError(
                f"worlds must be draws, [M] or [M, d], one row for each, got shape {rows.shape}"
            )
        if names is not None:
            table = rows[:, None] if rows.ndim == 1 else rows
            checked = listed("names", names, str)
            if len(checked) != table.shape[1]:
                raise ValueError(
                    f"names must be {table.shape[1]} names, one for each column, got "
                    f"{short_repr(names)}"
                )
            self._of_columns(dict(zip(checked, table.T, strict=True)), None)
            return
        self._together = _fixed(rows)
        self.worlds = _entries(rows)

    def _of_list(self, value: Any, names: Sequence[str] | None) -> None:
        if not isinstance(value, Iterable):
            raise TypeError(
                "worlds must be a list of worlds, rows of draws, or a function draw(rng) that "
                f"draws one, got {short_repr(value)}"
            )
        if names is not None:
            raise ValueError(f"names must be None but for rows of draws, got {short_repr(names)}")
        self.worlds = list(value)

    @property
    def together(self) -> Any:
        if self._together is None:
            self._together = together(self.worlds)
        return self._together

    def replace(self, worlds: list[Any]) -> None:
        """Put other worlds in the place of these."""
        self.worlds, self._together = worlds, None


def _columns(value: Any) -> Any:
    """Draws of ArviZ, xarray and pandas as a dictionary of arrays [M, …]; else `value` itself."""
    if hasattr(value, "columns") and hasattr(value, "to_numpy"):  # a data frame
        return {str(name): value[name].to_numpy() for name in value.columns}
    draws = getattr(value, "posterior", value)
    if not getattr(draws, "data_vars", None):
        if callable(getattr(value, "groups", None)) or hasattr(draws, "data_vars"):
            raise ValueError(
                "worlds must be draws with a group posterior, or a group of such draws, got "
                f"{short_repr(value)}"
            )
        return value
    return {str(name): _stacked(name, draws[name]) for name in draws.data_vars}


def _stacked(name: Any, variable: Any) -> NDArray[Any]:
    """The draws of all chains, one after another. [M, …]"""
    for leading in (("chain", "draw"), ("sample",), ("draw",)):
        if set(leading) <= set(variable.dims):
            array = np.asarray(variable.transpose(*leading, ...))
            return array.reshape(-1, *array.shape[len(leading) :])
    raise ValueError(
        f"{name} must have the dimensions chain and draw, draw, or sample, one entry for each "
        f"draw, got {variable.dims}"
    )


def _named(names: list[str]) -> Any:
    try:
        return namedtuple("World", names)
    except ValueError as error:
        raise ValueError(f"names of columns must be names of Python: {error}") from None


def _fixed(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array


def _entries(array: NDArray[Any]) -> list[Any]:
    """The entries of an array, numbers or rows that can't be changed."""
    return array.tolist() if array.ndim == 1 else list(_fixed(array))


def together(worlds: Sequence[Any]) -> Any:
    """Worlds that are numbers, rows, or rows with names as a vectorised function gets them."""
    first = worlds[0]
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*map(np.array, zip(*worlds, strict=True)))
    return np.array(worlds) if as_vector(first) is not None else list(worlds)


def columns_of(worlds: Sequence[Any]) -> dict[str, NDArray[np.float64]]:
    """Parameters by name, numbers [M] or arrays [M, …], of worlds that have names for them; else
    none.
    """
    first = worlds[0]
    names = list(first) if isinstance(first, dict) else list(getattr(first, "_fields", ()))
    columns = {}
    for name in names:
        parts = [
            world[name] if isinstance(world, dict) else getattr(world, name) for world in worlds
        ]
        if {np.asarray(part).dtype.kind for part in parts} <= set("biuf"):
            shapes = {np.shape(part) for part in parts}
            if len(shapes) == 1:
                columns[str(name)] = np.array(parts, dtype=np.float64)
    return columns


def number_columns(worlds: Sequence[Any]) -> dict[str, NDArray[np.float64]]:
    """The same; of worlds that are numbers, or tuples of these, one column, `world`."""
    columns = columns_of(worlds)
    if columns:
        return columns
    vectors = [as_vector(world) for world in worlds]
    if (
        any(vector is None for vector in vectors)
        or len({v.shape for v in vectors if v is not None}) > 1
    ):
        return {}
    table = np.stack([vector for vector in vectors if vector is not None])
    return {"world": table if np.ndim(worlds[0]) else table[:, 0]}


def as_vector(world: Any) -> NDArray[np.float64] | None:
    """The numbers of a world: a number, a tuple, or an array of one dimension; else None."""
    values = list(world.values()) if isinstance(world, dict) else world
    try:
        vector = np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        return None
    return vector if vector.ndim == 1 and np.isfinite(vector).all() else None


def like(world: Any, vector: NDArray[np.float64]) -> Any:
    """The numbers of `vector` in the form of `world`."""
    numbers = vector.tolist()
    if isinstance(world, dict):
        return dict(zip(world, numbers, strict=True))
    if isinstance(world, tuple) and hasattr(world, "_fields"):
        return type(world)(*numbers)
    if isinstance(world, tuple | list):
        return type(world)(numbers)
    return _fixed(vector) if isinstance(world, np.ndarray) and world.ndim else numbers[0]
