"""Coverage of `plan.lower` and `plan.upper`: python benchmarks/certificate.py, about two minutes of
processor time.

For each problem with a known Bayes-optimal value V*, over plans that differ only by seed: how often
the bounds are on the wrong side of V*, at most 2.5 % each, and their medians.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bamdp import BAMDP
from bamdp.agents import BayesAdaptive
from bamdp.exact import bayes_optimal
from bamdp.prior import Prior
from bamdp.priors import BetaArms, Dirichlet, Finite
from bamdp.search.plan import BoundedPlan, CertifiedPlan

PLANS = 200
ARMS = np.array([[[0.0, 1.0]] * 2] * 2)


def accidents(
    probability: float, cost: float, *, known: float = 1e9
) -> tuple[Prior, NDArray[np.float64]]:
    """A machine that earns 1 a day, with an accident now and then; maintenance for 0.2 halves the
    risk.
    """
    risk = np.array([probability, probability / 2])
    rewards = np.array([[[1.0, 1 - cost], [0.8, 0.8 - cost]]] * 2)
    return Dirichlet(known * np.stack([[1 - risk, risk]] * 2).transpose(0, 2, 1)), rewards


def once(probability: float, other: float) -> tuple[Prior, NDArray[np.float64]]:
    """One step that pays 1 or, rarely, something else; both actions alike."""
    known = np.array([[[1 - probability, probability]] * 2, [[0.0, 1.0]] * 2]) * 1e8
    rewards = np.zeros((2, 2, 2))
    rewards[0] = [1, other]
    return Dirichlet(known), rewards


def prize() -> tuple[Prior, NDArray[np.float64]]:
    """A rare prize in a world that is hardly known."""
    rewards = np.zeros((2, 2, 2))
    rewards[0, :, 1] = 1000
    return Dirichlet([[[0.999, 0.001]] * 2, [[0.0, 1.0]] * 2]), rewards


def rich_world() -> tuple[Prior, NDArray[np.float64]]:
    """One of a thousand worlds pays 1000 a step."""
    stay = np.broadcast_to(np.eye(2)[:, None], (2, 2, 2, 2))
    paid = np.zeros((2, 2, 2))
    paid[1] = 1000
    return Finite(stay, [0.999, 0.001], rewards=paid), np.zeros((2, 2))


def drawn() -> tuple[Prior, NDArray[np.float64]]:
    """A small problem without anything rare."""
    rng = np.random.default_rng(3)
    return Dirichlet(rng.gamma(1, 1, (2, 2, 2)) + 0.2), rng.normal(size=(2, 2))


def problems() -> Iterator[tuple[str, tuple[Prior, Any], dict[str, Any], dict[str, Any]]]:
    """Name; prior and rewards; discount and horizon; other settings of the agent."""
    for probability, cost, days, simulations in (
        (0.01, 50, 20, 1000),
        (0.01, 50, 20, 10_000),
        (0.005, 200, 30, 1000),
    ):
        name = f"accident {probability}, cost {cost}, {days} days"
        yield name, accidents(probability, cost), {"horizon": days}, {"simulations": simulations}
    yield "loss of 1000 in 1 % of steps", once(0.01, -1000), {"horizon": 1}, {"simulations": 1000}
    yield "gain of 1000 in 1 % of steps", once(0.01, 1000), {"horizon": 1}, {"simulations": 1000}
    yield "rare prize", prize(), {"horizon": 3}, {"simulations": 1000}
    yield "rare rich world", rich_world(), {"horizon": 3}, {"simulations": 100}
    yield "two states", drawn(), {"discount": 0.7}, {"simulations": 1000}
    yield "two states, horizon", drawn(), {"horizon": 6}, {"simulations": 1000}
    yield "two arms, horizon", (BetaArms(), ARMS), {"horizon": 20}, {"simulations": 1000}
    yield "two arms", (BetaArms(), ARMS), {"discount": 0.9}, {"simulations": 1000}
    yield (
        "two arms, unequal",
        (BetaArms([4, 1], [1, 4]), ARMS),
        {"discount": 0.9},
        {"simulations": 1000},
    )


def optimum(problem: BAMDP) -> tuple[float, float]:
    """V*, from below and from above."""
    solved = bayes_optimal(problem, 0, tolerance=None if problem.horizon else 1e-2)
    error = 0.0 if problem.horizon else solved.error_bound
    return solved.value - error, solved.value + error


def main(plans: int) -> None:
    print(
        "| problem | simulations | V* | lower > V* | upper < V* | median lower | median upper |\n"
        + "|---" * 7
        + "|"
    )
    for name, (prior, rewards), given, settings in problems():
        problem = BAMDP(prior, rewards, **{"discount": 1.0, **given})
        low, high = optimum(problem)
        agent = BayesAdaptive(problem, **settings)
        lower, upper = [], []
        for seed in range(plans):
            agent.reset(seed)
            plan = agent.plan(0)
            assert isinstance(plan, CertifiedPlan | BoundedPlan)
            lower.append(plan.lower)
            upper.append(plan.upper)
        wrong = np.mean(np.array(lower) > high + 1e-9), np.mean(np.array(upper) < low - 1e-9)
        cells = [
            name,
            f"{settings['simulations']}",
            f"{(low + high) / 2:.4g}",
            *(f"{100 * share:.1f} %" for share in wrong),
        ]
        cells += [f"{np.median(bounds):.4g}" for bounds in (lower, upper)]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else PLANS)
