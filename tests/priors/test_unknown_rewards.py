"""Rewards that are learned: exact Bayes, exact values, and an agent that looks for reward; what is
refused.
"""

from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bamdp import BAMDP
from bamdp.agents import BAMCP, BAUCT, BEB, BOSS, BayesianDP, IndexPolicy, PosteriorMean
from bamdp.domains import Chain, Tabular
from bamdp.prior import Prior
from bamdp.priors import (
    BetaArms,
    Dirichlet,
    Finite,
    Lazy,
    Normal,
    Parametric,
    Sampled,
    SparseDirichlet,
    UnknownRewards,
)
from bamdp.testing import check_domain
from reference.comparison import (
    Z_BOUND,
    assert_distributed,
    assert_mean,
    assert_multinomial,
    assert_same_distribution,
)
from reference.policy_iteration import exact_q
from reference.problems import belief_of, sized
from reference.rejections import rejections
from reference.rows import DirichletRows, Rows, SparseRows
from reference.saved_agents import Counted

SWITCH = np.array([[[1, 0], [0, 1.0]], [[0, 1], [1, 0]]])  # action 0 stays, action 1 switches
KNOWN = Finite(SWITCH[None])
POINTS = Parametric(lambda points, state, action: SWITCH[state, action], [0.0, 1.0])  # all the same
VALUES = (0.0, 1.0, -2.0)
ALPHA = (0.5, 1.0, 0.25)


BASE, DIGITS, SEEN = (
    4,
    (0.0, 1.0, 2.0),
    [(0, 0, 1.0, 0), (0, 0, 2.0, 1), (1, 1, 0.0, 1), (1, 1, 0.0, 0)],
)
SCHEMES: list[tuple[type[BAMCP], Any]] = [
    (BAMCP, "collapsed"),
    (BAMCP, "lazy"),
    (BAUCT, "resampled"),
]
Spelled = tuple[int, ...]


def spelled(value: float) -> Spelled:
    """Three rewards that are the digits of a return with a discount of 1 / BASE."""
    digits = [int(value * BASE**step) % BASE for step in range(3)]
    assert value == sum(digit / BASE**step for step, digit in enumerate(digits))
    return tuple(digits)


def reward_histories(
    rows: Rows, n: Any, deterministic: bool, state: int, steps: int
) -> Counter[Spelled]:
    """The probability of each sequence of rewards under uniform actions, by the chain rule; `n`
    counts rewards, [S, A, V].
    """
    if steps == 0:
        return Counter({(): 1.0})
    found: Counter[Spelled] = Counter()
    for action in range(2):
        seen = n[state, action]
        weights = (seen > 0) * 1.0 if deterministic and seen.any() else seen + ALPHA
        for next_state, p in enumerate(rows.predictive(state, action)):
            for value, q in enumerate(weights / weights.sum()):
                after = n.copy()
                after[state, action, value] += 1
                below = reward_histories(
                    rows.after(state, action, next_state),
                    after,
                    deterministic,
                    next_state,
                    steps - 1,
                )
                for rest, r in below.items():
                    found[value, *rest] += 0.5 * p * q * r
    return found


class KnownRows(Rows):
    """Those of `SWITCH`."""

    def predictive(self, state: int, action: int) -> Any:
        return SWITCH[state, action]

    def draw(self, state: int, action: int, rng: np.random.Generator) -> Any:
        return SWITCH[state, action]


