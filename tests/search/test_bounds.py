"""The search with bounds over listed worlds: against a slow recursion over all that can be seen."""

from typing import Any

import numpy as np
import pytest

from bamdp import _core
from reference.listed_worlds import (
    ListedWorlds,
    Outcome,
    Smell,
    mastermind,
    random_worlds,
    rooms_and_map,
)

EXACT, PLENTY = 1e-9, 10**6


def planned(
    worlds: ListedWorlds,
    simulations: int = 1000,
    *,
    rows: int = PLENTY,
    value: Any = None,
    belief: Any = None,
    even: bool = True,
) -> _core.BoundsDecision:
    """The bounds at the start."""
    belief = worlds.belief() if belief is None else belief
    planner = _core.BoundsPlanner(belief, worlds.discount, EXACT, rows, value)
    return decided(planner, worlds.start, worlds.horizon, simulations, even=even)


def decided(
    planner: _core.BoundsPlanner, state: int, steps: int, simulations: int, *, even: bool = False
) -> _core.BoundsDecision:
    left = _core.StepsLeft(steps, steps, 0, 0)
    return planner.plan(state, left, simulations, None, 2**30, even, False)[0]


def check(decision: _core.BoundsDecision, exact: list[float], slack: float = 1e-7) -> None:
    assert np.all(decision.lower <= np.array(exact) + slack)
    assert np.all(decision.upper >= np.array(exact) - slack)


@pytest.mark.parametrize("seed", range(60))
def test_bounds_hold_and_close(seed: int) -> None:
    worlds = random_worlds(np.random.default_rng(seed))
    exact = worlds.optimal(worlds.start, worlds.prior(), worlds.horizon)
    for simulations in (1, 3, 30):
        check(planned(worlds, simulations), exact)
    closed = planned(worlds, 10**5)
    assert closed.lower == pytest.approx(exact, abs=1e-7)
    assert closed.upper == pytest.approx(exact, abs=1e-7)


@pytest.mark.parametrize("seed", range(30))
def test_bounds_hold_where_worlds_are_not_solved(seed: int) -> None:
    """With few rows to explore, and with a value of the user instead; the rewards are known."""
    worlds = random_worlds(np.random.default_rng(100 + seed))
    exact = worlds.optimal(worlds.start, worlds.prior(), worlds.horizon)
    calls = []

    def value(m: int, state: int) -> float:
        calls.append((m, state))
        return max(worlds.known(m, state, left) for left in range(worlds.horizon + 1) if left) + 0.5

    for simulations in (1, 30, 10**4):
        check(planned(worlds, simulations, value=value, belief=all_rows(worlds)), exact)
        check(planned(worlds, simulations, rows=1, belief=all_rows(worlds)), exact)
    assert calls


def all_rows(worlds: ListedWorlds) -> _core.WorldsBelief:
    """A belief whose rows were all requested, so that the range of rewards is known."""
    belief, reached = worlds.belief(), [worlds.start]
    for state in reached:
        for action in range(worlds.num_actions):
            belief.predictive(state, action)
            for m in range(len(worlds.weights)):
                bases = {o.base for o in worlds.outcomes(m, state, action)}
                reached += sorted(bases - set(reached))
    return belief


def test_rooms_and_a_map() -> None:
    worlds = rooms_and_map()
    decision = planned(worlds, 1000, even=False)
    assert decision.action == 0
    assert decision.decided
    assert decision.lower.max() == pytest.approx(-12.5, abs=1e-6)
    assert decision.upper.max() >= -12.5 - 1e-6
    small = rooms_and_map(3, 1)
    small = small._replace(horizon=8)
    exact = small.optimal(small.start, small.prior(), small.horizon)
    assert planned(small, 10**5).lower == pytest.approx(exact, abs=1e-7)


@pytest.mark.parametrize("seed", range(10))
def test_bounds_hold_with_many_actions(seed: int) -> None:
    """Of which not all are opened."""
    worlds = random_worlds(np.random.default_rng(300 + seed), num_actions=20, steps=3)
    exact = worlds.optimal(worlds.start, worlds.prior(), worlds.horizon)
    for simulations in (1, 3, 30):
        check(planned(worlds, simulations), exact)
        decision = planned(worlds, simulations, even=False)
        check(decision, exact)
    assert (
        max(exact) - exact[decision.action] <= decision.upper.max() - decision.lower.max() + EXACT
    )
    closed = planned(worlds, 10**5)
    assert closed.lower == pytest.approx(exact, abs=1e-7)
    assert closed.upper == pytest.approx(exact, abs=1e-7)


def test_small_mastermind() -> None:
    """64 worlds and actions: the optimum is 206 guesses over all codes, 3.219 on average. Guessing
    codes that agree with all answers takes less than 3.5, which one step sees.
    """
    assert planned(mastermind(), 1, even=False).lower.max() > -3.5
    assert planned(mastermind(), 30, even=False).lower.max() == pytest.approx(-206 / 64)


