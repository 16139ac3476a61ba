"""The choices of UCT, exactly: with rewards that are known and one step, the visits of each action
follow from the formula.
"""

from math import log, sqrt
from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.agents import BAMCP
from bamdp.priors import Dirichlet
from reference.comparison import Z_BOUND

REWARDS = [0.11, 0.47, 0.31, -0.2]


LONG = 1200  # the core has tables below 1024 visits


def choices(exploration: float, offset: int) -> list[list[int]]:
    """The visits of each action after each simulation, once all were tried."""
    n = [1] * len(REWARDS)
    found = [list(n)]
    for N in range(len(n), LONG):
        score = [
            q + exploration * sqrt(log(N + offset) / k) for q, k in zip(REWARDS, n, strict=True)
        ]
        n[score.index(max(score))] += 1
        found.append(list(n))
    return found


@pytest.mark.parametrize("variant", ["paper", "program"])
@pytest.mark.parametrize("exploration", [0.0, 0.05, 0.3, 1.0, 3.0, 50.0])
def test_visits_follow_the_formula(exploration: float, variant: Any) -> None:
    """One simulation at a time, in one tree; the authors' program has log (N + 1)."""
    settings: dict[str, Any] = {
        "depth": 1,
        "exploration": exploration,
        "variant": variant,
        "reuse_tree": True,
    }
    agent = BAMCP(BAMDP(Dirichlet(1.0), [REWARDS], 0.5), simulations=len(REWARDS), **settings)
    expected = choices(exploration, ("paper", "program").index(variant))
    for visits in expected:
        plan = agent.plan(0)
        assert plan.visits.tolist() == visits
        agent.simulations = 1
    assert plan.q_values == pytest.approx(REWARDS, abs=1e-12)
    assert plan.action == 1


def test_the_formula_at_many_visits() -> None:
    """Around each power of two: the next 40 choices, one at a time, from the visits
    that there are.
    """
    # so large that all actions are taken about equally often, and each many times in 40 choices
    exploration = 3000.0
    agent = BAMCP(
        BAMDP(Dirichlet(1.0), [REWARDS], 0.5), depth=1, exploration=exploration, reuse_tree=True
    )
    done = 0
    for power in range(10, 23):
        agent.simulations, done = 2**power - 20 - done, 2**power + 20
        n = agent.plan(0).visits.tolist()
        agent.simulations = 1
        for N in range(2**power - 20, done):
            score = [q + exploration * sqrt(log(N) / k) for q, k in zip(REWARDS, n, strict=True)]
            n[score.index(max(score))] += 1
            assert agent.plan(0).visits.tolist() == n


def test_ties_are_broken_evenly() -> None:
    """First actions, later choices among equals, and decisions."""
    for simulations in (1, 2, 5):
        agent = BAMCP(BAMDP(Dirichlet(1.0), [[1.0] * 3], 0.5), simulations=simulations, depth=1)
        counts = np.zeros((2, 3))
        for _ in range(3000):
            plan = agent.plan(0)
            counts[0, plan.action] += 1
            counts[1] += plan.visits
        for row in counts:
            assert np.abs(row / row.sum() - 1 / 3).max() < Z_BOUND * sqrt(2 / 9 / 3000)
