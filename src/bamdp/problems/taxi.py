"""Gymnasium's Taxi, from its tables, with the labels of the actions permuted in each state and run.

Agents are given the rewards and terminal states, not the transitions. Episodes start in a random state.
"""

from __future__ import annotations

from bamdp.domains.gymnasium import Gymnasium
from bamdp.problems.problem import Problem


class Taxi(Problem):
    """Gymnasium's Taxi: 500 states, six actions; fetch a passenger and drive; labels permuted.

    Args:
        discount: discount factor, in [0, 1).

    Example:
        >>> Taxi().steps
        3000
    """

    def __init__(self, *, discount: float = 0.95) -> None:
        super().__init__(Gymnasium("Taxi-v4", discount=discount), draw="permuted", steps=3000)