def test_estimates_where_bounds_say_nothing() -> None:
    """81 worlds whose outcomes are random: estimates by the number of worlds that are likelier than
    the true one, and a lower bound by a search that doesn't smell.
    """
    smell = Smell(9)
    worlds = smell.worlds()
    weights = np.array(worlds.weights)
    decision = planned(worlds, 50, even=False)
    least = -blind_search(smell, worlds.start, weights)
    assert decision.lower.max() == pytest.approx(least)
    high, rank = known_and_rank(smell, worlds.start, weights)
    loss = 2 * (high - least) / rank
    expected = []
    for action in range(4):
        cell = smell.neighbour(worlds.start, action)
        value = -1.0
        p = np.array([smell.smelled(cell, m) for m in range(81)])
        for after in (weights * p, weights * (1 - p)):
            after[cell] = 0
            high, rank = known_and_rank(smell, cell, after / after.sum())
            value += after.sum() * (high - loss * rank)
        expected.append(value)
    assert decision.estimates == pytest.approx(expected, rel=0.02)
    assert decision.action == int(np.argmax(decision.estimates))
    # Where bounds get near, they decide.
    assert not planned(random_worlds(np.random.default_rng(0)), 3, even=False).estimates.size


def known_and_rank(smell: Smell, cell: int, weights: Any) -> tuple[float, float]:
    """The value to one who knows the world, and how many worlds are likelier than the true one."""
    known = -sum(w * smell.distance(cell, m) for m, w in enumerate(weights))
    order = np.sort(weights[weights > 0])[::-1]
    rank = sum(w * np.mean(np.flatnonzero(np.isclose(order, w))) for w in order)
    return known, float(rank)


def blind_search(smell: Smell, cell: int, weights: Any) -> float:
    """Expected steps of going to the nearest of the worlds that are at least half as likely as any,
    one after another.
    """
    weights, steps = weights.copy(), 0.0
    while weights.sum() > 0:
        likely = np.flatnonzero(weights >= weights.max() / 2)
        target = min(likely.tolist(), key=lambda m: smell.distance(cell, m))
        moves = [smell.neighbour(cell, action) for action in range(4)]
        cell = min(moves, key=lambda c: smell.distance(c, target))
        steps += weights.sum()
        weights[cell] = 0
    return steps


def test_the_value_of_the_first_decision_is_earned() -> None:
    """The whole run, with one planner, in each world."""
    worlds, total = rooms_and_map(), 0.0
    for goal in range(12):
        belief = worlds.belief()
        planner = _core.BoundsPlanner(belief, worlds.discount, EXACT, PLENTY)
        state = worlds.start
        for steps in range(worlds.horizon, 0, -1):
            action = decided(planner, state, steps, 300).action
            (o,) = worlds.outcomes(goal, state, action)
            assert belief.observe(state, action, o.number, o.reward, int(o.end))
            state, total = o.base, total + o.reward
            if o.end:
                break
    assert total / 12 == pytest.approx(-12.5)


def test_without_an_end() -> None:
    """A discounted problem, against a recursion as long as its precision needs."""
    for seed in range(10):
        worlds = random_worlds(np.random.default_rng(200 + seed))._replace(discount=0.5)
        belief = all_rows(worlds)
        planner = _core.BoundsPlanner(belief, 0.5, 1e-6, PLENTY)
        decision = planner.plan(worlds.start, None, 3000, None, 2**30, True, False)[0]
        exact = np.array(worlds.optimal(worlds.start, worlds.prior(), 7))
        beyond = 0.5**7 * 2 / 0.5  # rewards are from -2 to 1
        assert np.all(decision.lower <= exact + beyond)
        assert np.all(decision.upper >= exact - beyond)
        assert np.max(decision.upper - decision.lower) < 0.1


def test_rows_that_go_are_requested_again() -> None:
    """The same decisions, whatever memory rows may take."""
    worlds, calls = random_worlds(np.random.default_rng(3)), []

    def counted(m: int, state: int, action: int) -> list[Outcome]:
        calls.append((m, state, action))
        return worlds.outcomes(m, state, action)

    counting = worlds._replace(outcomes=counted)
    requests, bounds = [], []
    for most_bytes in (2**30, 0):
        calls.clear()
        belief = counting.belief(most_bytes)
        for _ in range(3):
            bounds.append(planned(counting, 100, belief=belief).lower.tolist())
        requests.append(len(calls))
    assert all(lower == bounds[0] for lower in bounds)
    assert requests[0] == len(set(calls)) < requests[1]


def test_an_error_of_the_user_passes_and_teaches_nothing() -> None:
    worlds = rooms_and_map()

    def failing(m: int, state: int, action: int) -> list[Outcome]:
        if m == 7 and state == 5:
            raise ZeroDivisionError("the user's")
        return worlds.outcomes(m, state, action)

    belief = worlds._replace(outcomes=failing).belief()
    with pytest.raises(ZeroDivisionError, match="the user's"):
        planned(worlds, belief=belief)
    with pytest.raises(ZeroDivisionError, match="the user's"):
        belief.observe(5, 0, 4, -1.0, 0)
    assert belief.weights.tolist() == [1 / 12] * 12
    assert belief.observations == 0
