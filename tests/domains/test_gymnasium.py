"""Gymnasium environments as domains: what agents are given of them, real environments stepped for
real, maps, rejections.
"""

import copy
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
from bamdp.pictures.scenes import scene
from bamdp.priors import Dirichlet, SparseDirichlet, UnknownRewards
from bamdp.testing import check_domain
from reference.rejections import rejections

gym: Any = Gymnasium
TABLES = [
    "FrozenLake-v1",
    "FrozenLake8x8-v1",
    "CliffWalking-v1",
    "CliffWalkingSlippery-v1",
    "Taxi-v4",
]


@pytest.mark.parametrize("name", [*TABLES, "Blackjack-v1"])
def test_it_keeps_the_contract(name: str) -> None:
    for rewards in ("table", "learned") if name in TABLES else ("learned",):
        check_domain(Gymnasium(name, rewards=rewards))


@pytest.mark.parametrize("name", TABLES)
def test_the_mdp_is_what_the_table_says(name: str) -> None:
    """Entry by entry, from the environment itself."""
    domain, own = Gymnasium(name), gymnasium.make(name).unwrapped
    mdp = domain.mdp
    assert mdp is not None
    assert not domain.terminal & set(np.flatnonzero(own.initial_state_distrib).tolist())  # type: ignore[attr-defined]
    for s, a in np.ndindex(domain.num_states, domain.num_actions):
        if s in domain.terminal:
            assert mdp.transitions[s, a, s] == 1
            continue
        row = np.zeros(domain.num_states)
        for p, next_state, reward, terminated in own.P[s][a]:  # type: ignore[attr-defined]
            row[next_state] += p
            given = (
                domain.rewards[s, a]
                if domain.rewards.ndim == 2
                else domain.rewards[s, a, next_state]
            )
            assert domain.random_rewards or given == reward
            if terminated:
                assert next_state in domain.terminal
        assert mdp.transitions[s, a] == pytest.approx(row, abs=1e-12)


def test_a_random_reward_is_its_mean() -> None:
    """On the slippery cliff a step from the start can stay there for −1 or fall back to it for
    −100.
    """
    domain = Gymnasium("CliffWalkingSlippery-v1")
    assert domain.random_rewards
    falls = domain.rewards[36, :, 36]
    assert ((falls > -100) & (falls < -1)).any()


class Own(gymnasium.Env[Any, Any]):
    """An environment with any spaces and table; it observes its last action."""

    def __init__(
        self, observations: Any, actions: Any, table: Any = None, starts: Any = None
    ) -> None:
        self.observation_space, self.action_space = observations, actions
        if table is not None:
            self.P, self.initial_state_distrib = table, np.asarray(starts)

    def reset(self, **settings: Any) -> Any:
        return self.observation_space.sample(), {}

    def step(self, action: Any) -> Any:
        return action, 0.0, False, False, {}


def of_table(table: Any, starts: Any) -> Any:
    domain = Gymnasium(lambda: Own(spaces.Discrete(len(table)), spaces.Discrete(1), table, starts))
    assert domain.mdp is not None
    return domain


def test_ends_that_a_state_does_not_tell() -> None:
    """State 1 is passed through by one way and ended in by another: one more state is the end."""
    table = {
        0: {0: [(0.5, np.int64(1), 0.0, False), (0.25, 1, 3.0, True), (0.25, 1, 1.0, True)]},
        1: {0: [(1.0, 0, 0.0, False)]},
    }
    domain = of_table(table, [1, 0])
    assert domain.terminal == {2}
    assert domain.mdp.successors[:, 0].tolist() == [[1, 2], [0, 0], [2, 2]]
    assert domain.mdp.probabilities[:, 0].tolist() == [[0.5, 0.5], [1, 0], [1, 0]]
    assert domain.rewards[0, 0].tolist() == [0, 0, 2]
    assert domain.random_rewards


