"""THE loop with episodes: what ends them, what the agent is told, what is kept, and what a record
says of it.
"""

import dataclasses
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import MDP, Agent
from bamdp.agents import BAMCP, BayesianDP, Gittins, Oracle, PosteriorMean, QLearning, Random
from bamdp.config.names import AGENTS
from bamdp.domains import Bandit, Chain, Tabular
from bamdp.mdp import Outcomes
from bamdp.priors import Finite, SparseDirichlet
from bamdp.runs import loop
from bamdp.testing import check_domain
from reference.known_mdp import optimal_total, policy_rewards
from reference.problems import shown


def corridor(length: int = 4, **settings: Any) -> Tabular:
    """Action 1 goes on, action 0 stays; entering the last state pays 1 and ends the episode."""
    S = length + 1
    moves = np.zeros((S, 2, S))
    moves[np.arange(length), 0, np.arange(length)] = moves[
        np.arange(length), 1, np.arange(1, S)
    ] = 1
    moves[-1, :, 0] = 1  # never taken
    rewards = np.zeros((S, 2, S))
    rewards[length - 1, 1, length] = 1
    rewards[length] = 7  # never paid
    return Tabular(MDP(moves, rewards, terminal=[length]), 0.9, prior=SparseDirichlet(), **settings)


class Fixed(Agent):
    """Acts by a list, over and over, and writes down what it is told."""

    def __init__(self, world: Tabular, *actions: int) -> None:
        self.actions = actions
        super().__init__(world.problem())

    def act(self, state: int) -> int:
        return self.actions[self.steps_done % len(self.actions)]

    def observe(
        self,
        state: int,
        action: int,
        reward: float,
        next_state: int,
        terminated: bool | None = False,
    ) -> None:
        self.told.append((state, action, reward, next_state, terminated))
        self.steps_done += 1

    def end_episode(self) -> None:
        self.told.append("end")

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self.told: list[Any] = []


def test_a_terminal_state_ends_an_episode() -> None:
    agent = Fixed(corridor(2), 1)
    record = bamdp.run(agent, corridor(2), steps=5)
    episode = [(0, 1, 0, 1, False), (1, 1, 1, 2, True), "end"]
    assert agent.told == [
        "end",
        *episode,
        *episode,
        (0, 1, 0, 1, False),
    ]  # the first is that of a run before
    assert record.states.tolist() == [0, 1, 0, 1, 0]
    assert record.next_states.tolist() == [1, 2, 1, 2, 1]
    assert record.terminated.tolist() == [False, True, False, True, False]
    assert not record.truncated.any()
    assert record.final_state == 1
    assert record.episode_rewards.tolist() == [1, 1]
    assert record.total_reward == 2


def test_a_time_limit_cuts_off() -> None:
    agent = Fixed(corridor(2), 1, 0, 0, 1, 1)
    record = bamdp.run(agent, corridor(2, time_limit=3), steps=6)
    assert agent.told[1:5] == [(0, 1, 0, 1, False), (1, 0, 0, 1, False), (1, 0, 0, 1, False), "end"]
    assert agent.told[5:] == [(0, 1, 0, 1, False), (1, 1, 1, 2, True), "end", (0, 1, 0, 1, False)]
    assert record.truncated.tolist() == [False, False, True, False, False, False]
    assert record.terminated.tolist() == [False, False, False, False, True, False]
    assert record.episode_rewards.tolist() == [0, 1]
    record = bamdp.run(
        Fixed(corridor(2), 1), corridor(2, time_limit=2), steps=2
    )  # a terminal state at the limit is no truncation
    assert record.terminated.tolist() == [False, True]
    assert not record.truncated.any()
    assert record.final_state == 2


def test_worlds_without_ends_have_none() -> None:
    agent = Fixed(Chain(), 0)
    record = bamdp.run(agent, Chain(), steps=50)
    assert "end" not in agent.told[1:]
    assert not record.terminated.any()
    assert not record.truncated.any()
    assert record.episode_rewards.tolist() == []
    assert record.next_states[:-1].tolist() == record.states[1:].tolist()


