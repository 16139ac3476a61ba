"""The tabular domains: their tables, the numbers of the literature, steps, horizons and
descriptions.
"""

import re
import tracemalloc
from collections import Counter
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import MDP
from bamdp.agents import Oracle, Random
from bamdp.config import names
from bamdp.domain import Domain
from bamdp.domains import (
    Bandit,
    Chain,
    DoubleLoop,
    Grid,
    InfiniteGrid,
    Maze,
    NormalBandit,
    RandomMDP,
    Tabular,
)
from bamdp.pictures.scenes import description
from bamdp.testing import check_domain
from reference.comparison import assert_multinomial
from reference.known_mdp import optimal_total, policy_rewards
from reference.rejections import rejections

# --- tables


def row(domain: Tabular, state: int, action: int) -> dict[int, float]:
    """Next states with a positive probability."""
    dense = domain.transitions[state, action]
    return {int(s): float(dense[s]) for s in np.flatnonzero(dense)}


def test_double_loop_table() -> None:
    domain = DoubleLoop()
    table = {
        0: (1, 5),
        1: (2, 2),
        2: (3, 3),
        3: (4, 4),
        4: (0, 0),
        5: (0, 6),
        6: (0, 7),
        7: (0, 8),
        8: (0, 0),
    }
    for state, nexts in table.items():
        assert [row(domain, state, action) for action in (0, 1)] == [{nexts[0]: 1}, {nexts[1]: 1}]
    assert domain.rewards.tolist() == [[{4: 1, 8: 2}.get(state, 0)] * 2 for state in range(9)]


MOVES = {"grid": [(0, 1), (1, 0), (0, -1), (-1, 0)], "maze": [(0, -1), (1, 0), (0, 1), (-1, 0)]}


@pytest.mark.parametrize(
    ("domain", "x", "y", "slip"), [(Grid(5), 1, 2, 0.2), (Maze(), 3, 2, 0.1)], ids=["grid", "maze"]
)
def test_moves_slip_to_both_sides(domain: Any, x: int, y: int, slip: float) -> None:
    moves = MOVES["grid" if isinstance(domain, Grid) else "maze"]
    for action in range(4):
        ahead, *turned = (
            domain.state(x + dx, y + dy)
            for dx, dy in (moves[(action + turn) % 4] for turn in (0, 1, 3))
        )
        assert row(domain, domain.state(x, y), action) == pytest.approx(
            {ahead: 1 - slip} | dict.fromkeys(turned, slip / 2)
        )
    assert [domain.state(*domain.cell(state)) for state in range(domain.num_states)] == list(
        range(domain.num_states)
    )


def test_the_walls_of_the_grid_and_its_goal() -> None:
    grid = Grid(5)
    assert (grid.state(1, 2), grid.cell(7)) == (7, (1, 2))
    assert row(grid, 0, 2) == pytest.approx({0: 0.9, grid.state(1, 0): 0.1})
    assert row(grid, grid.state(4, 0), 1) == pytest.approx(
        {grid.state(4, 0): 0.9, grid.state(4, 1): 0.1}
    )
    assert all(row(grid, 24, action) == pytest.approx({0: 1}) for action in range(4))
    assert grid.rewards.sum() == grid.rewards[24].sum() == 4


def test_the_walls_of_the_maze_its_flags_and_its_goal() -> None:
    maze = Maze()
    at, cells = maze.state, [maze.cell(8 * cell)[:2] for cell in range(33)]
    assert cells == sorted(cells)
    walls = {(x, y) for x in range(7) for y in range(6)} - set(cells)
    assert walls == {(1, 0), (1, 1), (4, 0), (4, 1), (0, 3), (1, 3), (5, 3), (6, 3), (6, 5)}
    assert row(maze, 0, 1) == pytest.approx({0: 0.95, at(0, 1): 0.05})
    # Each flag is taken by arriving, kept when walking on, and taken too by a collision on its
    # cell.
    for x, y, bit, action in [(0, 4, 1, 2), (2, 1, 2, 0), (5, 4, 4, 1)]:
        flag = (x, y + 1) if action == 2 else (x, y - 1) if action == 0 else (x + 1, y)
        for flags in range(8):
            assert row(maze, at(x, y, flags), action)[at(*flag, flags | bit)] == pytest.approx(0.9)
            assert row(maze, at(*flag, flags), action)[at(*flag, flags | bit)] >= 0.9
    assert np.count_nonzero(maze.rewards) == 7 * 4
    for flags, action in np.ndindex(8, 4):
        assert row(maze, at(6, 0, flags), action) == pytest.approx({0: 1})
        assert maze.rewards[at(6, 0, flags), action] == flags.bit_count()


