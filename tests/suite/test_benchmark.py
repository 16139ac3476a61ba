"""Worlds: drawn as a problem says, the same randomness for every agent, labels that tell nothing,
and what is rejected.
"""

import copy
from typing import Any

import numpy as np
import pytest

from bamdp import BAMDP, MDP
from bamdp.comparing.regret import SolvedProblem
from bamdp.domains import (
    Bandit,
    Chain,
    DoubleLoop,
    Grid,
    GridNavi,
    Gymnasium,
    InfiniteGrid,
    NormalBandit,
    RandomMDP,
    Tabular,
)
from bamdp.domains.tabular import Tabular as Tables
from bamdp.priors import (
    BetaArms,
    Dirichlet,
    Finite,
    GridRewards,
    Lazy,
    Normal,
    NormalArms,
    SparseDirichlet,
    UnknownRewards,
)
from bamdp.spaces import action_name
from bamdp.suite import Benchmark
from bamdp.testing import check_domain
from reference.rejections import rejections

UNUSED = np.random.default_rng(0)
SLIPPERY = Grid(3, slip=0.5)
NOISY = RandomMDP(4, 3, rows="flat", rewards="normal")
ALIKE = Tabular(MDP(np.full((3, 2, 3), 1 / 3), np.zeros((3, 2))), 0.9)  # rows, not rewards


def world(problem: Benchmark, seed: int) -> Tabular:
    made = problem.world(seed)
    assert isinstance(made, Tabular)
    return made


@pytest.mark.parametrize(
    "problem",
    [
        Benchmark(Chain()),
        Benchmark(SLIPPERY, draw="permuted"),
        Benchmark(Bandit(), draw="permuted"),
        Benchmark(Gymnasium("FrozenLake-v1"), draw="permuted"),
        Benchmark(Gymnasium("Taxi-v4"), draw="fixed"),
        Benchmark(Chain(), draw=lambda rng: Chain(slip=rng.random())),
        Benchmark(Chain(), UnknownRewards(Dirichlet())),
        Benchmark(Chain(), UnknownRewards(Dirichlet(), deterministic=True)),
        Benchmark(NOISY),
        Benchmark(NOISY, draw="permuted"),
        Benchmark(NormalBandit()),
        Benchmark(NormalBandit(), draw="permuted"),
    ],
    ids=repr,
)
def test_worlds_keep_the_contract_of_domains(problem: Benchmark) -> None:
    check_domain(problem.world(0))


def test_the_nth_outcome_of_a_state_and_action_does_not_depend_on_what_else_is_done() -> None:
    one = Benchmark(SLIPPERY, draw="fixed").world(5)
    alone, mixed = copy.copy(one), copy.copy(one)
    expected = [alone.step(4, 1, UNUSED) for _ in range(20)]
    assert len(set(expected)) > 1
    seen = []
    for n in range(20):
        mixed.step(4, n % 2 * 2, UNUSED)
        mixed.step(0, 1, UNUSED)
        seen.append(mixed.step(4, 1, UNUSED))
    assert seen == expected
    other = Benchmark(SLIPPERY, draw="fixed").world(6)
    assert [other.step(4, 1, UNUSED) for _ in range(20)] != expected


def test_outcomes_of_different_pairs_are_independent() -> None:
    """40 draws from four equally likely outcomes agree by chance with probability 4^-40, for each
    of 66 pairs of rows.
    """
    rows = np.full((5, 3, 5), 0.25)
    rows[:, :, 4], rows[4, :, :] = (
        0,
        [1, 0, 0, 0, 0],
    )  # the last state has other rows, so that this is no bandit
    one = Benchmark(Tabular(MDP(rows, np.zeros((5, 3))), 0.9), draw="fixed").world(0)
    drawn = [
        tuple(one.step(s, a, UNUSED)[0] for _ in range(40)) for s in range(4) for a in range(3)
    ]
    assert len(set(drawn)) == 12