def test_after_a_cut_off_values_go_on_and_after_an_end_they_don_t() -> None:
    """The last step of a truncated episode is worth what comes after it, had it gone on; by
    Q-learning, by hand.
    """
    values = {}
    for limit in (None, 1):
        agent = QLearning(corridor(1, time_limit=limit).problem(), learning_rate=1.0, initial=2.0)
        agent.act = lambda state: 0  # type: ignore[method-assign]
        bamdp.run(agent, corridor(1, time_limit=limit), steps=3)
        values[limit] = agent.q_values(0)[0]
        agent.act = lambda state: 1  # type: ignore[method-assign]
        bamdp.run(agent, corridor(1, time_limit=limit), steps=1)
        assert agent.q_values(0)[1] == 1  # not 1 + 0.9 · 2
    assert values == {None: 0.9 * 2, 1: 0.9 * 2}


LEARNERS = [
    "bamcp",
    "ba-uct",
    "bfs3",
    "boss",
    "sboss",
    "beb",
    "bayesian-dp",
    "opsrl",
    "posterior-mean",
    "q-learning",
]


@pytest.mark.parametrize("agent", LEARNERS)
def test_agents_learn_over_episodes(agent: str) -> None:
    """The way to the end is found and then taken again and again; at random it would take 8 steps
    each time on average.
    """
    world = corridor(4)
    settings: dict[str, dict[str, Any]] = {
        "bamcp": {"simulations": 500},
        "ba-uct": {"simulations": 500},
        "beb": {"beta": 1.0},
        "bfs3": {"branching": 4, "trajectories": 30, "leaves": "closed", "vmax": 1.0},
        "q-learning": {"temperature": 0.02, "initial": 1.0},
    }
    target = AGENTS.find(agent).target
    record = bamdp.run(
        target(world.problem(), seed=1, **settings.get(agent, {})), world, steps=300, seed=1
    )
    assert record.terminated[-100:].sum() >= 20, record.episode_rewards
    assert set(record.states[1:][record.terminated[:-1]]) == {0}


@pytest.mark.parametrize("nodes", ["histories", "counts"])
def test_a_tree_is_not_kept_beyond_an_end(nodes: Any) -> None:
    agent = BAMCP(corridor(1).problem(), simulations=200, reuse_tree=True, nodes=nodes)
    agent.plan(0)
    agent.observe(0, 1, 1.0, 1)
    agent.end_episode()
    assert agent.plan(0).visits.sum() == 200
    agent.observe(0, 0, 0.0, 0)
    assert agent.plan(0).visits.sum() > 200  # but from step to step


def test_one_model_for_each_episode() -> None:
    """Posterior sampling as in Osband et al.: a new model where an episode ends or another run
    begins, and not before.
    """
    world = corridor(4)
    agent = BayesianDP(world.problem(), resample="episodes", seed=0)
    models = [agent.q_values(0).round(4).tolist()]  # the first one was drawn when it was made

    def is_new() -> bool:
        models.append(agent.q_values(0).round(4).tolist())
        return bool(models[-1] != models[-2])

    agent.end_episode()  # before any step
    assert not is_new()
    agent.observe(0, 0, 0.0, 0)
    assert not is_new()
    agent.end_episode()
    assert is_new()
    assert not is_new()
    for _ in range(2):
        bamdp.run(agent, world, steps=2)
        assert is_new() == (
            len(models) > 6
        )  # the first run has used the last model, without a step before
    agent.reset(0)
    assert agent.q_values(0).round(4).tolist() == models[0]


def test_a_second_run_is_another_episode() -> None:
    agent = Fixed(corridor(4), 1)
    for _ in range(2):
        bamdp.run(agent, corridor(4), steps=2)
    half = ["end", (0, 1, 0, 1, False), (1, 1, 0, 2, False)]
    assert agent.told == [*half, *half]


WITH_ENDS = [*LEARNERS, "epsilon-greedy", "softmax", "vpi", "ieql"]


@pytest.mark.parametrize("name", WITH_ENDS)
def test_no_step_leaves_a_terminal_state(name: str) -> None:
    world = corridor(2)
    agent = AGENTS.find(name).target(world.problem())
    for state in (2, np.int64(2)):
        with pytest.raises(
            ValueError, match="state must not be terminal, got the terminal state 2"
        ):
            agent.observe(state, 0, 0.0, 1)
    assert agent.steps_done == 0
    agent.observe(1, 0, 0.0, 2)
    with pytest.raises((TypeError, ValueError), match="state must be an integer"):
        agent.observe([2], 0, 0.0, 1)


