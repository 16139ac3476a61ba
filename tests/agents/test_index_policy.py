"""The index policy: the core against its slow twin, Gittins indices, and worlds where learning
pays.
"""

import numpy as np
import pytest
from scipy import stats

import bamdp
from bamdp import BAMDP, priors
from bamdp.agents import IndexPolicy, PosteriorMean
from bamdp.comparing.regret import SolvedProblem, measure
from bamdp.exact import gittins_index
from bamdp.steps import table_reward
from reference.index_twin import index_units, index_values

RNG = np.random.default_rng(0)
S, A = 5, 3
ROW_PRIORS = {
    "symmetric": (priors.Dirichlet(0.5), np.full((S, A), 0.5 * S)),
    "one row for all": (priors.Dirichlet([0.2, 1, 0, 3, 0.5]), np.full((S, A), 4.7)),
    "each row its own": (
        priors.Dirichlet(counts := RNG.integers(1, 4, (S, A, S)).astype(float)),
        counts.sum(axis=2),
    ),
}


def steps(count: int) -> list[tuple[int, int, int]]:
    rng = np.random.default_rng(1)
    return [
        (int(rng.integers(S)), int(rng.integers(A)), int(rng.choice([0, 1, 3, 4])))
        for _ in range(count)
    ]


@pytest.mark.parametrize("name", ROW_PRIORS)
@pytest.mark.parametrize("observed", [0, 1, 30])
@pytest.mark.parametrize("by_next_state", [False, True])
def test_the_core_agrees_with_the_slow_twin(name: str, observed: int, by_next_state: bool) -> None:
    prior, n0 = ROW_PRIORS[name]
    rewards = RNG.random((S, A, S)) if by_next_state else RNG.random((S, A))
    problem = BAMDP(prior, rewards, 0.9, terminal=[2])
    agent = IndexPolicy(problem, tolerance=1e-9)
    n0, met = n0.copy(), {2}
    for state, action, next_state in steps(observed):
        if state != 2:
            paid = float(table_reward(problem, state, action, next_state))
            agent.observe(state, action, paid, next_state)
            n0[state, action] += 1
            met |= {state, next_state}
    dense = rewards if by_next_state else np.repeat(rewards[:, :, None], S, axis=2)
    for state in (0, 3):
        listed = name == "each row its own"
        active = set(range(S)) if listed else (met := met | {state})
        expected = index_values(
            agent.belief.mean().transitions,
            dense,
            n0,
            0.9,
            state,
            active,
            terminal=(2,),
            listed=listed,
        )
        assert agent.q_values(state) == pytest.approx(expected[state], abs=1e-6)


def test_sparse_rows_spread_what_is_unseen_over_all_states() -> None:
    domain = bamdp.domains.Grid(5)
    agent = IndexPolicy(domain.problem(), tolerance=1e-9)
    record = bamdp.run(agent, domain, steps=60, seed=3)
    mean = agent.belief.mean().transitions
    fresh = bamdp.agents.BEB(domain.problem(), beta=1.0, tolerance=1e-9)
    plain = PosteriorMean(domain.problem(), tolerance=1e-9)
    # BEB's bonus of a row without observations is 1 / (1 + mass), and before any step all rows are
    # alike.
    mass = 1 / ((fresh.q_values(0) - plain.q_values(0)).max() * (1 - domain.discount)) - 1
    n0 = np.array(
        [[mass + sum(agent.belief.counts(s, a).values()) for a in range(4)] for s in range(25)]
    )
    rewards = (
        np.repeat(domain.rewards[:, :, None], 25, axis=2)
        if domain.rewards.ndim == 2
        else domain.rewards
    )
    met = {*record.states.tolist(), record.final_state, 7}
    assert agent.q_values(7) == pytest.approx(
        index_values(mean, rewards, n0, domain.discount, 7, met)[7], abs=1e-5
    )


def test_in_a_bandit_the_bonus_is_nearly_that_of_gittins() -> None:
    for discount in (0.5, 0.8, 0.9, 0.95):
        for n0 in (0.5, 2.0, 8.0, 64.0):
            spread = 0.5 / np.sqrt(n0 + 1)
            exact = (float(gittins_index(n0 / 2, n0 / 2, discount)) - 0.5) / spread
            assert float(
                index_units(np.array(discount / (1 - discount) / (n0 + 2)))
            ) == pytest.approx(exact, abs=0.13)


