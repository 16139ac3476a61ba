"""A finite set of worlds, which may differ in what they pay and where they end: exact Bayes, exact
values, and the search.
"""

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import BAMDP, MDP
from bamdp.agents import BAMCP, BOSS, BayesAdaptive, BayesianDP, PosteriorMean
from bamdp.config import names
from bamdp.config.registry import Entry
from bamdp.domains import Tabular
from bamdp.exact import bayes_optimal
from bamdp.priors import Finite, UnknownRewards
from bamdp.suite import Benchmark
from bamdp.testing import check_agent
from reference.problems import belief_of
from reference.rejections import rejections
from reference.worlds import OneWorld, optimal_values

TABLES = np.random.default_rng(0).dirichlet([0.7] * 3, size=(5, 3, 2))


def test_weights_by_bayes() -> None:
    prior = Finite(TABLES, [1, 2, 3, 0, 4])
    belief, weights = belief_of(prior, 3, 2), np.array([1, 2, 3, 0, 4.0])
    for s, a, s_next in [(0, 1, 2), (2, 0, 0), (0, 0, 1), (1, 1, 1), (1, 1, 2)]:
        belief.observe(s, a, None, s_next)
        weights *= TABLES[:, s, a, s_next]
    weights /= weights.sum()
    assert belief.weights == pytest.approx(weights)
    assert belief.predictive(1, 0) == pytest.approx(weights @ TABLES[:, 1, 0])
    assert belief.mean().transitions == pytest.approx(np.tensordot(weights, TABLES, axes=1))


TWO = np.array(
    [[[[0.9, 0.1]], [[0.9, 0.1]]], [[[0.1, 0.9]], [[0.1, 0.9]]]]
)  # one action, two states


def test_no_weight_is_lost() -> None:
    """400 observations for the one table make the other's weight 9^-400, far below the smallest
    double; 800 turn it round.
    """
    belief = belief_of(Finite(TWO), 2, 1)
    for next_state, times, likely in ((0, 400, 0.9), (1, 800, 0.1)):
        for _ in range(times):
            belief.observe(0, 0, None, next_state)
        assert belief.predictive(0, 0) == pytest.approx([likely, 1 - likely])
        assert belief.mean().transitions[0, 0] == pytest.approx([likely, 1 - likely])
    for _ in range(399):  # back to odds of 9
        belief.observe(0, 0, None, 0)
    assert belief.weights == pytest.approx([0.1, 0.9], rel=1e-9)


def test_the_smallest_likelihoods() -> None:
    """Products of numbers near the smallest double, against logarithms."""
    tiny = np.array([5e-324, 3e-310, 1e-200])
    tables = np.stack([1 - tiny, tiny], axis=-1)[:, None, None, :] * np.ones((1, 2, 1, 1))
    weights = np.array([0.2, 0.3, 0.5])
    belief = belief_of(Finite(tables, weights), 2, 1)
    belief.observe(0, 0, None, 1)
    logs = np.log(weights) + np.log(tiny)
    assert belief.weights == pytest.approx(np.exp(logs - logs.max()), rel=1e-9, abs=0)
    for _ in range(7):
        belief.observe(0, 0, None, 1)
    assert belief.weights.tolist() == [0, 0, 1]
    assert belief.predictive(0, 0).tolist() == [1, 1e-200]


def test_exact_values_know_tiny_weights() -> None:
    """After 33 observations the second table has weight 1e-330; two that the first all but rules
    out bring it back.
    """
    tables = np.empty((2, 2, 1, 2))
    tables[0, :, 0], tables[1, :, 0] = [1, 1e-200], [1e-10, 1 - 1e-10]
    problem = BAMDP(Finite(tables), [[[0.0, 1.0]]] * 2, 0.5)
    belief: Any = problem.belief()
    for _ in range(33):
        belief.observe(0, 0, None, 0)
    assert belief.weights.tolist() == [1, 0]
    walk = bayes_optimal(problem, 0, horizon=3, belief=belief).walk()
    walk.step(0, 1)
    walk.step(0, 1)
    assert walk.q_values == pytest.approx([1.0])


