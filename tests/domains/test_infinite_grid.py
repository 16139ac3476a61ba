"""The infinite grid as a world: drawn when needed, the same in any order, consumed once."""

import numpy as np
import pytest

import bamdp
from bamdp.domains import InfiniteGrid
from reference.problems import belief_of

REACH = 2**31 - 1  # steps from (0, 0)
state_of, cell_of = InfiniteGrid(seed=0).state, InfiniteGrid(seed=0).cell

EXTREMES = [
    (0, 0),
    (REACH, 0),
    (-REACH, 0),
    (0, REACH),
    (0, -REACH),
    (2**30, 2**30 - 1),
    (-(2**30), -(2**30) + 1),
    (-(2**30), 5),
]


@pytest.mark.parametrize("content", [False, True])
@pytest.mark.parametrize(("x", "y"), [*EXTREMES, (3, -4), (-4, 3), (-1, -1)])
def test_states_are_packed_without_loss(x: int, y: int, content: bool) -> None:
    state = state_of(x, y, content)
    assert -(2**63) <= state < 2**63
    assert cell_of(state) == (x, y, content)


def test_beyond_the_reach_is_rejected() -> None:
    with pytest.raises(ValueError, match="within"):
        state_of(REACH, 1, False)
    with pytest.raises(ValueError, match=r"2147483647|within"):
        InfiniteGrid(seed=0).step(state_of(REACH, 0, False), 1, np.random.default_rng(0))


@pytest.mark.parametrize(("x", "y"), EXTREMES)
def test_one_can_walk_at_the_ends_of_the_world(x: int, y: int) -> None:
    world, rng = InfiniteGrid(seed=1), np.random.default_rng(0)
    back = {0: 2, 1: 3, 2: 0, 3: 1}
    state = state_of(x, y, world.holds(x, y))
    action = 3 if x > 0 else 1 if x < 0 else 2 if y > 0 else 0
    there, reward = world.step(state, action, rng)
    assert reward == world.holds(x, y)
    assert cell_of(world.step(there, back[action], rng)[0]) == (x, y, False)
    belief = belief_of(world.problem().prior, world.num_states, 4)
    belief.observe(state, action, None, there)
    to = cell_of(there)[:2]
    assert belief.cells() == {(x, y): world.holds(x, y), to: world.holds(*to)}


def test_the_same_world_in_any_order() -> None:
    places = [(x, y) for x in range(-6, 6) for y in range(-6, 6)]
    forward, backward = InfiniteGrid(seed=7), InfiniteGrid(seed=7)
    there = {place: forward.holds(*place) for place in places}
    assert there == {place: backward.holds(*place) for place in reversed(places)}
    assert forward.column(3) == backward.column(3)
    assert [InfiniteGrid(seed=8).holds(*place) for place in places] != list(there.values())


def test_parameters_and_cells_have_their_distributions() -> None:
    """Means over 2000 lines and 40 000 cells, within 5 standard errors."""
    world = InfiniteGrid((1, 2), (2, 1), seed=3)
    p, q = (np.array([line(i) for i in range(-1000, 1000)]) for line in (world.column, world.row))
    assert abs(p.mean() - 1 / 3) < 5 * p.std() / np.sqrt(2000)
    assert abs(q.mean() - 2 / 3) < 5 * q.std() / np.sqrt(2000)
    assert abs((p > 0.5).mean() - 0.25) < 5 * np.sqrt(
        0.1875 / 2000
    )  # P(p > 1/2) = 1/4 under Beta(1, 2)
    side = range(-40, 40)
    excess = np.array(
        [world.holds(x, y) - world.column(x) * world.row(y) for x in side for y in side]
    )
    columns = np.array([world.column(x) for x in side for _ in side])
    for deviation in (excess, excess * columns):  # that cells follow their own columns
        assert abs(deviation.mean()) < 5 * deviation.std() / np.sqrt(excess.size)


def test_a_reward_is_paid_on_leaving_and_only_once() -> None:
    world, rng = (
        InfiniteGrid((1e6, 1), (1e6, 1), seed=0),
        np.random.default_rng(0),
    )  # rewards everywhere
    state = world.reset(rng)
    rewards = []
    for action in (1, 1, 3, 3, 1):
        state, reward = world.step(state, action, rng)
        rewards.append(reward)
    assert rewards == [1, 1, 1, 0, 0]


def test_runs_do_not_see_each_other() -> None:
    world = InfiniteGrid(seed=5)
    agent = bamdp.agents.Random(InfiniteGrid().problem(), seed=1)
    first = bamdp.run(agent, world, seed=0)
    agent.reset(1)
    assert bamdp.run(agent, world, seed=9).rewards.tolist() == first.rewards.tolist(), (
        "a seed is one world"
    )
    new = InfiniteGrid()
    totals = set()
    for seed in (0, 0, 1, 2):
        agent.reset(1)
        totals.add(tuple(bamdp.run(agent, new, seed=seed).rewards.tolist()))
    assert len(totals) == 3, (
        "without a seed each run has a world of its own, drawn by the run's seed"
    )