@pytest.mark.slow
@pytest.mark.parametrize("deterministic", [False, True])
@pytest.mark.parametrize("kind", ["dirichlet", "sparse", "finite", "parametric"])
def test_rewards_drawn_lazily_and_collapsed_have_one_distribution(
    kind: str, deterministic: bool
) -> None:
    """A search of one simulation is one history under uniform actions, and its return spells the
    rewards.
    """
    prior, rows = {
        "dirichlet": (Dirichlet(0.5), DirichletRows(2, 2, 0.5)),
        "sparse": (SparseDirichlet(0.6, 1.0), SparseRows(2, 2, 0.6, 1.0)),
        "finite": (KNOWN, KnownRows(2, 2)),
        "parametric": (POINTS, KnownRows(2, 2)),
    }[kind]
    steps = [
        step for i, step in enumerate(SEEN) if i != 1 or not deterministic
    ]  # which would be two rewards of one pair
    if isinstance(rows, KnownRows):
        steps = [(s, a, reward, s ^ a) for s, a, reward, _ in steps]
    n = np.zeros((2, 2, 3))
    for s, a, reward, s_next in steps:
        rows = rows.after(s, a, s_next)
        n[s, a, int(reward)] += 1
    expected = reward_histories(rows, n, deterministic, 0, 3)
    samples = []
    for agent_class, sampling in SCHEMES[:2] if isinstance(rows, KnownRows) else SCHEMES:
        unknown = UnknownRewards(prior, DIGITS, ALPHA, deterministic)
        settings: dict[str, Any] = {
            "simulations": 1,
            "depth": 3,
            "rollouts": "uniform",
            "sampling": sampling,
            "seed": 4,
        }
        agent = agent_class(BAMDP(unknown, np.zeros((2, 2)), 1 / BASE), **settings)
        for step in steps:
            agent.plan(0)  # so that what was seen comes bit by bit
            agent.observe(*step)
        samples.append(Counter(spelled(agent.plan(0).value) for _ in range(8000)))
        assert_multinomial([(samples[-1], expected)])
    for other in samples[1:]:
        assert_same_distribution(samples[0], other)


def test_the_tree_branches_on_rewards() -> None:
    tree = (
        BAMCP(BAMDP(UnknownRewards(KNOWN, VALUES), np.zeros((2, 2)), 0.9), simulations=1000)
        .plan(0)
        .tree.to_dict(depth=1)
    )
    assert [len(edge["children"]) for edge in tree["actions"]] == [3, 3]
    assert {child["state"] for child in tree["actions"][1]["children"]} == {1}


def test_predictive_rewards() -> None:
    belief = belief_of(UnknownRewards(Dirichlet(), VALUES, ALPHA), 3, 2)
    belief.observe(1, 0, -2.0, 2)
    belief.observe(1, 0, 1.0, 2)
    assert belief.reward_probabilities(1, 0) == pytest.approx(np.array([0.5, 2.0, 1.25]) / 3.75)
    assert belief.mean_reward(1, 0) == pytest.approx((2.0 - 2.5) / 3.75)
    assert belief.transitions.counts(1, 0) == {2: 2}


def test_a_bad_step_teaches_nothing() -> None:
    belief = belief_of(UnknownRewards(Dirichlet(), (0, 1), deterministic=True), 3, 2)
    belief.observe(0, 0, 1.0, 1)
    for step, says in (
        ((0, 0, 0.0, 1), "reward 0 after state 0 and action 0 is impossible"),
        ((0, 0, 0.5, 1), r"one of the declared values \[0.0, 1.0\], got 0.5"),
        ((1, 1, 1.0, 3), "next_state"),
    ):
        with pytest.raises(ValueError, match=says):
            belief.observe(*step)
    assert belief.reward_probabilities(1, 1).tolist() == [0.5, 0.5]
    assert belief.transitions.observations == 1


def test_agents_solve_a_finite_set_of_transitions() -> None:
    """Two tables, learned rewards: the posterior mean of both at once; draws have rewards of their
    own.
    """
    tables = np.random.default_rng(0).dirichlet(np.ones(2), size=(2, 2, 2))
    problem = BAMDP(UnknownRewards(Finite(tables)), np.zeros((2, 2)), 0.9)
    agent = PosteriorMean(problem, tolerance=1e-9)
    agent.observe(0, 1, 1.0, 1)
    weights = tables[:, 0, 1, 1] / tables[:, 0, 1, 1].sum()
    expected = exact_q(
        np.tensordot(weights, tables, axes=1), np.array([[1 / 2, 2 / 3], [1 / 2, 1 / 2]]), 0.9
    )
    assert [agent.q_values(s).tolist() for s in (0, 1)] == [
        pytest.approx(row, abs=1e-8) for row in expected
    ]
    assert (BOSS(problem, models=20).q_values(0) > expected[0]).all()


