"""The table of a policy: the choice in each state, and how sure it is."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bamdp

COUNTS: Any = [
    [[7, 2.9, 0.1], [1, 0, 0], [1, 0, 0]],
    [[0, 0.9, 0.1], [1, 0, 0], [1, 0, 0]],
    [[0, 0, 1], [0, 0, 1], [1, 0, 0]],
]
REWARDS = [[0, -8, -15], [0, -8, -15], [-30, -38, -45]]


@pytest.fixture
def problem() -> bamdp.BAMDP:
    return bamdp.BAMDP(
        bamdp.priors.Dirichlet(COUNTS),
        REWARDS,
        0.97,
        states=("new", "worn", "broken"),
        actions=("run", "service", "replace"),
    )


def test_the_table_is_what_the_agent_does(problem: bamdp.BAMDP) -> None:
    agent = bamdp.agents.BayesAdaptive(problem, simulations=300, seed=0)
    table = bamdp.policy(agent)
    names = problem.actions
    assert names is not None
    assert table.columns["state"] == ["new", "worn", "broken"]
    assert table.columns["action"] == [names[agent.act(state)] for state in range(3)]
    assert agent.steps_done == 0, "nothing is learned"
    assert "how sure" in str(table)


def test_values_of_agents_that_do_not_search(problem: bamdp.BAMDP) -> None:
    """By value iteration of the mean."""
    table = bamdp.policy(bamdp.agents.PosteriorMean(problem))
    q = problem.belief().mean().solve(0.97).q_values
    assert np.array(table.columns["q_values"]) == pytest.approx(q, rel=1e-4)
    ordered = np.sort(q, axis=1)
    assert table.columns["lead"] == pytest.approx(ordered[:, -1] - ordered[:, -2], rel=1e-2)
    assert table.columns["sure"] == ["not known"] * 3


def test_exact_bounds_are_certain() -> None:
    """One world is known: nothing is left to doubt. With two that differ in everything a step tells
    which it is.
    """
    world = np.zeros((2, 2, 2, 2))
    world[:, :, 0, 0] = world[:, :, 1, 1] = 1
    pays = np.array([[[0.0, 1.0], [0.0, 0.0]], [[0.0, 1.0], [0.5, 0.0]]])
    problem = bamdp.BAMDP(bamdp.priors.Finite(world, rewards=pays), discount=1, horizon=3)
    table = bamdp.policy(bamdp.agents.BayesAdaptive(problem, simulations=1000))
    assert table.columns["sure"] == ["certain", "certain"]
    for state, value in enumerate(table.columns["value"]):
        assert value == pytest.approx(bamdp.exact.bayes_optimal(problem, state).value)


def test_the_doubt_of_mean_returns(problem: bamdp.BAMDP) -> None:
    """Two standard errors of a difference, whose variance is the sum of both."""
    one, twin = (bamdp.agents.BAMCP(problem, simulations=400, trees=4, seed=1) for _ in range(2))
    (choice,) = bamdp.policy(one, states=[1]).choices
    plan = twin.plan(1)
    assert choice.second is not None
    variances = plan.standard_errors[[plan.action, choice.second]] ** 2
    assert choice.doubt**2 == pytest.approx(4 * variances.sum())
    assert choice.doubt > 0
    order = np.argsort(-plan.q_values)
    assert (choice.action, choice.second) == (order[0], order[1])
    lead = plan.q_values[order[0]] - plan.q_values[order[1]]
    assert choice.lead == pytest.approx(lead)
    assert choice.sureness == ("clear" if lead**2 > 4 * variances.sum() else "close")


def test_bounds_of_what_was_drawn_are_not_certain() -> None:
    """The bounds of BFS3, and of worlds from a sampler, may meet away from the optimal value."""
    tosses = bamdp.BAMDP(bamdp.priors.Dirichlet(), [[0.0, 1.0], [0.5, 0.0]], discount=1, horizon=3)
    agent = bamdp.agents.BFS3(tosses, seed=0)
    plan = agent.plan(0)
    assert plan.q_lower.tolist() == plan.q_upper.tolist()
    optimum = bamdp.exact.bayes_optimal(tosses, 0)
    assert abs(plan.q_values.max() - optimum.value) > 0.1
    assert bamdp.policy(agent).columns["sure"] == ["not known"] * 2

    class Coins:
        def __init__(self, problem: bamdp.BAMDP) -> None:
            self.shape = problem.num_states, problem.num_actions

        def observe(self, *step: Any) -> None:
            pass

        def sample(self, count: int, rng: np.random.Generator) -> Any:
            return rng.dirichlet([1, 1], size=(count, *self.shape))

    drawn = bamdp.BAMDP(
        bamdp.priors.Sampled(Coins), [[0.0, 1.0], [0.5, 0.0]], discount=1, horizon=2
    )
    searcher = bamdp.agents.BayesAdaptive(drawn, simulations=3000)
    bounds: Any = searcher.plan(0)
    assert bounds.q_lower == pytest.approx(bounds.q_upper)
    assert "certain" not in bamdp.policy(searcher).columns["sure"]


def test_terminal_states_have_no_choice(problem: bamdp.BAMDP) -> None:
    ends = bamdp.BAMDP(bamdp.priors.Dirichlet(COUNTS), REWARDS, 0.97, terminal=[2])
    assert bamdp.policy(bamdp.agents.PosteriorMean(ends)).columns["state"] == ["0", "1"]
    with pytest.raises(ValueError, match="terminal"):
        bamdp.policy(bamdp.agents.PosteriorMean(ends), states=[2])
    with pytest.raises(ValueError, match="at least one"):
        bamdp.policy(bamdp.agents.PosteriorMean(problem), states=[])
    with pytest.raises(TypeError, match=r"bamdp\.Agent"):
        bamdp.policy(problem)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="has no values of actions"):
        bamdp.policy(bamdp.agents.Random(problem))


def test_states_that_are_not_listed_are_asked_for() -> None:
    prior = bamdp.priors.Worlds([1, 2], lambda world, state, action: bamdp.Outcome(state, world))
    problem = bamdp.BAMDP(prior, discount=1, horizon=2, start="here", actions=["stay"])
    agent = bamdp.agents.BayesAdaptive(problem, simulations=10)
    with pytest.raises(ValueError, match="states must be given"):
        bamdp.policy(agent)
    table = bamdp.policy(agent, states=[problem.state("here")])
    assert table.columns["action"] == ["stay"]
    assert table.columns["value"] == pytest.approx([3.0])


def test_its_picture(problem: bamdp.BAMDP, tmp_path: Path) -> None:
    table = bamdp.policy(bamdp.agents.PosteriorMean(problem))
    table.save(tmp_path / "policy.png")
    assert (tmp_path / "policy.png").stat().st_size > 1000
    (axes,) = table.figure().axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["new", "worn", "broken"]
    framed = [round(patch.get_x() + 0.47) for patch in axes.patches]
    assert framed == [0, 1, 2], "run, service, replace"