@pytest.mark.parametrize(
    "problem",
    [
        Benchmark(NOISY),
        Benchmark(NOISY, draw="permuted"),
        Benchmark(NormalBandit([1.0, 2.0], 3.0)),
        Benchmark(NormalBandit([1.0, 2.0], 3.0), draw="fixed"),
        Benchmark(SLIPPERY, UnknownRewards(Dirichlet(), values=(0.0, 1.0, 2.0))),
        Benchmark(GridNavi(3), UnknownRewards(Dirichlet(), values=(0.0, 1.0, 2.0))),
        Benchmark(ALIKE, UnknownRewards(Finite(ALIKE.transitions[None]), outcomes=Normal(0.0))),
    ],
    ids=repr,
)
def test_the_nth_reward_of_a_state_and_action_is_the_same_for_every_agent(
    problem: Benchmark,
) -> None:
    one = problem.world(2)
    assert isinstance(one, Tabular)
    assert one.random_rewards
    last = one.num_states - 1
    alone, mixed = copy.copy(one), copy.copy(one)
    expected = [alone.step(last, 1, UNUSED) for _ in range(15)]
    assert len({reward for _, reward in expected}) > 1
    seen = []
    for _ in range(15):
        mixed.step(last, 0, UNUSED)
        mixed.step(0, 0, UNUSED)
        if last:
            mixed.step(0, 1, UNUSED)
        seen.append(mixed.step(last, 1, UNUSED))
    assert seen == expected


def test_rewards_are_part_of_the_world_that_is_drawn() -> None:
    """Another world, other mean rewards; the same seed, the same ones; and a step
    is around them.
    """
    problem = Benchmark(NOISY)
    tables = [world(problem, seed).rewards for seed in (0, 0, 1)]
    assert np.array_equal(tables[0], tables[1])
    assert not np.isclose(tables[0], tables[2]).any()
    assert not np.isclose(tables[0], NOISY.rewards).any()
    exact = world(
        Benchmark(Chain(), UnknownRewards(Dirichlet(), values=(3.0, 4.0), deterministic=True)), 0
    )
    assert not exact.random_rewards
    assert {exact.step(s, 1, UNUSED)[1] for s in range(5)} <= {3.0, 4.0}
    assert exact.rewards[2, 1] == exact.step(2, 1, UNUSED)[1]


def test_random_rewards_of_a_domain_are_kept_where_transitions_alone_are_drawn() -> None:
    known = Benchmark(NOISY, draw=Dirichlet(1.0))
    made = world(known, 0)
    assert np.array_equal(made.rewards, NOISY.rewards)
    assert not np.array_equal(made.transitions, NOISY.transitions)
    run = copy.copy(made)
    paid = [run.step(1, 1, UNUSED)[1] - made.rewards[1, 1] for _ in range(50)]
    assert 0.5 < np.std(paid) < 1.5, "the noise is 1: 5 standard errors"


def test_start_states_are_the_same_for_every_agent() -> None:
    one = Benchmark(Gymnasium("Taxi-v4"), draw="permuted").world(3)
    first, second = copy.copy(one), copy.copy(one)
    starts = [first.reset(UNUSED) for _ in range(10)]
    assert len(set(starts)) > 5
    assert starts == [second.reset(np.random.default_rng(9)) for _ in range(10)]


def test_worlds_from_the_prior_are_those_of_regret() -> None:
    domain = RandomMDP(2, 2, discount=0.6)
    solved = SolvedProblem.solve(domain, domain.problem().prior, steps=2)
    for seed in range(3):
        assert np.array_equal(
            world(Benchmark(domain), seed).transitions, solved.world(seed).transitions
        )
    assert not np.array_equal(
        world(Benchmark(domain), 0).transitions, world(Benchmark(domain), 1).transitions
    )


