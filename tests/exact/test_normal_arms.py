"""Two normal arms with a horizon: closed forms for two steps, independent integration for three,
and bad input.
"""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

import bamdp
from bamdp.exact import TwoNormalArms, bayes_optimal, normal_arms, two_normal_arms
from bamdp.priors import NormalArms
from reference.rejections import rejections

CASES = [
    ([0.3, -0.2], [1.0, 2.0], [1.5, 0.7]),
    ([0.0, 0.4], [1.4, 0.0], [1.0, 1.0]),  # against a sure value
]


def values(
    means: Any, deviations: Any, noise: Any, steps: int, discount: float = 1.0
) -> list[float]:
    """The definition: the last but one step by the normal integral, the others by adaptive
    quadrature.
    """
    means, found = np.asarray(means, float), []
    for k in (0, 1):
        left = np.square(deviations)
        g = (
            np.eye(2)[k] * left[k] / np.sqrt(left[k] + noise[k] ** 2)
        )  # the move by a standard normal surprise
        after = np.sqrt(left - g**2)
        if steps == 2:
            d, s = means[0] - means[1], abs(g[0] - g[1])
            ahead = means[1] + (d * norm.cdf(d / s) + s * norm.pdf(d / s) if s else max(d, 0))
        elif steps == 1:
            ahead = 0.0
        else:

            def inside(z: float, g: Any = g, after: Any = after) -> float:
                return float(norm.pdf(z)) * max(
                    values(means + g * z, after, noise, steps - 1, discount)
                )

            ahead = sum(quad(inside, a, a + 3, epsabs=1e-9)[0] for a in (-9, -6, -3, 0, 3, 6))
        found.append(float(means[k] + discount * ahead))
    return found


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize("discount", [1.0, 0.8])
def test_two_steps_have_a_closed_form(case: int, discount: float) -> None:
    means, deviations, noise = CASES[case]
    found = TwoNormalArms(deviations, noise, discount).q_values(means, [0, 0], 2)
    assert found == pytest.approx(values(means, deviations, noise, 2, discount), abs=1e-10)


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize("discount", [1.0, 0.8])
def test_three_steps_by_integration(case: int, discount: float) -> None:
    means, deviations, noise = CASES[case]
    found = TwoNormalArms(deviations, noise, discount).q_values(means, [0, 0], 3)
    assert found == pytest.approx(values(means, deviations, noise, 3, discount), abs=1e-7)


def test_panels_half_as_wide_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def found() -> Any:
        return TwoNormalArms([10.0, 10.0], 10**0.5).q_values(
            [[0, 0], [1, 0], [3, 2]], [[0, 0], [3, 1], [0, 5]], [20, 16, 15]
        )

    coarse = found()
    monkeypatch.setattr(normal_arms, "PANEL", normal_arms.PANEL / 2)
    monkeypatch.setattr(normal_arms, "TOLERANCE", normal_arms.TOLERANCE / 1e3)
    assert np.abs(coarse - found()).max() < 1e-9


def test_a_horizon_without_end_is_gittins() -> None:
    """Against a sure value at the index both are worth the same, up to the discount after 25 steps,
    0.5²⁵.
    """
    index = float(bamdp.exact.normal_gittins_index(0, 1, 1, discount=0.5))
    unknown, sure = TwoNormalArms([1.0, 0.0], 1.0, 0.5).q_values([0.0, index], [0, 0], 25)
    assert unknown == pytest.approx(sure, abs=1e-5)


def test_both_ends_of_a_scale() -> None:
    """Adding to means and scaling everything changes values alike; arms may be swapped."""
    plain = TwoNormalArms([1.0, 2.0], [0.5, 1.0]).q_values([0.2, 0.1], [1, 0], 5)
    scaled = TwoNormalArms([10.0, 20.0], [5.0, 10.0]).q_values([52, 51], [1, 0], 5)
    assert scaled == pytest.approx(250 + 10 * plain, rel=1e-10)
    swapped = TwoNormalArms([2.0, 1.0], [1.0, 0.5]).q_values([0.1, 0.2], [0, 1], 5)
    assert swapped[::-1] == pytest.approx(plain, abs=1e-9)


def test_the_walk_follows_rewards_like_the_belief() -> None:
    problem = bamdp.domains.NormalBandit([0, 0], 8.0, 1.0, horizon=6).problem(
        NormalArms([50, 40], [16, 10], 8)
    )
    optimum, belief = bayes_optimal(problem, 0), problem.belief()
    assert optimum.value == max(optimum.q_values)
    walk = optimum.walk()
    for step, (action, reward) in enumerate([(0, 61.0), (1, 44.0), (1, 70.0)]):
        walk.step(action, 0, reward)
        belief.observe(0, action, reward, 0)
        assert walk.q_values == pytest.approx(
            bayes_optimal(problem, 0, horizon=5 - step, belief=belief).q_values, rel=1e-9
        )


def problem(**settings: Any) -> bamdp.BAMDP:
    return bamdp.BAMDP(NormalArms(**settings), [[0, 0]], 1.0, horizon=3)


test_rejected = rejections(
    (ValueError, "degrees must be infinite", lambda: bayes_optimal(problem(degrees=5), 0)),
    (
        TypeError,
        "two arms, got 3",
        lambda: bayes_optimal(bamdp.domains.NormalBandit([0] * 3, 1, 1, horizon=2).problem(), 0),
    ),
    (
        ValueError,
        "horizon must be given",
        lambda: bayes_optimal(bamdp.domains.NormalBandit([0, 0]).problem(), 0),
    ),
    (
        TypeError,
        "prior must be NormalArms",
        lambda: two_normal_arms(bamdp.domains.Bandit([0.5, 0.5]).problem()),
    ),
    (ValueError, "deviations must be", lambda: TwoNormalArms([1, -1], 1)),
    (ValueError, "noise must be one positive", lambda: TwoNormalArms([1, 1], 0)),
    (
        ValueError,
        "steps must be from 1 to 100, got 0",
        lambda: TwoNormalArms([1, 1], 1).q_values([0, 0], [0, 0], 0),
    ),
)
