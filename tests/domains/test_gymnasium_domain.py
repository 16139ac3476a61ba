"""Gymnasium environments as worlds: what agents are told of them, real environments stepped for real, and refusals."""

import pickle
from collections import Counter
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import bamdp
from bamdp import Prior
from bamdp.agents import BAMCP, BayesianDP, Oracle, QLearning, Random
from bamdp.domains import Gymnasium
from bamdp.domains._gym_spaces import Numbering
from bamdp.domains._gym_table import read_table
from bamdp.priors import Dirichlet, SparseDirichlet, UnknownRewards
from bamdp.testing import check_domain
from reference.comparison import assert_multinomial
from reference.rejections import rejections

gym: Any = Gymnasium
TABLES = ["FrozenLake-v1", "FrozenLake8x8-v1", "CliffWalking-v1", "CliffWalkingSlippery-v1", "Taxi-v4"]


@pytest.mark.parametrize("name", [*TABLES, "Blackjack-v1"])
def test_it_keeps_the_contract(name: str) -> None:
    for rewards in ("table", "learned") if name in TABLES else ("learned",):
        check_domain(Gymnasium(name, rewards=rewards))


@pytest.mark.parametrize("name", TABLES)
def test_what_is_told_is_what_the_table_says(name: str) -> None:
    """Entry by entry, from the environment itself."""
    world, table = Gymnasium(name), gymnasium.make(name).unwrapped.P  # type: ignore[attr-defined]
    started = np.flatnonzero(gymnasium.make(name).unwrapped.initial_state_distrib)  # type: ignore[attr-defined]
    rows = world.table
    assert rows is not None
    assert not world.terminal & set(started.tolist())
    for s, a in np.ndindex(world.num_states, world.num_actions):
        if s in world.terminal:
            assert set(rows.successors[s, a]) == {s}
            continue
        probabilities: Counter[int] = Counter()
        for p, next_state, reward, terminated in table[s][a]:
            probabilities[int(next_state)] += p
            told = world.rewards[s, a] if world.rewards.ndim == 2 else world.rewards[s, a, next_state]
            assert rows.random_rewards or told == reward
            if terminated:
                assert next_state in world.terminal
        possible = rows.probabilities[s, a] > 0
        row = dict(zip(rows.successors[s, a][possible].tolist(), rows.probabilities[s, a][possible].tolist(), strict=True))
        assert row == pytest.approx(dict(probabilities), abs=1e-12)
    assert np.abs(rows.probabilities.sum(axis=2) - 1).max() < 1e-15


def test_a_reward_left_to_chance_is_its_mean() -> None:
    """On the slippery cliff a step from the start can stay there for −1 or fall back to it for −100."""
    world = Gymnasium("CliffWalkingSlippery-v1")
    assert world.table is not None
    assert world.table.random_rewards
    falls = world.rewards[36, :, 36]
    assert ((falls > -100) & (falls < -1)).any()


def test_ends_that_a_state_does_not_tell() -> None:
    """State 1 is passed through by one way and ended in by another: one more state is the end."""
    table: Any = {
        0: {0: [(0.5, np.int64(1), 0.0, False), (0.25, 1, 3.0, True), (0.25, 1, 1.0, True)]},
        1: {0: [(1.0, 0, 0.0, False)]},
    }
    read = read_table(table, 2, 1, starts=[0])
    assert read.terminal == {2}
    assert read.successors[:, 0].tolist() == [[1, 2], [0, 0], [2, 2]]
    assert read.probabilities[:, 0].tolist() == [[0.5, 0.5], [1, 0], [1, 0]]
    assert read.rewards[0, 0].tolist() == [0, 0, 2]
    assert read.random_rewards
    assert read.values == (0, 1, 3)


@pytest.mark.parametrize(("starts", "end"), [([0], 0), ([0, 2], 2)])
def test_an_end_in_a_state_that_episodes_start_in(starts: list[int], end: int) -> None:
    """The state is acted in, so that it can't be the terminal one, and reached by no other way: one more state is the end."""
    table: Any = {
        0: {0: [(1.0, 1, 0.0, False)]},
        1: {0: [(1.0, end, 5.0, True)]},
        2: {0: [(1.0, 1, 1.0, False)]},
    }
    read = read_table(table, 3, 1, starts=starts)
    assert read.terminal == {3}
    assert read.successors[:, 0, 0].tolist() == [1, 3, 1, 3]
    assert read.rewards[:, 0].tolist() == [0, 5, 1, 0]