def test_worlds_of_a_problem_are_those_of_its_domain() -> None:
    domain = RandomMDP(3, 2, horizon=12, episode_length=4)
    of_domain, of_problem = Benchmark(domain), Benchmark(domain.problem())
    assert (repr(of_problem.problem), of_problem.steps) == (repr(of_domain.problem), 12)
    for seed in range(3):
        one, other = world(of_domain, seed), world(of_problem, seed)
        assert np.array_equal(one.transitions, other.transitions)
        assert (one.start, one.episode_length, one.discount) == (
            other.start,
            other.episode_length,
            other.discount,
        )
    named = BAMDP(Dirichlet(), np.zeros((3, 2)), 0.9, terminal=[2], actions=("wait", "go"))
    ending = Benchmark(named)
    assert ending.problem is named
    assert action_name(Benchmark(named, Dirichlet(2.0)).problem, 1) == "go"
    assert (world(ending, 0).terminal, world(ending, 0).start) == (frozenset({2}), 0)


def test_a_wrong_prior_is_what_agents_have_and_not_where_worlds_come_from() -> None:
    counts = np.zeros((5, 2, 5))
    counts[:, :, :2] = 1
    problem = Benchmark(Chain(), Dirichlet(1.0), Dirichlet(counts))
    made = world(problem, 0)
    assert made.problem().prior is problem.problem.prior
    assert made.transitions[:, :, 2:].sum() == 0


@pytest.mark.parametrize(
    "domain", [DoubleLoop(), SLIPPERY, Chain(), Gymnasium("FrozenLake-v1")], ids=repr
)
def test_permuting_labels_changes_no_value(domain: Any) -> None:
    """In every state the same set of action values, in another order, and rewards that belong to
    them.
    """
    problem: Any = Benchmark(domain, SparseDirichlet(), "permuted")
    plain = domain.mdp.solve(domain.discount).q_values
    orders = set()
    for seed in range(5):
        made = world(problem, seed)
        values = made.mdp.solve(made.discount).q_values
        np.testing.assert_allclose(np.sort(values, axis=1), np.sort(plain, axis=1), atol=1e-6)
        assert (made.start, made.terminal, made.time_limit) == (
            problem.domain.start,
            domain.terminal,
            domain.time_limit,
        )
        orders.add(values.argmax(axis=1).tobytes())
    assert len(orders) > 1


def test_labels_are_permuted_uniformly_and_independently_in_each_state() -> None:
    """1200 worlds, 4! orders of state 0: each has 50 ± 45 worlds; a false alarm has probability
    below 1e-6.
    """
    rewards = np.tile(np.arange(4.0), (3, 1))
    domain = Tabular(MDP(np.full((3, 4, 3), 1 / 3), rewards), 0.9)
    problem = Benchmark(domain, draw="permuted")
    found = [world(problem, seed).rewards for seed in range(1200)]
    _, counts = np.unique([table[0] for table in found], axis=0, return_counts=True)
    assert len(counts) == 24
    assert abs(counts - 50).max() < 45
    same = np.mean([np.array_equal(table[0], table[1]) for table in found])
    assert same < 0.1, "1/24 if independent: 10 standard deviations"


def test_a_fixed_domain_that_draws_itself() -> None:
    """The same world for the same seed, another for another."""
    problem = Benchmark(InfiniteGrid(), draw="fixed")
    cells = []
    for seed in (0, 0, 1):
        grid = copy.copy(problem.world(seed))
        assert isinstance(grid, InfiniteGrid)
        grid.reset(np.random.default_rng(np.random.SeedSequence(seed)))
        cells.append([grid.holds(x, y) for x in range(5) for y in range(5)])
    assert cells[0] == cells[1] != cells[2]


class Own(Tables):
    """A table that is not all there is."""

    def step(self, state: int, action: int, rng: np.random.Generator) -> tuple[int, float]:
        return super().step(state, 0, rng)


SURE = np.zeros((5, 2, 5))
SURE[:, 0, 0] = SURE[:, 1, 1] = 1
ROWS = Lazy(lambda problem: None)  # type: ignore[arg-type, return-value]