def test_draws_follow_the_weights() -> None:
    belief, rng = belief_of(Finite(TABLES, [1, 2, 3, 0, 4]), 3, 2), np.random.default_rng(0)
    drawn = belief.sample(4000, rng).transitions
    counts = (drawn[:, None] == TABLES).all(axis=(2, 3, 4)).sum(axis=0)
    expected = np.array([0.1, 0.2, 0.3, 0, 0.4])
    assert counts[3] == 0
    # Five standard deviations: a false alarm has probability below 4 · 6e-7.
    assert np.all(np.abs(counts - 4000 * expected) <= 5 * np.sqrt(4000 * expected * (1 - expected)))


def test_simulations_stay_in_one_world() -> None:
    """Two worlds: action 0 always pays or never, for good. Trying once tells, so trying first is
    worth 1/2 (1 + γ + …).
    """
    tables = np.zeros((2, 3, 2, 3))
    tables[0, :, 0, 1] = tables[1, :, 0, 2] = 1  # the pay is in state 1
    tables[:, :, 1, 0] = 1
    rewards = np.zeros((3, 2, 3))
    rewards[:, 0, 1] = 1
    rewards[:, 0, 2] = -1
    agent = BAMCP(
        BAMDP(Finite(tables), rewards, 0.5),
        simulations=20_000,
        depth=4,
        exploration=2.0,
        rollouts="uniform",
    )
    # Bayes-optimal: 1/2 (1 + 1/2 + 1/4 + 1/8) − 1/2; planning without learning would find 0
    # everywhere.
    assert agent.plan(0).q_values[0] == pytest.approx(0.5 * 1.875 - 0.5, abs=0.03)


# --- worlds that differ in rewards and terminal states

DISCOUNT = 0.9
CELLS = 5


def corridor(slip: float) -> np.ndarray:
    """Five cells in a row; left and right, which fail with probability `slip`. [S, A, S]"""
    table = np.zeros((CELLS, 2, CELLS))
    for s in range(CELLS):
        for a, step in enumerate((-1, 1)):
            table[s, a, np.clip(s + step, 0, CELLS - 1)] += 1 - slip
            table[s, a, s] += slip
    return table


def goals(*cells: int) -> np.ndarray:
    """One world for each cell that pays 1 on arrival. [M, S, A, S]"""
    return np.stack([np.broadcast_to(np.eye(CELLS)[cell], (CELLS, 2, CELLS)) for cell in cells])


START = 2
ENDS = (0, 1, 4)  # the goal is in one of these cells
SHARES = [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]
PAID = Finite([corridor(0.25)] * 3, [1, 1, 2], rewards=goals(*ENDS))
ENDING = Finite(
    [corridor(0.25)] * 3, [1, 1, 2], rewards=goals(*ENDS), terminal=[[cell] for cell in ENDS]
)
SLIPPERY = Finite(  # transitions, rewards and ends differ
    [corridor(0.25), corridor(0.5), corridor(0.125)],
    [1, 1, 2],
    rewards=goals(*ENDS),
    terminal=[[0], [], [4, 0]],
)
NEED_COUNTS = ("bfs3", "gittins", "sboss")
PRIORS = {"paid": PAID, "ending": ENDING, "slippery": SLIPPERY}
SHAPE = np.zeros((CELLS, 2))  # all that agents are given of the rewards
TEMPLATE = Tabular(MDP(corridor(0), SHAPE), DISCOUNT, start=START)


def one_worlds(prior: Finite) -> list[OneWorld]:
    tables, rewards = np.asarray(prior.transitions), np.asarray(prior.rewards)
    masks = (
        np.zeros(tables.shape[:2], bool) if prior.terminal is None else np.asarray(prior.terminal)
    )
    return [
        OneWorld(table, paid, frozenset(np.flatnonzero(mask).tolist()))
        for table, paid, mask in zip(tables, rewards, masks, strict=True)
    ]