# Agents that solve a model: posterior means and draws of rewards go with those of the transitions.
WRONG = np.full((6, 2), 77.0)  # what an agent is told of the rewards must not matter
STOPS = (5,)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["random", "deterministic", "normal"])
@pytest.mark.parametrize(
    "prior", [Dirichlet(), Dirichlet(np.arange(1.0, 7)), SparseDirichlet()], ids=repr
)
def test_posterior_means_step_by_step(prior: Prior, kind: str) -> None:
    """States are visited one after the other, so that some rows are of states never visited."""
    rng, deterministic = np.random.default_rng(0), kind == "deterministic"
    unknown = UnknownRewards(prior, VALUES, ALPHA, deterministic)
    if kind == "normal":
        unknown = UnknownRewards(
            prior, outcomes=Normal(np.arange(12.0).reshape(6, 2) / 10, deviation=1, noise=2)
        )
    agent = PosteriorMean(BAMDP(unknown, WRONG, 0.9, terminal=STOPS))
    belief: Any = agent.belief
    for step in range(40):
        if step % 7:
            rewards = np.array([[belief.mean_reward(s, a) for a in range(2)] for s in range(6)])
            expected = exact_q(belief.mean().transitions, rewards, 0.9, STOPS)
            assert np.array([agent.q_values(s) for s in range(5)]) == pytest.approx(
                expected[:5], abs=1e-5
            )
        s, a, reached = int(rng.integers(4)), int(rng.integers(2)), int(rng.integers(6))
        agent.observe(s, a, VALUES[(s + a) % 3 if deterministic else int(rng.integers(3))], reached)


def test_a_bonus_comes_on_top() -> None:
    """Nothing seen: every pair pays the mean and β / (1 + pseudo-counts), for ever, but for the
    end.
    """
    agent = BEB(BAMDP(UnknownRewards(Dirichlet(), VALUES, ALPHA), WRONG, 0.9), beta=3.0)
    each = np.dot(VALUES, ALPHA) / np.sum(ALPHA) + 3 / 2
    assert agent.q_values(0) == pytest.approx([each / (1 - 0.9)] * 2, abs=1e-5)


@pytest.mark.parametrize("alpha", [1.0, 20.0])
@pytest.mark.parametrize("discount", [0.5, 0.8, 0.9])
def test_one_try_tells_a_deterministic_reward(discount: float, alpha: float) -> None:
    """One action that pays 0 or 1 for ever: worth its Gittins index λ = p + γ (1 - p) λ, or so, and
    then what it paid.

    The index policy is within 0.1 standard deviations (of 1/2) of λ up to this discount, however
    large α. A random reward with these pseudo-counts has a bonus that is less by 0.1 or more.
    """
    prior = UnknownRewards(Dirichlet(), (0.0, 1.0), (alpha, alpha), deterministic=True)
    agent = IndexPolicy(BAMDP(prior, np.zeros((1, 1)), discount), tolerance=1e-9)
    assert (1 - discount) * agent.q_values(0)[0] == pytest.approx(
        0.5 / (1 - 0.5 * discount), abs=0.1 / 2
    )
    agent.observe(0, 0, 1.0, 0)
    assert agent.q_values(0)[0] == pytest.approx(1 / (1 - discount))


@pytest.mark.parametrize("deterministic", [False, True])
def test_drawn_rewards_have_the_posterior_s_moments(deterministic: bool) -> None:
    """One step and no more (discount 0): the value of an action is the reward that was drawn. 4000
    draws of four pairs.
    """
    prior = UnknownRewards(SparseDirichlet(), VALUES, ALPHA, deterministic)
    agent, drawn = BayesianDP(BAMDP(prior, WRONG, 0.0)), []
    for seed in range(4000):
        agent.reset(seed)
        for value in (1.0, 1.0) if deterministic else (1.0, -2.0, 1.0, 0.0):
            agent.observe(0, 1, value, 3)
        drawn.append([*agent.q_values(0), *agent.q_values(4)])
    fresh, counts = np.array(ALPHA), np.add(ALPHA, [1, 2, 1])
    means, squares = [], []
    for weights in (fresh, [0, 1, 0] if deterministic else counts, fresh, fresh):
        theta = np.array(weights) / np.sum(weights)
        mean, square = theta @ VALUES, theta @ np.square(VALUES)
        means.append(mean)
        # Var(θ·v) = Var(v under θ's mean) / (Σ weights + 1); a deterministic reward is one value,
        # drawn.
        squares.append(
            square if deterministic else mean**2 + (square - mean**2) / (np.sum(weights) + 1)
        )
    assert_mean(drawn, np.array(means), "the mean")
    assert_mean(np.square(drawn), np.array(squares), "the second moment")


def test_models_have_rewards_of_their_own() -> None:
    """The best of many: with one deterministic reward for all models half the values
    would stay 0.
    """
    agent = BOSS(
        BAMDP(UnknownRewards(Dirichlet(), (0.0, 1.0), deterministic=True), np.zeros((3, 2)), 0.0),
        models=60,
    )
    assert [agent.q_values(s).tolist() for s in range(3)] == [[1, 1]] * 3  # false alarm: 6 / 2^60


