"""Theorem 1: the root value of BAMCP converges to the Bayes-optimal one, for several priors, with a
bias of order log N / N.

An action that is worse by Δ is tried about c² log N / Δ² times in N, which costs c² / Δ · log N / N
in each of the H layers.
"""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp import BAMDP
from bamdp.agents import BAMCP, BAUCT
from bamdp.exact import bayes_optimal
from bamdp.priors import BetaArms, Dirichlet, Finite, SparseDirichlet

DISCOUNT, DEPTH = 0.9, 3
REWARDS = np.array([[0.9, 1.0], [0.2, 0.8], [-0.3, -0.5]])
TABLES = np.random.default_rng(3).dirichlet([0.3] * 3, size=(5, 3, 2))
ARMS = np.array([[[0, 1.0], [0, 0.6], [0, 1.0]]] * 2)
PROBLEMS = {
    "dirichlet": BAMDP(Dirichlet(), REWARDS, DISCOUNT),
    "sparse": BAMDP(SparseDirichlet(), REWARDS, DISCOUNT),
    "pseudo-counts": BAMDP(Dirichlet([0.5, 0, 2]), REWARDS, DISCOUNT),
    "finite": BAMDP(Finite(TABLES), REWARDS, DISCOUNT),
    "arms": BAMDP(BetaArms([1, 1, 3], [1, 0, 3]), ARMS, DISCOUNT),
}


def errors(
    agent: type[BAMCP], name: str, simulations: int, exploration: float, seeds: int
) -> NDArray[np.float64]:
    """The error of the optimal action's value for each seed, and what the decision gives away. [2,
    seeds]
    """
    optimum = bayes_optimal(PROBLEMS[name], 0, horizon=DEPTH)
    settings: dict[str, Any] = {
        "simulations": simulations,
        "depth": DEPTH,
        "exploration": exploration,
        "rollouts": "uniform",
    }
    plans = [agent(PROBLEMS[name], seed=seed, **settings).plan(0) for seed in range(seeds)]
    off = [plan.q_values[optimum.action] - optimum.value for plan in plans]
    return np.array([off, [optimum.value - optimum.q_values[plan.action] for plan in plans]])


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("agent", [BAMCP, BAUCT], ids=["bamcp", "ba-uct"])
def test_the_root_value_converges(agent: type[BAMCP], name: str) -> None:
    """Mean over 8 seeds at 50,000 simulations: off by 0.01 and 5 standard errors at most; the
    latter fails 1 time in 600.
    """
    off, regret = errors(agent, name, 50_000, exploration=1.0, seeds=8)
    assert abs(off.mean()) < 0.01 + 5 * off.std(ddof=1) / np.sqrt(8)
    assert regret.max() == 0


@pytest.mark.parametrize("exploration", [1.0, 12.0])
def test_the_bias_falls_as_it_should(exploration: float) -> None:
    """c below and above Rmax / (1 − γ) = 10. The bound is that of the module's text; with 5
    standard errors, as above.
    """
    smallest_gap = 0.1  # between the two actions of state 0
    bound = DEPTH * exploration**2 / smallest_gap
    last = np.inf
    for simulations in (1000, 10_000, 100_000):
        off, _ = errors(
            BAMCP, "dirichlet", simulations, exploration, seeds=max(6, 20_000 // simulations)
        )
        noise = 5 * off.std(ddof=1) / np.sqrt(len(off))
        assert abs(off.mean()) < bound * np.log(simulations) / simulations + noise
        assert abs(off.mean()) < last
        last = abs(off.mean())
    assert last < (0.01 if exploration == 1 else 0.12)