test_rejected = rejections(
    (
        TypeError,
        "domain must be a Tabular one.*draw='fixed' takes any",
        lambda: Benchmark(InfiniteGrid()),
    ),
    (TypeError, "domain must be a Tabular one", lambda: Benchmark(InfiniteGrid(), draw="permuted")),
    (
        TypeError,
        "domain must be a Tabular one",
        lambda: Benchmark(Gymnasium("Blackjack-v1"), draw="permuted"),
    ),
    (
        TypeError,
        "domain must be a Tabular one",
        lambda: Benchmark(Own(MDP(SURE, np.zeros((5, 2))), 0.9), draw="permuted"),
    ),
    (
        TypeError,
        "worlds can't be drawn from Lazy.*another prior or a function",
        lambda: Benchmark(Chain(), ROWS),
    ),
    (
        ValueError,
        "which knows one action from another",
        lambda: Benchmark(NormalBandit([0, 1]), NormalArms([0, 1]), "permuted"),
    ),
    (
        ValueError,
        "which knows one action from another",
        lambda: Benchmark(
            Chain(), UnknownRewards(Dirichlet(), outcomes=Normal([0, 1])), "permuted"
        ),
    ),
    (ValueError, "of infinitely many states", lambda: Benchmark(Chain(), GridRewards())),
    (ValueError, "of 2 states for .*BetaArms", lambda: Benchmark(Chain(), BetaArms(), "permuted")),
    (
        ValueError,
        "which knows one action from another",
        lambda: Benchmark(Chain(), Dirichlet(SURE), "permuted"),
    ),
    (
        ValueError,
        "which knows one action from another",
        lambda: Benchmark(Bandit([0.5] * 2), BetaArms([1, 2]), "permuted"),
    ),
    (
        ValueError,
        "which knows one action from another",
        lambda: Benchmark(Chain(), Finite(SURE[None]), "permuted"),
    ),
    (
        TypeError,
        "draw must return a bamdp.Domain, got None",
        lambda: Benchmark(Chain(), draw=lambda rng: None).world(0),  # type: ignore[arg-type, return-value]
    ),
    (
        ValueError,
        "draw must return domains with the num_states of the benchmark's, 5, got 9",
        lambda: Benchmark(Chain(), draw=lambda rng: DoubleLoop()).world(0),
    ),
    (
        ValueError,
        "the discount of the benchmark's",
        lambda: Benchmark(Chain(), draw=lambda rng: Chain(discount=0.5)).world(0),
    ),
    (
        ValueError,
        "action must be an integer from 0 to 1, got 2",
        lambda: Benchmark(Chain()).world(0).step(0, 2, UNUSED),
    ),
)


def test_in_a_bandit_the_nth_outcome_is_that_of_the_arm() -> None:
    one = Benchmark(Bandit([0.5, 0.5]), draw="fixed").world(0)
    first, second = copy.copy(one), copy.copy(one)
    assert [first.step(0, 1, UNUSED) for _ in range(30)] == [
        second.step(n % 2, 1, UNUSED) for n in range(30)
    ]


def test_arms_are_permuted_alike_in_both_states() -> None:
    bandit = Bandit([0.1, 0.5, 0.9], payoffs=[1, 2, 3])
    for seed in range(5):
        made = world(Benchmark(bandit, draw="permuted"), seed)
        assert np.array_equal(made.transitions[0], made.transitions[1])
        assert sorted(made.transitions[0, :, 1]) == [0.1, 0.5, 0.9]
        assert np.array_equal(
            np.round(made.rewards[0, :, 1]), np.round((made.transitions[0, :, 1] + 0.3) / 0.4)
        )


def test_worlds_have_the_names_of_the_problem() -> None:
    tables = MDP(np.full((2, 2, 2), 1 / 2), np.eye(2))
    named = BAMDP(
        Dirichlet(), tables.rewards, 0.9, states=("cold", "warm"), actions=("wait", "act")
    )
    told = Benchmark(named).world(3).problem()
    assert (told.states, told.actions) == (named.states, named.actions)
    moves = GridNavi().problem().actions
    assert moves is not None
    assert "up" in moves
    assert Benchmark(GridNavi()).world(3).problem().actions == moves, (
        "they keep their meaning in every world"
    )
    for drawn in (Benchmark(SLIPPERY), Benchmark(SLIPPERY, draw="permuted")):
        for problem in (drawn.problem, drawn.world(3).problem(Dirichlet())):
            assert problem.actions is None, "permuted actions lose their names"
            assert problem.states == SLIPPERY.problem().states
