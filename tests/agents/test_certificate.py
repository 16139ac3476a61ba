"""The bounds and errors of plans of `BayesAdaptive`, against exact values and the spread over
seeds.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import BAMDP, _core
from bamdp.agents import BayesAdaptive
from bamdp.agents.base import Budget
from bamdp.agents.base.counts import CountsBase
from bamdp.exact import bayes_optimal, upper_bound
from bamdp.prior import Prior
from bamdp.priors import BetaArms, Compiled, Dirichlet, Finite, Normal, NormalArms, UnknownRewards
from bamdp.search.plan import BoundedPlan, CertifiedPlan
from reference.small_problems import small

ARMS = np.array([[[0.0, 1.0]] * 2] * 2)


def once(probability: float, *paid: tuple[float, float]) -> BAMDP:
    """One step: each action pays the first of two rewards or, with the probability, the second."""
    rewards = np.zeros((2, len(paid), 2))
    rewards[0] = paid
    counts = [[[1e8 * (1 - probability), 1e8 * probability]] * len(paid), [[0.0, 1.0]] * len(paid)]
    return BAMDP(Dirichlet(counts), rewards, 1.0, horizon=1)


def accidents(probability: float, cost: float, horizon: int) -> BAMDP:
    """Earn 1 a day, with an accident now and then; for 0.2 the risk is half."""
    rows = np.array([[[1 - p, p] for p in (probability, probability / 2)]] * 2)
    return BAMDP(
        Dirichlet(1e9 * rows), [[[1, 1 - cost], [0.8, 0.8 - cost]]] * 2, 1.0, horizon=horizon
    )


def stay(belief: Any, scratch: Any, state: Any, action: Any, rng: Any) -> Any:
    return state, 1.0


def planned(problem: BAMDP, seed: int = 0, **settings: Any) -> CertifiedPlan | BoundedPlan:
    plan = BayesAdaptive(problem, **settings, seed=seed).plan(0)
    assert isinstance(plan, CertifiedPlan | BoundedPlan)
    return plan


@pytest.mark.slow
@pytest.mark.parametrize(
    "problem",
    [accidents(0.01, 50, 20), accidents(0.005, 200, 30), once(0.01, (1, -1000), (1, -1000))],
)
def test_the_bounds_hold_where_losses_are_rare(problem: BAMDP) -> None:
    """Each is wrong in at most 2.5 % of plans: in more than 10 of 60 with probability 1e-6."""
    optimum = bayes_optimal(problem, 0).value
    plans = [planned(problem, seed, simulations=1000) for seed in range(60)]
    assert sum(plan.lower > optimum for plan in plans) <= 10
    assert sum(plan.upper < optimum for plan in plans) <= 10
    assert all(-np.inf < plan.lower < plan.upper for plan in plans)


def test_the_bounds_hold_where_gains_are_rare() -> None:
    """As above; a world's prize is above 100 in one of 100, and 500 worlds are drawn."""
    rewards = np.zeros((2, 2, 2))
    rewards[0, :, 1] = 1000
    problem = BAMDP(Dirichlet([[[0.999, 0.001]] * 2, [[0.0, 1.0]] * 2]), rewards, 1.0, horizon=3)
    optimum = bayes_optimal(problem, 0).value
    plans = [planned(problem, seed, simulations=100) for seed in range(40)]
    assert sum(plan.lower > optimum for plan in plans) <= 8
    assert sum(plan.upper < optimum for plan in plans) <= 8
    assert len({plan.upper for plan in plans}) == 40, "drawn by the agent's seed"


def test_no_policy_counts_because_of_what_it_earned() -> None:
    """Eight coins, each for 1 or −1: one of them is always lucky. More than six of 20 plans are
    wrong with probability 7e-7.
    """
    plans = [planned(once(0.5, *[(1.0, -1.0)] * 8), seed, simulations=1000) for seed in range(20)]
    assert sum(plan.lower > 0 for plan in plans) <= 6
    assert np.mean([plan.lower for plan in plans]) > -0.7, "and says something"


def test_known_weights_of_worlds_need_no_drawing() -> None:
    """One world of a thousand pays 1000 a step; in the other one, an observation has shown that it
    is not the one.
    """
    paid = np.zeros((2, 2, 2))
    paid[1] = 1000
    worlds = Finite(np.broadcast_to(np.eye(2)[:, None], (2, 2, 2, 2)), [0.999, 0.001], rewards=paid)
    problem = BAMDP(worlds, np.zeros((2, 2)), 1.0, horizon=3)
    plan = planned(problem, simulations=20)
    assert (plan.lower, plan.upper) == pytest.approx((3.0, 3.0))
    bound = upper_bound(problem, 0, delay=0)
    assert (
        bound.value,
        bound.standard_error,
        bound.high,
        bound.perfect_information.low,
    ) == pytest.approx((3, 0, 3, 3))
    belief = problem.belief()
    belief.observe(0, 0, 0.0, 0)
    assert upper_bound(problem, 0, belief=belief).high == pytest.approx(0, abs=1e-6)