@pytest.mark.parametrize(("starts", "end"), [([1, 0, 0], 0), ([0.5, 0, 0.5], 2)])
def test_an_end_in_a_state_that_episodes_start_in(starts: list[float], end: int) -> None:
    """The state is acted in, so that it can't be the terminal one, and reached by no other way: one
    more state is the end.
    """
    table = {
        0: {0: [(1.0, 1, 0.0, False)]},
        1: {0: [(1.0, end, 5.0, True)]},
        2: {0: [(1.0, 1, 1.0, False)]},
    }
    domain = of_table(table, starts)
    assert domain.terminal == {3}
    assert domain.mdp.successors[:, 0, 0].tolist() == [1, 3, 1, 3]
    assert domain.rewards[:, 0].tolist() == [0, 5, 1, 0]


def test_the_run_is_the_environment_s() -> None:
    """The same seeds and actions, by hand."""
    domain = Gymnasium("FrozenLake-v1")
    record = bamdp.run(Random(domain.problem(), seed=1), domain, steps=200, seed=3)
    rng = np.random.default_rng(np.random.SeedSequence(3))
    env = gymnasium.make("FrozenLake-v1")
    state, _ = env.reset(seed=int(rng.integers(2**31)))
    for t, action in enumerate(record.actions):
        assert state == record.states[t]
        state, reward, terminated, truncated, _ = env.step(action)
        found = (
            record.next_states[t],
            record.rewards[t],
            record.terminated[t],
            record.truncated[t],
        )
        assert found == (state, reward, terminated, truncated)
        if terminated or truncated:
            state, _ = env.reset(seed=int(rng.integers(2**31)))
    assert record.terminated.sum() > 10
    there = pickle.loads(pickle.dumps(domain))  # as another process gets it
    again = bamdp.run(Random(domain.problem(), seed=1), there, steps=200, seed=3)
    assert again.states.tolist() == record.states.tolist()


def test_time_limits_truncate() -> None:
    """Into the wall for ever."""
    domain = Gymnasium("FrozenLake-v1", is_slippery=False, max_episode_steps=7)
    assert domain.time_limit == 7
    agent = Random(domain.problem())
    agent.act = lambda state: 0  # type: ignore[method-assign]
    record = bamdp.run(agent, domain, steps=20)
    assert np.flatnonzero(record.truncated).tolist() == [6, 13]
    assert not record.terminated.any()


def test_learned_ends_are_one_more_state() -> None:
    domain = Gymnasium("FrozenLake-v1", rewards="learned")
    record = bamdp.run(Random(domain.problem(), seed=0), domain, steps=300, seed=0)
    assert set(record.next_states[record.terminated]) == {16}
    assert not (record.next_states[~record.terminated] == 16).any()
    assert (
        set(record.next_states.tolist()) & {5, 7, 11, 12, 15} == set()
    )  # no one sees where it fell in
    assert not domain.rewards.any()


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
    domain = Gymnasium("FrozenLake-v1")
    record = bamdp.run(BAMCP(domain.problem(), simulations=50), domain, steps=30)
    assert steps == record.actions.tolist()


def learning(
    agent: Any, domain: Gymnasium, steps: int, prior: Prior | None = None, **settings: Any
) -> bamdp.Record:
    return bamdp.run(agent(domain.problem(prior), seed=1, **settings), domain, steps=steps, seed=1)


@pytest.mark.slow
def test_agents_learn_the_dry_lake() -> None:
    """Six steps to the goal, 100 times in 600 steps at best; at random, once in 70 episodes of 8
    steps each.
    """
    known = Gymnasium("FrozenLake-v1", is_slippery=False)
    learned = Gymnasium("FrozenLake-v1", is_slippery=False, rewards="learned")
    assert learning(Oracle, known, 600, world=known.mdp).total_reward == 100
    rare = UnknownRewards(SparseDirichlet(), (0.0, 1.0), alpha=(0.5, 0.05))
    for domain, prior in ((known, None), (learned, rare)):
        for agent, settings in (
            (BAMCP, {"simulations": 300, "exploration": 0.5}),
            (BayesianDP, {"resample": "doubling"}),
        ):
            assert learning(agent, domain, 600, prior=prior, **settings).total_reward > 25
    assert learning(QLearning, learned, 600, temperature=0.02, initial=0.5).total_reward > 5