def test_the_run_is_the_environment_s() -> None:
    """The same seeds and actions, by hand."""
    world = Gymnasium("FrozenLake-v1")
    record = bamdp.run(Random(world.problem(), seed=1), world, steps=200, seed=3)
    rng = np.random.default_rng(np.random.SeedSequence(3))
    env = gymnasium.make("FrozenLake-v1")
    state, _ = env.reset(seed=int(rng.integers(2**31)))
    for t, action in enumerate(record.actions):
        assert state == record.states[t]
        state, reward, terminated, truncated, _ = env.step(action)
        found = (record.next_states[t], record.rewards[t], record.terminated[t], record.truncated[t])
        assert found == (state, reward, terminated, truncated)
        if terminated or truncated:
            state, _ = env.reset(seed=int(rng.integers(2**31)))
    assert record.terminated.sum() > 10


def test_it_can_be_sent_to_another_process() -> None:
    world = Gymnasium("FrozenLake-v1", is_slippery=False)
    there = pickle.loads(pickle.dumps(world))
    assert repr(there) == repr(world)
    records = [bamdp.run(Random(world.problem(), seed=1), one, steps=50, seed=3) for one in (world, there)]
    assert records[0].states.tolist() == records[1].states.tolist()


def test_time_limits_cut_off() -> None:
    """Into the wall for ever."""
    world = Gymnasium("FrozenLake-v1", is_slippery=False, max_episode_steps=7)
    assert world.time_limit == 7
    agent = Random(world.problem())
    agent.act = lambda state: 0  # type: ignore[method-assign]
    record = bamdp.run(agent, world, steps=20)
    assert np.flatnonzero(record.truncated).tolist() == [6, 13]
    assert not record.terminated.any()


def test_learned_ends_are_one_more_state() -> None:
    world = Gymnasium("FrozenLake-v1", rewards="learned")
    record = bamdp.run(Random(world.problem(), seed=0), world, steps=300, seed=0)
    assert set(record.next_states[record.terminated]) == {16}
    assert not (record.next_states[~record.terminated] == 16).any()
    assert set(record.next_states.tolist()) & {5, 7, 11, 12, 15} == set()  # no one sees where it fell in
    assert not world.rewards.any()
    assert isinstance(world.prior(), UnknownRewards)


