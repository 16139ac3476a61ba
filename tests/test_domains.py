"""Domains: the numbers of the literature, the tables cell by cell, sampling, and errors that name their argument."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from bamdp.agents.oracle import Oracle
from bamdp.bellman import optimal_total, policy_rewards
from bamdp.domain import Domain
from bamdp.domains import Bandit, Chain, DoubleLoop, Grid, Maze, RandomMDP, Tabular
from bamdp.episode import run

WORLDS: list[Callable[[], Tabular]] = [
    DoubleLoop,
    Grid,
    lambda: Grid(3, slip=0.5),
    Maze,
    Chain,
    Bandit,
    lambda: RandomMDP(6, 2, seed=1),
    lambda: RandomMDP(8, 2, rows="sparse", rewards="uniform", seed=2),
]
FALSE_ALARM_RATE = 1e-6  # of each statistical test here, at its fixed seed


def random_total(world: Tabular) -> float:
    uniform = np.full((world.num_states, world.num_actions), 1 / world.num_actions)
    return policy_rewards(world, uniform, world.steps)


def oracle_total(world: Tabular) -> float:
    return policy_rewards(world, Oracle(world).policy, world.steps)


def start_value(world: Tabular) -> float:
    return float(Oracle(world).values[world.start].max())


def row(world: Tabular, state: int, action: int) -> dict[int, float]:
    """Next states with a positive probability."""
    dense = world.transitions[state, action]
    return {int(s): float(dense[s]) for s in np.flatnonzero(dense)}


def reachable(world: Tabular) -> set[int]:
    found, waiting = {world.start}, [world.start]
    while waiting:
        state = waiting.pop()
        nexts = set(world.successors[state][world.probabilities[state] > 0].tolist()) - found
        found |= nexts
        waiting += nexts
    return found


# The numbers of the literature ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("world", "states", "actions", "steps", "optimum", "uniform", "value"),
    [
        (DoubleLoop(), 9, 2, 1000, (400, 1e-9), (158.4, 0.05), (7.201, 5e-4)),
        (Grid(5), 25, 4, 1000, (92.1, 0.05), (9.14, 5e-3), (1.4386, 5e-5)),
        (Grid(10), 100, 4, 2000, (86.9, 0.05), (3.21, 5e-3), (0.4788, 5e-5)),
        (Maze(), 264, 4, 20000, (1826, 0.5), (96.9, 0.05), (0.7811, 5e-5)),
        (Bandit(), 2, 8, 300, (270, 1e-9), (191.25, 1e-9), (90, 1e-7)),
    ],
    ids=["DoubleLoop", "Grid5", "Grid10", "Maze", "Bandit"],
)
def test_sizes_totals_and_values(
    world: Tabular,
    states: int,
    actions: int,
    steps: int,
    optimum: tuple[float, float],
    uniform: tuple[float, float],
    value: tuple[float, float],
) -> None:
    assert (world.num_states, world.num_actions, world.steps, world.start) == (states, actions, steps, 0)
    assert optimal_total(world, steps) == pytest.approx(optimum[0], abs=optimum[1])
    assert random_total(world) == pytest.approx(uniform[0], abs=uniform[1])
    assert start_value(world) == pytest.approx(value[0], abs=value[1])


@pytest.mark.parametrize("world", [DoubleLoop(), Grid(5), Grid(10), Bandit()], ids=repr)
def test_discounted_policy_is_as_good_without_discount(world: Tabular) -> None:
    assert oracle_total(world) == pytest.approx(optimal_total(world, world.steps), abs=0.01)


def test_discounted_policy_of_the_chain_only_differs_at_the_end() -> None:
    # The last four steps before the end can't reach the reward of 10: going back pays more there.
    world = Chain()
    assert oracle_total(world) == pytest.approx(3663.69, abs=0.01)
    assert optimal_total(world, 1000) == pytest.approx(3665.83, abs=0.01)


def test_chain_pays_3677_in_the_long_run() -> None:
    world = Chain()
    assert (world.num_states, world.num_actions, world.steps, world.discount) == (5, 2, 1000, 0.95)
    assert Oracle(world).policy.tolist() == [0] * 5
    per_thousand = policy_rewards(world, [0] * 5, 2000) - policy_rewards(world, [0] * 5, 1000)
    assert per_thousand == pytest.approx(3677, abs=0.5)


@pytest.mark.parametrize(
    ("discount", "value", "total", "long_run"),
    [(0.95, 0.7811, 1269.6, 1270.2), (0.97, 1.823, 1804.7, 1806.1), (0.99, 7.762, 1825.3, 1826.7)],
)
def test_maze_by_discount(discount: float, value: float, total: float, long_run: float) -> None:
    world = Maze(discount=discount)
    policy = Oracle(world).policy
    assert start_value(world) == pytest.approx(value, abs=5e-4)
    first, both = policy_rewards(world, policy, 20000), policy_rewards(world, policy, 40000)
    assert first == pytest.approx(total, abs=0.05)
    assert both - first == pytest.approx(long_run, abs=0.05)


@pytest.mark.parametrize(("discount", "trip", "flags"), [(0.95, 17.97, 1.14), (0.99, 32.7, 2.99)])
def test_maze_trips(discount: float, trip: float, flags: float) -> None:
    world = Maze(discount=discount)
    policy = Oracle(world).policy
    in_goal = np.zeros((264, 4))
    in_goal[232:240] = 1
    goals = Tabular.from_successors(world.successors, world.probabilities, in_goal, discount)
    visits = (policy_rewards(goals, policy, 40000) - policy_rewards(goals, policy, 20000)) / 20000
    reward = (policy_rewards(world, policy, 40000) - policy_rewards(world, policy, 20000)) / 20000
    assert 1 / visits == pytest.approx(trip, abs=0.05)
    assert reward / visits == pytest.approx(flags, abs=5e-3)


def test_maze_paid_on_entering_would_earn_more() -> None:
    world = Maze()
    entered = (world.successors >= 232) & (world.successors < 240)
    paid = (world.probabilities * entered * np.bitwise_count(world.successors % 8)).sum(axis=2)
    variant = Tabular.from_successors(np.where(entered, 0, world.successors), world.probabilities, paid, 0.95)
    assert optimal_total(variant, 20000) == pytest.approx(1884, abs=1)


def test_bandit_discounted_skylines() -> None:
    world = Bandit()
    weight = (1 - 0.99**300) / (1 - 0.99)
    assert world.discount == 0.99
    assert optimal_total(world, 300) / 300 * weight == pytest.approx(85.6, abs=0.05)
    assert random_total(world) / 300 * weight == pytest.approx(60.6, abs=0.05)


# The tables, cell by cell ---------------------------------------------------------------------------------------------


def test_double_loop_table() -> None:
    world = DoubleLoop()
    table = {0: (1, 5), 1: (2, 2), 2: (3, 3), 3: (4, 4), 4: (0, 0), 5: (0, 6), 6: (0, 7), 7: (0, 8), 8: (0, 0)}
    for state, nexts in table.items():
        assert [row(world, state, action) for action in (0, 1)] == [{nexts[0]: 1}, {nexts[1]: 1}]
    assert world.rewards.tolist() == [[{4: 1, 8: 2}.get(state, 0)] * 2 for state in range(9)]


def test_grid_rows() -> None:
    world = Grid(5)
    assert world.state(1, 2) == 7
    assert world.cell(7) == (1, 2)
    assert row(world, 7, 0) == pytest.approx({world.state(1, 3): 0.8, world.state(2, 2): 0.1, world.state(0, 2): 0.1})
    assert row(world, 7, 1) == pytest.approx({world.state(2, 2): 0.8, world.state(1, 1): 0.1, world.state(1, 3): 0.1})
    assert row(world, 7, 2) == pytest.approx({world.state(1, 1): 0.8, world.state(0, 2): 0.1, world.state(2, 2): 0.1})
    assert row(world, 7, 3) == pytest.approx({world.state(0, 2): 0.8, world.state(1, 3): 0.1, world.state(1, 1): 0.1})
    assert row(world, 0, 2) == pytest.approx({0: 0.9, world.state(1, 0): 0.1})
    assert row(world, world.state(4, 0), 1) == pytest.approx({world.state(4, 0): 0.9, world.state(4, 1): 0.1})
    assert all(row(world, 24, action) == pytest.approx({0: 1}) for action in range(4))
    assert world.rewards.sum() == world.rewards[24].sum() == 4
    assert [world.state(*world.cell(state)) for state in range(25)] == list(range(25))


@pytest.mark.parametrize(("size", "cycle"), [(5, 9), (10, 19)])
def test_grid_shortest_cycle(size: int, cycle: int) -> None:
    world = Grid(size, slip=0)
    assert optimal_total(world, 10 * cycle) == 10
    assert optimal_total(world, 10 * cycle - 1) == 9


def test_grid_steps_by_size() -> None:
    assert [Grid(size).steps for size in (2, 9, 10, 12)] == [1000, 1000, 2000, 2000]


def test_maze_map() -> None:
    world = Maze()
    cells = [world.cell(8 * cell)[:2] for cell in range(33)]
    assert [sum(x == column for x, _ in cells) for column in range(7)] == [5, 3, 6, 6, 4, 5, 4]
    assert cells == sorted(cells)
    assert world.state(0, 0) == 0
    assert [world.state(6, 0, flags) for flags in range(8)] == list(range(232, 240))
    assert [world.state(*world.cell(state)) for state in range(264)] == list(range(264))
    walls = {(x, y) for x in range(7) for y in range(6)} - set(cells)
    assert walls == {(1, 0), (1, 1), (4, 0), (4, 1), (0, 3), (1, 3), (5, 3), (6, 3), (6, 5)}


def test_maze_out_of_reach() -> None:
    world = Maze()
    missing = set(range(264)) - reachable(world)
    own = {(0, 5): 1, (2, 0): 2, (6, 4): 4}
    assert missing == {world.state(x, y, f) for (x, y), bit in own.items() for f in range(8) if not f & bit}
    assert len(missing) == 12


def test_maze_rows() -> None:
    world = Maze()
    at = world.state
    assert row(world, at(3, 2), 0) == pytest.approx({at(3, 1): 0.9, at(4, 2): 0.05, at(2, 2): 0.05})
    assert row(world, at(3, 2), 1) == pytest.approx({at(4, 2): 0.9, at(3, 3): 0.05, at(3, 1): 0.05})
    assert row(world, at(3, 2), 2) == pytest.approx({at(3, 3): 0.9, at(2, 2): 0.05, at(4, 2): 0.05})
    assert row(world, at(3, 2), 3) == pytest.approx({at(2, 2): 0.9, at(3, 1): 0.05, at(3, 3): 0.05})
    assert row(world, 0, 1) == pytest.approx({0: 0.95, at(0, 1): 0.05})
    # Each flag is taken by arriving, kept when walking on, and taken too by a collision on its cell.
    for x, y, bit, action in [(0, 4, 1, 2), (2, 1, 2, 0), (5, 4, 4, 1)]:
        flag = (x, y + 1) if action == 2 else (x, y - 1) if action == 0 else (x + 1, y)
        for flags in range(8):
            assert row(world, at(x, y, flags), action)[at(*flag, flags | bit)] == pytest.approx(0.9)
            assert row(world, at(*flag, flags), action)[at(*flag, flags | bit)] >= 0.9
    # The goal pays the number of flags, whatever the action, and leads to the start.
    assert np.count_nonzero(world.rewards) == 7 * 4
    for flags in range(8):
        for action in range(4):
            assert row(world, at(6, 0, flags), action) == pytest.approx({0: 1})
            assert world.rewards[at(6, 0, flags), action] == flags.bit_count()


def test_chain_rows() -> None:
    world = Chain()
    for state in range(5):
        forward = min(state + 1, 4)
        assert row(world, state, 0) == pytest.approx({forward: 0.8, 0: 0.2})
        assert row(world, state, 1) == pytest.approx({forward: 0.2, 0: 0.8})
        for action in (0, 1):
            assert world.rewards[state, action, 0] == 2
            assert world.rewards[state, action, forward] == (10 if state == 4 else 0)


def test_bandit_rows() -> None:
    world = Bandit([0.25, 1.0], discount=0.9)
    for state in (0, 1):
        assert row(world, state, 0) == pytest.approx({0: 0.75, 1: 0.25})
        assert row(world, state, 1) == {1: 1}
        assert world.rewards[state].tolist() == [[0, 1], [0, 1]]


def test_random_mdp() -> None:
    assert RandomMDP(7, 2).rewards.tolist() == [[0, 0]] * 6 + [[1, 1]]
    assert RandomMDP(7, 2, rewards="two").rewards[:, 1].tolist() == [0, 0, 0, 1, 0, 0, 2]
    drawn = RandomMDP(7, 2, rewards="uniform").rewards
    assert len(np.unique(drawn[:, 0])) == 7
    assert np.array_equal(drawn[:, 0], drawn[:, 1])
    assert drawn.min() >= 0
    assert drawn.max() < 1
    same, other = RandomMDP(7, 2, seed=0), RandomMDP(7, 2, seed=1)
    assert np.array_equal(RandomMDP(7, 2).transitions, same.transitions)
    assert not np.array_equal(same.transitions, other.transitions)


def test_random_mdp_rows_are_dirichlet() -> None:
    # One entry of Dirichlet(1/S, …) is Beta(1/S, 1 − 1/S).
    entries = RandomMDP(4, 500, seed=3).transitions[:, :, 0].ravel()
    assert stats.kstest(entries, stats.beta(1 / 4, 3 / 4).cdf).pvalue > FALSE_ALARM_RATE


def test_random_mdp_sparse_support_sizes() -> None:
    world = RandomMDP(25, 80, rows="sparse", seed=4)
    sizes = np.bincount(np.count_nonzero(world.probabilities, axis=2).ravel(), minlength=26)[1:]
    expected = np.arange(1, 26) ** -2.0
    expected *= 2000 / expected.sum()
    grouped = [np.append(counts[:5], counts[5:].sum()) for counts in (sizes, expected)]
    assert expected[:3] / 2000 == pytest.approx([0.6228, 0.1557, 0.0692], abs=5e-5)
    assert stats.chisquare(*grouped).pvalue > FALSE_ALARM_RATE
    for state, action in np.ndindex(25, 80):
        support = world.successors[state, action][world.probabilities[state, action] > 0]
        assert len(set(support.tolist())) == len(support)


# Steps ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", WORLDS)
def test_steps_agree_with_the_table(make: Callable[[], Tabular]) -> None:
    """One chi-square over all rows of a world; cells that expect fewer than 5 draws are merged."""
    world, rng, draws = make(), np.random.default_rng(12345), 500
    transitions, statistic, freedom = world.transitions, 0.0, 0
    for state, action in np.ndindex(world.num_states, world.num_actions):
        counts = np.zeros(world.num_states)
        for _ in range(draws):
            next_state, reward = world.step(state, action, rng)
            counts[next_state] += 1
            known = world.rewards[state, action]
            assert reward == (known if known.ndim == 0 else known[next_state])
        expected = draws * transitions[state, action]
        assert counts[expected == 0].sum() == 0
        rare = expected < 5
        counts, expected = (np.append(cells[~rare], cells[rare].sum()) for cells in (counts, expected))
        if expected[-1] < 5:  # still rare together: with the first cell that is not
            counts, expected = (np.append(cells[0] + cells[-1], cells[1:-1]) for cells in (counts, expected))
        statistic += ((counts - expected) ** 2 / expected).sum()
        freedom += len(expected) - 1
    assert freedom == 0 or stats.chi2.sf(statistic, freedom) > FALSE_ALARM_RATE


class Fixed:
    """A generator that always gives the same number."""

    def __init__(self, number: float) -> None:
        self.number = number

    def random(self) -> float:
        return self.number


@pytest.mark.parametrize(
    ("number", "next_state"), [(0.0, 1), (0.29, 1), (0.31, 2), (1 - 2.0**-53, 2)], ids=["0", "low", "high", "near 1"]
)
def test_a_step_never_draws_padding(number: float, next_state: int) -> None:
    successors = np.tile([0, 1, 2, 0], (3, 1, 1))
    probabilities = np.tile([0, 0.3, 0.7, 0], (3, 1, 1))
    world = Tabular.from_successors(successors, probabilities, np.zeros((3, 1)), 0.9)
    assert world.step(0, 0, cast(np.random.Generator, Fixed(number))) == (next_state, 0.0)


@pytest.mark.parametrize("make", WORLDS)
def test_contract(make: Callable[[], Tabular]) -> None:
    world, rng = make(), np.random.default_rng(0)
    assert world.reset(rng) == world.start == 0
    next_state, reward = world.step(np.int64(0), np.int64(1), rng)  # type: ignore[arg-type]
    assert type(next_state) is int
    assert type(reward) is float
    for array in (world.successors, world.probabilities, world.rewards):
        assert not array.flags.writeable
        assert array.flags.c_contiguous
    assert world.successors.dtype == np.int64
    assert np.allclose(world.transitions.sum(axis=2), 1, rtol=0, atol=1e-12)


@pytest.mark.parametrize("make", WORLDS)
def test_dense_and_sparse_agree(make: Callable[[], Tabular]) -> None:
    world = make()
    again = Tabular(world.transitions, world.rewards, world.discount, steps=world.steps)
    assert np.array_equal(again.transitions, world.transitions)
    assert Oracle(again).values == pytest.approx(Oracle(world).values, abs=1e-8)


@pytest.mark.parametrize("kind", [DoubleLoop, Grid, Maze, Chain, Bandit, RandomMDP])
def test_every_domain_takes_a_discount(kind: Callable[..., Tabular]) -> None:
    assert kind(discount=0.5).discount == 0.5


@pytest.mark.parametrize(
    ("world", "name"),
    [
        (DoubleLoop(), "Dirichlet"),
        (Chain(), "Dirichlet"),
        (RandomMDP(), "Dirichlet"),
        (RandomMDP(rows="sparse"), "SparseDirichlet"),
        (Grid(), "SparseDirichlet"),
        (Maze(), "SparseDirichlet"),
        (Bandit(), "BetaArms"),
        (Tabular(np.ones((1, 1, 1)), [[0]], 0.9), "Dirichlet"),
    ],
    ids=repr,
)
def test_priors(world: Tabular, name: str) -> None:
    assert type(world.prior()).__name__ == name


def test_own_prior_is_kept() -> None:
    prior = Grid().prior()
    assert Tabular(np.ones((1, 1, 1)), [[0]], 0.9, prior=prior).prior() is prior


def test_a_million_states() -> None:
    tracemalloc.start()
    world = Grid(1000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 350e6
    assert world.num_states == 1_000_000
    assert world.cell(world.state(999, 1)) == (999, 1)
    assert world.step(999_999, 3, np.random.default_rng(0)) == (0, 1.0)
    with pytest.raises(MemoryError, match=r"transitions would take 3.2e\+04 GB"):
        _ = world.transitions


# The oracle -----------------------------------------------------------------------------------------------------------


def test_oracle_runs() -> None:
    agent = Oracle.for_domain(DoubleLoop(), seed=3)
    assert run(agent, DoubleLoop(), seed=0).total_reward == 400


def test_oracle_takes_the_first_of_equal_actions() -> None:
    assert Oracle(Tabular(np.ones((1, 3, 1)), [[0, 1, 1 - 1e-12]], 0.9)).act(0) == 1
    assert Oracle(Tabular(np.ones((1, 3, 1)), [[0, 1 - 1e-12, 1]], 0.9)).act(0) == 1
    assert Oracle(Tabular(np.ones((1, 3, 1)), [[0, 1 - 1e-6, 1]], 0.9)).act(0) == 2


class Unknown(Domain):
    num_states, num_actions, discount = 1, 1, 0.9
    rewards: NDArray[np.float64] = np.zeros((1, 1))

    def reset(self, rng: np.random.Generator) -> int:
        return 0

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        return 0, 0.0


def test_oracle_refuses_a_world_without_tables() -> None:
    with pytest.raises(TypeError, match=r"domain must have successors and probabilities.* got Unknown"):
        Oracle(Unknown())


# Bad input ------------------------------------------------------------------------------------------------------------

ONE = np.ones((1, 1, 1))
RNG = np.random.default_rng(0)
BAD: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: Tabular(np.array([[[0.5, 0.4], [0, 1]], [[1, 0], [0, 1]]]), np.zeros((2, 2)), 0.9),
        ValueError,
        r"transitions.*0, 0",
    ),
    (
        lambda: Tabular(np.array([[[1, 0], [2, -1]], [[1, 0], [0, 1]]]), np.zeros((2, 2)), 0.9),
        ValueError,
        r"transitions.*0, 1, 1",
    ),
    (lambda: Tabular(np.ones((2, 1, 1)), np.zeros((2, 1)), 0.9), ValueError, r"transitions.*\[S, A, S\].*\(2, 1, 1\)"),
    (lambda: Tabular("no", [[0]], 0.9), TypeError, "transitions"),
    (lambda: Tabular(ONE, [[0, 1]], 0.9), ValueError, r"rewards must have shape \(1, 1\) or \(1, 1, 1\), got \(1, 2\)"),
    (lambda: Tabular(ONE, [0], 0.9), ValueError, "rewards"),
    (lambda: Tabular(ONE, [[np.nan]], 0.9), ValueError, "rewards"),
    (lambda: Tabular(ONE, [[0]], 1), ValueError, "discount.*got 1"),
    (lambda: Tabular(ONE, [[0]], "high"), TypeError, "discount"),  # type: ignore[arg-type]
    (lambda: Tabular(ONE, [[0]], 0.9, start=1), ValueError, "start.*from 0 to 0, got 1"),
    (lambda: Tabular(ONE, [[0]], 0.9, steps=0), ValueError, "steps.*got 0"),
    (lambda: Tabular.from_successors([[[1]]], ONE, [[0]], 0.9), ValueError, r"successors.*0 to 0, got 1.*\(0, 0, 0\)"),
    (lambda: Tabular.from_successors([[[-1]]], ONE, [[0]], 0.9), ValueError, "successors.*got -1"),
    (lambda: Tabular.from_successors([[[0.0]]], ONE, [[0]], 0.9), TypeError, "successors.*float64"),
    (lambda: Tabular.from_successors([[[0], [0, 0]]], ONE, [[0]], 0.9), TypeError, "successors"),
    (lambda: Tabular.from_successors([[0]], ONE, [[0]], 0.9), ValueError, r"successors.*\[S, A, k\], got \(1, 1\)"),
    (lambda: Tabular.from_successors([[[0, 0]]], ONE, [[0]], 0.9), ValueError, r"probabilities.*\(1, 1, 2\), got"),
    (lambda: Tabular.from_successors([[[0]]], 0.5 * ONE, [[0]], 0.9), ValueError, r"probabilities.*\(0, 0\).*0.5"),
    (lambda: Grid(5).step(25, 0, RNG), ValueError, "state must be an integer from 0 to 24, got 25"),
    (lambda: Grid(5).step(-1, 0, RNG), ValueError, "state.*got -1"),
    (lambda: Grid(5).step(0, 4, RNG), ValueError, "action must be an integer from 0 to 3, got 4"),
    (lambda: Grid(5).step(0, -1, RNG), ValueError, "action.*got -1"),
    (lambda: Grid(5).step(1.0, 0, RNG), TypeError, "state.*got 1.0"),  # type: ignore[arg-type]
    (lambda: Grid(5).step(0, True, RNG), ValueError, "action.*got True"),
    (lambda: Grid(1), ValueError, "size.*at least 2, got 1"),
    (lambda: Grid(2.5), TypeError, "size.*got 2.5"),  # type: ignore[arg-type]
    (lambda: Grid(slip=1.5), ValueError, "slip.*got 1.5"),
    (lambda: Grid(5).cell(25), ValueError, "state.*got 25"),
    (lambda: Grid(5).state(5, 0), ValueError, "x.*got 5"),
    (lambda: Grid(5).state(0, -1), ValueError, "y.*got -1"),
    (lambda: Maze(slip=-0.1), ValueError, "slip.*got -0.1"),
    (lambda: Maze(discount=1.0), ValueError, "discount.*got 1.0"),
    (lambda: Maze().cell(264), ValueError, "state.*got 264"),
    (lambda: Maze().state(7, 0), ValueError, "x.*got 7"),
    (lambda: Maze().state(0, 6), ValueError, "y.*got 6"),
    (lambda: Maze().state(1, 0), ValueError, r"x and y.*wall at \(1, 0\)"),
    (lambda: Maze().state(0, 0, 8), ValueError, "flags.*got 8"),
    (lambda: Chain(slip=2), ValueError, "slip.*got 2"),
    (lambda: Bandit([]), ValueError, "probabilities"),
    (lambda: Bandit([[0.5]]), ValueError, r"probabilities.*\(1, 1\)"),
    (lambda: Bandit([0.5, 1.5]), ValueError, r"probabilities.*\[0, 1\], got 1.5 at index 1"),
    (lambda: RandomMDP(0, 1), ValueError, "num_states.*got 0"),
    (lambda: RandomMDP(1, 0), ValueError, "num_actions.*got 0"),
    (lambda: RandomMDP(rows="thin"), ValueError, "rows.*'thin'"),  # type: ignore[arg-type]
    (lambda: RandomMDP(rewards="none"), ValueError, "rewards.*'none'"),  # type: ignore[arg-type]
    (lambda: RandomMDP(seed=-1), ValueError, "seed.*got -1"),
    (lambda: Oracle(Chain(), seed=-1), ValueError, "seed.*got -1"),
    (lambda: Oracle(Chain()).act(5), ValueError, "state.*got 5"),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD, ids=[message for _, _, message in BAD])
def test_errors_name_the_argument(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
