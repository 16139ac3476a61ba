"""Looking for a goal: against the enumeration of all belief states."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bamdp.agents import BayesAdaptive
from bamdp.domains import Bandit, GridNavi
from bamdp.exact import TooManyBeliefStatesError, bayes_optimal
from bamdp.exact.hidden_goal import HiddenGoal
from bamdp.priors import Finite
from reference.problems import belief_of

CASES = [
    (seed, discount, length)
    for seed in range(8)
    for discount, length in ((1.0, 3), (0.8, 5), (0.0, 4), (0.95, 20))
]


@pytest.mark.parametrize(("seed", "discount", "length"), CASES)
def test_any_graph(seed: int, discount: float, length: int) -> None:
    """Random moves, goals, weights and rewards; from a start that may differ from where later
    episodes start.
    """
    rng = np.random.default_rng(seed)
    S, A, M, T = 7, 3, int(rng.integers(2, 7)), 9
    arrivals, goals = rng.integers(S, size=(S, A)), rng.permutation(S)[:M]
    weights = rng.dirichlet(np.ones(M))
    rewards = (-0.3, 1.2)
    tables = np.tile(np.eye(S)[arrivals], (M, 1, 1, 1))
    paid = np.where(arrivals == goals[:, None, None], rewards[1], rewards[0])
    paid = paid if seed % 2 else np.repeat(paid[..., None], S, axis=3)
    start, restart = (int(s) for s in rng.integers(S, size=2))
    belief = belief_of(Finite(tables, weights, rewards=paid), S, A)
    problem = replace(
        belief.problem, discount=discount, horizon=T, episode_length=length, start=restart
    )
    goal = HiddenGoal.of(problem.belief(), start=start, horizon=T, restart=restart, length=length)
    if not np.isin(goals, arrivals).all():
        assert goal is None, "a goal that can't be reached"
        return
    assert goal is not None
    solved = goal.q_values(10**6)
    assert solved is not None
    exact = bayes_optimal(problem, start, limit=10**6)
    assert np.allclose(solved[0], exact.q_values, atol=1e-9)


def test_too_many_paths_are_no_answer() -> None:
    large = GridNavi(6, episode_length=30, episodes=2)
    belief = belief_of(large.problem().prior, 36, 5)
    goal = HiddenGoal.of(belief, start=0, horizon=60, restart=0, length=30)
    assert goal is not None
    assert goal.q_values(limit=1000) is None


STAY = np.ones((2, 1, 1, 1))
NAVI = GridNavi(3)
TWO = np.stack([GridNavi(3, goal=goal).rewards for goal in (2, 6)])


@pytest.mark.parametrize(
    "prior",
    [
        Finite(STAY),
        Finite(np.tile(NAVI.transitions, (2, 1, 1, 1)), rewards=TWO, terminal=[[], [5]]),
        Finite(np.tile(NAVI.transitions, (2, 1, 1, 1)), rewards=np.stack([NAVI.rewards] * 2)),
        Finite(np.tile(NAVI.transitions, (2, 1, 1, 1)), rewards=TWO * [[[1.0]], [[2.0]]]),
        Finite(np.stack([Bandit([0.5]).transitions] * 2), rewards=np.arange(4.0).reshape(2, 2, 1)),
    ],
    ids=["no rewards", "terminal states", "the same goal", "more rewards", "random moves"],
)
def test_other_worlds_are_not_of_this_kind(prior: Finite) -> None:
    S, A = np.asarray(prior.transitions).shape[1:3]
    assert HiddenGoal.of(belief_of(prior, S, A), start=0, horizon=5) is None


def test_grid_navi_as_in_the_literature() -> None:
    """25 cells, four episodes of 15 steps."""
    optimum = bayes_optimal(GridNavi().problem(), 0)
    assert optimum.value == pytest.approx(37.2142857142857)
    assert optimum.lower.tolist() == optimum.upper.tolist() == optimum.q_values.tolist()
    assert not optimum.keeps_values
    with pytest.raises(TooManyBeliefStatesError, match=r"horizon=.* would work"):
        optimum.walk()


@pytest.mark.parametrize(("size", "length", "episodes"), [(3, 8, 3), (4, 8, 2), (4, 10, 3)])
def test_the_common_search_finds_the_optimum(size: int, length: int, episodes: int) -> None:
    """The search with bounds over weighted worlds, which knows nothing of goals and paths."""
    problem = GridNavi(size, episode_length=length, episodes=episodes).problem()
    plan: Any = BayesAdaptive(problem, simulations=10_000).plan(0)
    optimum = bayes_optimal(problem, 0)
    assert plan.q_lower.max() == pytest.approx(optimum.value, abs=1e-9)


@pytest.mark.slow
def test_the_common_search_finds_the_policy_of_the_literature_s_problem() -> None:
    """Its lower bound is the optimum; only `solve_hidden_goal` shows that none is better."""
    plan: Any = BayesAdaptive(GridNavi().problem(), simulations=30_000).plan(0)
    assert plan.q_lower.max() == pytest.approx(37.2142857142857, abs=1e-9)