def test_chain_rows() -> None:
    chain = Chain()
    for state in range(5):
        forward = min(state + 1, 4)
        assert row(chain, state, 0) == pytest.approx({forward: 0.8, 0: 0.2})
        assert row(chain, state, 1) == pytest.approx({forward: 0.2, 0: 0.8})
        for action in (0, 1):
            assert chain.rewards[state, action, 0] == 2
            assert chain.rewards[state, action, forward] == (10 if state == 4 else 0)


def test_bandit_rows() -> None:
    bandit = Bandit([0.25, 1.0], discount=0.9)
    for state in (0, 1):
        assert row(bandit, state, 0) == pytest.approx({0: 0.75, 1: 0.25})
        assert row(bandit, state, 1) == {1: 1}
        assert bandit.rewards[state].tolist() == [[0, 1], [0, 1]]


def test_random_mdp() -> None:
    assert RandomMDP(7, 2).rewards.tolist() == [[0, 0]] * 6 + [[1, 1]]
    assert RandomMDP(7, 2, rewards="two").rewards[:, 1].tolist() == [0, 0, 0, 1, 0, 0, 2]
    drawn = RandomMDP(7, 2, rewards="uniform").rewards
    assert len(np.unique(drawn[:, 0])) == 7
    assert np.array_equal(drawn[:, 0], drawn[:, 1])
    assert 0 <= drawn.min() < drawn.max() < 1
    same, other = RandomMDP(7, 2, seed=0), RandomMDP(7, 2, seed=1)
    assert np.array_equal(RandomMDP(7, 2).transitions, same.transitions)
    assert not np.array_equal(same.transitions, other.transitions)
    sparse = RandomMDP(25, 80, rows="sparse", seed=4)
    weights = np.arange(1, 26) ** -2.0
    sizes = Counter(np.count_nonzero(sparse.transitions, axis=2).ravel().tolist())
    assert_multinomial([(sizes, dict(enumerate(weights / weights.sum(), start=1)))])


# --- numbers of the literature


def start_value(domain: Tabular) -> float:
    return float(Oracle(domain.problem(), world=domain.mdp).q_values(domain.start).max())


def random_total(domain: Tabular) -> float:
    return policy_rewards(
        domain,
        np.full((domain.num_states, domain.num_actions), 1 / domain.num_actions),
        domain.steps,
    )


