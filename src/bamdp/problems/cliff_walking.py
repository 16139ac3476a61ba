"""Gymnasium's CliffWalking, from its tables, with the labels of the actions permuted in each state and run.

Agents are given the rewards and terminal states, not the transitions.
"""

from __future__ import annotations

from bamdp.domains.gymnasium import Gymnasium
from bamdp.problems.problem import Problem


class CliffWalking(Problem):
    """Gymnasium's CliffWalking: 48 states, a fall costs 100 and leads back to the start; labels permuted.

    Args:
        discount: discount factor, in [0, 1).

    Example:
        >>> CliffWalking().steps
        500
    """

    def __init__(self, *, discount: float = 0.95) -> None:
        super().__init__(Gymnasium("CliffWalking-v1", discount=discount), draw="permuted", steps=500)