@pytest.mark.parametrize("restart", [None, START])
@pytest.mark.parametrize("name", PRIORS)
def test_the_exact_value_is_that_of_the_recursion(name: str, restart: int | None) -> None:
    expected = optimal_values(one_worlds(PRIORS[name]), SHARES, DISCOUNT, START, 6, restart)
    found = bayes_optimal(BAMDP(PRIORS[name], SHAPE, DISCOUNT), START, horizon=6, restart=restart)
    assert found.q_values == pytest.approx(expected, abs=1e-12)
    assert max(expected) > 0.5


@pytest.mark.parametrize("name", PRIORS)
def test_bamcp_converges_to_it(name: str) -> None:
    """From below, as actions that are not the best are tried; some seeds find the best path
    late.
    """
    optimum = bayes_optimal(BAMDP(PRIORS[name], SHAPE, DISCOUNT), START, horizon=6).value
    short, long = (
        np.quantile([_root_value(PRIORS[name], simulations, seed) for seed in range(5)], 0.75)
        for simulations in (2000, 200_000)
    )
    assert optimum - 0.02 < long < optimum + 0.01
    assert short < long - 0.02


def test_a_root_that_is_terminal_in_some_worlds() -> None:
    """An action is taken there, so it is none of those, though the belief was not told."""
    worlds, left = one_worlds(ENDING), [Fraction(1, 3), Fraction(0), Fraction(2, 3)]
    expected = optimal_values(worlds, left, DISCOUNT, 1, 6)
    assert bayes_optimal(BAMDP(ENDING, SHAPE, DISCOUNT), 1, horizon=6).q_values == pytest.approx(
        expected, abs=1e-12
    )
    agent = BAMCP(
        BAMDP(ENDING, SHAPE, DISCOUNT), simulations=200_000, exploration=2.0, depth=6, seed=0
    )
    assert max(expected) - 0.03 < agent.plan(1).q_values.max() < max(expected) + 0.01


def _root_value(prior: Finite, simulations: int, seed: int) -> float:
    agent = BAMCP(
        BAMDP(prior, SHAPE, DISCOUNT), simulations=simulations, exploration=2.0, depth=6, seed=seed
    )
    return float(agent.plan(START).q_values.max())


def test_observations_rule_out_worlds() -> None:
    belief = belief_of(ENDING, CELLS, 2)
    belief.observe(2, 0, 0.0, 1)
    assert belief.weights == pytest.approx([1 / 3, 0, 2 / 3])
    belief.observe(1, 0, 1.0, 0, terminated=True)
    assert belief.weights.tolist() == [1, 0, 0]
    belief = belief_of(ENDING, CELLS, 2)
    belief.observe(
        1, 0, None, 1, None
    )  # without its reward: an action in cell 1 tells that it doesn't end there
    assert belief.weights == pytest.approx([1 / 3, 0, 2 / 3])
    belief = belief_of(ENDING, CELLS, 2)
    belief.observe(2, 0, None, 1, terminated=True)
    assert belief.weights.tolist() == [0, 1, 0]


def test_rewards_equal_but_for_rounding_are_the_same() -> None:
    rewards = np.array([0.1 + 0.2, 0.3, 0.3 * (1 + 1e-6)]).reshape(3, 1, 1)
    prior = Finite(np.ones((3, 1, 1, 1)), rewards=rewards)
    assert len(np.unique(np.asarray(prior.rewards))) == 2
    belief = belief_of(prior, 1, 1)
    belief.observe(0, 0, 0.3, 0)
    assert belief.weights == pytest.approx([0.5, 0.5, 0])


