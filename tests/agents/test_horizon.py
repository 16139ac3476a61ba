"""Agents with a horizon, in one episode or several: they count the steps left and plan for these,
and no further.
"""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import BAMDP, MDP
from bamdp.agent import steps_left
from bamdp.agents import (
    BAMCP,
    BAUCT,
    BFS3,
    BOSS,
    IEQL,
    BayesAdaptive,
    BayesianDP,
    EpsilonGreedy,
    Gittins,
    IndexPolicy,
    Oracle,
    PosteriorMean,
    QLearning,
    Random,
    Softmax,
)
from bamdp.domains import Bandit, Chain, InfiniteGrid, Tabular
from bamdp.priors import BetaArms, Dirichlet, Finite, SparseDirichlet
from reference.arms import finite_index
from reference.bfs3 import bounds
from reference.index_twin import index_units
from reference.problems import sized
from reference.steps_left import q_by_steps

NAMES = """BAMCP BAUCT BEB BFS3 BOSS IEQL SBOSS VPI BayesAdaptive BayesianDP EpsilonGreedy
IndexPolicy Oracle PosteriorMean QLearning Softmax"""
FEW: dict[Any, dict[str, Any]] = {
    BAMCP: {"simulations": 20},
    BAUCT: {"simulations": 20},
    BayesAdaptive: {"simulations": 20},
}
EPISODES: list[dict[str, Any]] = [
    {},
    {"episode_length": 4, "start": 0},
    {"episode_length": 4, "start": 3},
]


def made(cls: Any, domain: Tabular, **more: Any) -> bamdp.Agent:
    told = {"world": domain.mdp} if cls.uses_true_model else {}
    agent: bamdp.Agent = cls(domain.problem(), **FEW.get(cls, {}), **told, **more)
    return agent


@pytest.mark.parametrize("name", NAMES.split())
def test_steps_left(name: str, tmp_path: Path) -> None:
    """Counted from reset on, but not those from logs, of which there may be more, and kept by
    copies and files.
    """
    domain = Chain(discount=1.0, horizon=7, episode_length=None if name == "BFS3" else 4)
    agent = made(getattr(bamdp.agents, name), domain, seed=3)
    agent.observe_many([0] * 9, [0] * 9, [0.0, 0.0, 2.0] * 3, [1, 1, 0] * 3)
    with pytest.raises(ValueError, match="reward"):
        agent.observe(0, 0, np.inf, 1)
    assert (agent.problem.horizon, steps_left(agent), domain.steps) == (7, 7, 7)
    action = agent.act(0)
    agent.observe(0, action, float(domain.rewards[0, action, 1]), 1)
    assert steps_left(agent) == 6
    with pytest.raises(ValueError, match="seed"):
        agent.reset(-1)
    assert steps_left(agent) == 6
    agent.reset(1)
    bamdp.run(agent, domain, steps=4, seed=1)
    agent.save(tmp_path / "agent")
    twins = [copy.copy(agent), bamdp.load(tmp_path / "agent")]
    rest = bamdp.run(agent, domain, steps=3, seed=2).actions.tolist()
    for twin in twins:
        assert steps_left(twin) == 3
        assert bamdp.run(twin, domain, steps=3, seed=2).actions.tolist() == rest
    for call in (lambda: agent.act(0), lambda: agent.observe(0, 0, 0.0, 1)):
        with pytest.raises(ValueError, match="the horizon of 7 steps has passed"):
            call()
    assert steps_left(agent) == 0


def test_without_a_horizon_steps_are_counted_but_none_is_the_last() -> None:
    agent = made(PosteriorMean, Chain())
    bamdp.run(agent, Chain(), steps=30)
    assert (agent.steps_done, steps_left(agent)) == (30, None)


def test_a_run_has_episodes_of_one_length() -> None:
    domain = Chain(discount=1.0, horizon=12, episode_length=5)
    agent = Random(domain.problem())
    record = bamdp.run(agent, domain)
    assert record.truncated.nonzero()[0].tolist() == [4, 9]
    assert record.states[[0, 5, 10]].tolist() == [0, 0, 0]
    assert not record.terminated.any()
    agent.reset(0)
    bamdp.run(agent, domain, steps=3)
    with pytest.raises(ValueError, match="agent must be at the start of an episode"):
        bamdp.run(agent, domain, steps=3)


# ---- models are solved for the steps left: against a slow twin