def test_a_prior_without_counts_is_represented_by_models() -> None:
    """Two worlds, and a second action that tells which: it pays 1 or 0 at every step, so
    1/2 ± 1/2.
    """
    worlds = np.zeros((2, 2, 2, 2))
    worlds[:, :, 0, 0] = 1
    worlds[0, :, 1, 1] = worlds[1, :, 1, 0] = 1
    rewards = np.zeros((2, 2, 2))
    rewards[:, 1, 1] = 1
    agent = IndexPolicy(BAMDP(priors.Finite(worlds), rewards, 0.5), tolerance=1e-9)
    bonus = float(index_units(np.array(0.5))) / 2
    assert agent.q_values(0)[1] == pytest.approx((0.5 + bonus) / (1 - 0.5), abs=1e-3)
    agent.observe(0, 1, 1.0, 1)
    assert agent.q_values(0)[1] == pytest.approx(2, abs=1e-6)


@pytest.mark.parametrize(("successes", "failures"), [(1.0, 1.0), (3.0, 6.0)])
def test_models_that_stand_for_a_beta_distribution_are_worth_it(
    successes: float, failures: float
) -> None:
    """500 quantiles of a success probability: what is known of it is worth as many observations."""
    points = stats.beta(successes, failures).ppf((np.arange(500) + 0.5) / 500)
    models = np.stack([1 - points, points], axis=-1)[:, None, None, :].repeat(2, axis=1)
    found, expected, mean = (
        kind(BAMDP(prior, np.array([[[0.0, 1.0]]] * 2), 0.8)).q_values(0)[0]
        for kind, prior in (
            (IndexPolicy, priors.Finite(models)),
            (IndexPolicy, priors.BetaArms(successes, failures)),
            (PosteriorMean, priors.BetaArms(successes, failures)),
        )
    )
    assert found - mean == pytest.approx(expected - mean, rel=0.05)


@pytest.mark.parametrize(
    ("problem", "horizon"), [("SmallRandom", 14), ("SmallChain", 12), ("TwoArms", 30)]
)
def test_the_regret_is_a_small_part_of_the_posterior_mean_s(problem: str, horizon: int) -> None:
    """Measured: 0.003, 0.2 and 0.002 of it in 60 worlds. With the bonus left out they are equal."""
    given = getattr(bamdp.suite, problem)()
    solved = SolvedProblem.solve(given.domain, given.problem.prior, steps=horizon)

    def regret(agent: type[bamdp.Agent]) -> float:
        done = measure(solved, lambda seed, world: agent(world.problem(), seed=seed), runs=60)
        return float(np.mean(done.values("regret")))

    assert regret(IndexPolicy) < 0.4 * regret(PosteriorMean)


def test_staying_teaches_so_two_ways_out_are_better_than_one() -> None:
    """From 0, action 0 leads to a state with one way out, action 1 to one with two, each open with
    an unknown probability.

    The mean model has the same chance at every try, so that both are equal to it. An agent that
    learns while it stays tries the other one: 0.797 against 0.744, exactly. With the corrections
    left out one way seems better, 0.830 against 0.818.
    """
    counts = np.zeros((4, 2, 4))
    counts[0, 0, 1] = counts[0, 1, 2] = 1
    counts[1, 0, [1, 3]] = counts[2, 0, [2, 3]] = counts[2, 1, [2, 3]] = 1
    counts[1, 1, 1] = counts[3, :, 3] = 1
    rewards = np.zeros((4, 2, 4))
    rewards[[1, 2], :, 3] = 1
    prior, discount = priors.Dirichlet(counts), 0.9
    agent = IndexPolicy(BAMDP(prior, rewards, discount, terminal=[3]), tolerance=1e-9)
    mean = PosteriorMean(BAMDP(prior, rewards, discount, terminal=[3]), tolerance=1e-9)
    assert mean.q_values(0)[1] == pytest.approx(mean.q_values(0)[0])
    one, two = agent.q_values(0)
    assert two - one > 0.05
    optimal = bamdp.exact.bayes_optimal(
        BAMDP(prior, rewards, discount, terminal=[3]), 0, horizon=60
    )
    assert [one, two] == pytest.approx(optimal.q_values, abs=0.03)
