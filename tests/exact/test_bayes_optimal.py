"""Exact Bayes-optimal values against Gittins indices and a slow twin: a recursion over all that was
seen.
"""

from functools import partial
from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP, Belief, Prior
from bamdp.exact import BayesOptimal, TooManyBeliefStatesError, bayes_optimal, gittins_index
from bamdp.exact.belief_states import PROBE
from bamdp.priors import BetaArms, Dirichlet, Finite, SparseDirichlet
from reference.belief_tree import bayes_optimal_values
from reference.mute import Mute
from reference.problems import belief_of
from reference.rejections import rejections

Transition = tuple[int, int, int]

ARRAY = np.array([[[1.0, 2, 0], [0, 0, 3]], [[0.5, 0, 0.5], [1, 1, 1]], [[0, 4, 0], [2, 0, 0.1]]])
TABLES = np.random.default_rng(0).dirichlet([0.5] * 3, size=(4, 3, 2))
TABLES[1, 0, 0] = [0, 1, 0]  # a table that some observations rule out
PRIORS: list[Prior] = [
    Dirichlet(),
    Dirichlet(0.3),
    Dirichlet(ARRAY),
    SparseDirichlet(),
    Finite(TABLES, [1, 2, 0, 4]),
]
REWARDS = np.random.default_rng(1).normal(size=(3, 2, 3))
ARMS = np.array([[[0, 1]] * 2] * 2)
PROBLEM = BAMDP(Dirichlet(), REWARDS, 0.9)


@pytest.mark.parametrize("observed", [0, 6])
@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_it_is_the_twin(prior: Prior, observed: int) -> None:
    problem, seen = BAMDP(prior, REWARDS, 0.9, horizon=4), _history(prior)[:observed]
    belief = problem.belief()
    for before, action, after in seen:
        belief.observe(before, action, None, after)
    state = seen[-1][2] if seen else 0
    optimum = bayes_optimal(problem, state, belief=belief if seen else None)
    assert optimum.q_values == pytest.approx(
        bayes_optimal_values(prior, REWARDS, 0.9, state, 4, seen), abs=1e-12
    )


def _history(prior: Prior) -> list[Transition]:
    rng, belief, state = np.random.default_rng(2), belief_of(prior, 3, 2), 0
    seen = []
    for _ in range(6):
        action = int(rng.integers(2))
        next_state = int(rng.choice(3, p=belief.predictive(state, action)))
        belief.observe(state, action, None, next_state)
        seen.append((state, action, next_state))
        state = next_state
    return seen


@pytest.mark.parametrize(
    ("restart", "time_limit"), [(None, None), (1, None), (1, 1), (1, 2), (1, 9)]
)
@pytest.mark.parametrize("terminal", [(), (2,)])
@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_a_run_of_episodes_is_the_twin(
    prior: Prior, terminal: tuple[int, ...], restart: int | None, time_limit: int | None
) -> None:
    episodes: dict[str, Any] = {"restart": restart, "time_limit": time_limit}
    optimum = bayes_optimal(BAMDP(prior, REWARDS, 0.9, terminal=terminal), 0, horizon=4, **episodes)
    twin = bayes_optimal_values(prior, REWARDS, 0.9, 0, 4, terminal=terminal, **episodes)
    assert optimum.q_values == pytest.approx(twin, abs=1e-12)
    if time_limit is not None and not terminal:
        run = BAMDP(prior, REWARDS, 0.9, horizon=4, episode_length=time_limit, start=1)
        assert np.array_equal(bayes_optimal(run, 0).q_values, optimum.q_values), (
            "the problem says so itself"
        )