def test_the_environment_is_not_looked_into_while_planning(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many steps as real ones, and no copies."""
    from gymnasium.envs.toy_text import frozen_lake

    steps: list[int] = []
    original: Any = frozen_lake.FrozenLakeEnv.step

    def counted(env: Any, action: int) -> Any:
        steps.append(action)
        return original(env, action)

    monkeypatch.setattr(frozen_lake.FrozenLakeEnv, "step", counted)
    monkeypatch.setattr(frozen_lake.FrozenLakeEnv, "__deepcopy__", None, raising=False)
    world = Gymnasium("FrozenLake-v1")
    record = bamdp.run(BAMCP(world.problem(), simulations=50), world, steps=30)
    assert steps == record.actions.tolist()


def learning(agent: Any, domain: Gymnasium, steps: int, prior: Prior | None = None, **settings: Any) -> bamdp.Record:
    return bamdp.run(agent(domain.problem(prior), seed=1, **settings), domain, steps=steps, seed=1)


@pytest.mark.slow
def test_agents_learn_the_dry_lake() -> None:
    """Six steps to the goal, 100 times in 600 steps at best; at random, once in 70 episodes of 8 steps each."""
    told = Gymnasium("FrozenLake-v1", is_slippery=False)
    learned = Gymnasium("FrozenLake-v1", is_slippery=False, rewards="learned")
    assert learning(Oracle, told, 600, world=told.mdp).total_reward == 100
    rare = UnknownRewards(SparseDirichlet(), (0.0, 1.0), alpha=(0.5, 0.05))
    for world, prior in ((told, None), (learned, rare)):
        for agent, settings in ((BAMCP, {"simulations": 300, "exploration": 0.5}), (BayesianDP, {"resample": "doubling"})):
            assert learning(agent, world, 600, prior=prior, **settings).total_reward > 25
    assert learning(QLearning, learned, 600, temperature=0.02, initial=0.5).total_reward > 5


@pytest.mark.parametrize("prior", [None, Dirichlet(), UnknownRewards(Dirichlet(), (0.0, 1.0))], ids=repr)
def test_every_prior_gets_what_it_needs_to_learn_rewards(prior: Prior | None) -> None:
    assert isinstance(Gymnasium("FrozenLake-v1", rewards="learned").problem(prior).prior, UnknownRewards)
    assert isinstance(Gymnasium("FrozenLake-v1").problem().prior, SparseDirichlet)


# --- spaces


FINITE = [
    spaces.Discrete(7, start=-3),
    spaces.MultiDiscrete([3, 4]),
    spaces.MultiDiscrete(np.array([[2, 3], [1, 2]])),
    spaces.MultiBinary(4),
    spaces.MultiBinary([2, 2]),
    spaces.Tuple([spaces.Discrete(3), spaces.MultiBinary(2)]),
    spaces.Dict({"b": spaces.Discrete(3), "a": spaces.Tuple([spaces.Discrete(2, start=1), spaces.MultiDiscrete([2, 2])])}),
]


@pytest.mark.parametrize("space", FINITE, ids=str)
def test_finite_spaces_are_numbered(space: Any) -> None:
    """One element for each number, and all of them."""
    numbers = Numbering("space", space)
    for number in range(numbers.size):
        element = numbers.element(number)
        assert space.contains(element), element
        assert numbers.number(element) == number
    space.seed(0)
    drawn = Counter(numbers.number(space.sample()) for _ in range(200 * numbers.size))
    assert_multinomial([(drawn, dict.fromkeys(range(numbers.size), 1 / numbers.size))])


def test_it_can_only_be_stepped_where_it_is() -> None:
    world, rng = Gymnasium("FrozenLake-v1", is_slippery=False).for_run(), np.random.default_rng(0)
    with pytest.raises(ValueError, match="between episodes: reset it; got 0"):
        world.step(0, 0, rng)
    world.reset(rng)
    with pytest.raises(ValueError, match="state must be that of the environment, which is in state 0; got 4"):
        world.step(4, 0, rng)
    for state, action, expected in ((0, 1, 4), (4, 2, 5)):
        assert world.step(state, action, rng) == (expected, 0.0)
    with pytest.raises(ValueError, match="between episodes: reset it; got 5"):
        world.step(5, 0, rng)


def halved() -> Any:
    return gymnasium.wrappers.TransformReward(gymnasium.make("CliffWalking-v1"), lambda r: float(r) / 2)


def test_undeclared_rewards_are_refused_by_the_belief() -> None:
    world = Gymnasium(halved)
    assert world.table is None  # that of the environment says other rewards
    with pytest.raises(ValueError, match=r"one of the declared values \[-1.0, 0.0, 1.0\], got -0.5"):
        learning(BAMCP, world, 10, simulations=10)


def test_a_table_that_does_not_hold_is_found_out() -> None:
    says = r"its table has reward -1(?:00)? .* but it paid -(?:0.5|50) and went on; use rewards=.learned"
    with pytest.raises(RuntimeError, match=says):
        learning(Random, Gymnasium(halved, rewards="table"), 10)


def test_settings_of_make() -> None:
    lake = Gymnasium("FrozenLake-v1", map_name="8x8", is_slippery=False, max_episode_steps=9)
    assert (lake.num_states, lake.time_limit) == (64, 9)
    assert lake.mdp is not None
    assert lake.mdp.probabilities.shape[2] == 1
    values = [Gymnasium("Blackjack-v1", values=given).values for given in ("-1, 0 1,1.5", (-1, 0, 1, 1.5))]
    assert values == [(-1, 0, 1, 1.5)] * 2
    assert repr(lake) == "Gymnasium(FrozenLake-v1, 64 states, 4 actions, rewards=table)"


class Spaces(gymnasium.Env[Any, Any]):
    """An environment that is never stepped."""

    def __init__(self, observations: Any, actions: Any) -> None:
        self.observation_space, self.action_space = observations, actions


TWO, BOX, TEXT = spaces.Discrete(2), spaces.Box(0, 1, (2,)), spaces.Tuple([spaces.Discrete(2), spaces.Text(3)])
OBSERVATIONS = r"observation_space must be Discrete, or made of Discrete parts, and .* is infinite"
ACTIONS = r"action_space must be Discrete, .* discretize it by a wrapper"

test_rejected_environments = rejections(
    *((TypeError, OBSERVATIONS, lambda space=space: gym(lambda: Spaces(space, TWO))) for space in (BOX, TEXT)),
    *((TypeError, ACTIONS, lambda space=space: gym(lambda: Spaces(TWO, space))) for space in (BOX, TEXT)),
    (TypeError, r"observation_space must be Discrete.*Box", lambda: gym("CartPole-v1")),
    (TypeError, r"has 1.8e.19 elements, more than 1e.07", lambda: gym(lambda: Spaces(spaces.MultiBinary(64), TWO))),
    (TypeError, "settings are for gymnasium.make", lambda: gym(lambda: gymnasium.make("FrozenLake-v1"), map_name="8x8")),
    (ValueError, "Blackjack-v1 has no table", lambda: gym("Blackjack-v1", rewards="table")),
)