def test_leaves_by_the_posterior_mean() -> None:
    """One simulation: the first reward is drawn, the rest is worth what the posterior mean says."""
    prior = UnknownRewards(SparseDirichlet(), VALUES, ALPHA)
    mean = PosteriorMean(BAMDP(prior, WRONG, 0.9))
    for seed in range(10):
        agent = BAMCP(BAMDP(prior, WRONG, 0.9), simulations=1, rollouts="posterior-mean", seed=seed)
        plan = agent.plan(0)
        found = plan.q_values[int(plan.visits.argmax())] - 0.9 * np.array(
            [mean.q_values(s).max() for s in range(6)]
        )
        assert min(abs(r - v) for r in found for v in VALUES) < 1e-4


# Worlds drawn from the posterior, and steps that pay what a world says
DRAWS = 3000


def draws(belief: Any) -> Any:
    return belief.sample(DRAWS, np.random.default_rng(1))


def test_probabilities_of_values_are_beta() -> None:
    belief = belief_of(
        UnknownRewards(Dirichlet(1.0), values=(0.0, 1.0, 5.0), alpha=(1.0, 0.0, 2.0)), 3, 2
    )
    for step in [(0, 1, 5.0, 2), (0, 1, 5.0, 0), (0, 1, 0.0, 2), (2, 0, 5.0, 2)]:
        belief.observe(*step)
    worlds = draws(belief)
    theta = worlds.outcomes.probabilities
    assert theta[..., 1].max() == 0, "its alpha is 0"
    assert_distributed(theta[:, 0, 1, 2], stats.beta(2 + 2, 1 + 1))
    assert_distributed(theta[:, 1, 1, 2], stats.beta(2, 1))
    np.testing.assert_allclose(worlds.rewards, theta @ [0, 1, 5])
    assert_mean(worlds.rewards[:, 0, 1], belief.mean_reward(0, 1))
    assert_distributed(worlds.transitions[:, 0, 1, 2], stats.beta(1 + 2, 2 + 1))


def test_exact_rewards_are_drawn_once() -> None:
    belief = belief_of(
        UnknownRewards(Dirichlet(1.0), (0.0, 1.0, 5.0), (1.0, 1.0, 2.0), deterministic=True), 3, 2
    )
    belief.observe(0, 1, 1.0, 2)
    worlds = draws(belief)
    made = Tabular(worlds.take(0), 0.9)
    assert not made.random_rewards
    check_domain(made)
    assert set(worlds.rewards[:, 0, 1]) == {1.0}, "it was observed"
    values, counts = np.unique(worlds.rewards[:, 0, 0], return_counts=True)
    expected = {0.0: 0.25, 1.0: 0.25, 5.0: 0.5}
    assert_multinomial([(dict(zip(values.tolist(), counts.tolist(), strict=True)), expected)])


def test_a_world_with_random_rewards_as_a_domain() -> None:
    for prior in (
        UnknownRewards(Dirichlet(), alpha=5.0),
        UnknownRewards(Dirichlet(), outcomes=Normal(1.0, 1.0, 0.5)),
    ):
        made = Chain().with_mdp(belief_of(prior, 5, 2).sample(1, np.random.default_rng(3)).take(0))
        assert made.random_rewards
        check_domain(made)
        rng = np.random.default_rng(0)
        paid = np.array([made.step(2, 1, rng)[1] for _ in range(2000)])
        assert abs(paid.mean() - made.rewards[2, 1]) < Z_BOUND * paid.std() / 2000**0.5
        assert paid.std() > 0.05
    assert not made.with_mdp(Chain().mdp).random_rewards


refused = [
    (
        TypeError,
        f"go with Dirichlet, .* or Parametric, not {type(prior).__name__}.*can draw rewards",
        partial(belief_of, UnknownRewards(prior), 2, 2),
    )
    for prior in (BetaArms(), Sampled(Counted), Lazy(Counted), UnknownRewards(Dirichlet()))
]

test_rejected = rejections(
    *refused,
    (
        TypeError,
        'mean="flat" needs a prior with one',
        lambda: BEB(sized(2, 2, prior=UnknownRewards(Dirichlet())), mean="flat"),
    ),
)
