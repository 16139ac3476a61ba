"""The search on bandits with leaf values instead of roll-outs: closed forms and a slow twin, within five standard errors."""

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import BAMCP, BAUCT, Gittins
from bamdp.domains import Bandit, Chain
from bamdp.exact import gittins_index
from bamdp.priors import BetaArms, Dirichlet
from reference.comparison import errors_of_returns
from reference.rejections import rejections

UNIFORM = Bandit([0.5, 0.5], discount=0.9)


def one_step(rollouts: str) -> tuple[float, float]:
    agent = BAMCP(BAMDP(BetaArms(), UNIFORM.rewards, 0.9), simulations=40_000, depth=1, rollouts=rollouts)  # type: ignore[arg-type]
    plan = agent.plan(0)
    action = int(plan.visits.argmax())
    return float(plan.q_values[action]), float(errors_of_returns(plan)[action])


def test_staying_with_the_best_arm_after_one_pull() -> None:
    """After a success the arm has mean 2/3, after a failure the other one is better, with 1/2."""
    value, error = one_step("best-arm")
    assert value == pytest.approx(0.5 + 0.9 * (0.5 * 2 / 3 + 0.5 * 0.5) / 0.1, abs=5 * error)


def test_hindsight_after_one_pull() -> None:
    """E max of two uniforms is 2/3, before and, on average, after any pull. The authors' integer cut would give 1/2."""
    value, error = one_step("hindsight")
    assert value == pytest.approx(0.5 + 0.9 * 2 / 3 / 0.1, abs=5 * error)
    assert error < 0.05


def test_it_learns_what_it_observes() -> None:
    agent = BAMCP(BAMDP(BetaArms(), UNIFORM.rewards, 0.9), simulations=2000, depth=1, rollouts="best-arm")
    for _ in range(8):
        agent.observe(0, 0, 0.0, 0)
        agent.observe(0, 1, 1.0, 1)
    values = agent.plan(1).q_values
    best = 9 / 10
    assert agent.plan(1).action == 1
    assert values[0] == pytest.approx(1 / 10 + 0.9 * best / 0.1, abs=0.05)  # the arm that fails costs one step


def test_failures_that_pay() -> None:
    """An arm that pays for its failures is the mirror image of one that pays for its successes."""
    mirrored = np.array([[[1, 0], [0, 1]]] * 2)
    found = Gittins(BAMDP(BetaArms([2, 5], [5, 2]), mirrored, 0.9)).q_values(0)
    assert found == pytest.approx([float(gittins_index(5, 2, 0.9))] * 2)


BY_STATE, R = UNIFORM.rewards * np.array([1, 2])[:, None, None], UNIFORM.rewards

test_rejected = rejections(
    (TypeError, "for bandits only", lambda: BAMCP(BAMDP(Dirichlet(), Chain().rewards, 0.9), rollouts="best-arm")),
    (TypeError, 'sampling="collapsed"', lambda: BAMCP(BAMDP(BetaArms(), R, 0.9), rollouts="hindsight", sampling="lazy")),
    (TypeError, 'sampling="collapsed"', lambda: BAUCT(BAMDP(BetaArms(), R, 0.9), rollouts="hindsight", sampling="resampled")),
    (ValueError, "must not depend on the state", lambda: BAMCP(BAMDP(BetaArms(), BY_STATE, 0.9), rollouts="best-arm")),
    (ValueError, "must not depend on the state", lambda: Gittins(BAMDP(BetaArms(), BY_STATE, 0.9))),
    (ValueError, "2 states", lambda: Gittins(BAMDP(BetaArms(), np.zeros((3, 2)), 0.9))),
)
