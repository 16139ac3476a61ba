"""Agents in worlds without tables: the best path on the infinite grid, and the best sequence of
actions elsewhere.
"""

import copy
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp.agents import BOSS, BayesAdaptive, BayesianDP, IndexPolicy, PosteriorMean
from bamdp.domains import InfiniteGrid
from bamdp.search.plan import CertifiedPlan
from bamdp.search.solver import best_bonus
from bamdp.suite import Corridor
from bamdp.suite.corridor import LEFT, RIGHT, TRY, EndlessCorridor
from reference.line_paths import Lines, q_values

PRIORS = (((1.0, 2.0), (2.0, 1.0)), ((0.5, 0.5), (0.5, 0.5)), ((0.5, 0.5), (1.0, 3.0)))


def walked(agent: Any, domain: Any, steps: int) -> int:
    """The state after some steps."""
    return int(bamdp.run(agent, domain, steps=steps, seed=3).next_states[-1])


@pytest.mark.parametrize(("columns", "rows"), PRIORS)
def test_paths_are_those_of_the_slow_twin(columns: Any, rows: Any) -> None:
    """At every belief of a walk, with and without the bonus."""
    world = InfiniteGrid(columns, rows, seed=2)
    bonus = best_bonus(columns, rows, world.discount)
    for agent, scale in (
        (PosteriorMean(world.problem()), 0.0),
        (IndexPolicy(world.problem()), bonus),
    ):
        run, rng = copy.copy(world), np.random.default_rng(0)
        state, path = run.reset(rng), np.random.default_rng(1).integers(4, size=25)
        for action in path:
            x, y, content = run.cell(state)
            lines = Lines(
                columns,
                rows,
                {**agent.belief.cells(), (x, y): agent.belief.cells().get((x, y), content)},
                scale,
            )
            assert agent.q_values(state) == pytest.approx(
                q_values(lines, x, y, world.discount), abs=1e-5
            )
            next_state, reward = run.step(state, int(action), rng)
            agent.observe(state, int(action), reward, next_state)
            state = next_state


def test_the_bonus_is_chosen_by_the_prior() -> None:
    """As in thousands of worlds each: docs/planner.md."""
    assert [best_bonus(*prior, 0.97) for prior in PRIORS][:2] == [1.0, 0.0]


def test_filtered_means_are_near_those_of_the_chain() -> None:
    world = InfiniteGrid(seed=5)
    agent = PosteriorMean(world.problem())
    walked(agent, world, 60)
    draws = agent.belief.sample_parameters(2000, np.random.default_rng(0))
    lines = Lines(*PRIORS[0], agent.belief.cells())
    found = [lines.mean(0, int(x)) for x in draws.column_coordinates]
    assert np.abs(found - draws.columns.mean(axis=0)).mean() < 0.05


def test_models_are_kept_until_the_next_draw() -> None:
    world = InfiniteGrid(seed=1)
    kept, drawn = BayesianDP(world.problem(), period=1000), BayesianDP(world.problem())
    for agent, same in ((kept, True), (drawn, False)):
        state = copy.copy(world).reset(np.random.default_rng(0))
        before = agent.q_values(state)
        assert agent.q_values(state).tolist() == before.tolist()
        away = (
            world.state(100, 0, False),
            1,
            0.0,
            world.state(101, 0, False),
        )  # far off: nothing here has changed
        agent.observe(*away)
        assert (agent.q_values(state).tolist() == before.tolist()) == same


def test_the_best_of_more_models_is_no_worse() -> None:
    """The first models are the same."""
    problem, state = InfiniteGrid(seed=1).problem(), 0
    values = [BOSS(problem, models=models, seed=3).q_values(state) for models in (1, 2, 8)]
    assert (values[0] <= values[1]).all()
    assert (values[1] <= values[2]).all()
    assert (values[2] > values[0]).any()


def test_a_plan_has_finite_bounds() -> None:
    world = InfiniteGrid(seed=1)
    agent = BayesAdaptive(world.problem(), simulations=4000, seed=0)
    plan = agent.plan(copy.copy(world).reset(np.random.default_rng(0)))
    assert isinstance(plan, CertifiedPlan)
    assert 0 < plan.lower < 12 < plan.upper < 24, (
        "agents earn about 12; a reward in each step would be 33"
    )


@pytest.mark.parametrize("kind", [PosteriorMean, IndexPolicy, BayesianDP, BOSS, BayesAdaptive])
def test_saved_agents_go_on_as_they_were(kind: Any, tmp_path: Any) -> None:
    world = InfiniteGrid(seed=7)
    settings = {"simulations": 40} if kind is BayesAdaptive else {}
    agent = kind(world.problem(), seed=2, **settings)
    state = walked(agent, world, 12)
    agent.save(tmp_path / "agent")
    twin = bamdp.load(tmp_path / "agent")
    assert twin.q_values(state).tolist() == agent.q_values(state).tolist()


@pytest.mark.parametrize(("wins", "losses"), [(9, 1), (0, 9)])
def test_sequences_stay_with_a_good_machine_and_leave_a_bad_one(wins: int, losses: int) -> None:
    """`BayesAdaptive` searches there without a base: that to leave a bad machine is better by a
    step is beyond its budget.
    """
    problem = EndlessCorridor(seed=0).problem()
    searches = [BayesAdaptive(problem, simulations=2000)] if wins > losses else []
    for agent in (PosteriorMean(problem), BOSS(problem), *searches):
        for reward in [1.0] * wins + [0.0] * losses:
            agent.observe(0, TRY, reward, 0)
        assert (agent.act(0) == TRY) == (wins > losses)


def test_the_way_back_is_known() -> None:
    """A good machine two rooms to the left."""
    agent = PosteriorMean(EndlessCorridor(seed=0).problem())
    for reward in [1.0] * 12:
        agent.observe(-2, TRY, reward, -2)
    for reward in [0.0] * 8:
        agent.observe(0, TRY, reward, 0)
    values = agent.q_values(0)
    assert values.argmax() == LEFT
    assert values[RIGHT] < values[LEFT]


def test_the_corridor_is_the_same_for_all() -> None:
    problem = Corridor(steps=20)
    runs = [
        bamdp.run(bamdp.agents.Random(problem.problem, seed=1), problem.world(3), steps=20, seed=5)
        for _ in range(2)
    ]
    assert runs[0].rewards.tolist() == runs[1].rewards.tolist()
    with pytest.raises(ValueError, match="steps must be"):
        Corridor(steps=5000)
    with pytest.raises(TypeError, match="IndexPolicy needs a table of rewards"):
        IndexPolicy(problem.problem)
