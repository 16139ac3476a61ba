"""Agents with a horizon: they count the steps left and plan for these, and no further."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bamdp
from bamdp import BAMDP, MDP
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
    Softmax,
)
from bamdp.domains import Bandit, Chain, Tabular
from bamdp.priors import Dirichlet, Finite, SparseDirichlet
from reference.arms import finite_index
from reference.bfs3 import bounds
from reference.policy_iteration import expected
from reference.problems import sized
from reference.steps_left import q_by_steps

NAMES = """BAMCP BAUCT BEB BFS3 BOSS IEQL SBOSS VPI BayesAdaptive BayesianDP EpsilonGreedy IndexPolicy Oracle PosteriorMean
QLearning Softmax"""
ALL: list[Any] = [getattr(bamdp.agents, name) for name in NAMES.split()]
FEW: dict[Any, dict[str, Any]] = {BAMCP: {"simulations": 20}, BAUCT: {"simulations": 20}, BayesAdaptive: {"simulations": 20}}


def made(cls: Any, domain: Tabular, **more: Any) -> bamdp.Agent:
    told = {"world": domain.mdp} if cls.uses_true_model else {}
    agent: bamdp.Agent = cls(domain.problem(), **FEW.get(cls, {}), **told, **more)
    return agent


# ---- counting


@pytest.mark.parametrize("cls", ALL)
def test_steps_learned_from_logs_are_not_among_those_left(cls: Any) -> None:
    """There may be more of them than steps until the horizon."""
    agent = made(cls, Chain(discount=1.0, horizon=2))
    agent.observe_many([0] * 5, [0] * 5, [0.0] * 5, [1, 1, 0, 1, 1])
    assert agent.steps_left == 2
    assert len(bamdp.run(agent, Chain(discount=1.0, horizon=2)).rewards) == 2


@pytest.mark.parametrize("cls", ALL)
def test_steps_left_are_counted_from_reset_on(cls: Any) -> None:
    domain = Chain(discount=1.0, horizon=7)
    agent = made(cls, domain)
    assert (agent.problem.horizon, agent.steps_left, domain.steps) == (7, 7, 7)
    agent.observe(0, agent.act(0), 0.0, 1)
    assert agent.steps_left == 6
    agent.reset(1)
    assert agent.steps_left == 7
    with pytest.raises(ValueError, match="seed"):
        agent.reset(-1)
    assert len(bamdp.run(agent, domain).rewards) == 7
    assert agent.steps_left == 0
    for call in (lambda: agent.act(0), lambda: agent.observe(0, 0, 0.0, 1)):
        with pytest.raises(ValueError, match="the horizon of 7 steps has passed"):
            call()
    assert agent.steps_left == 0
    with pytest.raises(AttributeError):
        agent.steps_left = 3  # type: ignore[misc]  # read-only


def test_a_rejected_step_is_not_counted() -> None:
    agent = made(PosteriorMean, Chain(horizon=7))
    with pytest.raises(ValueError, match="reward"):
        agent.observe(0, 0, np.inf, 1)
    assert agent.steps_left == 7


@pytest.mark.parametrize("cls", ALL)
def test_copies_and_files_keep_the_steps_left(cls: Any, tmp_path: Path) -> None:
    domain = Chain(discount=1.0, horizon=12)
    agent = made(cls, domain, seed=3)
    bamdp.run(agent, domain, steps=5, seed=1)
    agent.save(tmp_path / "agent")
    twins = [copy.copy(agent), bamdp.load(tmp_path / "agent")]
    rest = bamdp.run(agent, domain, steps=7, seed=2).actions.tolist()
    for twin in twins:
        assert twin.steps_left == 7
        assert bamdp.run(twin, domain, steps=7, seed=2).actions.tolist() == rest


def test_without_a_horizon_steps_are_counted_but_none_is_the_last() -> None:
    agent = made(PosteriorMean, Chain())
    bamdp.run(agent, Chain(), steps=30)
    assert (agent.steps_done, agent.steps_left) == (30, None)


# ---- plans until the horizon: against a slow twin


def after_some_steps(agent: bamdp.Agent, domain: Tabular, steps: int) -> None:
    rng, state = np.random.default_rng(0), 0
    for _ in range(steps):
        action = int(rng.integers(domain.num_actions))
        next_state, reward = domain.step(state, action, rng)
        agent.observe(state, action, reward, next_state)
        state = next_state


@pytest.mark.parametrize("discount", [0.0, 0.9, 1.0])
@pytest.mark.parametrize(
    ("cls", "prior"), [(PosteriorMean, Dirichlet()), (Softmax, SparseDirichlet()), (EpsilonGreedy, Dirichlet(2))]
)
def test_the_mean_is_solved_for_the_steps_left(cls: Any, prior: Any, discount: float) -> None:
    domain = Chain(discount=discount, horizon=12)
    agent = cls(domain.problem(prior))
    for done in range(12):
        mean = np.array([[agent.belief.predictive(s, a) for a in range(2)] for s in range(5)])
        twin = q_by_steps(mean, domain.rewards, discount, 12 - done)
        for state in range(5):
            np.testing.assert_allclose(agent.q_values(state), twin[-1, state], rtol=1e-12)
        agent.observe(done % 5, done % 2, 0.0, (done + 1) % 5)


def test_one_step_more_or_less_would_be_seen() -> None:
    """The planted bug: with another number of steps the twin of the test above has other values."""
    domain = Chain(discount=1.0, horizon=12)
    agent = PosteriorMean(domain.problem())
    mean = np.array([[agent.belief.predictive(s, a) for a in range(2)] for s in range(5)])
    twin = q_by_steps(mean, domain.rewards, 1.0, 13)
    off = np.abs(twin[10:, 0] - agent.q_values(0)).max(axis=1)  # with 11, 12 and 13 steps left
    assert off[1] < 1e-9 < 0.5 < min(off[0], off[2])


def test_states_never_seen_are_solved_together() -> None:
    """A large world, of which a few states are known: the others share one equation."""
    S = 600
    rng = np.random.default_rng(5)
    rewards = rng.normal(size=(S, 2))
    agent = PosteriorMean(BAMDP(Dirichlet(0.5), rewards, 1.0, horizon=6))
    for state, next_state in ((0, 7), (7, 9), (7, 0)):
        agent.observe(state, 1, 0.0, next_state)
    mean = np.array([[agent.belief.predictive(s, a) for a in range(2)] for s in range(S)])
    values = np.zeros(S)
    for _ in range(3):
        q = rewards + mean @ values
        values = q.max(axis=1)
    for state in (0, 7, 9, 100, 599):
        np.testing.assert_allclose(agent.q_values(state), q[state], rtol=1e-10)


def test_sampled_models_are_solved_for_the_steps_left() -> None:
    """With one world that is possible, a sample of it is the world."""
    world = Chain(discount=1.0, horizon=9)
    twin = q_by_steps(world.transitions, world.rewards, 1.0, 9)
    for cls in (BayesianDP, BOSS):
        agent: Any = cls(world.problem(Finite([world.transitions])))
        np.testing.assert_allclose(agent.q_values(2), twin[-1, 2], rtol=1e-12)
        after_some_steps(agent, world, 4)
        np.testing.assert_allclose(agent.q_values(2), twin[4, 2], rtol=1e-12)


def test_terminal_states_stay_at_zero() -> None:
    domain = Tabular(MDP([[[0.5, 0.5], [0.5, 0.5]], [[0.0, 1.0], [0.0, 1.0]]], [[1, 2], [9, 9]], terminal=[1]), 1.0, horizon=5)
    agent = PosteriorMean(domain.problem(Finite([domain.transitions])))
    np.testing.assert_allclose(agent.q_values(0), [1 + (1 + 0.5 + 0.25 + 0.125), 2 + (1 + 0.5 + 0.25 + 0.125)])


def test_the_bonus_of_the_index_policy_ends_with_the_run() -> None:
    """With one step left there is nothing to learn for: the values are those of the mean."""
    for prior in (Dirichlet(1.0), Finite([Chain().transitions, Chain(slip=0.7).transitions])):
        short, long = (IndexPolicy(Chain(discount=1.0, horizon=n).problem(prior)) for n in (1, 20))
        mean, later = (PosteriorMean(Chain(discount=1.0, horizon=n).problem(prior)) for n in (1, 20))
        np.testing.assert_allclose(short.q_values(0), mean.q_values(0), rtol=1e-12)
        assert (long.q_values(0) > later.q_values(0) + 0.1).all()


def test_the_index_policy_learns_only_where_it_can_use_it() -> None:
    """An arm known to pay 0.6 and one that nobody has tried: worth a try with many steps left."""
    rewards = np.broadcast_to(np.array([[0.0, 1.0], [0.0, 0.6]]), (2, 2, 2))
    prior = bamdp.priors.BetaArms(successes=[1, 1], failures=[1, 0])
    for cls in (IndexPolicy, BayesAdaptive):
        for horizon, arm in ((1, 1), (2, 1), (40, 0)):
            agent = cls(BAMDP(prior, rewards, 1.0, horizon=horizon))
            assert agent.act(0) == arm, (cls, horizon)


# ---- the oracle


@pytest.mark.parametrize("discount", [0.9, 1.0])
def test_the_oracle_earns_the_optimum_of_a_finite_run(discount: float) -> None:
    """The expected return of its policy, stage by stage, is the optimum by the slow twin."""
    domain = Chain(discount=discount, horizon=9)
    twin = q_by_steps(domain.transitions, domain.rewards, discount, 9)
    means = expected(domain.transitions, domain.rewards)
    reached = [np.eye(5)[0]]  # probability of each state after each step
    agent, value = Oracle(domain.problem(), world=domain.mdp), 0.0
    policies = []
    for done in range(9):
        policies.append([agent.act(state) for state in range(5)])
        np.testing.assert_allclose(agent.q_values(3), twin[8 - done, 3], rtol=1e-12)
        agent.observe(0, 0, 0.0, 0)
    for done, policy in enumerate(policies):
        rows = np.array([domain.transitions[s, policy[s]] for s in range(5)])
        value += discount**done * float(reached[-1] @ means[np.arange(5), policy])
        reached.append(reached[-1] @ rows)
    assert value == pytest.approx(twin[-1, 0].max(), rel=1e-12)
    stationary = domain.mdp.solve(0.9).policy
    assert policies[-1] != stationary.tolist()  # in the last step it goes back for 2


def test_the_oracle_in_a_world_that_ends() -> None:
    """Without a horizon and a discount, where every policy ends: 3 + 2 + 1 tries, each ends with probability 1/2."""
    domain = Tabular(MDP([[[0.5, 0.5], [0.5, 0.5]], [[0.0, 1.0], [0.0, 1.0]]], [[1, 2], [0, 0]], terminal=[1]), 1.0)
    assert domain.horizon is None
    np.testing.assert_allclose(Oracle(domain.problem(), world=domain.mdp).q_values(0), [1 + 2, 2 + 2])
    assert domain.mdp.values_by_steps(1.0, None).shape == (1, 2)
    twin = copy.copy(Oracle(domain.problem(), world=domain.mdp))
    assert twin.act(0) == 1


# ---- BFS3


def test_bfs3_looks_no_further_than_the_horizon() -> None:
    """Two arms, one of which always pays: what is left is what it earns, within the bounds, for any depth of the search."""
    domain = Bandit([1.0, 0.0], discount=1.0, horizon=4)
    known = bamdp.priors.BetaArms(successes=[1, 0], failures=[0, 1])
    for tree in ("shared", "separate"):
        agent: BFS3 = BFS3(domain.problem(known), tree=tree, depth=10, trajectories=200, branching=2)
        for left in (4, 3, 2, 1):
            assert agent.steps_left == left
            lower, upper = bounds(agent, 0)
            assert (lower[0], upper[0]) == (left, left)
            assert upper[1] == left - 1
            agent.observe(0, 0, 1.0, 1)
    shallow: BFS3 = BFS3(domain.problem(known), tree="shared", depth=2, trajectories=200, branching=2)
    assert bounds(shallow, 0)[1][0] == 2 + 4  # open leaves, with the bound of all steps left


# ---- errors


def test_no_discount_and_no_horizon_is_a_sentence() -> None:
    ends = sized(2, 2, 1.0, terminal=[1])
    for cls in (PosteriorMean, BAMCP, BayesAdaptive, BFS3, IEQL, IndexPolicy):
        with pytest.raises(ValueError, match=rf"discount must be below 1 for {cls.__name__}.* must have a horizon"):
            cls(ends)
    assert BAMCP(ends, depth=10).act(0) in (0, 1)


def test_runs_longer_than_the_horizon_are_a_sentence() -> None:
    domain = Chain(horizon=7)
    agent = made(PosteriorMean, domain)
    with pytest.raises(ValueError, match="steps must be at most 7, the horizon of"):
        bamdp.run(agent, domain, steps=8)
    bamdp.run(agent, domain, steps=3)
    with pytest.raises(ValueError, match=r"steps must be at most those that the agent has left until its horizon, 4, got 7"):
        bamdp.run(agent, domain)
    with pytest.raises(ValueError, match="steps must be at most 7"):
        bamdp.compare(domain, [PosteriorMean], steps=8, worlds=2)


@pytest.mark.parametrize("discount", [0.9, 1.0])
def test_gittins_has_the_index_of_the_steps_left(discount: float) -> None:
    domain = Bandit([0.3, 0.6], discount, payoffs=[1, 2], horizon=9)
    agent = Gittins(domain.problem(bamdp.priors.BetaArms([1, 2], [1, 1])))
    for left in (9, 8, 7):
        counts = [(1, 1), (2, 1 + 9 - left)]  # of successes and failures
        twin = [pays * finite_index(*n, left, discount) for pays, n in zip((1, 2), counts, strict=True)]
        assert agent.q_values(0) == pytest.approx(twin, abs=2e-6)
        agent.observe(0, 1, 0.0, 0)