def test_totals_over_several_episodes() -> None:
    world = corridor(4)
    assert optimal_total(world, 1000) == 250
    assert policy_rewards(world, [1] * 5, 1003) == 250
    assert policy_rewards(world, [0] * 5, 1000) == 0
    assert (
        bamdp.run(Oracle(world.problem(), world=world.mdp), world, steps=1003).total_reward == 250
    )
    at_random = policy_rewards(world, np.full((5, 2), 0.5), 400)
    assert at_random == pytest.approx(400 / 8, abs=1)
    totals = [
        bamdp.run(Random(world.problem(), seed=i), world, steps=400, seed=i).total_reward
        for i in range(50)
    ]
    # An episode takes 8 ± 2.83 steps: the mean of 50 totals has a standard error of about 0.35;
    # 5.73 of them, 1e-8.
    assert abs(np.mean(totals) - at_random) < 2


def test_arrays_of_terminal_states_don_t_matter() -> None:
    world = corridor(2)
    assert world.step(2, 1, np.random.default_rng(0)) == (2, 0.0)
    assert world.rewards[2].tolist() == np.zeros((2, 3)).tolist()
    check_domain(world)
    successors = np.array([[[1]], [[0]]])
    Tabular(MDP(np.ones((2, 1, 1)), [[0], [1]], successors=successors, terminal=[1]), 0.9)
    assert successors.tolist() == [[[1]], [[0]]]  # the caller's stay as they are


def test_end_run_keeps_the_record() -> None:
    def stop(steps: int, total: float) -> None:
        if steps == 7:
            raise loop.EndRun

    record = bamdp.run(bamdp.agents.Random(Chain().problem()), Chain(), steps=50, on_step=stop)
    assert len(record.rewards) == len(record.states) == 7


def test_an_agent_that_knows_no_ends_says_so() -> None:
    world = Tabular(
        MDP(Bandit().transitions, Bandit().rewards, terminal=[1]),
        0.9,
        prior=Bandit().problem().prior,
    )
    with pytest.raises(TypeError, match="terminal must be empty for Gittins"):
        Gittins(world.problem())


def test_a_record_shows_the_names_of_states_and_actions() -> None:
    pandas = pytest.importorskip("pandas")
    world = corridor()
    named = dataclasses.replace(
        world.problem(), states=("home", "a", "b", "c", "shop"), actions=("stay", "go")
    )
    record = bamdp.run(Fixed(world, 1), world, steps=4)
    assert record.to_pandas().states.tolist() == [0, 1, 2, 3]
    record = dataclasses.replace(record, problem=named)
    assert "final_state=shop" in repr(record)
    assert "<tr><th>go</th><td>4</td></tr>" in shown(record)
    table = record.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert table.states.tolist() == ["home", "a", "b", "c"]
    assert table.next_states.tolist() == ["a", "b", "c", "shop"]
    assert table.actions.tolist() == ["go"] * 4
    assert table.rewards.tolist() == [0, 0, 0, 1]
    assert bamdp.run(Random(named, seed=0), world, steps=1).action_name(1) == "go", (
        "those of the agent's problem"
    )


def test_beliefs_along_a_run() -> None:
    """One before the first step and one after each, none changed by a later step."""
    world = corridor(2)
    record = bamdp.run(BAMCP(world.problem(), simulations=5), world, steps=6, beliefs=True)
    assert record.beliefs is not None
    again = world.problem().belief()
    for t, belief in enumerate(record.beliefs):
        assert np.array_equal(belief.predictive(0, 1), again.predictive(0, 1))
        if t < 6:
            again.observe(*(column[t].item() for column in record.columns[:5]))
    assert len(record.beliefs) == 7
    assert bamdp.run(Random(world.problem()), world, steps=2).beliefs is None
    with pytest.raises(
        ValueError, match="beliefs must be False for QLearning, which has no belief"
    ):
        bamdp.run(QLearning(world.problem()), world, steps=2, beliefs=True)


# ---- an agent and a world that contradict each other

