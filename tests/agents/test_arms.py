"""Arms with an end: indices computed when needed are those computed all, and what they earn."""

from functools import cache

import numpy as np
import pytest

import bamdp
from bamdp.exact import finite_gittins_index

UNIFORM = bamdp.priors.BetaArms()


def arms(prior: bamdp.Prior, count: int, horizon: int, discount: float = 1.0) -> bamdp.BAMDP:
    paid = np.broadcast_to([0.0, 1.0], (2, count, 2))  # by what happened
    return bamdp.BAMDP(prior, paid, discount, horizon=horizon)


def expected_return(problem: bamdp.BAMDP, horizon: int, **settings: int) -> float:
    """Of the agent, by enumeration of all that it may observe. Ties may be broken in any way."""
    prior = ((1.0, 1.0),) * problem.num_actions

    @cache
    def earns(counts: tuple[tuple[float, float], ...], left: int) -> float:
        if left == 0:
            return 0.0
        agent = bamdp.agents.BayesAdaptive(problem, seed=0, **settings)
        for arm, (failures, successes) in enumerate(counts):
            for outcome, count in ((0, failures - 1), (1, successes - 1)):
                for _ in range(int(count)):
                    agent.observe(0, arm, float(outcome), outcome)
        arm = agent.act(0)
        failures, successes = counts[arm]
        success = successes / (failures + successes)
        after = [
            tuple((f + (i == arm and not paid), s + (i == arm and paid)) for i, (f, s) in listed)
            for paid, listed in ((False, [*enumerate(counts)]), (True, [*enumerate(counts)]))
        ]
        return (1 - success) * earns(after[0], left - 1) + success * (1 + earns(after[1], left - 1))

    return earns(prior, horizon)


def test_the_best_arm_is_that_of_all_indices() -> None:
    rng = np.random.default_rng(0)
    for run in range(5):
        chance = rng.random(6)
        agent = bamdp.agents.Gittins(arms(UNIFORM, 6, horizon=60), seed=run)
        for _ in range(60):
            indices = agent.q_values(0)
            arm = agent.act(0)
            assert indices[arm] >= indices.max() - 1e-5
            outcome = int(rng.random() < chance[arm])
            agent.observe(0, arm, float(outcome), outcome)


@pytest.mark.parametrize(("count", "horizon"), [(2, 9), (3, 6)])
def test_few_steps_are_planned_exactly(count: int, horizon: int) -> None:
    problem = arms(UNIFORM, count, horizon)
    optimum = bamdp.exact.bayes_optimal(problem, 0).value
    assert expected_return(problem, horizon) == pytest.approx(optimum, abs=1e-9)


def test_without_a_search_next_to_nothing_is_lost() -> None:
    problem = arms(UNIFORM, 2, 9)
    optimum = bamdp.exact.bayes_optimal(problem, 0).value
    earned = expected_return(problem, 9, simulations=1)
    assert 0 <= optimum - earned < 1e-3 * optimum


def test_many_arms_with_an_end_take_the_index_of_the_steps_left() -> None:
    prior = bamdp.priors.BetaArms(successes=[1, 5, 30], failures=[1, 4, 20])
    for horizon in (20, 100, 500):
        index = finite_gittins_index([1, 5, 30], [1, 4, 20], horizon)
        agent = bamdp.agents.BayesAdaptive(arms(prior, 3, horizon))
        assert agent.act(0) == index.argmax()
    assert len({finite_gittins_index([1, 5, 30], [1, 4, 20], n).argmax() for n in (1, 500)}) == 2


def test_the_index_alone_in_the_two_armed_trial() -> None:
    """Ten patients, uniform priors: the optimum is known, and the index alone comes near it."""

    @cache
    def earns(first: tuple[int, int], second: tuple[int, int], left: int) -> float:
        if left == 0:
            return 0.0
        (a, b), (c, d) = first, second
        if finite_gittins_index(a, b, left) < finite_gittins_index(c, d, left):
            (a, b), (c, d) = second, first
        won, lost = (earns((a + i, b + 1 - i), (c, d), left - 1) for i in (1, 0))
        return a / (a + b) * (1 + won) + b / (a + b) * lost

    optimum = 6.0217857143
    assert optimum * (1 - 5e-4) < earns((1, 1), (1, 1), 10) < optimum + 1e-9
