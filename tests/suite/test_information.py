"""Problems in which information is bought: their optima by other means, and their heuristics."""

import copy
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import k0

import bamdp
from bamdp.exact import bayes_optimal
from bamdp.priors._worlds_belief import WorldsBelief
from bamdp.search.plan import BoundedPlan
from bamdp.suite import InformativeArms, RareLosses, RoomsAndMap, Signposts, SmallMastermind
from bamdp.suite.information import answer, rooms_and_map
from bamdp.suite.olfactory import (
    MOVES,
    SIZE,
    Infotaxis,
    OlfactorySearch,
    SpaceAwareInfotaxis,
    bessel_k0,
    hit_probabilities,
)

Array = NDArray[np.float64]


def test_signposts_by_the_counts_of_looks() -> None:
    """By bits and the differences of looks at them: the state of knowledge of independent signs."""

    def says(k: int) -> float:
        """The probability that a bit is 1 after k more looks that say so than not."""
        return 1 / (1 + 0.25**k)

    @cache
    def value(cell: int, low: int, high: int, left: int) -> float:
        if left == 0:
            return 0.0
        best = max(value(c, low, high, left - 1) for c in (max(cell - 1, -1), min(cell + 1, 2)))
        best -= 0.02
        if cell in (-1, 2):
            k = low if cell == -1 else high
            shown = 0.8 * says(k) + 0.2 * (1 - says(k))
            up, down = ((k + d, high) if cell == -1 else (low, k + d) for d in (1, -1))
            after = [value(cell, *counts, left - 1) for counts in (up, down)]
            best = max(best, shown * after[0] + (1 - shown) * after[1] - 0.02)
        if cell == 0:
            right = max(says(low), 1 - says(low)) * max(says(high), 1 - says(high))
            best = max(best, 2 * right - 1)
        return best

    problem = Signposts().problem
    assert bayes_optimal(problem, 0).value == pytest.approx(value(0, 0, 0, 20), abs=1e-9)


def test_fetching_the_map_costs_twelve_and_a_half() -> None:
    costs = []
    for goal in range(12):
        cell, cost = 0, 0.0
        for move in ("left",) * 3 + ("right",) * (3 + goal) + ("enter",):
            outcome = rooms_and_map(goal, cell, move)
            cell, cost = outcome.state, cost - outcome.reward  # type: ignore[assignment]
            assert outcome.seen == (goal if cell == -3 else None)
        assert outcome.done
        costs.append(cost)
    assert np.mean(costs) == 12.5
    plan = bamdp.agents.BayesAdaptive(RoomsAndMap().problem, simulations=2000).plan(0)
    assert isinstance(plan, BoundedPlan)
    assert plan.lower <= -12.5 + 1e-3
    assert plan.upper >= -12.5 - 1e-3
    assert plan.action == 0, "away from the rooms, to the map"


def test_rare_losses_by_counts() -> None:
    pays = (1.5, 2.0)

    @cache
    def value(runs: tuple[int, int], breaks: tuple[int, int], broken: bool, left: int) -> float:
        if left == 0:
            return 0.0
        if broken:
            return -30 + value(runs, breaks, False, left - 1)
        best = 1 + value(runs, breaks, False, left - 1)
        for speed in (0, 1):
            prior = (0.1, 0.2)[speed]
            p = (prior + breaks[speed]) / (3 + runs[speed] + breaks[speed])
            ran, broke = (
                tuple(n + (i == speed) for i, n in enumerate(counts)) for counts in (runs, breaks)
            )
            best = max(
                best,
                pays[speed]
                + (1 - p) * value(ran, breaks, False, left - 1)
                + p * value(runs, broke, True, left - 1),
            )
        return best

    optimum = bayes_optimal(RareLosses().problem, 0)
    assert optimum.value == pytest.approx(value((0, 0), (0, 0), False, 20), abs=1e-9)
    assert optimum.value > 20 + 4, "the risk pays, until it is seen to be large"


def test_informative_arms_by_their_likelihoods() -> None:
    """Weights follow from the wins and losses of each arm and what was named."""
    won, lost, named = (
        np.where(np.eye(4), same, other) for same, other in ((0.8, 0.4), (0.2, 0.6), (0.8, 0.2 / 3))
    )

    @cache
    def value(key: tuple[float, ...], left: int) -> float:
        if left == 0:
            return 0.0
        weights = np.array(key)

        def after(likelihood: Array) -> float:
            joint = weights * likelihood
            p = joint.sum()
            # arms are exchangeable: sorting leaves the value as it is
            return float(p * value(tuple(np.sort(joint / p).round(12)), left - 1))

        pulls = [weights @ won[arm] + after(won[arm]) + after(lost[arm]) for arm in range(4)]
        return float(max(*pulls, sum(after(named[arm]) for arm in range(4))))

    problem = InformativeArms().problem
    optimum = bayes_optimal(problem, 0, horizon=4).value
    assert optimum == pytest.approx(value((0.25,) * 4, 4), abs=1e-9)
    assert bayes_optimal(problem, 0).action == 4, "with all pulls left, to be told comes first"


