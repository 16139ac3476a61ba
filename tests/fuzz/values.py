"""Values that nobody should pass, and right ones in awkward forms."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray

DTYPES = ("f8", "f4", "f2", "i8", "i4", "u8", "u1", "?", "c16", "O", "U3", "S3", "M8[s]", "V4", ">f8", "g")


class Index:
    """An integer only by its __index__."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


class Rude:
    """Raises whatever it is asked."""

    def __float__(self) -> float:
        raise ValueError("no")

    def __index__(self) -> int:
        raise TypeError("no")

    def __array__(self, *_: Any, **__: Any) -> NDArray[Any]:
        raise TypeError("no")


HUGE = [2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64, -(2**63), -(2**63) - 1, 10**30, 10**400]
FLOATS = [0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), -float("inf"), 5e-324, 1e-300, 1e300, 1.7e308, -1e300, 1 - 2**-53]
ODD: list[Any] = ["", "x", "1", "0.5", "a/b", "\0", b"1", None, (), [], {}, set(), object, Ellipsis]
ODD += [Decimal("0.5"), Decimal("NaN"), Fraction(1, 3)]

scalars: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([*HUGE, *FLOATS, *ODD]),
    st.integers(-3, 12),
    st.floats(width=32),
    st.booleans(),
    st.complex_numbers(),
    st.integers(-2, 5).map(Index),
    st.sampled_from([np.float32(0.5), np.int8(1), np.uint64(2**64 - 1), np.bool_(True), np.str_("x"), np.datetime64("2000")]),
    st.builds(Rude),
)


def arrays(shape: Any = None) -> st.SearchStrategy[NDArray[Any]]:
    """Of any type and layout; of any small shape if none is given."""
    shapes = npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4) if shape is None else shape
    return (
        st.sampled_from(DTYPES)
        .flatmap(lambda kind: npst.arrays(np.dtype(kind), shapes, elements=_elements(kind)))
        .flatmap(awkward)
    )


def _elements(kind: str) -> st.SearchStrategy[Any] | None:
    if kind == "O":
        return st.sampled_from([None, 1, 0.5, "x", 10**400])
    if kind in ("g", "V4"):
        return st.just(np.zeros((), kind)[()])
    return st.sampled_from(FLOATS) if kind in ("f8", ">f8") else None


def awkward(array: NDArray[Any]) -> st.SearchStrategy[NDArray[Any]]:
    """The same numbers in another layout: Fortran's, with gaps, backwards, read-only."""
    return st.sampled_from([array, *_layouts(array)])


def _layouts(array: NDArray[Any]) -> list[NDArray[Any]]:
    fixed = array.copy()
    fixed.setflags(write=False)
    if array.ndim == 0:
        return [fixed]
    gaps = np.empty((*array.shape[:-1], 2 * array.shape[-1]), dtype=array.dtype)
    gaps[..., ::2] = array
    return [fixed, np.asfortranarray(array), gaps[..., ::2], array[::-1].copy()[::-1]]


junk: st.SearchStrategy[Any] = st.one_of(
    scalars, arrays(), st.lists(scalars, max_size=3), st.lists(st.lists(st.integers(-1, 2), max_size=2), max_size=3)
)
