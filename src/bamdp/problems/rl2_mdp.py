"""The tabular MDPs of RL²: everything is unknown, and each world is visited for several short episodes.

    P(· | s, a) ~ Dirichlet(1, …, 1),   r ~ N(μ(s, a), 1),   μ(s, a) ~ N(1, 1)

10 states, 5 actions, start 0; episodes of 10 steps, 10 to 100 of them in the same world, no discount. Transitions and rewards
are independent for each state and action, and agents know neither.

Source: Duan et al., "RL²: Fast Reinforcement Learning via Slow Reinforcement Learning", 2016, arXiv 1611.02779.
"""

from __future__ import annotations

from bamdp._validation import integer
from bamdp.domains.random_mdp import RandomMDP
from bamdp.problems.problem import Problem

S, A = 10, 5
EPISODE = 10
MOST_EPISODES = 100


class RL2MDP(Problem):
    """The random MDPs of RL²: 10 states, 5 actions, unknown transitions and normal rewards, episodes of 10 steps.

    Args:
        episodes: number of episodes in the same world, at most 100.
        discount: discount factor, in [0, 1].

    Example:
        >>> problem = RL2MDP(episodes=25)
        >>> problem.steps, problem.problem.prior
        (250, UnknownRewards(Dirichlet(1.0), outcomes=Normal(mean=1, deviation=1, noise=1)))
    """

    def __init__(self, *, episodes: int = 10, discount: float = 1.0) -> None:
        horizon = EPISODE * integer("episodes", episodes, 1, MOST_EPISODES)
        drawn = RandomMDP(S, A, rows="flat", rewards="normal", discount=discount, horizon=horizon, episode_length=EPISODE)
        super().__init__(drawn)