def test_answers_of_mastermind() -> None:
    assert answer((0, 1, 2), (0, 1, 2)) == (3, 0)
    assert answer((0, 0, 1), (1, 2, 0)) == (0, 2)
    assert answer((0, 0, 0), (0, 1, 1)) == (1, 0)


def test_mastermind_takes_206_guesses_for_the_64_codes() -> None:
    """The optimum is known. The search has a policy that reaches it."""
    agent = bamdp.agents.BayesAdaptive(SmallMastermind().problem, simulations=1000)
    plan = agent.plan(SmallMastermind().problem.state("board"))
    assert isinstance(plan, BoundedPlan)
    assert plan.lower == pytest.approx(-206 / 64, abs=1e-3)
    assert plan.upper >= -206 / 64


def test_the_hits_of_the_plume() -> None:
    distance = np.array([1.0, 2.0, 5.5, 25.0])
    assert bessel_k0(distance) == pytest.approx(k0(distance), rel=1e-12)
    mean = k0(distance) / np.log(2)
    hits = hit_probabilities(distance)
    assert hits.sum(axis=1) == pytest.approx(1)
    assert hits[:, 0] == pytest.approx(np.exp(-mean))
    assert hits[:, 1] == pytest.approx(mean * np.exp(-mean))


@pytest.mark.parametrize("hits", [1, 2])
def test_the_first_hit_says_where_the_source_may_be(hits: int) -> None:
    """By the formula for the plane: shells of all distances for the hit, then the grid."""
    problem = OlfactorySearch().problem
    belief = problem.belief()
    assert isinstance(belief, WorldsBelief)
    first = {outcome.seen: outcome for outcome in belief.outcomes("start", "up")}
    assert set(first) == {1, 2}
    r = np.arange(1.0, 100.0)
    likely = {h: poisson_hits(k0(r) / np.log(2), h) @ r for h in (1, 2)}
    assert first[hits].probability == pytest.approx(likely[hits] / sum(likely.values()))
    middle = SIZE**2 // 2
    belief.observe(problem.state("start"), 0, 0.0, problem.state(middle, hits))
    row, column = np.divmod(np.array(belief.worlds, dtype=int), SIZE)
    mean = k0(np.hypot(row - SIZE // 2, column - SIZE // 2)) / np.log(2)
    expected = poisson_hits(mean, hits)
    assert len(belief.worlds) == SIZE**2 - 1
    assert belief.weights == pytest.approx(expected / expected.sum())


def poisson_hits(mean: Array, hits: int) -> Array:
    none = np.exp(-mean)
    return none * mean if hits == 1 else 1 - none - none * mean


@pytest.mark.parametrize("aware", [False, True])
def test_infotaxis_by_all_that_may_be_perceived(aware: bool) -> None:
    """What may happen is asked of the belief, and a copy of it learns each outcome."""
    search = OlfactorySearch()
    problem = search.problem
    agent = (SpaceAwareInfotaxis if aware else Infotaxis)(problem)

    def cost(weights: Array, sources: Array, cell: int) -> float:
        some = weights[weights > 0]
        bits = -(some * np.log2(some)).sum()
        if not aware:
            return float(bits)
        (row, column), at = np.divmod(sources, SIZE), divmod(cell, SIZE)
        distance = float(weights @ (abs(row - at[0]) + abs(column - at[1])))
        return float(np.log2(distance + 2 ** (bits - 1) - 0.5))

    world, state = search.world(3), problem.start
    assert state is not None
    rng = np.random.default_rng(0)
    compared = 0
    for _ in range(6):
        action = agent.act(state)
        name = problem.prior.numbers[state].state  # type: ignore[attr-defined]
        if name != "start":
            costs = []
            for number, move in enumerate(MOVES):
                total = 0.0
                for outcome in agent.belief.outcomes(name, move):
                    if not outcome.done:
                        after = copy.copy(agent.belief)
                        seen = problem.state(outcome.state, outcome.seen)
                        after.observe(state, number, -1.0, seen, False)
                        sources = np.array(after.worlds, dtype=int)
                        total += outcome.probability * cost(after.weights, sources, outcome.state)
                costs.append(total)
            assert costs[action] == pytest.approx(min(costs))
            compared += 1
        next_state, reward = world.step(state, action, rng)
        agent.observe(state, action, reward, next_state, next_state in world.terminal)
        if next_state in world.terminal:
            break
        state = next_state
    assert compared >= 3


def test_no_move_leaves_the_grid() -> None:
    search = OlfactorySearch()
    world = search.world(0)
    corner = search.problem.state(0)
    rng = np.random.default_rng(0)
    for move, inside in enumerate((False, True, False, True)):
        for _ in range(3):
            next_state, reward = world.step(corner, move, rng)
            cell = search.problem.prior.numbers[next_state].state  # type: ignore[attr-defined]
            assert (cell != 0) == inside
            assert reward == -1