MOVES = [[[0.1, 0.9], [0.9, 0.1]], [[0.5, 0.5], [0.2, 0.8]]]
PAID = np.array([[0.0, 1.0], [2.0, 0.0]])
TWO = Tabular(MDP(MOVES, PAID), 0.95)
NOISY = Tabular(MDP(MOVES, PAID, outcomes=Outcomes(deviations=np.ones((2, 2)))), 0.95)
DIFFERENT: dict[str, tuple[Tabular, dict[str, Any]]] = {
    r"num_states: .* has 3, .* has 2": (TWO, {"rewards": np.zeros((3, 2))}),
    r"num_actions: .* has 1, .* has 2": (TWO, {"rewards": np.zeros((2, 1))}),
    r"discount: .* has 0\.2, .* has 0\.95": (TWO, {"discount": 0.2}),
    r"horizon: .* has 30, .* has None": (TWO, {"horizon": 30}),
    r"horizon: .* has 30, .* has 40": (Tabular(MDP(MOVES, PAID), 1.0, horizon=40), {"horizon": 30}),
    r"episode_length: .* has 4, .* has None": (
        Tabular(MDP(MOVES, PAID), 0.95, horizon=40),
        {"episode_length": 4, "start": 0},
    ),
    r"start: .* has 1, .* has 0": (
        Tabular(MDP(MOVES, PAID), 0.95, horizon=40, episode_length=4),
        {"start": 1},
    ),
    r"the terminal states: .* has \[1\], .* has \[\]": (TWO, {"terminal": [1]}),
    r"the terminal states: .* has \[\], .* has \[4\]": (corridor(), {"terminal": []}),
    r"the rewards of action 0 in state 1: .* has 5\.0, .* has 2\.0": (
        TWO,
        {"rewards": [[0, 1], [5, 0]]},
    ),
    r"the rewards of action 0 in state 1: .* has \[2\.0, 3\.0\], .* has \[2\.0\]": (
        TWO,
        {"rewards": [[[0, 0], [1, 1]], [[2, 3], [0, 0]]]},
    ),
    r"random_rewards: .* has False, .* has True": (NOISY, {"random_rewards": False}),
}


@pytest.mark.parametrize("words", DIFFERENT)
def test_an_agent_and_a_world_that_contradict_each_other(words: str) -> None:
    world, changes = DIFFERENT[words]
    agent = PosteriorMean(dataclasses.replace(world.problem(), **changes))
    advice = "" if words.startswith("num_") else ".*misspecified"  # sizes must agree in any case
    with pytest.raises(ValueError, match=rf"^agent and domain must agree on {words}{advice}"):
        bamdp.run(agent, world, steps=3)


@pytest.mark.parametrize("words", list(DIFFERENT)[2:])
def test_a_problem_that_is_wrong_on_purpose(words: str) -> None:
    world, changes = DIFFERENT[words]
    if changes.get("terminal"):
        return  # no agent acts in a state that it takes for terminal
    problem = dataclasses.replace(world.problem(), **changes, misspecified=True)
    assert len(bamdp.run(PosteriorMean(problem), world, steps=8).rewards) == 8


def test_what_is_no_contradiction() -> None:
    """Rows of terminal states, means, what the prior has, rewards that are learned or rounded."""
    rewards = corridor().rewards.copy()
    rewards[4] = 3
    pays = dataclasses.replace(corridor().problem(), rewards=rewards)
    sets = Finite([TWO.transitions], rewards=[PAID], terminal=[[]])
    ends = Finite([corridor().transitions], rewards=corridor().rewards[None], terminal=[[4]])
    zeros = np.zeros((2, 2))
    means = np.array([[3.6, 1.0], [2.0, 0.0]])  # 0.9 · 4, and so on
    by_next = Tabular(MDP(MOVES, [[[0, 4], [1, 1]], [[2, 2], [0, 0]]]), 0.95)
    for problem, world in (
        (corridor().problem(), corridor()),
        (pays, corridor()),
        (NOISY.problem(), NOISY),
        (dataclasses.replace(TWO.problem(), random_rewards=True), TWO),
        (bamdp.BAMDP(TWO.problem().prior, means, 0.95, random_rewards=True), by_next),
        (bamdp.BAMDP(sets, zeros, 0.95), TWO),
        (bamdp.BAMDP(ends, None, 0.9), corridor()),
        (dataclasses.replace(TWO.problem(), rewards=PAID * (1 + 1e-8)), TWO),
    ):
        bamdp.run(PosteriorMean(problem), world, steps=8)
    bamdp.run(QLearning(dataclasses.replace(TWO.problem(), rewards=zeros)), TWO, steps=8)