@pytest.mark.parametrize("episodes", EPISODES, ids=str)
@pytest.mark.parametrize("discount", [0.0, 0.9, 1.0])
@pytest.mark.parametrize(
    ("cls", "prior"),
    [(PosteriorMean, Dirichlet()), (Softmax, SparseDirichlet()), (EpsilonGreedy, Dirichlet(2))],
)
def test_the_mean_is_solved(
    cls: Any, prior: Any, discount: float, episodes: dict[str, Any]
) -> None:
    rewards = Chain().rewards
    agent = cls(BAMDP(prior, rewards, discount, horizon=12, **episodes))
    for done in range(12):
        twin = q_by_steps(agent.belief.mean().transitions, rewards, discount, 12, **episodes)[
            11 - done
        ]
        for state in range(5):
            np.testing.assert_allclose(agent.q_values(state), twin[state], rtol=1e-12)
        step = done % 5, done % 2, (done + 1) % 5
        agent.observe(*step[:2], float(rewards[step]), step[2])


@pytest.mark.parametrize("episodes", [{}, {"episode_length": 2, "start": 411}], ids=str)
def test_states_never_seen_are_solved_together(episodes: dict[str, Any]) -> None:
    """A large world, of which a few states are known, not those where episodes start: the others
    share one equation.
    """
    rewards = np.random.default_rng(5).normal(size=(600, 2))
    agent = PosteriorMean(BAMDP(Dirichlet(0.5), rewards, 1.0, horizon=6, **episodes))
    for state, next_state in ((0, 7), (7, 9), (7, 0)):
        agent.observe(state, 1, float(rewards[state, 1]), next_state)
    twin = q_by_steps(agent.belief.mean().transitions, rewards, 1.0, 6, **episodes)[2]
    for state in (0, 7, 9, 100, 411, 599):
        np.testing.assert_allclose(agent.q_values(state), twin[state], rtol=1e-10)


@pytest.mark.parametrize("length", [None, 4])
@pytest.mark.parametrize("discount", [0.9, 1.0])
def test_known_worlds_are_solved(discount: float, length: int | None) -> None:
    """By the oracle, and where one world alone is possible, so that a sample is the world."""
    world = Chain(discount=discount, horizon=9, episode_length=length)
    twin = q_by_steps(world.transitions, world.rewards, discount, 9, length)
    only = world.problem(Finite([world.transitions]))
    for agent in (Oracle(world.problem(), world=world.mdp), BayesianDP(only), BOSS(only)):
        for done in range(9):
            np.testing.assert_allclose(agent.q_values(2), twin[8 - done, 2], rtol=1e-12)
            agent.observe(2, 0, 0.0, 3)


def test_terminal_states_stay_at_zero() -> None:
    domain = Tabular(
        MDP([[[0.5, 0.5], [0.5, 0.5]], [[0.0, 1.0], [0.0, 1.0]]], [[1, 2], [9, 9]], terminal=[1]),
        1.0,
        horizon=5,
    )
    agent = PosteriorMean(domain.problem(Finite([domain.transitions])))
    np.testing.assert_allclose(
        agent.q_values(0), [1 + (1 + 0.5 + 0.25 + 0.125), 2 + (1 + 0.5 + 0.25 + 0.125)]
    )


# ---- what is learned is worth something while steps are left


def test_the_bonus_of_the_index_policy_ends_with_the_run() -> None:
    """With one step left there is nothing to learn for: the values are those of the mean."""
    for prior in (Dirichlet(1.0), Finite([Chain().transitions, Chain(slip=0.7).transitions])):
        short, long = (IndexPolicy(Chain(discount=1.0, horizon=n).problem(prior)) for n in (1, 20))
        mean, later = (
            PosteriorMean(Chain(discount=1.0, horizon=n).problem(prior)) for n in (1, 20)
        )
        np.testing.assert_allclose(short.q_values(0), mean.q_values(0), rtol=1e-12)
        assert (long.q_values(0) > later.q_values(0) + 0.1).all()


def test_the_index_policy_learns_only_where_it_can_use_it() -> None:
    """An arm known to pay 0.6 and one that nobody has tried: worth a try with many steps left."""
    rewards = np.broadcast_to(np.array([[0.0, 1.0], [0.0, 0.6]]), (2, 2, 2))
    prior = BetaArms(successes=[1, 1], failures=[1, 0])
    for cls in (IndexPolicy, BayesAdaptive):
        for horizon, arm in ((1, 1), (2, 1), (40, 0)):
            agent = cls(BAMDP(prior, rewards, 1.0, horizon=horizon))
            assert agent.act(0) == arm, (cls, horizon)


