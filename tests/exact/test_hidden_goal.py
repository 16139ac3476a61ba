"""Looking for a goal: against the enumeration of all belief states."""

import numpy as np
import pytest

from bamdp import BAMDP
from bamdp.domains import Bandit, GridNavi
from bamdp.exact import bayes_optimal, hidden_goal
from bamdp.priors import Finite
from reference.problems import belief_of

CASES = [(seed, discount, length) for seed in range(8) for discount, length in ((1.0, 3), (0.8, 5), (0.0, 4), (0.95, 20))]


@pytest.mark.parametrize(("seed", "discount", "length"), CASES)
def test_any_graph(seed: int, discount: float, length: int) -> None:
    """Random moves, goals, weights and rewards; from a start that may differ from where later episodes start."""
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
    found = hidden_goal.solved(belief, discount, start, T, restart, length, 10**6)
    if not np.isin(goals, arrivals).all():
        assert found is None, "a goal that can't be reached"
        return
    assert found is not None
    problem = BAMDP(belief.problem.prior, belief.problem.rewards, discount, horizon=T, episode_length=length, start=restart)
    exact = bayes_optimal(problem, start, limit=10**6)
    assert np.allclose(found[0], exact.values, atol=1e-9)


def test_a_larger_one_says_what_would_work() -> None:
    large = GridNavi(6, episode_length=30, episodes=2)
    belief = belief_of(large.prior(), 36, 5)
    with pytest.raises(hidden_goal.TooManyPathsError, match="more than 1000 paths"):
        hidden_goal.solved(belief, 1.0, 0, 60, 0, 30, 1000)


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
    assert hidden_goal.solved(belief_of(prior, S, A), 1.0, 0, 5, None, None, 1000) is None


def test_grid_navi_as_in_the_literature() -> None:
    """25 cells, four episodes of 15 steps."""
    assert bayes_optimal(GridNavi().problem(), 0).value == pytest.approx(37.2142857142857)
