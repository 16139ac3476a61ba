"""The rivals against closed forms, hand-made steps and slow twins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats

import bamdp
from bamdp import Belief, Domain, Prior
from bamdp.agents import (
    BEB,
    BFS3,
    BOSS,
    IEQL,
    SBOSS,
    VPI,
    BayesianDP,
    EpsilonGreedy,
    PosteriorMean,
    QLearning,
    Softmax,
)
from bamdp.agents.softmax import boltzmann
from bamdp.agents.vpi import bayes_update, predictive_nodes
from bamdp.domain import UNBOUNDED
from bamdp.domains import Bandit, Chain, DoubleLoop, Grid
from bamdp.priors import BetaArms, Dirichlet, SparseDirichlet

Array = NDArray[np.float64]


# BEB


@pytest.mark.parametrize(
    ("beta", "total"),
    [(0, 386), (0.5, 391), (1, 386), (1.5, 380), (2, 376), (2.5, 370), (3, 366), (5, 348), (10, 310), (15, 286), (20, 270)],
)
def test_beb_totals_on_double_loop(beta: float, total: float) -> None:
    world = DoubleLoop()
    assert bamdp.run(BEB.for_domain(world, beta=beta), world, 1000).total_reward == total


@pytest.mark.parametrize(("mean", "mass"), [("prior", None), ("flat", 5.0)])
def test_beb_against_value_iteration(mean: Any, mass: float | None) -> None:
    """On Grid5, step by step: own mean of the sparse prior, or that of a flat Dirichlet with alpha = 0.2."""
    world, rng = Grid(5), np.random.default_rng(0)
    agent = BEB.for_domain(world, beta=2.0, mean=mean)
    slow = (SparseDirichlet() if mean == "prior" else Dirichlet(0.2)).belief(25, 4)
    k = np.arange(1, 26)
    mass = mass or 0.2 * float((k / k**2).sum() / (1 / k**2).sum())
    visits, state = np.zeros((25, 4)), 0
    for step in range(60):
        if step % 10 == 0:
            P, R, V = slow.mean(), world.rewards + 2.0 / (1 + mass + visits), np.zeros(25)
            for _ in range(600):
                V = (R + 0.95 * P @ V).max(axis=1)
            assert np.allclose(agent.q_values(state), (R + 0.95 * P @ V)[state], atol=2e-6)
        action = int(rng.integers(4))
        next_state, _ = world.step(state, action, rng)
        agent.observe(state, action, 0.0, next_state)
        slow.observe(state, action, next_state)
        visits[state, action] += 1
        state = next_state


# Posterior mean, epsilon-greedy, softmax


def test_posterior_mean_is_the_greedy_player_of_bandits() -> None:
    world, rng = Bandit([0.3, 0.5, 0.7]), np.random.default_rng(0)
    agent, counts = PosteriorMean.for_domain(world), np.ones((3, 2))
    for _ in range(50):
        action = int(rng.integers(3))
        outcome, reward = world.step(0, action, rng)
        agent.observe(0, action, reward, outcome)
        counts[action, outcome] += 1
        means = counts[:, 1] / counts.sum(axis=1)
        values = agent.q_values(0)
        # The greedy value of the best arm is that of pulling it for ever.
        assert np.allclose(values, means + 0.99 * means.max() / 0.01, atol=1e-5)
        assert agent.act(0) in np.flatnonzero(means >= means.max() - 1e-9)


def test_ties_are_broken_as_asked() -> None:
    world = Bandit([0.5, 0.5, 0.5])
    assert {PosteriorMean.for_domain(world, seed=seed).act(0) for seed in range(30)} == {0, 1, 2}
    assert {PosteriorMean.for_domain(world, seed=seed, ties="first").act(0) for seed in range(30)} == {0}


def test_epsilon_falls_by_half_lives() -> None:
    world = Chain()
    agent = EpsilonGreedy.for_domain(world, epsilon=1.0, half_life=10.0, seed=0, ties="first")
    agent.observe(0, 1, 2.0, 0)  # back is the better one now
    for _ in range(9):
        agent.observe(0, 1, 2.0, 0)
    other = sum(agent.act(0) == 0 for _ in range(4000))
    assert abs(other - 1000) < 5 * np.sqrt(4000 * 0.25 * 0.75)  # epsilon is 1/2, half of it is the other action


def test_boltzmann_frequencies() -> None:
    rng, values = np.random.default_rng(0), np.array([0.0, 1.0, 3.0])
    counts = np.bincount([boltzmann(values, 2.0, rng) for _ in range(6000)], minlength=3)
    weights = np.exp(values / 2)
    assert stats.chisquare(counts, 6000 * weights / weights.sum()).pvalue > 1e-6
    assert boltzmann(np.array([0.0, 1e9, 1.0]), 1e-320, rng) == 1


def test_softmax_draws_by_its_values() -> None:
    agent = Softmax.for_domain(Chain(), temperature=0.5, seed=0)
    agent.observe(0, 1, 2.0, 0)
    q = agent.q_values(0)
    p = 1 / (1 + np.exp((q[0] - q[1]) / 0.5))
    drawn = sum(agent.act(0) for _ in range(4000))
    assert abs(drawn - 4000 * p) < 5 * np.sqrt(4000 * p * (1 - p))


# Bayesian DP, BOSS, SBOSS: when they draw


class Draws(Belief):
    """Counts how often models are drawn, and how many."""

    def __init__(self, num_states: int, num_actions: int) -> None:
        self.num_states, self.num_actions = num_states, num_actions
        self.drawn: list[int] = []

    def observe(self, state: int, action: int, next_state: int) -> None:
        pass

    def sample_mdp(self, rng: np.random.Generator) -> Array:
        return rng.dirichlet(np.ones(self.num_states), size=(self.num_states, self.num_actions))

    def load_samples(self, solver: Any, count: int, rng: np.random.Generator) -> None:
        self.drawn.append(count)
        super().load_samples(solver, count, rng)


class DrawsPrior(Prior):
    alpha = None

    def belief(self, num_states: int, num_actions: int) -> Belief:
        return Draws(num_states, num_actions)


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
        agent = BayesianDP(DrawsPrior(), rewards, 0.9, **settings)
        assert draws(agent, STAY) == when
        assert set(agent.belief.drawn) == {1}  # type: ignore[attr-defined]


def test_boss_draws_at_the_bth_visit_of_each_pair() -> None:
    agent = BOSS(DrawsPrior(), np.zeros((9, 2)), 0.9, models=3, visits=4)
    assert draws(agent, [(0, 0, 1), (0, 1, 1)] * 10) == [7, 8]
    assert set(agent.belief.drawn) == {3}  # type: ignore[attr-defined]
    assert draws(BOSS(DrawsPrior(), np.zeros((9, 2)), 0.9, visits=0), STAY) == []


@pytest.mark.parametrize(
    ("size", "alpha", "first"),
    [(9, None, {3: 1, 5: 2, 6.999: 7}), (25, 0.2, {3: 1, 5: 2, 7: 3}), (264, 0.2, {3: 1, 5: 2, 7: 2})],
)
def test_sboss_draws_as_the_closed_form_says(size: int, alpha: float | None, first: dict[float, int]) -> None:
    a = 1 / size if alpha is None else alpha
    for delta, n in first.items():
        prior = DrawsPrior()
        prior.alpha = alpha  # type: ignore[assignment]
        agent = SBOSS(prior, np.zeros((size, 2)), 0.9, models=2, delta=delta)
        for visits in (1, 2, 3):
            closed = 2 * visits * np.sqrt((size - 1) * (a * size + 1)) / (a * size + visits)
            assert agent.deviation(0, 0, {}, {1: visits}) == pytest.approx(closed)
        assert draws(agent, STAY)[0] == n


def test_sboss_compares_with_the_last_sampling_not_with_the_start() -> None:
    agent = SBOSS(DrawsPrior(), np.zeros((9, 2)), 0.9, delta=5)
    when = draws(agent, STAY)
    last, expected = 0, []
    for n in range(1, 20):
        if agent.deviation(0, 0, {1: last} if last else {}, {1: n}) > 5:
            expected.append(n)
            last = n
    assert when == expected
    assert len(when) < 19


def test_sboss_by_variance() -> None:
    agent = SBOSS.for_domain(DoubleLoop(), criterion="variance")
    a, A0 = np.full(9, 1 / 9), 1.0
    moved = np.abs(a / A0 - (a + np.eye(9)[1]) / (A0 + 1))
    assert agent.deviation(0, 0, {}, {1: 1}) == pytest.approx((moved / (a * (A0 - a) / (A0**2 * (A0 + 1)))).sum())


def test_one_model_of_a_certain_posterior_is_the_truth() -> None:
    """With pseudo-counts that leave one successor, samples and mean are the world itself: all agents act as the oracle."""
    world = DoubleLoop()
    prior = Dirichlet(world.transitions)
    oracle = bamdp.agents.Oracle(world)
    for kind in (BayesianDP, BOSS, SBOSS, PosteriorMean):
        agent = kind(prior, world.rewards, world.discount, tolerance=1e-9)
        assert np.allclose([agent.q_values(s) for s in range(9)], oracle.values, atol=1e-8)


# Q-learning and IEQL+ by hand


def test_q_learning_by_hand() -> None:
    agent = QLearning(2, 2, 0.5, learning_rate=0.5, decay=1.0, initial=2.0)
    agent.observe(0, 0, 4.0, 1)  # 2 + 0.5 (4 + 0.5·2 − 2)
    assert agent.q_values(0).tolist() == [3.5, 2.0]
    agent.observe(0, 0, 0.0, 0)  # 3.5 + 0.25 (0 + 0.5·3.5 − 3.5)
    assert agent.q_values(0)[0] == 3.5 - 0.25 * 1.75


def test_q_learning_learns_the_values_of_a_known_world() -> None:
    world = DoubleLoop(discount=0.8)
    agent = QLearning.for_domain(world, exploration="epsilon-greedy", epsilon=1.0, learning_rate=1.0, seed=0)
    bamdp.run(agent, world, 4000)
    oracle = bamdp.agents.Oracle(world)
    assert np.allclose([agent.q_values(s) for s in range(9)], oracle.values, atol=1e-6)


def test_ieql_by_hand() -> None:
    agent = IEQL(2, 2, 0.5, alpha=0.5, sigma_max=2.0, theta=0.05)
    z = stats.norm.ppf(0.975)
    initial = 2 * z / 0.5
    first = initial + 0.5 * (1.0 + 2 * z + 0.5 * initial - initial)
    agent.observe(0, 1, 1.0, 1)
    assert agent._entry(0) == pytest.approx([initial, first])
    agent.observe(0, 1, 1.0, 1)
    second = first + 0.5 * (1.0 + 2 * z / np.sqrt(2) + 0.5 * initial - first)
    assert agent._entry(0)[1] == pytest.approx(second)


def test_model_free_agents_need_no_tables() -> None:
    for kind in (QLearning, IEQL, VPI):
        agent = kind(None, 2, 0.9)
        agent.observe(-(10**15), 1, 1.0, 10**15)
        assert agent.act(-(10**15)) in (0, 1)
        with pytest.raises(ValueError, match="state must be an integer from 0 to 8"):
            kind(9, 2, 0.9).act(9)


# Bayesian Q-learning


def marginal(mu: float, lam: float, alpha: float, beta: float) -> Any:
    return stats.t(2 * alpha, mu, np.sqrt(beta / (lam * alpha)))


def test_value_of_information_against_integration() -> None:
    rng = np.random.default_rng(0)
    for _ in range(4):
        agent = VPI(1, 3, 0.9)
        table = np.column_stack([rng.normal(size=3), rng.uniform(0.1, 5, 3), rng.uniform(1.05, 8, 3), rng.uniform(0.1, 5, 3)])
        agent._entries[0] = table
        best, second = np.argsort(table[:, 0])[::-1][:2]
        for a in range(3):
            law = marginal(*table[a])
            if a == best:
                k = table[second, 0]
                gain = integrate.quad(lambda x, law=law, k=k: (k - x) * law.pdf(x), -np.inf, k)[0]
            else:
                k = table[best, 0]
                gain = integrate.quad(lambda x, law=law, k=k: (x - k) * law.pdf(x), k, np.inf)[0]
            assert agent.values_of_information(0)[a] == pytest.approx(gain, rel=1e-5, abs=1e-9)


def log_density(mu: Array, tau: Array, belief: Any) -> Array:
    m, lam, alpha, beta = belief
    return np.asarray(stats.gamma.logpdf(tau, alpha, scale=1 / beta) + stats.norm.logpdf(mu, m, 1 / np.sqrt(lam * tau)))


def test_normal_gamma_update_against_quadrature() -> None:
    """Prior times likelihood is proportional to the updated density everywhere."""
    belief, x = np.array([0.5, 2.0, 1.7, 0.8]), 1.9
    mu, tau = np.meshgrid(np.linspace(-2, 3, 40), np.linspace(0.05, 6, 40))
    posterior = log_density(mu, tau, belief) + stats.norm.logpdf(x, mu, 1 / np.sqrt(tau))
    difference = posterior - log_density(mu, tau, bayes_update(belief, x, 0.0))
    assert np.ptp(difference) < 1e-9


def test_the_predictive_nodes_are_the_predictive_distribution() -> None:
    functions: list[Callable[[Any], Any]] = [np.cos, lambda x: 1 / (1 + x**2), lambda x: np.log(2 + x**2)]
    for mu, lam, alpha, beta in [(0.3, 0.1, 1.1, 5.0), (-1.0, 2.0, 1.5, 0.3), (2.0, 1.0, 16.0, 1.0), (0.0, 5.0, 400.0, 3.0)]:
        # A fine sum over quantiles; those it misses weigh 2e-5.
        quantiles = (np.arange(100_000) + 0.5) / 100_000
        sample = stats.t(2 * alpha, mu, np.sqrt(beta * (lam + 1) / (lam * alpha))).ppf(quantiles)
        x, w = predictive_nodes(mu, lam, alpha, beta)
        for f in functions:
            assert w @ f(x) == pytest.approx(f(sample).mean(), abs=1e-3)


def test_mixture_has_the_moments_of_the_mixture() -> None:
    """E τ, E τμ, E τμ² and E log τ of the projection, against simulation of the mixture itself."""
    rng, n = np.random.default_rng(2), 400_000
    agent, here, ahead = VPI(2, 1, 0.9), np.array([0.3, 1.5, 2.0, 1.2]), np.array([1.0, 2.0, 3.0, 2.0])
    x = stats.t(6, 1.0, np.sqrt(2.0 * 3 / (2 * 3))).rvs(n, random_state=rng)
    mu, lam, alpha, beta = bayes_update(here, 0.5 + 0.9 * x, 0.0)
    tau = rng.gamma(alpha, 1 / beta)
    means = mu + rng.normal(size=n) / np.sqrt(lam * tau)
    nodes, weights = predictive_nodes(*ahead)
    m, l_, a, b = agent._mixture(here, 0.5 + 0.9 * nodes, weights)
    from scipy.special import psi

    projected = [a / b, m * a / b, 1 / l_ + m**2 * a / b, psi(a) - np.log(b)]
    for samples, value in zip([tau, tau * means, tau * means**2, np.log(tau)], projected, strict=True):
        assert abs(samples.mean() - value) < 5 * samples.std() / np.sqrt(n)


def test_shape_solves_its_equation() -> None:
    from scipy.special import psi

    agent = VPI(1, 1, 0.9)
    for alpha in (0.3, 1.001, 1.5, 7.0, 300.0):
        assert agent._shape(float(np.log(alpha) - psi(alpha))) == pytest.approx(alpha, rel=1e-6)


def test_moment_update_by_hand() -> None:
    agent = VPI(2, 2, 0.5, mu=1.0, lam=2.0, alpha=3.0, beta=4.0, update="moment")
    agent.observe(0, 0, 2.0, 1)
    mean, variance = 2.0 + 0.5 * 1.0, 0.25 * 4.0 * 3 / (2 * 2)
    expected = [(2 * 1 + mean) / 3, 3, 3.5, 4 + variance / 2 + 2 * (mean - 1) ** 2 / (2 * 3)]
    assert agent._entry(0)[0] == pytest.approx(expected)


# Who can't


class Unknowable(Prior):
    """A prior whose beliefs can do nothing but observe."""

    def belief(self, num_states: int, num_actions: int) -> Belief:
        class Mute(Belief):
            def observe(self, state: int, action: int, next_state: int) -> None:
                pass

        mute = Mute()
        mute.num_states, mute.num_actions = num_states, num_actions
        return mute


class Unbounded(Domain):
    """A world without tables."""

    num_actions, discount = 2, 0.9
    num_states, rewards = UNBOUNDED, np.empty((0, 2))

    def reset(self, rng: np.random.Generator) -> int:
        return 0

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        return state + action, 0.0


@pytest.mark.parametrize("kind", [BEB, PosteriorMean, EpsilonGreedy, Softmax, BayesianDP, BOSS, SBOSS, BFS3])
def test_refusals_say_who_can(kind: Any) -> None:
    with pytest.raises(TypeError, match=r"needs a table of rewards, and Unbounded has none; BAMCP .* Random work there"):
        kind.for_domain(Unbounded())
    with pytest.raises(TypeError, match=r"needs a table of rewards, and rewards has no entries; BAMCP .* Random work there"):
        kind(Dirichlet(), np.empty((0, 2)), 0.9)
    with pytest.raises(TypeError, match=r"(; (BAMCP|BOSS|PosteriorMean)|BayesianDP need)"):
        kind(Unknowable(), np.zeros((3, 2)), 0.9)
    with pytest.raises(TypeError, match="prior must be"):
        kind("prior", np.zeros((3, 2)), 0.9)


def test_a_prior_of_the_users_own_works_by_its_tables() -> None:
    """Mean and samples of any belief will do; only BEB's bonus needs counts."""

    class Table(Belief):
        num_states, num_actions = 9, 2

        def observe(self, state: int, action: int, next_state: int) -> None:
            pass

        def predictive(self, state: int, action: int) -> Array:
            return np.asarray(DoubleLoop().transitions[state, action])

        def sample_mdp(self, rng: np.random.Generator) -> Array:
            return DoubleLoop().transitions

    class TablePrior(Prior):
        def belief(self, num_states: int, num_actions: int) -> Belief:
            return Table()

    world, oracle = DoubleLoop(), bamdp.agents.Oracle(DoubleLoop())
    for kind in (PosteriorMean, BayesianDP, BOSS):
        agent = kind(TablePrior(), world.rewards, world.discount, tolerance=1e-9)
        assert np.allclose([agent.q_values(s) for s in range(9)], oracle.values, atol=1e-8)
    with pytest.raises(TypeError, match="no counts to make an exploration bonus of; PosteriorMean needs no counts"):
        BEB(TablePrior(), world.rewards, world.discount)


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        (BEB, {"beta": -1}, "beta must be"),
        (BEB, {"mean": "median"}, "mean must be one of 'prior', 'flat'"),
        (BOSS, {"models": 0}, "models must be"),
        (BOSS, {"visits": -1}, "visits must be"),
        (SBOSS, {"delta": float("nan")}, "delta must be"),
        (SBOSS, {"criterion": "range"}, "criterion must be"),
        (BayesianDP, {"period": 0}, "period must be"),
        (BayesianDP, {"resample": "never"}, "resample must be"),
        (PosteriorMean, {"tolerance": 0}, "tolerance must be"),
        (PosteriorMean, {"ties": "last"}, "ties must be"),
        (EpsilonGreedy, {"epsilon": 2}, "epsilon must be"),
        (Softmax, {"temperature": 0}, "temperature must be"),
        (BFS3, {"branching": 0}, "branching must be"),
        (BFS3, {"depth": 0}, "depth must be"),
        (BFS3, {"trajectories": 0}, "trajectories must be"),
        (BFS3, {"vmin": 1, "vmax": 0}, "vmax must be"),
        (BFS3, {"tree": "oak"}, "tree must be"),
        (BFS3, {"leaves": "green"}, "leaves must be"),
    ],
)
def test_bad_settings(kind: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind.for_domain(Chain(), **settings)


@pytest.mark.parametrize("kind", [QLearning, IEQL, VPI])
def test_bad_settings_of_the_model_free(kind: Any) -> None:
    for name in {QLearning: ("temperature", "learning_rate"), IEQL: ("theta", "alpha"), VPI: ("alpha", "lam", "beta")}[kind]:
        with pytest.raises(ValueError, match=f"{name} must be"):
            kind.for_domain(Chain(), **{name: -1.0})


def test_flat_mean_needs_pseudo_counts() -> None:
    with pytest.raises(TypeError, match='mean="flat" needs a prior with one pseudo-count'):
        BEB(BetaArms(), np.zeros((2, 2)), 0.9, mean="flat")
    with pytest.raises(TypeError, match="BOSS does not"):
        SBOSS(BetaArms(), np.zeros((2, 2)), 0.9)
