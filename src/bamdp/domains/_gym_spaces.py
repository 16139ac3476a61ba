"""Numbering the elements of a finite Gymnasium space: Discrete, MultiDiscrete, MultiBinary, tuples and dicts of them."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gymnasium import Space

MOST = 10**7  # elements: tables of rewards have an entry for each state and action


class Numbering:
    """The elements of a finite space as 0, 1, 2, … `size` − 1; a TypeError that names the space if it is infinite or too large.

    Example:
        >>> from gymnasium.spaces import Discrete, Tuple
        >>> cards = Numbering("observation_space", Tuple([Discrete(32), Discrete(11, start=1), Discrete(2)]))
        >>> cards.size, cards.number((1, 3, 1)), cards.element(27)
        (704, 27, (1, 3, 1))
    """

    def __init__(self, name: str, space: Space[Any]) -> None:
        sizes = _sizes(space)
        if sizes is None or prod(sizes) > MOST:
            what = "is infinite" if sizes is None else f"has {prod(sizes):.2g} elements, more than {MOST:.0e}"
            raise TypeError(
                f"{name} must be Discrete, or made of Discrete parts, and {space} {what}; discretize it by a wrapper "
                "(gymnasium.ObservationWrapper, gymnasium.ActionWrapper) and give a function that makes the wrapped environment"
            )
        self._space, self._sizes = space, sizes
        self.size = prod(sizes)

    def number(self, element: Any) -> int:
        return int(np.ravel_multi_index(_parts(self._space, element), self._sizes))

    def element(self, number: int) -> Any:
        parts = iter(int(n) for n in np.unravel_index(number, self._sizes))
        return _joined(self._space, parts)


def _sizes(space: Space[Any]) -> tuple[int, ...] | None:
    """Number of values of each part of an element; None if infinite."""
    from gymnasium import spaces

    match space:
        case spaces.Discrete():
            return (int(space.n),)
        case spaces.MultiDiscrete():
            return tuple(int(n) for n in space.nvec.ravel())
        case spaces.MultiBinary():
            return (2,) * prod(space.shape)
        case spaces.Tuple() | spaces.Dict():
            parts = [_sizes(part) for part in _members(space)]
            return None if None in parts else tuple(n for part in parts for n in part or ())
    return None


def _parts(space: Space[Any], element: Any) -> tuple[int, ...]:
    """The parts of an element, each counted from 0."""
    from gymnasium import spaces

    match space:
        case spaces.Discrete():
            return (int(element) - int(space.start),)
        case spaces.MultiDiscrete():
            return tuple(int(n) for n in (np.asarray(element) - space.start).ravel())
        case spaces.MultiBinary():
            return tuple(int(n) for n in np.ravel(element))
    values = [element[key] for key in space.spaces] if isinstance(space, spaces.Dict) else element
    return tuple(n for part, value in zip(_members(space), values, strict=True) for n in _parts(part, value))


def _joined(space: Space[Any], parts: Iterator[int]) -> Any:
    """The element made of the next parts."""
    from gymnasium import spaces

    match space:
        case spaces.Discrete():
            return int(space.start) + next(parts)
        case spaces.MultiDiscrete():
            numbers = np.array([next(parts) for _ in range(space.nvec.size)]).reshape(space.nvec.shape)
            return (numbers + space.start).astype(space.dtype)
        case spaces.MultiBinary():
            return np.array([next(parts) for _ in range(prod(space.shape))], dtype=space.dtype).reshape(space.shape)
        case spaces.Dict():
            return {key: _joined(part, parts) for key, part in space.spaces.items()}
    return tuple(_joined(part, parts) for part in _members(space))


def _members(space: Any) -> list[Space[Any]]:
    return list(space.spaces.values()) if isinstance(space.spaces, dict) else list(space.spaces)
