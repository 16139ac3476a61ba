"""Benchmarks from elsewhere: RiverSwim, GridNavi of VariBAD, random MDPs, those of RL² and small
ones, and Gymnasium's tables.

RiverSwim (Strehl, Littman 2008) has the probabilities of TabulaRL (Osband,
github.com/iosband/TabulaRL), in 100 episodes. Left in state 0 pays 0.005 and right in state 5 pays
1.

| from      | left, 0 | right, 1                           |
|-----------|---------|------------------------------------|
| 0         | 0       | 0.6 to 1, 0.4 stay                 |
| 1 … 4     | x − 1   | 0.35 to x + 1, 0.6 stay, 0.05 back |
| 5         | 4       | 0.6 stay, 0.4 back                 |

In the MDPs of RL² (Duan et al. 2016, arXiv 1611.02779) everything is unknown, independently for
each state and action, and each world is visited for 10 to 100 episodes of 10 steps:

    P(· | s, a) ~ Dirichlet(1, …, 1),   r ~ N(μ(s, a), 1),   μ(s, a) ~ N(1, 1)

Of Gymnasium's tables agents are given the rewards and terminal states, not the transitions; the
labels of the actions are permuted in each state and run. Episodes of Taxi start in a random state.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bamdp.domains.grid_navi import GridNavi
from bamdp.domains.gymnasium import Gymnasium
from bamdp.domains.random_mdp import RandomMDP
from bamdp.domains.tabular import Tabular
from bamdp.mdp import MDP
from bamdp.suite.benchmark import Benchmark, DomainBenchmark
from bamdp.validation import integer

S = 6
LEFT, RIGHT = range(2)
SWIM = 20  # steps of an episode of RiverSwim


class RiverSwim(Benchmark, name="riverswim"):
    """RiverSwim: 6 states, 2 actions, episodes of 20 steps; labels permuted.

    Args:
        discount: discount factor, in [0, 1).
        episodes: number of episodes.
    """

    def __init__(self, *, discount: float = 0.95, episodes: int = 100) -> None:
        transitions, rewards = np.zeros((S, 2, S)), np.zeros((S, 2))
        for x in range(S):
            transitions[x, LEFT, max(x - 1, 0)] = 1
        for x in range(1, S - 1):
            transitions[x, RIGHT, [x + 1, x, x - 1]] = [0.35, 0.6, 0.05]
        transitions[0, RIGHT, [1, 0]] = transitions[S - 1, RIGHT, [S - 1, S - 2]] = [0.6, 0.4]
        rewards[0, LEFT], rewards[S - 1, RIGHT] = 0.005, 1
        river = Tabular(MDP(transitions, rewards), discount, time_limit=SWIM)
        super().__init__(river, draw="permuted", steps=SWIM * episodes)


class GridNaviTask(Benchmark, name="grid-navi"):
    """GridNavi: find an unknown goal, and go back to it in three more episodes.

    Args:
        episodes: number of episodes of 15 steps in the same world.
        discount: discount factor, in [0, 1].
    """

    def __init__(self, *, episodes: int = 4, discount: float = 1.0) -> None:
        super().__init__(GridNavi(episodes=episodes, discount=discount))


class RL2MDP(Benchmark, name="rl2-mdp"):
    """The random MDPs of RL²: 10 states, 5 actions, unknown transitions and normal rewards,
    episodes of 10 steps.

    Args:
        episodes: number of episodes in the same world, at most 100.
        discount: discount factor, in [0, 1].
    """

    def __init__(self, *, episodes: int = 10, discount: float = 1.0) -> None:
        horizon = 10 * integer("episodes", episodes, 1, 100)
        super().__init__(
            RandomMDP(
                10,
                5,
                rows="flat",
                rewards="normal",
                discount=discount,
                horizon=horizon,
                episode_length=10,
            )
        )


class SmallRandom(
    DomainBenchmark, name="small-random", of=partial(RandomMDP, 2, 2), discount=0.6, steps=20
):
    """Two states, two actions, Dirichlet rows: small enough for the exact solution."""


class FrozenLake(
    DomainBenchmark,
    name="frozen-lake",
    of=partial(Gymnasium, "FrozenLake-v1"),
    draw="permuted",
    steps=1000,
):
    """Gymnasium's FrozenLake: 16 states, slippery, holes end the episode; labels permuted."""


class CliffWalking(
    DomainBenchmark,
    name="cliff-walking",
    of=partial(Gymnasium, "CliffWalking-v1"),
    draw="permuted",
    steps=500,
):
    """Gymnasium's CliffWalking: 48 states, a fall costs 100 and leads back to the start; labels
    permuted.
    """


class Taxi(
    DomainBenchmark, name="taxi", of=partial(Gymnasium, "Taxi-v4"), draw="permuted", steps=3000
):
    """Gymnasium's Taxi: 500 states, six actions; fetch a passenger and drive; labels permuted."""
