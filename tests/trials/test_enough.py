"""How many users are enough: values against closed forms and simulation."""

from pathlib import Path

import pytest

from bamdp.exact import optimal_arms
from bamdp.trials import how_many
from reference.rejections import rejections


def test_what_can_be_gained() -> None:
    """E max of two uniform rates is 2/3: rate 1/2 and spread 1/√12 is the uniform prior."""
    found = how_many([1, 2, 40], rate=0.5, spread=12**-0.5)
    assert found.best == pytest.approx([2 / 3, 4 / 3, 80 / 3], abs=1e-9)
    optimal = found.earned["optimal"][2]
    assert optimal is not None
    assert optimal.value == pytest.approx(optimal_arms(found.trial.problem).value, abs=1e-9)
    assert [found.share("equal", i) for i in range(3)] == [0, 0, 0]
    assert found.tested[0] == 0


def test_a_test_before_the_decision() -> None:
    """Three users, a uniform prior: one each, and the third gets the one that is better, or either."""
    found = how_many([3], rate=0.5, spread=12**-0.5)
    value = found.earned["test, then decide"][0]
    assert value is not None
    assert value.value == pytest.approx(2 * 0.5 + (0.5 * 2 / 3 + 0.25 * 2 / 3 + 0.25 * 1 / 3), abs=1e-9)
    assert found.tested == (2,)


@pytest.mark.parametrize("versions", [2, 3])
def test_nobody_earns_more_than_the_optimum(versions: int) -> None:
    found = how_many([20, 40], rate=0.2, spread=0.1, versions=versions)
    for i in range(2):
        shares = {method: found.share(method, i) for method in found.earned}
        assert all(share is not None and share <= shares["optimal"] + 0.02 for share in shares.values())  # type: ignore[operator]
        assert 0 < shares["test, then decide"] < 1  # type: ignore[operator]


def test_thompson_is_simulated_as_it_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Within five half-widths of 1.96 standard errors: a false alarm below 1e-20, had the seed been drawn at random."""
    exact = how_many([30], rate=0.3, spread=0.15).earned["Thompson sampling"][0]
    monkeypatch.setattr("bamdp.trials.enough.EXACT", 0)
    drawn = how_many([30], rate=0.3, spread=0.15).earned["Thompson sampling"][0]
    assert exact is not None
    assert drawn is not None
    assert drawn.half is not None
    assert abs(exact.value - drawn.value) < 2.5 * drawn.half
    assert drawn.half < 0.1


def test_the_table_and_the_picture(tmp_path: Path) -> None:
    found = how_many([10, 30], rate=0.1, spread=0.05)
    assert "adapt from the first user on" in str(found)
    found.save(tmp_path / "enough.png")
    assert (tmp_path / "enough.png").stat().st_size > 10_000


test_rejected = rejections(
    (ValueError, "spread must be below 0.3", lambda: how_many([10], rate=0.1, spread=0.4)),
    (ValueError, "users must be numbers in ascending order", lambda: how_many([30, 10])),
    (ValueError, "rate must be", lambda: how_many([10], rate=0)),
    (ValueError, "versions must be", lambda: how_many([10], versions=1)),
)