def test_a_known_world_of_episodes() -> None:
    """Two steps to the end, which pays 1: γ + γ³ + …; the bounds of the values are 0 and
    1/(1 − γ).
    """
    table = np.array([[[0.0, 1, 0]], [[0, 0, 1]], [[0, 0, 1]]])
    rewards = np.array([[0.0], [1.0], [7.0]])  # of a state that no action is taken in
    solve = partial(
        bayes_optimal, BAMDP(Finite(table[None]), rewards, 0.5, terminal=[2]), 0, tolerance=1e-9
    )
    once, again, limited = solve(), solve(restart=0), solve(restart=0, time_limit=1)
    assert [once.value, again.value, limited.value] == pytest.approx(
        [0.5, 0.5 / 0.75, 0.0], abs=1e-8
    )
    assert (once.leaf, again.leaf) == (1.0, 1.0)
    paying = BAMDP(Finite(table[None]), rewards + 1, 0.5, terminal=[2])
    once, again = (bayes_optimal(paying, 0, restart=restart) for restart in (None, 0))
    assert (once.leaf, again.leaf) == (2.0, 3.0), "0 after the end; no less than 1 a step in a run"


def test_against_its_own_index_an_arm_is_worth_a_pension() -> None:
    """Whittle: beside a sure reward of its index λ, pulling and not pulling are both worth λ/(1 −
    γ).
    """
    index = float(gittins_index(2, 3, 0.9, 1e-9))
    rewards = np.array([[[0, 1], [0, index]]] * 2)
    optimum = bayes_optimal(BAMDP(BetaArms([2, 1], [3, 0]), rewards, 0.9), 1, tolerance=1e-6)
    assert optimum.q_values == pytest.approx([index / 0.1] * 2, abs=3e-6)


def test_the_error_bound_holds() -> None:
    problem = BAMDP(Dirichlet(), REWARDS[:2, :, :2], 0.5)
    fine = bayes_optimal(problem, 0, tolerance=1e-3)
    for tolerance in (3.0, 0.3, 0.03):
        coarse = bayes_optimal(problem, 0, tolerance=tolerance)
        assert coarse.error_bound <= tolerance
        assert (
            np.abs(coarse.q_values - fine.q_values).max() <= coarse.error_bound + fine.error_bound
        )
    half = (REWARDS[:2, :, :2].max() - REWARDS[:2, :, :2].min()) / 2 / (1 - 0.5)
    assert 0.005 * half < bayes_optimal(problem, 0).error_bound <= 0.01 * half, (
        "1 % if nothing is said"
    )
    finite = bayes_optimal(problem, 0, horizon=5)
    off = np.abs(finite.q_values - fine.q_values).max()
    assert 1e-3 < off <= finite.error_bound + fine.error_bound


def test_a_reward_that_depends_on_the_last_outcome() -> None:
    """Then the last outcome is part of the belief state, though it has no influence on the next."""
    rewards = np.array([[[0.0, 1.0], [0.0, 0.0]], [[0.0, -1.0], [0.0, 1.5]]])
    prior = BetaArms([1, 2], [1, 1])
    expected = bayes_optimal_values(prior, rewards, 0.9, 1, 5)
    assert bayes_optimal(BAMDP(prior, rewards, 0.9), 1, horizon=5).q_values == pytest.approx(
        expected
    )


@pytest.mark.parametrize("prior", [Dirichlet(), Finite(TABLES), Dirichlet(ARRAY)], ids=repr)
def test_what_is_said_to_work_works(prior: Prior) -> None:

    def solve(discount: float, **wanted: Any) -> BayesOptimal:
        return bayes_optimal(BAMDP(prior, REWARDS, discount), 0, limit=100_000, **wanted)

    with pytest.raises(TooManyBeliefStatesError) as raised:
        solve(discount=0.9, tolerance=0.01)
    error = raised.value
    assert error.needed > 100_000
    assert f"; horizon={error.horizon} would work" in str(error)
    assert ("solve_model_set" in str(error)) == isinstance(prior, Finite), (
        "which takes a few models"
    )
    assert solve(discount=0.9, horizon=error.horizon).belief_states > 10_000, (
        "and is not much less than what would"
    )