def test_means_and_samples() -> None:
    belief = belief_of(SLIPPERY, CELLS, 2)
    worlds = one_worlds(SLIPPERY)
    expected = [(w.transitions * w.rewards).sum(axis=-1) for w in worlds]
    at_start = np.average([table[START] for table in expected], axis=0, weights=[1, 1, 2])
    assert belief.mean().rewards[START] == pytest.approx(at_start)
    assert belief.mean().rewards[0] == pytest.approx(expected[1][0]), (
        "in the two others cell 0 is terminal"
    )
    average = np.average([w.transitions for w in worlds], axis=0, weights=[1, 1, 2])
    assert belief.mean().transitions[1:4] == pytest.approx(average[1:4])
    assert belief.mean().transitions[0] == pytest.approx(worlds[1].transitions[0])
    assert belief.predictive(0, 1) == pytest.approx(worlds[1].transitions[0, 1])
    drawn = belief.sample(400, np.random.default_rng(0))
    found = [
        int(np.flatnonzero([np.array_equal(table, w.transitions) for w in worlds])[0])
        for table in drawn.transitions
    ]
    assert found.count(2) == pytest.approx(200, abs=50)  # five standard deviations
    assert set(found) == {0, 1, 2}
    assert np.array_equal(drawn.rewards, np.asarray(SLIPPERY.rewards)[found])
    assert np.array_equal(drawn.terminal, np.asarray(SLIPPERY.terminal)[found])


def test_agents_that_know_the_world_have_its_values() -> None:
    """With one world left the posterior mean, one sample, and BOSS all solve it."""
    world = one_worlds(SLIPPERY)[2]
    expected = (
        MDP(world.transitions, world.rewards, terminal=world.terminal)
        .solve(DISCOUNT, tolerance=1e-9)
        .q_values
    )
    prior = Finite(
        SLIPPERY.transitions, [0, 0, 1], rewards=SLIPPERY.rewards, terminal=SLIPPERY.terminal
    )
    for agent in (PosteriorMean, BayesianDP, BOSS):
        made = agent(BAMDP(prior, SHAPE, DISCOUNT), tolerance=1e-9)
        for state in (1, 2, 3):
            assert made.q_values(state) == pytest.approx(expected[state], abs=1e-8), agent
        assert made.q_values(0) == pytest.approx([0, 0]), "a terminal state"


def test_only_the_shape_of_the_rewards_is_used() -> None:
    for make in (
        PosteriorMean,
        partial(BAMCP, simulations=200),
        partial(BayesAdaptive, simulations=200),
    ):
        values = [
            make(BAMDP(ENDING, rewards, DISCOUNT), seed=3).q_values(2)
            for rewards in (SHAPE, SHAPE + 7)
        ]
        assert values[0].tolist() == values[1].tolist()


def test_ends_alone_leave_the_rewards_to_the_agent() -> None:
    """Rewards of the agent, ends of the prior; the end at cell 0 is worth going to only if nothing
    is paid elsewhere.
    """
    prior = Finite([corridor(0.0)] * 2, terminal=[[0], [4]])
    paid = np.zeros((CELLS, 2, CELLS))
    paid[:, :, 0], paid[:, :, 4] = 1, 3
    worlds = [OneWorld(corridor(0.0), paid, frozenset({end})) for end in (0, 4)]
    expected = optimal_values(worlds, [Fraction(1, 2)] * 2, DISCOUNT, START, 6)
    assert bayes_optimal(BAMDP(prior, paid, DISCOUNT), START, horizon=6).q_values == pytest.approx(
        expected, abs=1e-12
    )
    agent = PosteriorMean(BAMDP(prior, paid, 0.0))
    assert agent.q_values(1) == pytest.approx([1, 0])
    values = PosteriorMean(BAMDP(prior, paid, DISCOUNT), tolerance=1e-9).q_values(1)
    assert values[0] > 1 + 0.4 * DISCOUNT, "in half of the worlds it goes on"


