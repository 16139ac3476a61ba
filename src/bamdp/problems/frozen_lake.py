"""Gymnasium's slippery FrozenLake, from its tables, with the labels of the actions permuted in each state and run.

Agents are given the rewards and terminal states, not the transitions.
"""

from __future__ import annotations

from bamdp.domains.gymnasium import Gymnasium
from bamdp.problems.problem import Problem


class FrozenLake(Problem):
    """Gymnasium's FrozenLake: 16 states, slippery, holes end the episode; labels permuted.

    Args:
        discount: discount factor, in [0, 1).

    Example:
        >>> FrozenLake().steps
        1000
    """

    def __init__(self, *, discount: float = 0.95) -> None:
        super().__init__(Gymnasium("FrozenLake-v1", discount=discount), draw="permuted", steps=1000)
