"""Episodes of a fixed length in one world: agents plan across their ends."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp.agents import BAMCP, BAUCT, BFS3, BayesAdaptive, BayesianDP, IndexPolicy, Oracle, PosteriorMean, QLearning, Random
from bamdp.domains import Chain, InfiniteGrid, RandomMDP, Tabular
from bamdp.exact import bayes_optimal
from bamdp.priors import Dirichlet, Finite
from reference.index_twin import index_units
from reference.steps_left import q_by_steps

FAR = 0.05  # of 24 seeds the worst root value is off by 0.039


def test_a_run_has_episodes_of_one_length() -> None:
    domain = Chain(discount=1.0, deadline=12, episode_length=5)
    record = bamdp.run(Random(2), domain)
    assert record.truncated.nonzero()[0].tolist() == [4, 9]
    assert record.states[[0, 5, 10]].tolist() == [0, 0, 0]
    assert not record.terminated.any()


# ---- the solver, against a slow twin


@pytest.mark.parametrize("discount", [0.9, 1.0])
@pytest.mark.parametrize("start", [0, 3])
def test_the_mean_is_solved_across_episodes(start: int, discount: float) -> None:
    domain = Chain()
    settings: dict[str, Any] = {"deadline": 11, "episode_length": 4, "start": start}
    agent = PosteriorMean(Dirichlet(), domain.rewards, discount, **settings)
    agent.observe(0, 1, 2.0, 0)  # done = 1
    for done in range(1, 11):
        mean = np.array([[agent.belief.predictive(s, a) for a in range(2)] for s in range(5)])
        twin = q_by_steps(mean, domain.rewards, discount, 11, 4, start)[10 - done]
        for state in range(5):
            np.testing.assert_allclose(agent.q_values(state), twin[state], rtol=1e-12)
        agent.observe(done % 5, done % 2, 0.0, (done + 1) % 5)


def test_a_start_that_was_never_seen() -> None:
    S, rng = 600, np.random.default_rng(5)
    rewards = rng.normal(size=(S, 2))
    agent = PosteriorMean(Dirichlet(0.5), rewards, 1.0, deadline=6, episode_length=2, start=411)
    for state, next_state in ((0, 7), (7, 9), (7, 0)):
        agent.observe(state, 1, 0.0, next_state)
    mean = np.array([[agent.belief.predictive(s, a) for a in range(2)] for s in range(S)])
    one = rewards + 0.0
    two = rewards + (mean @ one.max(axis=1))  # an episode, from its start
    three = rewards + two.max(axis=1)[411]  # the last step of the one before
    for state in (0, 7, 100, 411):
        np.testing.assert_allclose(agent.q_values(state), three[state], rtol=1e-10)


def test_the_oracle_and_samples_of_the_world_agree_with_the_twin() -> None:
    world = Chain(discount=1.0, deadline=11, episode_length=4)
    twin = q_by_steps(world.transitions, world.rewards, 1.0, 11, 4)
    wrong = q_by_steps(world.transitions, world.rewards, 1.0, 11, 5)
    assert np.abs(twin[-1] - wrong[-1]).max() > 0.1  # the length matters
    for make in (Oracle, lambda world: BayesianDP.for_domain(world, Finite([world.transitions]))):
        agent: Any = make(world)
        for done in range(11):
            np.testing.assert_allclose(agent.q_values(2), twin[10 - done, 2], rtol=1e-12)
            agent.observe(2, 0, 0.0, 3)


@pytest.mark.parametrize("done", [0, 1])
@pytest.mark.parametrize("steps", [3, 4, 7, 8])
def test_what_is_learned_counts_for_the_episodes_that_still_start(steps: int, done: int) -> None:
    """A coin is tossed once in each episode of three steps, in its first state: the bonus by hand.

    What the toss now teaches can be used in the N later ones, and of one with k steps left in N (k - 1) / (steps - 1) of them.
    With ends one step late, or early, N is another number.
    """
    counts = np.zeros((3, 2, 3))
    counts[0, 0] = [0, 1, 1]  # the coin
    counts[0, 1, 1] = counts[1, :, 1] = counts[2, :, 2] = 1
    rewards = np.zeros((3, 2, 3))
    rewards[0, 0, 2] = 1
    agent = IndexPolicy(Dirichlet(counts), rewards, 1.0, deadline=steps + done, episode_length=3, start=0)
    for _ in range(done):
        agent.observe(0, 1, 0.0, 1)  # teaches nothing
    starts = np.arange(3 - done, steps, 3)
    left = steps - np.array([0, *starts])
    bonuses = index_units(len(starts) * (left - 1) / (steps - 1) / (2 + 2)) * np.sqrt(1 / 4 / (2 + 1))
    assert agent.q_values(0)[0] == pytest.approx((1 / 2 + bonuses).sum(), rel=1e-12)


# ---- searches, against the exact solution


def exact(problem: Any, discount: float, steps: int, length: int) -> float:
    prior, rewards = problem
    return bayes_optimal(prior, rewards, discount, 0, horizon=steps, restart=0, time_limit=length).value


MDP: Any = (Dirichlet(1.0), np.array([[0.0, 0.3], [1.0, 0.2]]))


@pytest.mark.parametrize(
    ("cls", "settings"),
    [
        (BAMCP, {"rollouts": "uniform"}),
        (BAMCP, {"rollouts": "posterior-mean"}),
        (BAMCP, {"rollouts": "learned", "sampling": "lazy"}),
        (BAMCP, {"rollouts": "uniform", "sampling": "full"}),
        (BAUCT, {"rollouts": "uniform", "sampling": "resampled"}),
    ],
)
def test_root_values_are_those_of_all_episodes(cls: Any, settings: dict[str, Any]) -> None:
    for steps, length in ((5, 2), (5, 3), (4, 1)):
        episodes = {"deadline": steps, "episode_length": length, "start": 0}
        agent = cls(*MDP, 1.0, simulations=50_000, exploration=2.0, **episodes, **settings)
        value = float(agent.plan(0).values.max())
        assert value == pytest.approx(exact(MDP, 1.0, steps, length), abs=FAR)
        assert abs(value - exact(MDP, 1.0, steps, steps)) > 2 * FAR  # one long episode would be another problem


def test_the_planner_plans_across_episodes() -> None:
    prior, rewards = MDP
    for steps, length in ((4, 2), (3, 1)):
        agent = BayesAdaptive(prior, rewards, 1.0, simulations=100_000, deadline=steps, episode_length=length, start=0)
        assert agent.plan(0).values.max() == pytest.approx(exact(MDP, 1.0, steps, length), abs=2 * FAR)


def test_a_search_in_the_middle_of_an_episode() -> None:
    """One step of two is done: what is left is one step and an episode of two."""
    prior, rewards = MDP
    agent = BAMCP(prior, rewards, 1.0, deadline=4, episode_length=2, start=0, simulations=50_000, exploration=2.0)
    agent.observe(0, 0, 0.0, 1)
    after = [copy.copy(agent.belief) for _ in range(4)]
    for belief, (action, next_state) in zip(after, np.ndindex(2, 2), strict=True):
        belief.observe(1, action, next_state)
    ahead = [bayes_optimal(belief, rewards, 1.0, 0, horizon=2).value for belief in after]
    chances = np.array([agent.belief.predictive(1, action) for action in range(2)])
    best = (rewards[1] + (chances * np.reshape(ahead, (2, 2))).sum(axis=1)).max()
    assert agent.plan(1).values.max() == pytest.approx(best, abs=FAR)


def test_a_kept_tree_crosses_the_end_of_an_episode() -> None:
    prior, rewards = MDP
    settings: dict[str, Any] = {"simulations": 40_000, "exploration": 2.0, "reuse_tree": True}
    agent = BAMCP(prior, rewards, 1.0, deadline=4, episode_length=1, start=0, **settings)
    agent.plan(0)
    agent.observe(0, 0, 0.0, 1)
    assert agent.plan(0).visits.sum() > 40_000  # with what was kept
    value = bayes_optimal(agent.belief, rewards, 1.0, 0, horizon=3, restart=0, time_limit=1).value
    assert agent.plan(0).values.max() == pytest.approx(value, abs=FAR)


def test_unknown_rewards_and_other_priors_go_on_from_the_start() -> None:
    world = RandomMDP(3, 2, discount=1.0, deadline=9, episode_length=3)
    tables = [RandomMDP(3, 2, seed=seed).transitions for seed in range(3)]
    priors: list[Any] = [
        Finite(tables),
        bamdp.priors.UnknownRewards(Dirichlet(), (0.0, 1.0)),
    ]
    for prior in priors:
        for cls in (BAMCP, BayesAdaptive):
            bamdp.run(cls.for_domain(world, prior, simulations=50), world)
    bamdp.run(IndexPolicy.for_domain(world, priors[0]), world)
    bamdp.run(IndexPolicy.for_domain(world), world)


# ---- saving, and errors


def test_the_place_in_an_episode_is_saved(tmp_path: Path) -> None:
    world = Chain(discount=1.0, deadline=12, episode_length=4)
    for cls in (PosteriorMean, Oracle, BAMCP):
        agent: Any = cls.for_domain(world)
        agent.observe(0, 0, 0.0, 1)
        agent.save(tmp_path / "agent")
        twins: tuple[Any, ...] = (copy.copy(agent), bamdp.load(tmp_path / "agent"))
        for twin in twins:
            assert (twin.steps_left, twin.episode_length, twin.start) == (11, 4, 0)
            if cls is not BAMCP:
                np.testing.assert_array_equal(twin.q_values(1), agent.q_values(1))


def test_what_does_not_go_together_is_a_sentence() -> None:
    table, rewards = np.full((2, 2, 2), 0.5), np.ones((2, 2))
    with pytest.raises(ValueError, match="episode_length goes with a deadline"):
        Tabular(table, rewards, 0.9, episode_length=3)
    with pytest.raises(ValueError, match="episode_length must be None where episodes end otherwise"):
        Tabular(table, rewards, 0.9, episode_length=3, deadline=9, terminal=[1])
    with pytest.raises(ValueError, match="episode_length must be None where episodes end otherwise"):
        Tabular(table, rewards, 0.9, episode_length=3, deadline=9, time_limit=4)
    with pytest.raises(ValueError, match="episode_length must be an integer"):
        Chain(episode_length=0, deadline=9)
    with pytest.raises(ValueError, match="start goes with episode_length"):
        PosteriorMean(Dirichlet(), rewards, 0.9, deadline=9, episode_length=3)
    with pytest.raises(ValueError, match="start must be an integer from 0 to 1"):
        BAMCP(Dirichlet(), rewards, 0.9, deadline=9, episode_length=3, start=2)
    with pytest.raises(ValueError, match='nodes must be "histories" with episode_length'):
        BAMCP(Dirichlet(), rewards, 0.9, deadline=9, episode_length=3, start=0, nodes="counts")
    with pytest.raises(TypeError, match="BFS3 has no setting `episode_length`"):
        BFS3.for_domain(Chain(deadline=9, episode_length=3))
    QLearning.for_domain(Chain(deadline=9, episode_length=3))  # plans nothing
    grid = InfiniteGrid(seed=1)
    agent = BAMCP(grid.prior(), grid.rewards, 0.9, deadline=9, episode_length=3, start=0)
    with pytest.raises(TypeError, match="episode_length must be None with this prior"):
        agent.act(0)


def test_a_run_starts_with_an_episode() -> None:
    world = Chain(deadline=12, episode_length=4)
    agent = PosteriorMean.for_domain(world)
    bamdp.run(agent, world, steps=3)
    with pytest.raises(ValueError, match="agent must be at the start of an episode"):
        bamdp.run(agent, world, steps=3)
