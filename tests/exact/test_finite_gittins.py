"""Gittins indices for a known number of steps: closed forms, a slow twin by bisection, and the infinite horizon."""

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import Gittins
from bamdp.exact import finite_gittins_index, gittins_index
from bamdp.priors import BetaArms
from reference.arms import finite_index
from reference.rejections import rejections


@pytest.mark.parametrize("discount", [1.0, 0.8])
@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.3, 2.5), (6, 2)])
def test_it_is_the_twin(a: float, b: float, discount: float) -> None:
    steps = np.array([1, 2, 3, 7, 20])
    twin = [finite_index(a, b, int(n), discount) for n in steps]
    assert finite_gittins_index(a, b, steps, discount, tolerance=1e-12) == pytest.approx(twin, abs=1e-10)
    assert finite_gittins_index(a, b, steps[::-1], discount, tolerance=1e-4) == pytest.approx(twin[::-1], abs=1e-4)


def test_it_tends_to_the_gittins_index() -> None:
    near = finite_gittins_index([1, 4], [1, 2], 800, 0.95)
    assert near == pytest.approx(gittins_index([1, 4], [1, 2], 0.95, 1e-8), abs=1e-6)
    steps = finite_gittins_index(1, 1, np.arange(1, 60))
    assert (np.diff(steps) > 0).all()


def test_a_failure_may_pay_more() -> None:
    swapped = Gittins(BAMDP(BetaArms([1, 2], [3, 1]), [[[1.0, 0.0]] * 2] * 2, 1.0, horizon=9))
    assert swapped.q_values(0) == pytest.approx(finite_gittins_index([3, 1], [1, 2], 9), abs=1e-6)


test_rejected = rejections(
    (ValueError, "must not both be zero", lambda: finite_gittins_index(0, 0, 3)),
    (ValueError, "shapes that broadcast", lambda: finite_gittins_index([1, 2], [1, 2, 3], 3)),
)