# States, actions and steps; then optimum, uniform policy and value of the start, each with its
# precision.
NUMBERS: dict[str, tuple[Tabular, tuple[int, ...], tuple[tuple[float, float], ...]]] = {
    "DoubleLoop": (DoubleLoop(), (9, 2, 1000), ((400, 1e-9), (158.4, 0.05), (7.201, 5e-4))),
    "Grid5": (Grid(5), (25, 4, 1000), ((92.1, 0.05), (9.14, 5e-3), (1.4386, 5e-5))),
    "Grid10": (Grid(10), (100, 4, 2000), ((86.9, 0.05), (3.21, 5e-3), (0.4788, 5e-5))),
    "Maze": (Maze(), (264, 4, 20000), ((1826, 0.5), (96.9, 0.05), (0.7811, 5e-5))),
    "Bandit": (Bandit(), (2, 8, 300), ((270, 1e-9), (191.25, 1e-9), (90, 1e-7))),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_sizes_totals_and_values(name: str) -> None:
    domain, sizes, numbers = NUMBERS[name]
    assert (domain.num_states, domain.num_actions, domain.steps, domain.start) == (*sizes, 0)
    found = optimal_total(domain, domain.steps), random_total(domain), start_value(domain)
    for value, (expected, precision) in zip(found, numbers, strict=True):
        assert value == pytest.approx(expected, abs=precision)


def test_discounted_policy_of_the_chain_only_differs_at_the_end() -> None:
    """The last four steps before the end can't reach the reward of 10: going back
    pays more there.
    """
    chain = Chain()
    discounted = policy_rewards(chain, Oracle(chain.problem(), world=chain.mdp).policy, chain.steps)
    assert discounted == pytest.approx(3663.69, abs=0.01)
    assert optimal_total(chain, 1000) == pytest.approx(3665.83, abs=0.01)


@pytest.mark.parametrize(
    ("paid", "first"), [([0, 1, 1 - 1e-12], 1), ([0, 1 - 1e-12, 1], 1), ([0, 1 - 1e-6, 1], 2)]
)
def test_oracle_takes_the_first_of_equal_actions(paid: list[float], first: int) -> None:
    domain = Tabular(MDP(np.ones((1, 3, 1)), [paid]), 0.9)
    assert Oracle(domain.problem(), world=domain.mdp).act(0) == first


# --- steps


@pytest.mark.slow
@pytest.mark.parametrize(
    "domain",
    [Chain(), Grid(3, slip=0.5), RandomMDP(8, 2, rows="sparse", rewards="uniform")],
    ids=repr,
)
def test_steps_agree_with_the_table(domain: Tabular) -> None:
    rng, samples, transitions = np.random.default_rng(12345), [], domain.transitions
    for state, action in np.ndindex(domain.num_states, domain.num_actions):
        counts: Counter[int] = Counter()
        for _ in range(500):
            next_state, reward = domain.step(state, action, rng)
            counts[next_state] += 1
            known = domain.rewards[state, action]
            assert reward == (known if known.ndim == 0 else known[next_state])
        samples.append((counts, dict(enumerate(transitions[state, action].tolist()))))
    assert_multinomial(samples)


class Fixed(np.random.Generator):
    """A generator that always gives the same number."""

    def __init__(self, number: float) -> None:
        super().__init__(np.random.PCG64())
        self.number = number

    def random(self) -> float:  # type: ignore[override]  # the one form that is used
        return self.number


@pytest.mark.parametrize(
    ("number", "next_state"), [(0.0, 1), (0.29, 1), (0.31, 2), (1 - 2.0**-53, 2)]
)
def test_a_step_never_draws_padding(number: float, next_state: int) -> None:
    successors, probabilities = (
        np.tile([0, 1, 2, 0], (3, 1, 1)),
        np.tile([0, 0.3, 0.7, 0], (3, 1, 1)),
    )
    domain = Tabular(MDP(probabilities, np.zeros((3, 1)), successors=successors), 0.9)
    assert domain.step(0, 0, Fixed(number)) == (next_state, 0.0)


@pytest.mark.slow
def test_a_million_states() -> None:
    tracemalloc.start()
    grid = Grid(1000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 350e6
    assert grid.cell(grid.state(999, 1)) == (999, 1)
    assert grid.step(999_999, 3, np.random.default_rng(0)) == (0, 1.0)
    with pytest.raises(MemoryError, match=r"transitions, .* needs a table of 29802.3 GiB"):
        _ = grid.transitions


def test_terminal_states_absorb_and_pay_nothing() -> None:
    domain = Tabular(MDP([[[0, 1]], [[1, 0]]], [[5], [1]], terminal=[0]), 0.9, start=1)
    assert domain.transitions[0, 0].tolist() == [1, 0]
    assert domain.step(0, 0, np.random.default_rng(0)) == (0, 0.0)


# --- horizons and discounts

MAKERS: list[Any] = [
    Bandit,
    Chain,
    DoubleLoop,
    lambda **more: Grid(10, **more),
    InfiniteGrid,
    Maze,
    NormalBandit,
    RandomMDP,
]


@pytest.mark.parametrize("make", MAKERS)
def test_built_in_domains_take_a_horizon(make: Any) -> None:
    plain, domain = make(), make(discount=1.0, horizon=12)
    assert (domain.horizon, domain.steps, domain.discount) == (12, 12, 1.0)
    assert plain.horizon is None
    assert plain.steps != 12
    check_domain(domain)
    assert len(bamdp.run(Random(domain.problem()), domain).rewards) == 12


def test_steps_are_the_horizon_unless_given() -> None:
    mdp, prior = MDP(np.full((2, 2, 2), 0.5), np.ones((2, 2))), Grid().problem().prior
    assert [Grid(size).steps for size in (2, 9, 10, 12)] == [1000, 1000, 2000, 2000]
    assert (Domain.steps, Tabular(mdp, 0.9).steps) == (1000, 1000)
    assert Tabular(mdp, 1.0, horizon=30).steps == 30
    assert Tabular(mdp, 1.0, horizon=30, steps=20).steps == 20
    assert Tabular(mdp, 0.9, prior=prior).problem().prior is prior


def corridor(back: float, terminal: tuple[int, ...] = (2,)) -> MDP:
    """Three cells; the second action may go back, the last cell is terminal."""
    table = np.zeros((3, 2, 3))
    table[0, :, 1] = table[2, :, 2] = table[1, 0, 2] = 1
    table[1, 1] = [back, 0, 1 - back]
    return MDP(table, np.ones((3, 2)), terminal=terminal)


def test_no_discount_where_every_policy_ends() -> None:
    """Going back for ever avoids the end only if it never fails."""
    assert start_value(Tabular(corridor(0.9), 1.0)) == pytest.approx(
        20.0
    )  # pairs of steps, each ends with 1 in 10
    for endless in (corridor(1.0), corridor(0.9, terminal=())):
        with pytest.raises(ValueError, match="discount must be"):
            Tabular(endless, 1.0)
        assert Tabular(endless, 1.0, horizon=5).discount == 1.0


# --- descriptions

TOYS = [
    "FrozenLake-v1",
    "FrozenLake8x8-v1",
    "CliffWalking-v1",
    "CliffWalkingSlippery-v1",
    "Taxi-v4",
    "Blackjack-v1",
]


@pytest.mark.parametrize(
    "name", [*(found.name for found in names.DOMAINS.find_all()), *(f"gym:{id}" for id in TOYS)]
)
def test_every_domain_has_its_own_sentence(name: str) -> None:
    text = description(names.DOMAINS.find(name).factory())
    assert not text.startswith("A world of"), "the sentence of any domain, which says nothing"
    assert re.fullmatch(r"[A-Z0-9][^.!?\n]*(\.\d[^.!?\n]*)*\.", text), "one sentence"
    assert re.search(r"\b(pays?|paid|costs?|reward)\b", text)
    assert 60 < len(text) < 300


def test_other_domains_have_a_sentence_too() -> None:
    assert description(Tabular(corridor(0.5), 0.9)).startswith(
        "A world of 3 states and 2 actions; the goal is"
    )


ENDS = MDP([[[0, 1]], [[1, 0]]], [[0], [0]], terminal=[0])

test_rejected = rejections(
    (ValueError, "mdp must be an MDP of 5 states and 2 actions", lambda: Chain().with_mdp(ENDS)),
    (
        ValueError,
        "start must not be terminal, got the terminal state 0",
        lambda: Tabular(ENDS, 0.9),
    ),
    (
        ValueError,
        "steps must be an integer from 1 to 30, got 31",
        lambda: Tabular(corridor(0.5), 1.0, horizon=30, steps=31),
    ),
    (ValueError, r"x and y.*wall at \(1, 0\)", lambda: Maze().state(1, 0)),
)
