"""Gittins indices for a known number of steps: closed forms, a slow twin by bisection, and the infinite horizon."""

import numpy as np
import pytest

import bamdp
from bamdp import BAMDP
from bamdp.agents import Gittins
from bamdp.exact import finite_gittins_index, gittins_index, optimal_arms
from bamdp.priors import BetaArms
from reference.arms import finite_index
from reference.rejections import rejections

REWARDS = [[[0.0, 1.0]] * 2] * 2


def test_the_last_step_is_worth_the_mean() -> None:
    a = np.array([0.3, 1, 5])
    assert finite_gittins_index(a, 2, 1) == pytest.approx(a / (a + 2), abs=1e-15)


@pytest.mark.parametrize("discount", [1.0, 0.9])
def test_two_steps_have_a_closed_form(discount: float) -> None:
    """Stop after a failure: (p + γ p p⁺) / (1 + γ p), with p⁺ the mean after a success."""
    p, after = 2 / 5, 3 / 6
    best = max(p, (p + discount * p * after) / (1 + discount * p))
    assert finite_gittins_index(2, 3, 2, discount) == pytest.approx(best, abs=1e-9)


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


def test_known_arms_are_worth_what_they_pay() -> None:
    assert finite_gittins_index([3, 0], [0, 2], 10).tolist() == [1, 0]


def test_the_agent_knows_the_steps_left() -> None:
    agent = Gittins(BAMDP(BetaArms([1, 6], [1, 5]), REWARDS, 1.0, horizon=3))
    for left in (3, 2, 1):
        successes, failures = agent._counts[:, 1], agent._counts[:, 0]
        assert agent.q_values(0) == pytest.approx(finite_gittins_index(successes, failures, left), abs=1e-6)
        agent.observe(0, 0, 0.0, 0)
    with pytest.raises(ValueError, match="the horizon of 3 steps has passed"):
        agent.act(0)
    agent.reset(0)
    assert agent.act(0) == 0


def test_a_failure_may_pay_more() -> None:
    swapped = Gittins(BAMDP(BetaArms([1, 2], [3, 1]), [[[1.0, 0.0]] * 2] * 2, 1.0, horizon=9))
    assert swapped.q_values(0) == pytest.approx(finite_gittins_index([3, 1], [1, 2], 9), abs=1e-6)


def test_it_loses_next_to_nothing() -> None:
    """Its exact expected successes, for two uniform arms and 12 steps, are below the optimum by less than 0.3 %."""
    steps = 12
    indices = {
        (s, f, left): float(finite_gittins_index(1 + s, 1 + f, left))
        for s in range(steps) for f in range(steps - s) for left in range(1, steps + 1 - s - f)
    }  # fmt: skip
    chance = {(0, 0, 0, 0): 1.0}
    total = 0.0
    for t in range(steps):
        following: dict[tuple[int, int, int, int], float] = {}
        for (s1, f1, s2, f2), weight in chance.items():
            first, second = indices[s1, f1, steps - t], indices[s2, f2, steps - t]
            arm = 0 if first >= second else 1
            s, f = ((s1, f1), (s2, f2))[arm]
            p = (1 + s) / (2 + s + f)
            total += weight * p
            for won, q in ((1, p), (0, 1 - p)):
                after = (s1 + won, f1 + 1 - won, s2, f2) if arm == 0 else (s1, f1, s2 + won, f2 + 1 - won)
                following[after] = following.get(after, 0.0) + weight * q
        chance = following
    best = optimal_arms(BAMDP(BetaArms(), REWARDS, 1.0, horizon=steps)).value
    assert 0.997 * best < total < best


test_rejected = rejections(
    (ValueError, "steps must be integers from 1", lambda: finite_gittins_index(1, 1, 0)),
    (ValueError, "steps must be integers from 1", lambda: finite_gittins_index(1, 1, 2.5)),
    (ValueError, "successes must not be negative", lambda: finite_gittins_index(-1, 1, 3)),
    (ValueError, "must not both be zero", lambda: finite_gittins_index(0, 0, 3)),
    (ValueError, "shapes that broadcast", lambda: finite_gittins_index([1, 2], [1, 2, 3], 3)),
    (ValueError, "tolerance must be", lambda: finite_gittins_index(1, 1, 3, tolerance=0)),
    (TypeError, "for bandits only", lambda: Gittins(BAMDP(bamdp.priors.Dirichlet(), REWARDS, 0.9))),
)
