"""One unknown parameter of a known function: exact on its points."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import bamdp
from bamdp import BAMDP
from bamdp.agents import BAMCP, BOSS, BayesAdaptive, BayesianDP, IndexPolicy, PosteriorMean
from bamdp.config import names
from bamdp.domains import Tabular
from bamdp.exact import bayes_optimal
from bamdp.priors import Finite, Parametric, SharedSlip
from bamdp.suite import Benchmark
from bamdp.testing import check_agent
from reference.problems import belief_of, shown
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
PLAIN, PAID = Parametric(ring, GRID), Parametric(ring, GRID, rewards=paid)
STEPS = [
    (s, a, 0.0, after)
    for s, a, after in ((0, 1, 1), (1, 1, 1), (1, 1, 2), (2, 0, 1), (1, 0, 0), (0, 0, 3))
]
REWARDS = np.zeros((S, A))
REWARDS[2] = 1.0


def test_the_posterior_is_that_of_shared_slip() -> None:
    """A uniform prior on a fine grid: of the order of 1e-5 from the Beta posterior."""
    belief, exact = belief_of(PLAIN, S, A), belief_of(SharedSlip(INTENDED, SLIPPED), S, A)
    for step in STEPS * 4:
        belief.observe(*step)
        exact.observe(*step)
    assert belief.mean().transitions == pytest.approx(exact.mean().transitions, abs=1e-4)
    beta = stats.beta(exact.slips, exact.holds)
    assert belief.parameter_mean() == pytest.approx(beta.mean(), abs=1e-4)
    assert belief.parameter_interval(0.9) == pytest.approx(beta.ppf([0.05, 0.95]), abs=0.011)
    assert belief.weights == pytest.approx(beta.pdf(GRID) / beta.pdf(GRID).sum(), rel=1e-9)


def test_it_is_a_finite_set_of_its_points() -> None:
    tables = np.array(
        [[[ring(GRID[[m]], s, a)[0] for a in range(A)] for s in range(S)] for m in range(len(GRID))]
    )
    problems = [BAMDP(prior, REWARDS, 0.9) for prior in (Finite(tables), PLAIN)]
    finite, points = (problem.belief() for problem in problems)
    states, actions, _, next_states = (list(column) for column in zip(*STEPS, strict=True))
    for belief in (finite, points):
        belief.observe_many(states, actions, None, next_states)
    assert points.weights.tolist() == finite.weights.tolist()  # type: ignore[attr-defined]
    expected = bayes_optimal(problems[0], 0, horizon=5, belief=finite).q_values
    assert (
        bayes_optimal(problems[1], 0, horizon=5, belief=points).q_values.tolist()
        == expected.tolist()
    )


def test_rewards_tell_the_parameter() -> None:
    belief = belief_of(PAID, S, A)
    expected = np.round(GRID, 2).mean()
    assert belief.mean().rewards[0] == pytest.approx([expected, 1 + expected])
    belief.observe(0, 1, 1.32, 1)
    assert (
        np.flatnonzero(belief.weights).tolist()
        == np.flatnonzero(np.round(GRID, 2) == 0.32).tolist()
    )
    assert belief.sample(1, np.random.default_rng(0)).rewards[0, 0] == pytest.approx([0.32, 1.32])
    with pytest.raises(
        ValueError, match=r"reward 1.5 .*is impossible under the prior: no world that is left"
    ):
        belief.observe(0, 1, 1.5, 1)


AGENTS: list[tuple[Any, dict[str, Any]]] = [
    (BAMCP, {"simulations": 20}),
    (BAMCP, {"simulations": 20, "rollouts": "posterior-mean"}),
    (BayesAdaptive, {"simulations": 32}),
    *((agent, {}) for agent in (BOSS, BayesianDP, IndexPolicy, PosteriorMean)),
]


@pytest.mark.parametrize("rewards", [None, paid], ids=["known", "paid"])
def test_agents_act(rewards: Any) -> None:
    prior = Parametric(ring, GRID[::10], rewards=rewards)
    world = Tabular(
        belief_of(prior, S, A).sample(1, np.random.default_rng(0)).take(0), 0.9, prior=prior
    )
    for make, settings in AGENTS:
        check_agent(lambda seed: make(world.problem(), seed=seed, **settings), world, steps=20)  # noqa: B023


def test_worlds_are_drawn_from_it() -> None:
    problem = Benchmark(BAMDP(PLAIN, REWARDS, 0.9), steps=5)
    slips = {round(float(problem.world(seed).probabilities.min()), 3) for seed in range(5)}  # type: ignore[attr-defined]
    assert len(slips) > 2


def test_what_is_saved(tmp_path: Path) -> None:
    agent = BAMCP(BAMDP(PLAIN, REWARDS, 0.9, misspecified=True), simulations=30, seed=2)
    for step in STEPS[1:]:
        agent.observe(*step)
    agent.save(tmp_path / "agent")
    with pytest.raises(bamdp.SavedFileError, match="the user's own code"):
        bamdp.load(tmp_path / "agent")
    copy: Any = bamdp.load(tmp_path / "agent", prior=PLAIN)
    assert copy.plan(3).q_values.tolist() == agent.plan(3).q_values.tolist()


class TwoNumbers:
    """A distribution of two numbers."""

    def ppf(self, levels: Any) -> Any:
        return np.stack([levels, levels])


def test_distributions() -> None:
    prior = Parametric(ring, stats.beta(2, 5), points=400)
    assert belief_of(prior, S, A).parameter_mean() == pytest.approx(2 / 7, abs=1e-3)
    counts = belief_of(
        Parametric(lambda n, s, a: ring(1 / (2 + n), s, a), stats.poisson(1.5)), S, A
    )
    assert counts.parameters[:3].tolist() == [0, 1, 2]
    assert counts.weights[:3] == pytest.approx(stats.poisson(1.5).pmf([0, 1, 2]), abs=0.01)


def test_several_distributions_are_spread_evenly() -> None:
    """Posterior means after three successes and a failure of each of two Beta arms: the conjugate
    ones, with a few points, from which as many draws are four times as far.
    """

    def two(parameters: Any, state: int, action: int) -> Any:
        p = parameters[:, action]
        return np.stack([1 - p, p], axis=1)

    arms, exact = [stats.beta(1, 1), stats.beta(2, 3)], np.array([4 / 6, 5 / 9])

    def error(prior: Parametric) -> float:
        belief = belief_of(prior, 2, 2)
        for next_state in (1, 1, 0, 1):
            for action in range(2):
                belief.observe(0, action, None, next_state)
        return float(np.abs(belief.parameter_mean() - exact).max())

    rng = np.random.default_rng(0)
    drawn = [
        error(Parametric(two, np.stack([arm.rvs(60, random_state=rng) for arm in arms], axis=1)))
        for _ in range(20)
    ]
    spread = error(Parametric(two, arms, points=60))
    assert spread < 0.02
    assert 4 * spread < np.mean(drawn)
    assert error(Parametric(two, tuple(arms), points=2000)) < 0.003


def test_several_parameters() -> None:
    def two(parameters: Any, state: int, action: int) -> Any:
        return ring(parameters[:, action], state, action)

    grid = np.stack(np.meshgrid(GRID[::5], GRID[::5]), axis=-1).reshape(-1, 2)
    belief = belief_of(Parametric(two, grid), S, A)
    for _ in range(10):
        belief.observe(0, 1, None, 0)
    assert belief.parameter_mean()[0] == pytest.approx(grid[:, 0].mean())
    assert belief.parameter_mean()[1] > 0.85
    interval = belief.parameter_interval()
    assert interval[:, 0].tolist() == [GRID[0], GRID[95]], "nothing was learned of the first"
    assert 0.5 < interval[0, 1] < interval[1, 1]
    assert "95 % interval" in shown(belief)


def test_a_notebook_shows_the_posterior() -> None:
    belief = belief_of(PLAIN, S, A)
    html = shown(belief)
    assert "<svg" in html
    assert "posterior mean" in html
    assert "mean 0.5" in repr(belief)


def off(slip: Any, state: int, action: int) -> Any:
    rows = ring(slip, state, action)
    rows[17] *= 1 + 1e-3 * (state == 2 and action == 1)
    return rows


def nan(slip: Any, state: int, action: int) -> Any:
    return ring(slip * np.where(slip > 0.5, np.nan, 1), state, action)


def made(function: Any, rewards: Any = None) -> Any:
    return belief_of(Parametric(function, GRID, rewards=rewards), S, A)


WHERE = r"\(parameters, state=0, action=0\)"
test_bad_functions = rejections(
    (
        ValueError,
        r"state=2, action=1\): each row must sum to one, the row at index \(17,\) sums to",
        lambda: made(off),
    ),
    (ValueError, f"function{WHERE} must be finite, got nan", lambda: made(nan)),
    (
        ValueError,
        r"rows of shape \(100, 4\), got \(100, 3\)",
        lambda: made(lambda p, s, a: np.full((100, 3), 1 / 3)),
    ),
    (ValueError, f"rewards{WHERE} must be finite", lambda: made(ring, lambda p, s, a: p * np.nan)),
    (
        ValueError,
        r"rewards of shape \(100,\) or \(100, 4\), got \(7,\)",
        lambda: made(ring, lambda p, s, a: p[:7]),
    ),
    (
        MemoryError,
        "Parametric with 100 points needs a table of",
        lambda: belief_of(PLAIN, 1000, A).mean(),
    ),
    (
        ValueError,
        "weights must be None for a distribution",
        lambda: Parametric(ring, stats.beta(1, 1), weights=[1.0]),
    ),
    (
        ValueError,
        "weights must be None for a distribution",
        lambda: Parametric(ring, [stats.beta(1, 1), stats.beta(1, 1)], weights=[1.0]),
    ),
    (
        ValueError,
        r"parameters\[1\] must be a distribution of one number, its ppf has shape \(2, 5\)",
        lambda: Parametric(ring, [stats.beta(1, 1), TwoNumbers()], points=5),
    ),
    (
        ValueError,
        "level must be a finite number in",
        lambda: belief_of(PLAIN, S, A).parameter_interval(1.5),
    ),
)


def test_it_needs_arguments_on_the_command_line() -> None:
    assert "parametric" not in {found.name for found in names.PRIORS.find_all()}