@pytest.mark.parametrize("done", [0, 1])
@pytest.mark.parametrize("steps", [3, 4, 7, 8])
def test_what_is_learned_counts_for_the_episodes_that_still_start(steps: int, done: int) -> None:
    """A coin is tossed once in each episode of three steps, in its first state: the bonus by hand.

    What the toss now teaches can be used in the N later ones, and of one with k steps left in N (k
    - 1) / (steps - 1) of them. With ends one step late, or early, N is another number.
    """
    counts = np.zeros((3, 2, 3))
    counts[0, 0] = [0, 1, 1]  # the coin
    counts[0, 1, 1] = counts[1, :, 1] = counts[2, :, 2] = 1
    rewards = np.zeros((3, 2, 3))
    rewards[0, 0, 2] = 1
    agent = IndexPolicy(
        BAMDP(Dirichlet(counts), rewards, 1.0, horizon=steps + done, episode_length=3, start=0)
    )
    for _ in range(done):
        agent.observe(0, 1, 0.0, 1)  # teaches nothing
    starts = np.arange(3 - done, steps, 3)
    left = steps - np.array([0, *starts])
    bonuses = index_units(len(starts) * (left - 1) / (steps - 1) / (2 + 2)) * np.sqrt(
        1 / 4 / (2 + 1)
    )
    assert agent.q_values(0)[0] == pytest.approx((1 / 2 + bonuses).sum(), rel=1e-12)


@pytest.mark.parametrize("discount", [0.9, 1.0])
def test_gittins_has_the_index_of_the_steps_left(discount: float) -> None:
    domain = Bandit([0.3, 0.6], discount, payoffs=[1, 2], horizon=9)
    agent = Gittins(domain.problem(BetaArms([1, 2], [1, 1])))
    for left in (9, 8, 7):
        counts = [(1, 1), (2, 1 + 9 - left)]  # of successes and failures
        twin = [
            pays * finite_index(*n, left, discount) for pays, n in zip((1, 2), counts, strict=True)
        ]
        assert agent.q_values(0) == pytest.approx(twin, abs=2e-6)
        agent.observe(0, 1, 0.0, 0)


def test_bfs3_looks_no_further_than_the_horizon() -> None:
    """Two arms, one of which always pays: what is left is what it earns, within the bounds, for any
    depth of the search.
    """
    domain = Bandit([1.0, 0.0], discount=1.0, horizon=4)
    known = BetaArms(successes=[1, 0], failures=[0, 1])
    for tree in ("shared", "separate"):
        agent: BFS3 = BFS3(
            domain.problem(known), tree=tree, depth=10, trajectories=200, branching=2
        )
        for left in (4, 3, 2, 1):
            lower, upper = bounds(agent, 0)
            assert (lower[0], upper[0]) == (left, left)
            assert upper[1] == left - 1
            agent.observe(0, 0, 1.0, 1)
    shallow: BFS3 = BFS3(
        domain.problem(known), tree="shared", depth=2, trajectories=200, branching=2
    )
    assert bounds(shallow, 0)[1][0] == 2 + 4  # open leaves, with the bound of all steps left


# ---- what does not go together


def test_no_discount_and_no_horizon_is_a_sentence() -> None:
    ends = sized(2, 2, 1.0, terminal=[1])
    for cls in (PosteriorMean, BAMCP, BayesAdaptive, BFS3, IEQL, IndexPolicy):
        with pytest.raises(
            ValueError, match=rf"discount must be below 1 for {cls.__name__}.* must have a horizon"
        ):
            cls(ends)
    assert BAMCP(ends, depth=10).act(0) in (0, 1)


def test_runs_longer_than_the_horizon_are_a_sentence() -> None:
    domain = Chain(horizon=7)
    agent = made(PosteriorMean, domain)
    with pytest.raises(ValueError, match="steps must be at most 7, the horizon of"):
        bamdp.run(agent, domain, steps=8)
    bamdp.run(agent, domain, steps=3)
    with pytest.raises(
        ValueError,
        match=r"steps must be at most those that the agent has left until its horizon, 4, got 7",
    ):
        bamdp.run(agent, domain)
    with pytest.raises(ValueError, match="steps must be at most 7"):
        bamdp.compare(domain, [PosteriorMean], steps=8, worlds=2)


def test_agents_that_take_no_episodes_say_so() -> None:
    problem = sized(2, 2, 1.0, horizon=9, episode_length=3, start=0)
    with pytest.raises(ValueError, match='nodes must be "histories" with episode_length'):
        BAMCP(problem, nodes="counts")
    with pytest.raises(TypeError, match="episode_length must be None for BFS3"):
        BFS3(problem)
    QLearning(problem)  # plans nothing
    grid = InfiniteGrid(seed=1)
    agent = BAMCP(
        BAMDP(grid.problem().prior, grid.rewards, 0.9, horizon=9, episode_length=3, start=0)
    )
    with pytest.raises(TypeError, match="episode_length must be None with this prior"):
        agent.act(0)
