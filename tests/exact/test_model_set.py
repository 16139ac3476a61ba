"""Bounds over a finite set of models, against exact solutions by enumeration and against closed
forms.
"""

import numpy as np
import pytest

import bamdp
from bamdp.exact import bayes_optimal, solve_model_set
from bamdp.exact.belief_states import BeliefStates
from bamdp.exact.model_set import bound_few_models
from bamdp.exact.solution import Question


def random_problem(seed: int, models: int, states: int = 3, **more: object) -> bamdp.BAMDP:
    rng = np.random.default_rng(seed)
    tables = rng.dirichlet(np.ones(states), size=(models, states, 2))
    prior = bamdp.priors.Finite(tables, weights=rng.dirichlet(np.ones(models)))
    return bamdp.BAMDP(
        prior,
        rng.normal(size=(states, 2)),
        **{"discount": 0.95, "horizon": 5, **more},  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("models", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(5))
def test_the_bounds_contain_the_exact_values(models: int, seed: int) -> None:
    problem = random_problem(seed, models)
    exact = bayes_optimal(problem, 0)
    found = solve_model_set(problem, 0, tolerance=1e-3).bounds(0)
    assert (found.lower <= exact.q_values + 1e-9).all()
    assert (exact.q_values <= found.upper + 1e-9).all()
    assert found.upper.max() - found.lower.max() <= 1e-3


@pytest.mark.parametrize("own", [3, 5, None])
@pytest.mark.parametrize(("horizon", "tolerance"), [(None, None), (None, 0.1), (2, None)])
def test_the_middle_of_the_bounds_is_as_close_as_it_says(
    own: int | None, horizon: int | None, tolerance: float | None
) -> None:
    """What `bayes_optimal` returns where belief states are too many, where they are not."""
    problem = random_problem(1, 3, discount=0.5, horizon=own)
    question = Question.of(problem, 0, horizon, tolerance, None, None, None, None)
    middle = bound_few_models(question, BeliefStates(question))
    endless = bayes_optimal(problem, 0, None, 0.01)
    exact = bayes_optimal(problem, 0) if own and not (horizon or tolerance) else endless
    assert middle is not None
    off = np.abs(middle.q_values - exact.q_values).max()
    assert off <= middle.error_bound + exact.error_bound + 1e-12
    assert middle.error_bound < (2.0 if horizon else 0.2)
    assert horizon is None or off > 0.1, "the steps beyond are not counted"


def test_models_that_differ_in_rewards_and_ends() -> None:
    """The goal is in state 1 or 2; reaching it pays and ends the episode."""
    moves = np.zeros((2, 3, 2, 3))
    moves[:, :, 0, 1] = moves[:, :, 1, 2] = 1
    rewards = np.zeros((2, 3, 2))
    rewards[0, :, 0] = rewards[1, :, 1] = 1
    prior = bamdp.priors.Finite(moves, [0.7, 0.3], rewards=rewards, terminal=[[1], [2]])
    problem = bamdp.BAMDP(prior, np.zeros((3, 2)), discount=0.9)
    found = solve_model_set(problem, 0, tolerance=1e-6).bounds(0)
    expected = [0.7 + 0.3 * 0.9, 0.3 + 0.7 * 0.9]  # miss once, then know
    np.testing.assert_allclose(found.lower, expected, atol=1e-5)
    np.testing.assert_allclose(found.upper, expected, atol=1e-5)


def test_a_single_model_is_a_known_mdp() -> None:
    problem = random_problem(0, models=1, discount=0.9, horizon=None)
    known = problem.sample_world(np.random.default_rng(0)).solve(discount=0.9)
    found = solve_model_set(problem, 1, tolerance=1e-5).bounds(1)
    np.testing.assert_allclose(found.lower, known.q_values[1], atol=1e-4)
    np.testing.assert_allclose(found.upper, known.q_values[1], atol=1e-4)


def test_thirty_steps_of_four_models_and_the_value_of_a_later_belief() -> None:
    """Too many belief states to list; its policy earns at least the lower bound: z > −4 in 100
    runs, 3e-5 by chance.
    """
    problem = random_problem(3, models=4, discount=1, horizon=30)
    with pytest.raises(bamdp.exact.TooManyBeliefStatesError):
        bayes_optimal(problem, 0, limit=5_000_000)
    solution, optimum = solve_model_set(problem, 0, tolerance=0.2), bayes_optimal(problem, 0)
    bounds = solution.bounds(0)
    assert (bounds.lower <= optimum.upper).all()
    assert (optimum.lower <= bounds.upper).all()
    assert 0 < optimum.error_bound < 0.02
    assert not optimum.keeps_values
    rng, returns = np.random.default_rng(0), []
    worlds = problem.belief().particles
    assert worlds is not None
    assert worlds.weights is not None
    for _ in range(100):
        world = worlds.take(int(rng.choice(4, p=worlds.weights)))
        belief, state, total = problem.belief(), 0, 0.0
        for left in range(30, 0, -1):
            action = solution.bounds(state, belief.particles.weights, left).action  # type: ignore[union-attr]
            after = int(rng.choice(3, p=world.transitions[state, action]))
            total += problem.rewards[state, action]
            belief.observe(state, action, None, after)
            state = after
        returns.append(total)
    lower = solution.bounds(0).lower.max()
    assert np.mean(returns) - lower > -4 * np.std(returns) / 10


def test_the_table_has_names() -> None:
    tables = np.random.default_rng(0).dirichlet([1, 1], size=(2, 2, 2))
    problem = bamdp.BAMDP(
        bamdp.priors.Finite(tables),
        [[0, 1], [1, 0]],
        0.9,
        states=("low", "high"),
        actions=("wait", "fish"),
    )
    rows = solve_model_set(problem, 0).table(parts=2)
    assert len(rows) == 2 * 3
    assert rows[0]["state"] == "low"
    assert {row["action"] for row in rows} <= {"wait", "fish"}
    assert all(row["lower"] <= row["upper"] + 1e-9 for row in rows)


def test_what_it_rejects() -> None:
    problem = random_problem(0, models=2)
    with pytest.raises(TypeError, match="finite set of models"):
        solve_model_set(bamdp.domains.Grid(5).problem(), 0)
    with pytest.raises(ValueError, match="at most 8 models"):
        solve_model_set(random_problem(0, models=9), 0)
    with pytest.raises(ValueError, match="steps_left"):
        solve_model_set(problem, 0).bounds(0, steps_left=6)
    with pytest.raises(ValueError, match="weights"):
        solve_model_set(problem, 0).bounds(0, [1, 2, 3])
    with pytest.raises(ValueError, match="state"):
        solve_model_set(problem, 3)


@pytest.mark.parametrize("unknown", [False, True], ids=["known end", "unknown end"])
def test_costs_until_an_end(unknown: bool) -> None:
    """A step costs 1 and ends all with probability p: 1 / (1 − 0.9 (1 − p)) in all, not 10."""
    chances = np.array([0.2, 0.8])
    tables = np.array([[[[1 - p, p]], [[0, 1]]] for p in chances])
    prior = bamdp.priors.Finite(tables, terminal=[1] if unknown else None)
    problem = bamdp.BAMDP(prior, [[-1], [-1]], 0.9, terminal=[] if unknown else [1])
    bounds = solve_model_set(problem, 0, tolerance=1e-6).bounds(0)
    expected = np.mean(-1 / (1 - 0.9 * (1 - chances)))
    np.testing.assert_allclose([bounds.lower[0], bounds.upper[0]], expected, atol=1e-5)
