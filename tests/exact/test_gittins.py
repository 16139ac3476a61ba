"""Gittins indices against published values, closed forms, and a slow twin that knows none of the short cuts."""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp.exact import gittins_index

KNOWN = [(17, 19, 0.50442), (1, 1, 0.76143), (1, 2, 0.56011), (5, 7, 0.49985), (6, 8, 0.50179), (2, 4, 0.47531)]


@cache
def twin(a: float, b: float, discount: float, pulls: int) -> float:
    """Bisection for the pension at which retiring is as good as pulling; the whole triangle of posteriors, nothing cut."""
    low, high = 0.0, 1.0
    for _ in range(45):
        pension = (low + high) / 2
        low, high = (pension, high) if _pulling_pays(a, b, discount, pulls, pension) else (low, pension)
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


@pytest.mark.parametrize("discount", [0.3, 0.9, 0.97])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-10])
def test_it_is_the_twin_within_the_tolerance(discount: float, tolerance: float) -> None:
    pulls = int(np.ceil(np.log(1e-13) / np.log(discount)))
    for a, b in [(1.0, 1.0), (0.2, 3.7), (12.0, 0.5), (30.0, 40.0)]:
        assert abs(float(gittins_index(a, b, discount, tolerance)) - twin(a, b, discount, pulls)) <= tolerance + 1e-12


def test_the_tolerance_matters() -> None:
    """Or the test above could not fail: a coarse result is not a fine one."""
    coarse, fine = gittins_index(1, 1, 0.97, 1e-2), gittins_index(1, 1, 0.97, 1e-10)
    assert 1e-6 < abs(float(coarse) - float(fine)) <= 1e-2


def test_one_by_one_and_all_together() -> None:
    a, b = np.arange(1, 8)[:, None] + 0.25, np.arange(1, 6)[None, :] + 0.5
    table = np.asarray(gittins_index(a, b, 0.95))
    single = [[float(gittins_index(float(x), float(y), 0.95)) for y in b[0]] for x in a[:, 0]]
    assert table.shape == (7, 5)
    assert np.abs(table - single).max() <= 2e-6


def test_mixed_lattices_keep_their_places() -> None:
    mixed = np.asarray(gittins_index([1, 1.5, 2, 2.5], [1, 1, 3, 1], 0.9))
    assert mixed == pytest.approx([float(gittins_index(a, b, 0.9)) for a, b in [(1, 1), (1.5, 1), (2, 3), (2.5, 1)]], abs=2e-6)


def test_shape_of_the_index() -> None:
    indices: NDArray[np.float64] = np.asarray(gittins_index(np.arange(1, 40)[:, None], np.arange(1, 40), 0.99))
    a, b = np.arange(1, 40)[:, None], np.arange(1, 40)[None, :]
    assert np.all(indices > a / (a + b))
    assert np.all(np.diff(indices, axis=0) > 0)
    assert np.all(np.diff(indices, axis=1) < 0)


def test_one_step_ahead_in_closed_form() -> None:
    """For a small discount only the first pull and what follows a success at once matter: f = 0 to first order in γ."""
    discount = 1e-4
    mean, after_success = 0.5, 2 / 3
    first_order = mean + discount * mean * (after_success - mean)
    assert gittins_index(1, 1, discount, 1e-10) == pytest.approx(first_order, abs=1e-7)


def test_arms_that_are_known() -> None:
    assert np.asarray(gittins_index([0, 3, 0.5], [2, 0, 0], 0.9)).tolist() == [0, 1, 1]
    assert gittins_index(1, 3, discount=0) == 0.25
    assert np.shape(gittins_index([], [], 0.9)) == (0,)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((-1, 1, 0.9), "successes"),
        ((1, float("nan"), 0.9), "failures"),
        ((0, 0, 0.9), "successes and failures"),
        ((1, 1, 1.0), "discount"),
        ((1, 1, 0.9, 0.0), "tolerance"),
        ((1, 1, 0.999999), "tolerance"),
    ],
)
def test_what_is_refused(arguments: tuple[float, ...], name: str) -> None:
    with pytest.raises(ValueError, match=name):
        gittins_index(*arguments)
