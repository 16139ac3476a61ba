"""Agents that act on models drawn from the posterior, Bayesian DP, BOSS and SBOSS: when they draw,
and what they do with it.
"""

from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP, MDP, Belief, Prior
from bamdp.agents import BOSS, SBOSS, BayesianDP, PosteriorMean
from bamdp.agents.sboss import deviation
from bamdp.domains import DoubleLoop
from bamdp.mdp import as_mdp
from bamdp.priors import Dirichlet
from bamdp.priors.dirichlet import has_pseudo_counts
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
    for kind in (BayesianDP, BOSS, SBOSS, PosteriorMean):
        agent = kind(world.problem(prior), tolerance=1e-9)
        assert np.allclose([agent.q_values(s) for s in range(9)], truth, atol=1e-7)
