"""Beta arms over a finite horizon: published values, a slow twin, and the other solver."""

from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bamdp import BAMDP, _core
from bamdp.exact import ArmsPolicy, TooManyBeliefStatesError, bayes_optimal, optimal_arms
from bamdp.priors import BetaArms, Dirichlet
from reference.arms import optimal
from reference.rejections import rejections

TWO = np.array([[[0.0, 1.0]] * 2] * 2)


@pytest.mark.parametrize(("horizon", "value"), [(1, 0.5), (10, 6.0217857143), (100, 64.9184206510)])
def test_two_uniform_arms(horizon: int, value: float) -> None:
    optimum = bayes_optimal(BAMDP(BetaArms(), TWO, 1.0, horizon=horizon), 0)
    assert optimum.q_values == pytest.approx([value] * 2, abs=1e-10)
    assert optimum.belief_states == comb(horizon + 3, 4)
    assert optimum.error_bound == 0, "for the problem's own horizon"
    assert (
        bayes_optimal(BAMDP(BetaArms(), TWO, 1.0, horizon=horizon + 1), 0, horizon).error_bound
        == np.inf
    )


@pytest.mark.parametrize("discount", [1.0, 0.7])
@pytest.mark.parametrize(
    ("arms", "steps"),
    [
        ([(1, 1)], 7),
        ([(0.5, 2), (3, 1.5)], 11),
        ([(2, 2), (1, 1), (1, 3)], 7),
        ([(1, 1), (1, 2), (2, 1), (1, 1)], 5),
        ([(1, 1)] * 6, 3),
    ],
)
def test_values_and_policy_are_the_twin(
    arms: list[tuple[float, float]], steps: int, discount: float
) -> None:
    A = len(arms)
    payoffs = [(-0.25 * arm, 1.0 + arm % 2) for arm in range(A)]
    prior = BetaArms([a for a, _ in arms], [b for _, b in arms])
    found = optimal_arms(BAMDP(prior, [payoffs] * 2, discount, horizon=steps), policy=True)
    twin = optimal(arms, steps, discount, payoffs)
    assert found.q_values == pytest.approx(twin((0,) * (2 * A), steps), abs=1e-12)
    assert found.policy is not None
    for counts in (
        product(range(steps), repeat=2 * A) if A < 4 else [(1, 0, 0, 1) + (0,) * (2 * A - 4)]
    ):
        if sum(counts) < steps:
            values = twin(counts, steps - sum(counts))
            best = tuple(arm for arm in range(A) if values[arm] > max(values) - 1e-9)
            assert found.policy.arms(counts[::2], counts[1::2]) == best


@pytest.mark.parametrize("threads", [2, 3, 5])
@pytest.mark.parametrize("keep", ["masks", "cuts"])
def test_threads_change_nothing(threads: int, keep: str) -> None:
    given = np.array([[1, 1, 0, 1], [2, 3, 0, 1.5]], dtype=float), 0.99, 60, keep, np.empty(0)
    one, many = (_core.solve_arms(*given, threads=n, on_tick=None) for n in (1, threads))
    assert np.array_equal(one[0], many[0])
    assert np.array_equal(one[1], many[1])


@pytest.mark.parametrize(
    "arms", [[(1, 1), (1, 1)], [(0.5, 2), (3, 1.5)], [(1, 1), (20, 20)], [(1, 0), (2, 2)]], ids=str
)
def test_a_policy_of_cuts_is_that_of_all_states(arms: list[tuple[float, float]]) -> None:
    given, T = np.array([[a, b, 0, 1] for a, b in arms], dtype=float), 30
    values, masks, _ = _core.solve_arms(
        given, 1.0, T, "masks", np.empty(0), threads=1, on_tick=None
    )
    same, _, cuts = _core.solve_arms(given, 1.0, T, "cuts", np.empty(0), threads=1, on_tick=None)
    assert np.array_equal(values, same)
    by_state, by_cut = ArmsPolicy(2, T, masks), ArmsPolicy(2, T, cuts)
    for n in range(T):
        for m in range(T - n):
            assert np.array_equal(by_state.optimal([n, m]), by_cut.optimal([n, m]))
    assert by_state.cuts([3, 4]) is None
    assert repr(by_state) == repr(by_cut)