def test_drawn_worlds_bound_the_sum_over_all() -> None:
    """More worlds than are drawn; 97.5 % each, and never more than the largest return."""
    rng = np.random.default_rng(0)
    worlds = Finite(rng.dirichlet(np.ones(2), (60, 2, 2)), rng.random(60))
    problem = BAMDP(worlds, rng.random((2, 2)), 1.0, horizon=4)
    exact = upper_bound(problem, 0, delay=4, worlds=12, batches=5)
    assert exact.value == pytest.approx(bayes_optimal(problem, 0).value)
    drawn = [
        upper_bound(problem, 0, delay=4, worlds=11, batches=5, seed=seed) for seed in range(40)
    ]
    assert sum(bound.high < exact.value for bound in drawn) <= 8
    assert all(bound.value < bound.high <= 4.001 * problem.rewards.max() for bound in drawn)


@pytest.mark.parametrize("prior", [BetaArms(), BetaArms([4, 1], [1, 4])])
def test_bandits_have_a_lower_bound(prior: Prior) -> None:
    """False alarms as for 20 plans with 2.5 %: 7e-7 for more than six."""
    problem = BAMDP(prior, ARMS, 0.8)
    optimum = bayes_optimal(problem, 0, tolerance=1e-3)
    plans = [planned(problem, seed, simulations=100) for seed in range(20)]
    assert sum(plan.lower > optimum.value + optimum.error_bound for plan in plans) <= 6
    assert all(plan.lower > 0.8 * optimum.value for plan in plans)


def test_no_bound_where_rewards_are_unbounded() -> None:
    for prior in (NormalArms(), UnknownRewards(Dirichlet(), outcomes=Normal(0))):
        assert planned(BAMDP(prior, [[0.0, 0.0]], 1.0, horizon=3), simulations=100).lower == -np.inf


def test_what_follows_the_last_simulated_step_counts() -> None:
    """All rewards are the same, so that nothing is left to chance; the search looks 43 and 6 steps
    ahead.
    """
    gains = np.ones((2, 2))
    assert planned(BAMDP(Dirichlet(), -gains, 0.9), simulations=100).lower == pytest.approx(-10)
    assert planned(
        BAMDP(Dirichlet(), gains, 0.5, horizon=8), simulations=100
    ).lower == pytest.approx(2 - 2**-7)
    assert planned(BAMDP(Dirichlet(), gains, 0.5, terminal=[1]), simulations=100).lower < 2, (
        "an episode may end"
    )


def test_the_policy_of_the_lower_bound_is_played_as_written() -> None:
    """Its returns in drawn worlds: their mean is the value of the solved tree; false alarms below
    1e-6.

    A planted fault, that the path is not learned from beyond the tree, lowers the mean by 8
    standard errors.
    """
    problem = BAMDP(BetaArms([1, 1], [1, 1]), ARMS, 1.0, horizon=6)
    exact = bayes_optimal(problem, 0).value
    for simulations in (1, 10**5):
        base = CountsBase(problem.belief(), 1e-9, np.random.default_rng(1))
        left, budget = _core.StepsLeft(6), Budget(simulations, None, 2**30, None)
        actions = base.actions(0, left)
        returns = base._play(0, actions, left, budget, problem.belief(), 20_000, 6, 0.0)
        error = returns.std() / np.sqrt(len(returns))
        assert abs(returns.mean() - exact) < 5 * error + (0.02 if simulations == 1 else 0)


def test_a_saved_agent_has_the_same_bounds(tmp_path: Path) -> None:
    """The seed of the drawn worlds is part of what is saved."""
    problem = BAMDP(Dirichlet(), [[0.0, 0.2], [1.0, 0.7]], 0.8)
    agent = BayesAdaptive(problem, simulations=20, seed=3)
    agent.save(tmp_path / "agent")
    agents: list[Any] = [
        agent,
        bamdp.load(tmp_path / "agent"),
        BayesAdaptive(problem, simulations=20, seed=4),
    ]
    plans = [each.plan(0) for each in agents]
    first, again, other = ((plan.lower, plan.upper) for plan in plans)
    assert first == again
    assert first != other


def test_estimated_errors_cover_the_exact_values() -> None:
    """± of a plan is what learning beyond the tree may still add: of about 100 values after ten
    simulations, at most 8 are off by more than twice that.
    """
    off = 0
    for seed in range(40):
        problem = small(np.random.default_rng([4, seed]))
        exact = bayes_optimal(problem, 0).q_values
        plan = BayesAdaptive(problem, simulations=10).plan(0)
        off += int(np.sum(np.abs(plan.q_values - exact) > 2 * plan.standard_errors + 1e-9))
    assert off <= 8


OWN = Compiled(stay, compile=False)


@pytest.mark.parametrize(("prior", "upper"), [(OWN, np.inf), (Dirichlet(), 10.0)], ids=repr)
def test_worlds_too_large_to_draw_have_the_simple_bound(prior: Prior, upper: float) -> None:
    """50 worlds of 1450 states would take 3.1 GiB; 1 for ever is worth 10, own code anything."""
    problem = BAMDP(prior, np.ones((1450, 4)), 0.9)
    assert planned(problem, simulations=5).upper == pytest.approx(upper)
