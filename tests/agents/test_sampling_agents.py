"""Agents that act on models drawn from the posterior, Bayesian DP, OPSRL, BOSS and SBOSS: when they
draw, and what they do with it.
"""

from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP, MDP, Belief, Prior
from bamdp.agents import BOSS, OPSRL, SBOSS, BayesianDP, PosteriorMean
from bamdp.agents.sboss import deviation
from bamdp.domains import Bandit, DoubleLoop
from bamdp.mdp import as_mdp
from bamdp.prior import has_pseudo_counts
from bamdp.priors import BetaArms, Dirichlet, Finite
from reference.mute import Mute


class Draws(Mute):
    """Counts how often models are drawn, and how many."""

    def __init__(self, problem: BAMDP) -> None:
        super().__init__(problem)
        self.drawn: list[int] = []

    def sample(self, count: int, rng: np.random.Generator) -> MDP:
        self.drawn.append(count)
        S, A = self.problem.num_states, self.problem.num_actions
        return as_mdp(self.problem, rng.dirichlet(np.ones(S), size=(count, S, A)))


class DrawsPrior(Prior):
    alpha = None

    def belief(self, problem: BAMDP) -> Belief:
        return Draws(problem)


@has_pseudo_counts.register
def _(prior: DrawsPrior) -> bool:
    return True


def draws(agent: Any, steps: list[tuple[int, int, int]]) -> list[int]:
    """The steps before which models were drawn."""
    when = []
    for i, (state, action, next_state) in enumerate(steps):
        before = len(agent.belief.drawn)
        agent.act(state)
        if i > 0 and len(agent.belief.drawn) > before:
            when.append(i)
        agent.observe(state, action, 0.0, next_state)
    return when


STAY = [(0, 0, 1)] * 20


def test_bayesian_dp_draws_when_it_should() -> None:
    rewards = np.zeros((9, 2))
    make: list[dict[str, Any]] = [{}, {"period": 4}, {"resample": "doubling"}]
    expected = [list(range(1, 20)), [4, 8, 12, 16], [1, 2, 4, 8, 16]]
    for settings, when in zip(make, expected, strict=True):
        agent = BayesianDP(BAMDP(DrawsPrior(), rewards, 0.9), **settings)
        assert draws(agent, STAY) == when
        assert set(agent.belief.drawn) == {1}


def test_opsrl_draws_all_its_models_at_once() -> None:
    agent = OPSRL(BAMDP(DrawsPrior(), np.zeros((9, 2)), 0.9), models=3, period=4)
    assert draws(agent, STAY) == [4, 8, 12, 16]
    assert agent.belief.drawn == [1] * 15


def test_opsrl_values_an_action_by_the_best_of_its_models() -> None:
    """Two possible worlds, of which 60 draws miss one with probability 2^-59. In one of them action
    0 moves and action 1 stays, in the other the reverse. BOSS mixes them from state to state, which
    is worth more.
    """
    swap, stay = np.eye(2)[[1, 0]], np.eye(2)
    worlds = np.array([[swap, stay], [stay, swap]]).transpose(0, 2, 1, 3)
    problem = BAMDP(Finite(worlds), [[0.0, 0.1], [1.0, 0.0]], 0.5)
    values = MDP(worlds, problem.rewards).solve(0.5).q_values
    expected = values.max(axis=0)
    opsrl, boss = OPSRL(problem, models=60, tolerance=1e-9), BOSS(problem, models=60)
    assert np.allclose([opsrl.q_values(s) for s in range(2)], expected, atol=1e-7)
    assert np.max(boss.q_values(0) - expected[0]) > 0.3
    one = OPSRL(problem, models=1, tolerance=1e-9).q_values(0)
    assert min(np.abs(one - values[k, 0]).max() for k in range(2)) < 1e-7