def test_a_policy_that_is_none_of_cuts() -> None:
    """A prize for an odd number of successes of the second arm."""

    def final(n: tuple[int, ...]) -> NDArray[np.float64]:
        return np.broadcast_to(5.0 * (np.arange(n[1] + 1) % 2), (n[0] + 1, n[1] + 1))

    found = optimal_arms(BAMDP(BetaArms(), TWO, 1.0, horizon=4), final=final, policy=True)
    assert found.policy is not None
    assert found.policy.cuts([0, 2]) is None
    assert found.policy.arms([0, 1], [0, 2]) == (0,), "the prize is there"
    assert found.policy.arms([0, 2], [0, 1]) == (1,), "a success more"
    assert found.policy.arms([0, 3], [0, 0]) == (0,)


def test_it_is_the_other_solver() -> None:
    """Also after observations, with the values of later belief states."""
    problem = BAMDP(BetaArms([2, 1], [1, 3.5]), TWO, 1.0, horizon=20)
    belief = problem.belief()
    belief.observe(0, 1, None, 1)
    by_address, by_search = (
        bayes_optimal(problem, 0, belief=belief, limit=limit) for limit in (None, 10**6)
    )
    assert optimal_arms(problem, belief=belief).q_values == pytest.approx(
        by_address.q_values, abs=1e-12
    )
    assert by_address.q_values == pytest.approx(by_search.q_values, abs=1e-12)
    walks = by_address.walk(), by_search.walk()
    for action, outcome in ((0, 1), (1, 0), (1, 1)):
        for walk in walks:
            walk.step(action, outcome)
        assert np.array_equal(walks[0].q_values, walks[1].q_values)


def test_a_horizon_that_was_too_long_is_solved() -> None:
    optimum = bayes_optimal(BAMDP(BetaArms(), TWO, 0.95), 0, horizon=120)
    assert optimum.value == pytest.approx(
        bayes_optimal(BAMDP(BetaArms(), TWO, 0.95), 0, tolerance=0.1).value, abs=0.1
    )
    with pytest.raises(TooManyBeliefStatesError):
        optimum.walk()


def test_it_can_be_interrupted() -> None:
    def stop(done: int) -> None:
        raise KeyboardInterrupt

    given = np.array([[1.0, 1, 0, 1]] * 2), 1.0, 500, "", np.empty(0)
    for threads in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            _core.solve_arms(*given, threads=threads, on_tick=stop)


def problem(rewards: Any, steps: int) -> BAMDP:
    return BAMDP(BetaArms(), rewards, 1.0, horizon=steps)


ENDS = BAMDP(Dirichlet(), TWO, 1.0, terminal=[1])
POLICY = ArmsPolicy(2, 4, np.zeros(comb(7, 4), np.uint8))
test_rejected = rejections(
    (
        ValueError,
        "discount must be below 1 without a horizon",
        lambda: bayes_optimal(ENDS, 0, tolerance=0.1),
    ),
    (
        TypeError,
        "prior must be BetaArms",
        lambda: optimal_arms(BAMDP(Dirichlet(), TWO, 1.0, horizon=3)),
    ),
    (
        ValueError,
        "rewards must not depend on the state",
        lambda: optimal_arms(problem([[0, 0], [1, 1]], 3)),
    ),
    (TypeError, "horizon must be", lambda: optimal_arms(BAMDP(BetaArms(), TWO, 0.9))),
    (
        MemoryError,
        "horizon=5000 needs .* GiB for 2 arms, more than the 2 GiB",
        lambda: optimal_arms(problem(TWO, 5000)),
    ),
    (MemoryError, "and their policy", lambda: optimal_arms(problem(TWO, 1050), policy=True)),
    (ValueError, "at most 6 arms, got 7", lambda: optimal_arms(problem(np.zeros((2, 7)), 3))),
    (
        ValueError,
        "final must return an array of shape",
        lambda: optimal_arms(problem(TWO, 3), final=lambda n: [0.0]),
    ),
    (ValueError, "pulls must be 2 numbers with a sum below 4", lambda: POLICY.optimal([2, 2])),
    (ValueError, "same number of arms", lambda: POLICY.arms([1, 1], [0])),
)