@pytest.mark.parametrize(
    "prior", [None, Dirichlet(), UnknownRewards(Dirichlet(), (0.0, 1.0))], ids=repr
)
def test_every_prior_gets_what_it_needs_to_learn_rewards(prior: Prior | None) -> None:
    assert isinstance(
        Gymnasium("FrozenLake-v1", rewards="learned").problem(prior).prior, UnknownRewards
    )
    assert isinstance(Gymnasium("FrozenLake-v1").problem().prior, SparseDirichlet)


FINITE = [
    spaces.Discrete(7, start=-3),
    spaces.MultiDiscrete([3, 4], start=[1, -1]),
    spaces.MultiDiscrete(np.array([[2, 3], [1, 2]])),
    spaces.MultiBinary([2, 2]),
    spaces.Tuple(
        [spaces.Discrete(3), spaces.Tuple([spaces.MultiBinary(2), spaces.MultiDiscrete([2, 2])])]
    ),
]


@pytest.mark.parametrize("space", FINITE, ids=str)
def test_finite_spaces_are_numbered(space: Any) -> None:
    """Each action is a different element, which is observed as the state of the same number."""
    domain = copy.copy(Gymnasium(lambda: Own(space, space)))
    rng, seen = np.random.default_rng(0), Counter[str]()
    state = domain.reset(rng)
    for action in range(domain.num_actions):
        state, _ = domain.step(state, action, rng)
        assert state == action
        seen[scene(domain).label(state)] += 1
    assert set(seen.values()) == {1}
    assert domain.num_states == domain.num_actions + 1
    assert scene(domain).label(domain.num_actions) == "end of the episode"


def test_it_can_only_be_stepped_where_it_is() -> None:
    domain, rng = copy.copy(Gymnasium("FrozenLake-v1", is_slippery=False)), np.random.default_rng(0)
    with pytest.raises(ValueError, match="between episodes: reset it; got 0"):
        domain.step(0, 0, rng)
    domain.reset(rng)
    with pytest.raises(
        ValueError, match="state must be that of the environment, which is in state 0; got 4"
    ):
        domain.step(4, 0, rng)
    for state, action, expected in ((0, 1, 4), (4, 2, 5)):
        assert domain.step(state, action, rng) == (expected, 0.0)
    with pytest.raises(ValueError, match="between episodes: reset it; got 5"):
        domain.step(5, 0, rng)


def halved() -> Any:
    return gymnasium.wrappers.TransformReward(
        gymnasium.make("CliffWalking-v1"), lambda r: float(r) / 2
    )


def test_undeclared_rewards_are_rejected_by_the_belief() -> None:
    """The table of the environment has other rewards than those of the wrapper: it is not used."""
    with pytest.raises(
        ValueError, match=r"one of the declared values \[-1.0, 0.0, 1.0\], got -0.5"
    ):
        learning(BAMCP, Gymnasium(halved), 10, simulations=10)


def test_settings_of_make() -> None:
    lake = Gymnasium("FrozenLake-v1", map_name="8x8", is_slippery=False, max_episode_steps=9)
    assert (lake.num_states, lake.time_limit) == (64, 9)
    assert lake.mdp is not None
    assert lake.mdp.probabilities.shape[2] == 1
    values = [
        Gymnasium("Blackjack-v1", values=given).values for given in ("-1, 0 1,1.5", (-1, 0, 1, 1.5))
    ]
    assert values == [(-1, 0, 1, 1.5)] * 2
    assert Gymnasium("FrozenLake-v1", discount=1.0, horizon=8).steps == 8
    assert repr(lake) == "Gymnasium(FrozenLake-v1, 64 states, 4 actions, rewards=table)"


MOVES = {"up": (0, -1), "right": (1, 0), "down": (0, 1), "left": (-1, 0)}