@pytest.mark.parametrize("name", PRIORS)
@pytest.mark.parametrize(
    "found", [found for found in names.AGENTS.find_all() if found.name not in NEED_COUNTS]
)
def test_every_agent_acts(found: Entry, name: str) -> None:
    """But for those that need independent arms or rows."""
    prior = PRIORS[name]
    world = Tabular(
        belief_of(prior, CELLS, 2).particles.take(2), DISCOUNT, start=START, prior=prior
    )
    budget: dict[str, Any] = {"simulations": 50} if hasattr(found.target, "plan") else {}
    budget = {"world": world.mdp} if found.target.uses_true_model else budget
    check_agent(lambda seed: found.target(world.problem(), seed=seed, **budget), world)


def test_an_agent_for_a_world_is_not_told_where_it_ends() -> None:
    world = Tabular(
        belief_of(ENDING, CELLS, 2).particles.take(0), DISCOUNT, start=START, prior=ENDING
    )
    agent = BayesAdaptive(world.problem(), simulations=50)
    assert world.terminal == {0}
    assert agent.problem.terminal == frozenset()
    bamdp.run(agent, world, steps=40)
    assert agent.belief.weights.tolist() == [1, 0, 0]


def test_a_walk_needs_what_the_worlds_differ_in() -> None:
    optimum = bayes_optimal(BAMDP(ENDING, SHAPE, DISCOUNT), START, horizon=4, restart=START)
    with pytest.raises(ValueError, match="impossible under the prior, or terminal"):
        optimum.walk().step(0, 4)
    with pytest.raises(ValueError, match="reward and terminated must be given"):
        optimum.walk().step(0, 1)
    walk = optimum.walk()
    walk.step(0, 1, reward=0.0)
    assert walk.q_values[0] > walk.q_values[1], "on to cell 0"


def test_problems_draw_whole_worlds() -> None:
    problem = Benchmark(TEMPLATE, prior=ENDING, steps=20)
    worlds = [problem.world(seed) for seed in range(12)]
    assert {tuple(world.terminal) for world in worlds} == {(0,), (1,), (4,)}
    for world in worlds:
        (goal,) = world.terminal
        assert world.rewards[3].tolist() == np.tile(np.eye(CELLS)[goal], (2, 1)).tolist()


test_rejected = rejections(
    (ValueError, "3 states and 2 actions", lambda: belief_of(Finite(TABLES), 4, 2)),
    (TypeError, "has rewards of its own", lambda: belief_of(UnknownRewards(PAID), CELLS, 2)),
    (
        ValueError,
        "names must be 5 different names, one for each world",
        lambda: Finite(TABLES, names=["a"]),
    ),
    (ValueError, "names must be 5 different names", lambda: Finite(TABLES, names="abcde")),
    (ValueError, "names must be 5 different names", lambda: Finite(TABLES, names=["a"] * 5)),
    (TypeError, "names must be a list of str", lambda: Finite(TABLES, names=[1] * 5)),  # type: ignore[list-item]
)


def test_bad_steps_leave_the_belief_as_it_was() -> None:
    belief = belief_of(ENDING, CELLS, 2)
    belief.observe(2, 1, 0.0, 3)
    before = belief.weights
    for step, message in (
        (
            (3, 1, 0.5, 4),
            "reward 0.5 after state 3, action 1 and next_state 4 is impossible under the prior",
        ),
        ((3, 1, 1.0, 3), "reward 1 after state 3"),
        ((3, 1, 0.0, 0), "next_state 0 after state 3 and action 1 is impossible"),
        ((3, 1, float("nan"), 4), "reward must be a finite number"),
        ((3, 1, 0.0, 3, True), "an episode that ends in state 3 is impossible"),
        ((3, 1, 0.0, 9), "next_state must be an integer from 0 to 4, got 9"),
    ):
        with pytest.raises(ValueError, match=message):
            belief.observe(*step)
    assert belief.weights.tolist() == before.tolist()
    assert belief.observations == 1
