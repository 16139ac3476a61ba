"""RL²'s tabular MDPs: the distribution of their worlds, and which agents act in them."""

import copy
from typing import Any

import numpy as np
import pytest
from scipy import stats

import bamdp
from bamdp.comparing.candidates import make_candidate
from bamdp.config.names import AGENTS
from bamdp.config.spec import parse_spec
from bamdp.domains import Tabular
from bamdp.priors import Dirichlet, UnknownRewards
from bamdp.suite import RL2MDP
from reference.comparison import FALSE_ALARM

SEARCHES = ("bamcp", "ba-uct", "bayes-adaptive")
OTHERS = ("bfs3", "gittins")  # with a sentence
LEARNERS = [entry.name for entry in AGENTS.find_all() if entry.name not in OTHERS]


def agent(name: str, world: Any, seed: int = 0) -> bamdp.Agent:
    budget = ":simulations=20" if name in SEARCHES else ""
    return make_candidate(parse_spec(AGENTS, name + budget), world, RL2MDP().problem.prior, seed)


def test_worlds_are_those_of_the_paper() -> None:
    """Flat rows: each probability is Beta(1, 9); means N(1, 1); noise 1. 60 worlds of 50 pairs,
    Kolmogorov–Smirnov.
    """
    worlds = [RL2MDP().world(seed) for seed in range(60)]
    assert all(isinstance(world, Tabular) for world in worlds)
    first = np.concatenate([world.transitions[:, :, 3].ravel() for world in worlds])  # type: ignore[attr-defined]
    means = np.concatenate([world.rewards.ravel() for world in worlds])
    assert stats.kstest(first, stats.beta(1, 9).cdf).pvalue > FALSE_ALARM
    assert stats.kstest(means, stats.norm(1, 1).cdf).pvalue > FALSE_ALARM
    world = copy.copy(worlds[0])
    rng = np.random.default_rng(0)
    noise = [world.step(2, 3, rng)[1] - world.rewards[2, 3] for _ in range(3000)]
    assert stats.kstest(noise, stats.norm().cdf).pvalue > FALSE_ALARM


def test_sizes_and_episodes() -> None:
    problem = RL2MDP()
    domain = problem.domain
    assert (domain.num_states, domain.num_actions, domain.time_limit, problem.steps) == (
        10,
        5,
        10,
        100,
    )
    assert problem.problem.episode_length == 10
    assert RL2MDP(episodes=100).domain.horizon == 1000
    record = bamdp.run(agent("posterior-mean", problem.world(0)), problem.world(0))
    assert len(record.episode_rewards) == 10
    assert set(record.states[::10]) == {0}
    assert isinstance(problem.problem.prior, UnknownRewards)
    assert isinstance(problem.problem.prior.transitions, Dirichlet)


@pytest.mark.parametrize("name", LEARNERS)
def test_agents_act_in_it_and_are_not_told_the_rewards(name: str) -> None:
    """The same run if the table of rewards that the agent is given is another."""
    problem = RL2MDP(episodes=2)
    world = problem.world(3)
    blind = copy.copy(world)
    blind.rewards = np.full_like(world.rewards, 7.0)
    told, untold = (bamdp.run(agent(name, given), world, seed=1) for given in (world, blind))
    assert len(told.rewards) == 20
    assert np.array_equal(told.actions, untold.actions)


@pytest.mark.parametrize("name", OTHERS)
def test_others_say_why_not(name: str) -> None:
    with pytest.raises(
        TypeError, match=r"episode_length must be None for BFS3|Gittins is for bandits only"
    ):
        agent(name, RL2MDP().world(0))