def test_episodes_that_end_for_good_are_not_estimated() -> None:
    """Belief states become many, and then none: six steps to the end, with as many histories as
    there are.
    """
    S = 14
    alpha = np.zeros((S, 2, S))
    for s in range(S):
        alpha[s, :, min(s + 1, S - 1)] = alpha[s, :, min(s + 2, S - 1)] = 1
    optimum = bayes_optimal(
        BAMDP(Dirichlet(alpha), np.ones((S, 2)), 0.9, terminal=[S - 1]), 0, tolerance=1e-9
    )
    assert optimum.horizon > 100
    assert optimum.belief_states > PROBE


def test_too_many_belief_states_are_refused_before_they_are_made() -> None:
    with pytest.raises(
        TooManyBeliefStatesError, match=r"^about .* for 10 steps, more than limit=20,000; horizon="
    ):
        bayes_optimal(BAMDP(Dirichlet(), np.zeros((5, 2)), 0.95), 0, horizon=10, limit=20_000)
    needed = bayes_optimal(PROBLEM, 0, horizon=6).belief_states
    assert bayes_optimal(PROBLEM, 0, horizon=6, limit=needed).belief_states == needed
    with pytest.raises(TooManyBeliefStatesError):
        bayes_optimal(PROBLEM, 0, horizon=6, limit=needed - 1)


def test_a_walk_sees_what_planning_anew_sees() -> None:
    problem, seen = BAMDP(Dirichlet(ARRAY), REWARDS, 0.9), _history(Dirichlet(ARRAY))[:4]
    belief = problem.belief()
    walk = bayes_optimal(problem, seen[0][0], horizon=5).walk()
    for depth, (state, action, next_state) in enumerate(seen):
        anew = bayes_optimal(problem, state, horizon=5 - depth, belief=belief)
        assert walk.q_values == pytest.approx(anew.q_values, abs=1e-12)
        belief.observe(state, action, None, next_state)
        walk.step(action, next_state)
    walk.step(0, 0)
    with pytest.raises(ValueError, match="ends after 5 steps"):
        _ = walk.q_values


def solution_after(*steps: tuple[int, int]) -> None:
    walk = bayes_optimal(BAMDP(BetaArms(), ARMS, 0.9), 0, horizon=2).walk()
    for step in steps:
        walk.step(*step)


BOUNDS = r"^(action|next_state) must be"


class Silent(Dirichlet):
    """A prior of the user's own, whose belief can't be enumerated."""

    def belief(self, problem: BAMDP) -> Belief:  # type: ignore[override]
        return Mute(problem)


ENDS = BAMDP(Dirichlet(), REWARDS, 0.9, terminal=[1])
test_rejected = rejections(
    (
        ValueError,
        "either horizon or tolerance",
        lambda: bayes_optimal(PROBLEM, 0, horizon=3, tolerance=0.1),
    ),
    (ValueError, "state must not be terminal", lambda: bayes_optimal(ENDS, 1, horizon=3)),
    (
        ValueError,
        "time_limit goes with restart",
        lambda: bayes_optimal(PROBLEM, 0, horizon=3, time_limit=2),
    ),
    (
        ValueError,
        "restart must not be terminal",
        lambda: bayes_optimal(ENDS, 0, horizon=3, restart=1),
    ),
    (
        ValueError,
        "belief must be one of",
        lambda: bayes_optimal(PROBLEM, 0, 3, belief=belief_of(Dirichlet(), 2, 2)),
    ),
    (
        TypeError,
        "prior must be Dirichlet.* or Param",
        lambda: bayes_optimal(BAMDP(Silent(), REWARDS, 0.9), 0, horizon=3),
    ),
    *(
        (ValueError, BOUNDS, partial(solution_after, bad))
        for bad in ((2, 0), (0, 2), (-1, 0), (0, 10**9))
    ),
    (ValueError, "the solution ends after 2 steps", lambda: solution_after((0, 1), (1, 1), (0, 0))),
)
