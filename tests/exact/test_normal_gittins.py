"""Gittins indices of normal arms: published values, bounds by another method, scaling, and what is
rejected.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from bamdp import _core
from bamdp.exact import normal_gittins_index
from bamdp.exact.normal_gittins import BLOCK, unit_index
from reference.normal_arms import gittins_bounds
from reference.rejections import rejections

# n √(1 − γ) ν(n, γ) of Gittins, Glazebrook, Weber (2011), table 8.1. For γ = 0.99 only small n:
# beyond, the table's last digits are off (0.54864 instead of 0.54859 at n = 100, 0.63308 instead of
# 0.63126 at n = 1000).
PUBLISHED = {
    0.5: {1: 0.14542, 2: 0.17209, 10: 0.21113, 100: 0.22554},
    0.9: {1: 0.23609, 2: 0.29485, 10: 0.41526, 100: 0.49266},
    0.95: {1: 0.22263, 2: 0.28366, 10: 0.42458, 100: 0.54037},
    0.99: {1: 0.15758, 2: 0.20830, 10: 0.35285},
}


@pytest.mark.parametrize("discount", PUBLISHED)
def test_published_values(discount: float) -> None:
    for n, value in PUBLISHED[discount].items():
        found = normal_gittins_index(0, n**-0.5, 1, discount, tolerance=1e-7)
        assert n * (1 - discount) ** 0.5 * found == pytest.approx(value, abs=1.2e-5), n


@pytest.mark.parametrize(
    ("n", "discount", "stages"), [(1.0, 0.5, 30), (0.2, 0.8, 50), (5.0, 0.9, 100)]
)
def test_between_bounds_by_another_method(n: float, discount: float, stages: int) -> None:
    """Tangents and chords on a grid; they are near enough to see an error of one in a hundred."""
    low, high = gittins_bounds(n, discount, stages, 150)
    assert high - low < 0.01 * high
    assert low <= normal_gittins_index(0, n**-0.5, 1, discount, tolerance=1e-8) <= high


@pytest.mark.parametrize("discount", [0.3, 0.9, 0.97])
def test_the_tolerance_is_kept(discount: float) -> None:
    fine = _core.normal_gittins_indices(2.0, 30, discount, 1e-10)
    for tolerance in (1e-2, 1e-3, 1e-5):
        coarse = _core.normal_gittins_indices(2.0, 30, discount, tolerance)
        assert np.all(coarse <= fine + 2e-10)
        assert np.all(fine - coarse <= 2 * tolerance)


def test_shift_scale_and_shapes() -> None:
    one = float(normal_gittins_index(0, 0.5, 1, 0.9))
    assert normal_gittins_index(7, 1, 2, 0.9) == pytest.approx(7 + 2 * one)
    table = np.asarray(normal_gittins_index([[0], [3]], [0.0, 0.5], 1, 0.9))
    assert table == pytest.approx(np.array([[0, one], [3, 3 + one]]))
    assert normal_gittins_index(1, 2, 3, 0) == 1


def test_later_blocks_go_on_where_the_first_ends() -> None:
    whole = _core.normal_gittins_indices(0.7, BLOCK + 3, 0.9, 1e-6)
    assert [unit_index(0.7, k, 0.9, 1e-6) for k in (0, 1, BLOCK, BLOCK + 2)] == pytest.approx(
        whole[[0, 1, BLOCK, BLOCK + 2]], abs=2e-6
    )


def bad(**changed: Any) -> Callable[[], Any]:
    return lambda: normal_gittins_index(
        **{"mean": 0, "deviation": 1, "noise": 1, "discount": 0.9, **changed}
    )


test_rejected = rejections(
    (ValueError, "must be of the same shape", bad(mean=[1, 2], deviation=[1, 2, 3])),
)


@pytest.mark.parametrize(("n", "discount"), [(1e-6, 0.9), (1.0, 0.9), (30.0, 0.97), (1e5, 0.8)])
def test_finer_panels_change_nothing(n: float, discount: float) -> None:
    coarse, fine = (
        _core.normal_gittins_indices(n, 20, discount, 1e-8, fine) for fine in (1.0, 2.0)
    )
    assert coarse == pytest.approx(fine, rel=1e-11)
