"""Unknown rewards and the agents that solve a model: posterior means and draws of rewards go with those of the transitions."""

from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import Prior
from bamdp.agents import BAMCP, BEB, BOSS, SBOSS, BayesianDP, EpsilonGreedy, IndexPolicy, PosteriorMean, Softmax
from bamdp.domains import Tabular
from bamdp.priors import Dirichlet, SparseDirichlet, UnknownRewards
from reference.comparison import assert_mean
from reference.policy_iteration import exact_q

VALUES, ALPHA = (0.0, 1.0, -2.0), (0.5, 1.0, 0.25)
WRONG = np.full((6, 2), 77.0)  # what an agent is told of the rewards must not matter
STOPS = (5,)


@pytest.mark.slow
@pytest.mark.parametrize("deterministic", [False, True])
@pytest.mark.parametrize("prior", [Dirichlet(), Dirichlet(np.arange(1.0, 7)), SparseDirichlet()], ids=repr)
def test_posterior_means_step_by_step(prior: Prior, deterministic: bool) -> None:
    """States are visited one after the other, so that some rows are of states never visited."""
    rng = np.random.default_rng(0)
    agent = PosteriorMean(UnknownRewards(prior, VALUES, ALPHA, deterministic), WRONG, 0.9, terminal=STOPS)
    belief: Any = agent.belief
    for step in range(40):
        if step % 7:
            rewards = np.array([[belief.mean_reward(s, a) for a in range(2)] for s in range(6)])
            expected = exact_q(belief.transitions.mean(), rewards, 0.9, STOPS)
            assert np.array([agent.q_values(s) for s in range(6)]) == pytest.approx(expected, abs=1e-5)
        s, a, reached = int(rng.integers(4)), int(rng.integers(2)), int(rng.integers(6))
        agent.observe(s, a, VALUES[(s + a) % 3 if deterministic else int(rng.integers(3))], reached)


def test_a_bonus_comes_on_top() -> None:
    """Nothing seen: every pair pays the mean and β / (1 + pseudo-counts), for ever, but for the end."""
    agent = BEB(UnknownRewards(Dirichlet(), VALUES, ALPHA), WRONG, 0.9, beta=3.0)
    each = np.dot(VALUES, ALPHA) / np.sum(ALPHA) + 3 / 2
    assert agent.q_values(0) == pytest.approx([each / (1 - 0.9)] * 2, abs=1e-5)


@pytest.mark.parametrize("alpha", [1.0, 20.0])
@pytest.mark.parametrize("discount", [0.5, 0.8, 0.9])
def test_one_try_tells_a_deterministic_reward(discount: float, alpha: float) -> None:
    """One action that pays 0 or 1 for ever: worth its Gittins index λ = p + γ (1 - p) λ, or so, and then what it paid.

    The index policy is within 0.1 standard deviations (of 1/2) of λ up to this discount, however large α. A random reward with
    these pseudo-counts has a bonus that is less by 0.1 or more.
    """
    prior = UnknownRewards(Dirichlet(), (0.0, 1.0), (alpha, alpha), deterministic=True)
    agent = IndexPolicy(prior, np.zeros((1, 1)), discount, tolerance=1e-9)
    assert (1 - discount) * agent.q_values(0)[0] == pytest.approx(0.5 / (1 - 0.5 * discount), abs=0.1 / 2)
    agent.observe(0, 0, 1.0, 0)
    assert agent.q_values(0)[0] == pytest.approx(1 / (1 - discount))


@pytest.mark.parametrize("deterministic", [False, True])
def test_drawn_rewards_have_the_posterior_s_moments(deterministic: bool) -> None:
    """One step and no more (discount 0): the value of an action is the reward that was drawn. 4000 draws of four pairs."""
    prior = UnknownRewards(SparseDirichlet(), VALUES, ALPHA, deterministic)
    agent = BayesianDP(prior, WRONG, 0.0, seed=1)
    for value in (1.0, 1.0) if deterministic else (1.0, -2.0, 1.0, 0.0):
        agent.observe(0, 1, value, 3)
    drawn = np.array([_drawn(agent) for _ in range(4000)])  # [n, 4]
    fresh, counts = np.array(ALPHA), np.add(ALPHA, [1, 2, 1])
    means, squares = [], []
    for weights in (fresh, [0, 1, 0] if deterministic else counts, fresh, fresh):
        theta = np.array(weights) / np.sum(weights)
        mean, square = theta @ VALUES, theta @ np.square(VALUES)
        means.append(mean)
        # Var(θ·v) = Var(v under θ's mean) / (Σ weights + 1); a deterministic reward is one value, drawn.
        squares.append(square if deterministic else mean**2 + (square - mean**2) / (np.sum(weights) + 1))
    assert_mean(drawn, np.array(means), "the mean")
    assert_mean(drawn**2, np.array(squares), "the second moment")


def _drawn(agent: BayesianDP) -> list[float]:
    agent._due = True
    return [*agent.q_values(0), *agent.q_values(4)]


def test_models_have_rewards_of_their_own() -> None:
    """The best of many: with one deterministic reward for all models half the values would stay 0."""
    agent = BOSS(UnknownRewards(Dirichlet(), (0.0, 1.0), deterministic=True), np.zeros((3, 2)), 0.0, models=60)
    assert [agent.q_values(s).tolist() for s in range(3)] == [[1, 1]] * 3  # false alarm: 6 / 2^60


def ring() -> Tabular:
    """Six places; action 1 goes on, action 0 stays; staying in place 3 pays."""
    moves = np.zeros((6, 2, 6))
    moves[range(6), 0, range(6)] = moves[range(6), 1, np.roll(range(6), -1)] = 1
    rewards = np.zeros((6, 2))
    rewards[3, 0] = 1
    return Tabular(moves, rewards, 0.9, prior=UnknownRewards(SparseDirichlet(), alpha=(0.8, 0.2)))


@pytest.mark.parametrize("kind", [BAMCP, BEB, BOSS, SBOSS, BayesianDP, PosteriorMean, EpsilonGreedy, Softmax])
def test_agents_find_the_reward(kind: Any) -> None:
    world = ring()
    settings = {"simulations": 300} if kind is BAMCP else {"temperature": 0.05} if kind is Softmax else {}
    agent = kind(world.prior(), -world.rewards, 0.9, seed=3, **settings)
    assert bamdp.run(agent, world, steps=300, seed=0).rewards[-100:].sum() > 70


def test_leaves_by_the_posterior_mean() -> None:
    """One simulation: the first reward is drawn, the rest is worth what the posterior mean says."""
    prior = UnknownRewards(SparseDirichlet(), VALUES, ALPHA)
    mean = PosteriorMean(prior, WRONG, 0.9)
    for seed in range(10):
        agent = BAMCP(prior, WRONG, 0.9, simulations=1, rollouts="posterior-mean", seed=seed)
        plan = agent.plan(0)
        found = plan.values[int(plan.visits.argmax())] - 0.9 * np.array([mean.q_values(s).max() for s in range(6)])
        assert min(abs(r - v) for r in found for v in VALUES) < 1e-4