def test_opsrl_on_arms_pulls_the_arm_of_the_highest_draw() -> None:
    """K draws of Beta(1, 1) against K of Beta(4, 2), 4000 decisions; P is estimated from 10^6 pairs
    by NumPy. The bound is 5.3 standard errors of the difference: false alarm 1e-7.
    """
    K, n = 3, 4000
    rng = np.random.default_rng(1)
    best = [rng.beta(a, b, (10**6, K)).max(axis=1) for a, b in ((1, 1), (4, 2))]
    p = float((best[0] > best[1]).mean())
    arms = Bandit([0.5, 0.5], 1.0, horizon=1)
    agent = OPSRL(arms.problem(BetaArms([1, 4], [1, 2])), models=K)
    pulls = 0
    for seed in range(n):
        agent.reset(seed)
        pulls += agent.act(0) == 0
    assert abs(pulls / n - p) < 5.3 * np.sqrt(p * (1 - p) * (1 / n + 1e-6))


def test_boss_draws_at_the_bth_visit_of_each_pair() -> None:
    agent = BOSS(BAMDP(DrawsPrior(), np.zeros((9, 2)), 0.9), models=3, visits=4)
    assert draws(agent, [(0, 0, 1), (0, 1, 1)] * 10) == [7, 8]
    assert set(agent.belief.drawn) == {3}
    assert draws(BOSS(BAMDP(DrawsPrior(), np.zeros((9, 2)), 0.9), visits=0), STAY) == []


@pytest.mark.parametrize(
    ("size", "alpha", "first"),
    [
        (9, None, {3: 1, 5: 2, 6.999: 7}),
        (25, 0.2, {3: 1, 5: 2, 7: 3}),
        (264, 0.2, {3: 1, 5: 2, 7: 2}),
    ],
)
def test_sboss_draws_as_the_closed_form_says(
    size: int, alpha: float | None, first: dict[float, int]
) -> None:
    a = 1 / size if alpha is None else alpha
    for delta, n in first.items():
        prior = DrawsPrior()
        prior.alpha = alpha  # type: ignore[assignment]
        agent = SBOSS(BAMDP(prior, np.zeros((size, 2)), 0.9), models=2, delta=delta)
        for visits in (1, 2, 3):
            closed = 2 * visits * np.sqrt((size - 1) * (a * size + 1)) / (a * size + visits)
            assert deviation(
                np.full(size, a), a + visits * np.eye(size)[1], "deviation"
            ) == pytest.approx(closed)
        assert draws(agent, STAY)[0] == n


def test_sboss_compares_with_the_last_sampling_not_with_the_start() -> None:
    agent = SBOSS(BAMDP(DrawsPrior(), np.zeros((9, 2)), 0.9), delta=5)
    when = draws(agent, STAY)
    last, expected = 0, []
    for n in range(1, 20):
        before, after = (1 / 9 + count * np.eye(9)[1] for count in (last, n))
        if deviation(before, after, "deviation") > 5:
            expected.append(n)
            last = n
    assert when == expected
    assert len(when) < 19


def test_sboss_by_variance() -> None:
    a, A0 = np.full(9, 1 / 9), 1.0
    moved = np.abs(a / A0 - (a + np.eye(9)[1]) / (A0 + 1))
    assert deviation(a, a + np.eye(9)[1], "variance") == pytest.approx(
        (moved / (a * (A0 - a) / (A0**2 * (A0 + 1)))).sum()
    )


def test_one_model_of_a_certain_posterior_is_the_truth() -> None:
    """With pseudo-counts that leave one successor, samples and mean are the world itself: all
    agents act as the oracle.
    """
    world = DoubleLoop()
    prior = Dirichlet(world.transitions)
    truth = world.mdp.solve(world.discount).q_values
    for kind in (BayesianDP, OPSRL, BOSS, SBOSS, PosteriorMean):
        agent = kind(world.problem(prior), tolerance=1e-9)
        assert np.allclose([agent.q_values(s) for s in range(9)], truth, atol=1e-7)
