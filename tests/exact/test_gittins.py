"""Gittins indices against published values, closed forms, and slow twins that know none of the
short cuts.
"""

from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import Gittins
from bamdp.exact import finite_gittins_index, gittins_index
from bamdp.priors import BetaArms
from reference.arms import finite_index
from reference.rejections import rejections

KNOWN = [
    (17, 19, 0.50442),
    (1, 1, 0.76143),
    (1, 2, 0.56011),
    (5, 7, 0.49985),
    (6, 8, 0.50179),
    (2, 4, 0.47531),
]


def twin(a: float, b: float, discount: float, pulls: int) -> float:
    """Bisection for the pension at which retiring is as good as pulling; the whole triangle of
    posteriors, nothing cut.
    """
    low, high = 0.0, 1.0
    for _ in range(45):
        pension = (low + high) / 2
        low, high = (
            (pension, high) if _pulling_pays(a, b, discount, pulls, pension) else (low, pension)
        )
    return low


def _pulling_pays(a: float, b: float, discount: float, pulls: int, pension: float) -> bool:
    retired = pension / (1 - discount)
    successes = np.arange(pulls + 1)
    values = np.maximum(pension, (a + successes) / (a + b + pulls)) / (1 - discount)
    pulled = values[0]
    for n in reversed(range(pulls)):
        p = (a + np.arange(n + 1)) / (a + b + n)
        continued = p * (1 + discount * values[1:]) + (1 - p) * discount * values[:-1]
        values, pulled = np.maximum(retired, continued), continued[0]
    return bool(pulled > retired)


@pytest.mark.parametrize(("successes", "failures", "index"), KNOWN)
def test_known_values(successes: int, failures: int, index: float) -> None:
    assert gittins_index(successes, failures, 0.95) == pytest.approx(index, abs=5.1e-6)


def test_when_the_stochastic_arm_beats_a_sure_half() -> None:
    alpha, beta = np.meshgrid(np.arange(1, 26), np.arange(1, 29), indexing="ij")
    better = (beta <= alpha + 1) | ((beta == alpha + 2) & (alpha >= 6))
    shown = beta <= alpha + 2  # beyond, the paper shows no more cells in which it is better
    indices = np.asarray(gittins_index(alpha, beta, 0.95, tolerance=1e-8))
    assert np.array_equal(indices[shown] > 0.5, better[shown])


@pytest.mark.slow
@pytest.mark.parametrize("discount", [0.3, 0.9, 0.95])
def test_it_is_the_twin_within_the_tolerance(discount: float) -> None:
    pulls = int(np.ceil(np.log(1e-13) / np.log(discount)))
    for a, b in [(1.0, 1.0), (0.2, 3.7), (12.0, 0.5), (30.0, 40.0)]:
        expected = twin(a, b, discount, pulls)
        for tolerance in (1e-3, 1e-6, 1e-10):
            assert (
                abs(float(gittins_index(a, b, discount, tolerance)) - expected) <= tolerance + 1e-12
            )


TOGETHER: list[tuple[Any, Any, float]] = [
    (np.arange(1, 8)[:, None] + 0.25, np.arange(1, 6)[None, :] + 0.5, 0.95),
    ([1, 1.5, 2, 2.5], [1, 1, 3, 1], 0.9),  # two lattices
    ([1, 1e6, 1], [1, 1, 1e6], 0.9),  # far apart: no lattice of all counts between
    ([1, 1e14, 1], [1, 1, 1e14], 0.9),
]


@pytest.mark.parametrize(
    ("successes", "failures", "discount"), TOGETHER, ids=["grid", "lattices", "far", "farther"]
)
def test_all_together_are_as_one_by_one(successes: Any, failures: Any, discount: float) -> None:
    together = gittins_index(successes, failures, discount, 1e-9)
    alone = np.vectorize(lambda a, b: float(gittins_index(a, b, discount, 1e-9)))(
        successes, failures
    )
    np.testing.assert_allclose(together, alone, rtol=0, atol=2e-9)


def test_arms_that_are_known() -> None:
    assert np.asarray(gittins_index([0, 3, 0.5], [2, 0, 0], 0.9)).tolist() == [0, 1, 1]
    assert np.asarray(finite_gittins_index([0, 3, 0.5], [2, 0, 0], 5)).tolist() == [0, 1, 1]
    assert gittins_index(1, 3, discount=0) == 0.25
    assert np.shape(gittins_index([], [], 0.9)) == (0,)


@pytest.mark.parametrize("discount", [1.0, 0.8])
@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.3, 2.5), (6, 2)])
def test_a_known_number_of_steps_is_the_twin(a: float, b: float, discount: float) -> None:
    steps = np.array([1, 2, 3, 7, 20])
    twin = [finite_index(a, b, int(n), discount) for n in steps]
    assert finite_gittins_index(a, b, steps, discount, tolerance=1e-12) == pytest.approx(
        twin, abs=1e-10
    )
    assert finite_gittins_index(a, b, steps[::-1], discount, tolerance=1e-4) == pytest.approx(
        twin[::-1], abs=1e-4
    )


def test_with_the_steps_the_index_tends_to_that_without_end() -> None:
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
    (ValueError, "successes and failures", lambda: gittins_index(0, 0, 0.9)),
    (ValueError, "tolerance", lambda: gittins_index(1, 1, 0.999999)),
)