@pytest.mark.parametrize(
    "name", ["FrozenLake-v1", "FrozenLake8x8-v1", "CliffWalking-v1", "Taxi-v4"]
)
def test_moves_go_where_their_names_say(name: str) -> None:
    """Or nowhere, into a wall, or elsewhere over the cliff: where the table
    leads, without slips.
    """
    settings: Any = {"is_slippery": False} if name.startswith("Frozen") else {}
    domain: Any = Gymnasium(name, **settings)
    drawn = scene(domain)
    assert drawn.kind == "map"
    assert len(drawn.actions) == domain.num_actions
    walls = {frozenset(wall) for wall in drawn.walls}
    moved = 0
    for state in set(range(domain.num_states)) - domain.terminal:
        for action, (dx, dy) in ((a, MOVES[n]) for a, n in enumerate(drawn.actions) if n in MOVES):
            (x, y), there = (
                drawn.place(state),
                drawn.place(int(domain.mdp.successors[state, action, 0])),
            )
            wanted = (x + dx, y + dy)
            blocked = frozenset([(x, y), wanted]) in walls
            if "C" not in (drawn.marks.get(wanted), drawn.marks.get((x, y))):
                assert there == ((x, y) if blocked else wanted) or there == (x, y)
            assert not (blocked and there == wanted)
            moved += there == wanted
    assert moved > domain.num_states


def test_marks_are_those_of_the_environment() -> None:
    env: Any = gymnasium.make("FrozenLake-v1").unwrapped
    lake = scene(Gymnasium("FrozenLake-v1"))
    for (y, x), letter in np.ndenumerate(env.desc):
        assert lake.marks.get((x, y), "F") == letter.decode()
    assert lake.label(15) == "(3, 3) goal"
    learned = scene(Gymnasium("FrozenLake-v1", rewards="learned"))
    assert (learned.place(16), learned.label(16)) == ((0, 4), "end of the episode")
    cliff = scene(Gymnasium("CliffWalking-v1"))
    assert [cliff.label(s) for s in (36, 37, 47)] == [
        "(3, 0) start",
        "(3, 1) cliff",
        "(3, 11) goal",
    ]
    env = gymnasium.make("Taxi-v4").unwrapped
    taxi = scene(Gymnasium("Taxi-v4"))
    for state in range(500):
        row, column, passenger, destination = env.decode(state)
        assert taxi.place(state) == (column, row)
        assert taxi.label(state).endswith(f"to {'RGYB'[destination]}")
        assert ("in the taxi" in taxi.label(state)) == (passenger == 4)


class Relabelled(gymnasium.ActionWrapper[int, int, int]):
    """Other actions: the map's names would be wrong."""

    def action(self, action: int) -> int:
        return 3 - action


def test_others_have_the_names_of_their_observations() -> None:
    drawn = scene(Gymnasium("Blackjack-v1"))
    assert (drawn.kind, drawn.actions, drawn.label(27)) == ("graph", (), "(1, 2, 1)")
    relabelled = Gymnasium(lambda: Relabelled(gymnasium.make("FrozenLake-v1")))
    assert scene(relabelled).kind == "graph"


TWO, BOX, TEXT = (
    spaces.Discrete(2),
    spaces.Box(0, 1, (2,)),
    spaces.Tuple([spaces.Discrete(2), spaces.Text(3)]),
)
OBSERVATIONS, ACTIONS = (
    r"observation_space must be Discrete, .* discretize it by a wrapper",
    "action_space must be Discrete",
)

test_rejected_environments = rejections(
    *(
        (TypeError, OBSERVATIONS, lambda space=space: gym(lambda: Own(space, TWO)))
        for space in (BOX, TEXT)
    ),
    *(
        (TypeError, ACTIONS, lambda space=space: gym(lambda: Own(TWO, space)))
        for space in (BOX, TEXT)
    ),
    (
        TypeError,
        r"at most 1e.07 elements, got MultiBinary",
        lambda: gym(lambda: Own(spaces.MultiBinary(64), TWO)),
    ),
    (
        TypeError,
        "settings are for gymnasium.make",
        lambda: gym(lambda: gymnasium.make("FrozenLake-v1"), map_name="8x8"),
    ),
    (ValueError, "Blackjack-v1 has no table", lambda: gym("Blackjack-v1", rewards="table")),
    (ValueError, "has no table", lambda: gym(halved, rewards="table")),
)
