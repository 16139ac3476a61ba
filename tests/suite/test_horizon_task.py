"""The Horizon task: what agents learn before the run, and that a planner explores more when more is
left.
"""

import copy
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp.agent import steps_left
from bamdp.agents import BayesAdaptive, BayesianDP, Oracle, PosteriorMean
from bamdp.suite import HorizonTask
from reference.comparison import assert_mean, assert_multinomial
from reference.horizon_task import TwoNormalArms

EXACT = TwoNormalArms(deviation=16.0, noise=8.0)
BONUS = EXACT.bonus(rewards=(3, 1), left=6)  # of the arm that is known less
FEW: dict[str, Any] = {"simulations": 300}


def less_known(problem: HorizonTask, seed: int) -> int:
    """The arm that was chosen once."""
    return int(np.bincount(problem.history(seed).actions).argmin())


def difference(problem: HorizonTask, seed: int) -> float:
    """The posterior mean of the arm that was chosen once, less that of the other."""
    belief: Any = problem.problem.belief()
    belief.observe_many(*problem.history(seed))
    arm = less_known(problem, seed)
    return float(belief.arm(arm).mean - belief.arm(1 - arm).mean)


def first_choices(cls: Any, free: int, worlds: Iterable[int], **settings: Any) -> Any:
    """Whether the first free choice is the arm that is known less. [worlds]"""
    problem, found = HorizonTask(free=free), []
    for seed in worlds:
        agent = cls(problem.world(seed).problem(), seed=seed, **settings)
        problem.prepare(agent, seed)
        found.append(agent.act(0) == less_known(problem, seed))
    return np.array(found)


def test_forced_choices() -> None:
    """Three of one arm and one of the other, or two of each; orders and arms at random; the same
    for the same seed.
    """
    for information, most in (("unequal", 3), ("equal", 2)):
        problem = HorizonTask(information=information)  # type: ignore[arg-type]
        orders = [tuple(problem.history(seed).actions.tolist()) for seed in range(600)]
        assert {max(np.bincount(order)) for order in orders} == {most}
        kinds = sorted(set(orders))
        assert len(kinds) == (8 if most == 3 else 6)
        counts = {order: orders.count(order) for order in kinds}
        assert_multinomial([(counts, dict.fromkeys(kinds, 1 / len(kinds)))])
        first, second = problem.history(3), problem.history(3)
        assert first.rewards is not None
        assert second.rewards is not None
        assert np.array_equal(first.rewards, second.rewards)


def test_forced_choices_pay_what_the_arms_of_the_world_pay() -> None:
    problem = HorizonTask()
    scaled = []
    for seed in range(500):
        forced, world = problem.history(seed), problem.world(seed)
        scaled += ((forced.rewards - world.rewards[0, forced.actions]) / 8).tolist()
        run = copy.copy(world)
        paid = [run.step(0, int(arm), np.random.default_rng(0))[1] for arm in forced.actions]
        assert not set(paid) & set(np.asarray(forced.rewards).tolist()), (
            "the rewards of the run are others"
        )
    assert_mean(scaled, 0)
    assert_mean(np.square(scaled), 1)


def test_the_history_is_learned_and_no_part_of_the_run() -> None:
    problem = HorizonTask(free=1)
    told, oracle = problem.problem, Oracle(problem.problem, world=problem.world(0).mdp)
    for agent in (
        PosteriorMean(told),
        BayesianDP(told),
        oracle,
    ):  # by columns, one by one, and not at all
        problem.prepare(agent, 0)
        assert steps_left(agent) == 1
        if agent.belief is not None:
            assert repr(agent.belief) == "<belief over 2 normal arms after 4 observations>"
        assert len(bamdp.run(agent, problem.world(0)).rewards) == 1


def test_compare_tells_the_history() -> None:
    """By name and as an object: with one choice left the posterior mean takes the better arm more
    often than not.
    """
    named = bamdp.compare("horizon-task:free=1", ["posterior-mean", "random"], worlds=50, workers=1)
    made = bamdp.compare(HorizonTask(free=1), ["posterior-mean", "random"], worlds=50, workers=1)
    assert np.array_equal(named.values("posterior-mean"), made.values("posterior-mean"))
    gap = named.difference("posterior-mean", "random")
    assert gap.low is not None
    assert gap.low > 0
    best = [HorizonTask().world(seed).rewards.max() for seed in range(50)]
    assert named.mean("posterior-mean").value > np.mean(best) - 5, (
        "without the history it would be 9 less, as at random"
    )


@pytest.mark.slow
def test_the_planner_explores_more_when_more_is_left() -> None:
    """In those of 700 worlds in which the posterior means are near: it changes to the arm that is
    known less where its mean is lower by at most the bonus, and nowhere else. Were both horizons
    the same to it, 21 changes all in this direction would have probability 5e-7.
    """
    gaps = np.array([difference(HorizonTask(), seed) for seed in range(700)])
    near = np.flatnonzero(abs(gaps) < 6).tolist()
    one, six = (first_choices(BayesAdaptive, free, near, **FEW) for free in (1, 6))
    assert (six & ~one).sum() >= 21
    assert (one & ~six).sum() == 0
    gaps = gaps[near]
    assert np.array_equal(one, gaps > 0)
    np.testing.assert_array_equal(
        six[abs(gaps + BONUS) > 1], (gaps > -BONUS)[abs(gaps + BONUS) > 1]
    )
    assert np.array_equal(first_choices(PosteriorMean, 6, near), one), "it does not look ahead"


@pytest.mark.parametrize(("free", "expected"), [(1, False), (6, True)])
def test_one_game(free: int, expected: bool) -> None:
    """The arm that is known less has paid 1.2 points less: worth a look if five choices follow, and
    only then.
    """
    problem = HorizonTask(free=free)
    agent = BayesAdaptive(problem.problem, **FEW)
    lower = 50 - 1.2 / (1 - EXACT.variance(1) / 16**2)  # posterior means are shrunk towards 50
    agent.observe_many([0] * 4, [0, 0, 1, 0], [50.0, 50.0, lower, 50.0], [0] * 4)
    assert agent.act(0) == int(expected)
    assert (EXACT.advantage(-1.2, (3, 1), free) > 0) == expected
