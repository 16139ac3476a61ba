"""One unknown parameter of a known function: exact on its points, with tables and without."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import bamdp
from bamdp import BAMDP, MDP
from bamdp.agents import BAMCP, BOSS, BayesAdaptive, BayesianDP, IndexPolicy, PosteriorMean
from bamdp.config import names
from bamdp.domains import Tabular
from bamdp.exact import bayes_optimal
from bamdp.priors import Finite, Parametric, SharedSlip
from bamdp.problems import Problem
from bamdp.search.solver import particles
from bamdp.testing import check_agent, check_prior
from reference.problems import belief_of
from reference.rejections import rejections

S, A = 4, 2
INTENDED = (np.arange(S)[:, None] + [-1, 1]) % S  # a ring
SLIPPED = np.repeat(np.arange(S)[:, None], A, axis=1)  # stays


def ring(slip: Any, state: int, action: int) -> Any:
    rows = np.zeros((len(slip), S))
    rows[:, INTENDED[state, action]] = 1 - slip
    rows[:, state] += slip
    return rows


def paid(slip: Any, state: int, action: int) -> Any:
    """The sum of slip and action, in state 0 only."""
    return np.round(slip, 2) + action if state == 0 else 0.0


GRID = np.linspace(0.005, 0.995, 100)
SMALL = Parametric(ring, GRID)
LARGE = Parametric(ring, GRID, memory=0.02)  # no room for 100 tables
PAID, LARGE_PAID = (Parametric(ring, GRID, rewards=paid, memory=memory) for memory in (512, 0.02))
STEPS = [(s, a, 0.0, after) for s, a, after in ((0, 1, 1), (1, 1, 1), (1, 1, 2), (2, 0, 1), (1, 0, 0), (0, 0, 3))]
REWARDS = np.zeros((S, A))
REWARDS[2] = 1.0


def test_kinds_of_belief() -> None:
    small, large = belief_of(SMALL, S, A), belief_of(LARGE, S, A)
    assert small.particles.num_models == len(GRID)
    assert large.particles is None
    assert (small.approximate, large.approximate) == (False, True)
    for belief in (small, large):
        few = particles(belief, 20, np.random.default_rng(0))  # no matter the seed: at quantiles
        assert few.probabilities[:, 0, 0, 0] == pytest.approx(GRID[2::5], abs=0.006)


@pytest.mark.parametrize("prior", [SMALL, LARGE, PAID, LARGE_PAID], ids=["small", "large", "paid", "large paid"])
def test_they_keep_the_contract(prior: Parametric) -> None:
    check_prior(prior, S, A)


@pytest.mark.parametrize("prior", [SMALL, LARGE], ids=["small", "large"])
def test_the_posterior_is_that_of_shared_slip(prior: Parametric) -> None:
    """A uniform prior on a fine grid: of the order of 1e-5 from the Beta posterior."""
    belief, exact = belief_of(prior, S, A), belief_of(SharedSlip(INTENDED, SLIPPED), S, A)
    for step in STEPS * 4:
        belief.observe(*step)
        exact.observe(*step)
    for s, a in np.ndindex(S, A):
        assert belief.predictive(s, a) == pytest.approx(exact.predictive(s, a), abs=1e-4)
    assert belief.mean().transitions == pytest.approx(exact.mean().transitions, abs=1e-4)
    beta = stats.beta(exact.slips, exact.holds)
    assert belief.parameter_mean() == pytest.approx(beta.mean(), abs=1e-4)
    assert belief.parameter_interval(0.9) == pytest.approx(beta.ppf([0.05, 0.95]), abs=0.011)
    parameter, probability = belief.posterior()
    assert probability == pytest.approx(beta.pdf(parameter) / beta.pdf(parameter).sum(), rel=1e-9)


def test_it_is_a_finite_set_of_its_points() -> None:
    tables = np.array([[[ring(GRID[[m]], s, a)[0] for a in range(A)] for s in range(S)] for m in range(len(GRID))])
    problems = [BAMDP(prior, REWARDS, 0.9) for prior in (Finite(tables), SMALL, LARGE)]
    finite, small, large = (problem.belief() for problem in problems)
    states, actions, _, next_states = (list(column) for column in zip(*STEPS, strict=True))
    for belief in (finite, small, large):
        belief.observe_many(states, actions, None, next_states)
        assert belief.weights == pytest.approx(finite.weights, abs=1e-12)  # type: ignore[attr-defined]
    expected = bayes_optimal(problems[0], 0, horizon=5, belief=finite).values
    assert bayes_optimal(problems[1], 0, horizon=5, belief=small).values == pytest.approx(expected, abs=1e-12)


def test_the_search_of_particles_agrees_with_that_of_tables() -> None:
    """Both 40,000 simulations of uniform roll-outs: their standard errors are below 0.02."""
    values = []
    for prior in (SMALL, LARGE):
        agent = BAMCP(BAMDP(prior, REWARDS, 0.8), simulations=40_000, rollouts="uniform", seed=1)
        for step in STEPS:
            agent.observe(*step)
        values.append(agent.plan(3).q_values)
    assert values[0] == pytest.approx(values[1], abs=0.1)
    assert values[0].max() > 1


def test_particles_follow_the_posterior() -> None:
    agent = BAMCP(BAMDP(LARGE, REWARDS, 0.8), simulations=10)
    for _ in range(60):
        agent.observe(0, 0, 0.0, 0)  # slips
    agent.act(0)
    belief: Any = agent.belief
    assert belief.parameters[belief._drawn].min() > 0.9
    assert belief._native.predictive(0, 0)[0] > 0.95


def test_rewards_tell_the_parameter() -> None:
    for prior in (PAID, LARGE_PAID):
        belief = belief_of(prior, S, A)
        expected = np.round(GRID, 2).mean()
        assert belief.mean().rewards[0] == pytest.approx([expected, 1 + expected])
        belief.observe(0, 1, 1.32, 1)
        assert np.flatnonzero(belief.weights).tolist() == np.flatnonzero(np.round(GRID, 2) == 0.32).tolist()
        world = belief.sample(1, np.random.default_rng(0)).take(0)
        assert world.rewards[0] == pytest.approx([0.32, 1.32])
        before = belief.weights
        with pytest.raises(ValueError, match=r"reward 1.5 .*is impossible under the prior: no (world|parameter) that is left"):
            belief.observe(0, 1, 1.5, 1)
        assert belief.weights.tolist() == before.tolist()


AGENTS: list[tuple[Any, dict[str, Any]]] = [
    (BAMCP, {"simulations": 20}),
    (BAMCP, {"simulations": 20, "rollouts": "posterior-mean"}),
    (BayesAdaptive, {"simulations": 32}),
    *((agent, {}) for agent in (BOSS, BayesianDP, IndexPolicy, PosteriorMean)),
]


@pytest.mark.parametrize("rewards", [None, paid], ids=["known", "paid"])
@pytest.mark.parametrize("memory", [512, 0.003], ids=["small", "large"])
def test_agents_act(memory: float, rewards: Any) -> None:
    prior = Parametric(ring, GRID[::10], rewards=rewards, memory=memory)
    drawn = belief_of(prior, S, A).sample(1, np.random.default_rng(0)).take(0)
    world = Tabular(drawn, 0.9, prior=prior)
    for make, settings in AGENTS:
        check_agent(lambda seed: make(world.problem(), seed=seed, **settings), world, steps=20)  # noqa: B023


def _table() -> Any:
    return np.array([[ring(np.array([0.1]), s, a)[0] for a in range(A)] for s in range(S)])


def test_worlds_are_drawn_from_it() -> None:
    problem = Problem(Tabular(MDP(_table(), REWARDS), 0.9), prior=SMALL, steps=5)
    slips = {round(float(problem.world(seed).probabilities.min()), 3) for seed in range(5)}  # type: ignore[attr-defined]
    assert len(slips) > 2


@pytest.mark.parametrize("prior", [SMALL, LARGE, LARGE_PAID], ids=["small", "large", "large paid"])
def test_what_is_saved(prior: Parametric, tmp_path: Path) -> None:
    agent = BAMCP(BAMDP(prior, REWARDS, 0.9), simulations=30, seed=2)
    for step in STEPS[1:]:
        agent.observe(*step)
    agent.act(3)
    agent.observe(3, 1, 0.0, 3)
    agent.save(tmp_path / "agent")
    with pytest.raises(bamdp.SavedFileError, match="the user's own code"):
        bamdp.load(tmp_path / "agent")
    copy: Any = bamdp.load(tmp_path / "agent", prior=prior)
    for _ in range(3):
        assert copy.plan(3).q_values.tolist() == agent.plan(3).q_values.tolist()
        for each in (copy, agent):
            each.observe(3, 1, 0.0, 3)


def test_many_points_without_their_tables() -> None:
    """10⁵ points: 100 MB as tables of this small world, of which there is never more than a part."""
    prior = Parametric(ring, np.linspace(0.001, 0.999, 100_000), memory=16)
    belief = belief_of(prior, S, A)
    for step in STEPS:
        belief.observe(*step)
    assert belief.parameter_mean() == pytest.approx((1 + 1) / (2 + 6), abs=1e-3)
    agent = BayesAdaptive(BAMDP(prior, REWARDS, 0.9), simulations=100)
    assert 0 <= agent.act(0) < A


def test_distributions() -> None:
    prior = Parametric(ring, stats.beta(2, 5), points=400)
    assert belief_of(prior, S, A).parameter_mean() == pytest.approx(2 / 7, abs=1e-3)
    counts = Parametric(lambda n, s, a: ring(1 / (2 + n), s, a), stats.poisson(1.5))
    parameter, probability = belief_of(counts, S, A).posterior()
    assert parameter[:3].tolist() == [0, 1, 2]
    assert probability[:3] == pytest.approx(stats.poisson(1.5).pmf([0, 1, 2]), abs=0.01)


def test_several_parameters() -> None:
    def two(parameters: Any, state: int, action: int) -> Any:
        return ring(parameters[:, action], state, action)

    grid = np.stack(np.meshgrid(GRID[::5], GRID[::5]), axis=-1).reshape(-1, 2)
    belief = belief_of(Parametric(two, grid), S, A)
    for _ in range(10):
        belief.observe(0, 1, None, 0)
    assert belief.parameter_mean()[0] == pytest.approx(grid[:, 0].mean())
    assert belief.parameter_mean()[1] > 0.85
    assert belief.parameter_interval().shape == (2, 2)
    assert "95 % interval" in belief._repr_html_()
    with pytest.raises(ValueError, match="2 parameters has no plot"):
        belief.plot()


def test_pictures() -> None:
    belief = belief_of(SMALL, S, A)
    html = belief._repr_html_()
    assert "<svg" in html
    assert "posterior mean" in html
    assert "mean 0.5" in repr(belief)
    (line,) = belief.plot().get_lines()
    assert line.get_ydata().sum() == pytest.approx(1)


def off(slip: Any, state: int, action: int) -> Any:
    rows = ring(slip, state, action)
    rows[17] *= 1 + 1e-3 * (state == 2 and action == 1)
    return rows


def nan(slip: Any, state: int, action: int) -> Any:
    return ring(slip * np.where(slip > 0.5, np.nan, 1), state, action)


def made(function: Any, rewards: Any = None, memory: float = 512) -> Any:
    return belief_of(Parametric(function, GRID, rewards=rewards, memory=memory), S, A)


WHERE = r"\(parameters, state=0, action=0\)"
test_bad_functions = rejections(
    (ValueError, r"state=2, action=1\): each row must sum to one, the row at index \(17,\) sums to", lambda: made(off)),
    (ValueError, f"function{WHERE} must be finite, got nan", lambda: made(nan)),
    (ValueError, r"rows of shape \(100, 4\), got \(100, 3\)", lambda: made(lambda p, s, a: np.full((100, 3), 1 / 3))),
    (ValueError, f"rewards{WHERE} must be finite", lambda: made(ring, lambda p, s, a: p * np.nan)),
    (ValueError, r"rewards of shape \(100,\) or \(100, 4\), got \(7,\)", lambda: made(ring, lambda p, s, a: p[:7])),
    (MemoryError, "the table of one parameter needs", lambda: made(ring, memory=1e-4)),
    (TypeError, "function must be a function, got 3", lambda: made(3)),
    (TypeError, "rewards must be a function", lambda: made(ring, REWARDS)),
    (ValueError, "one number for each of the 100 parameters", lambda: Parametric(ring, GRID, weights=[1, 2])),
    (ValueError, "weights must be None for a distribution", lambda: Parametric(ring, stats.beta(1, 1), weights=[1.0])),
    (ValueError, r"parameters must be points, \[M\] or \[M, d\]", lambda: Parametric(ring, [])),
    (ValueError, "parameters must be finite, got nan", lambda: Parametric(ring, [0.1, np.nan])),
    (ValueError, "level must be a finite number in", lambda: belief_of(SMALL, S, A).parameter_interval(1.5)),
)


@pytest.mark.parametrize("prior", [SMALL, LARGE], ids=["small", "large"])
def test_a_bad_step_leaves_the_belief_as_it_was(prior: Parametric) -> None:
    belief = belief_of(prior, S, A)
    belief.observe(0, 1, None, 1)
    before = belief.weights
    for state, action, next_state in ((0, 0, 2), (0, 2, 1), (4, 0, 0), (0, 0, 9)):
        with pytest.raises(ValueError, match=r"impossible under the prior|must be an integer"):
            belief.observe(state, action, None, next_state)
    with pytest.raises(ValueError, match="row 1: next_state 2 after state 0 and action 0 is impossible"):
        belief.observe_many([0, 0], [0, 0], None, [0, 2])
    assert belief.weights.tolist() == before.tolist()
    assert belief.observations == 1


def test_it_needs_arguments_on_the_command_line() -> None:
    assert "parametric" not in {found.name for found in names.find_all("prior")}
