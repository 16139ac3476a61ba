"""A problem small enough to be solved exactly: two Bernoulli arms with uniform priors.

The Gittins index (`bamdp.agents.Gittins`) is optimal. Discount 0.6; what comes after 20 steps is worth less than 1e-4.
"""

from __future__ import annotations

from bamdp.domains.bandit import Bandit
from bamdp.problems.problem import Problem


class TwoArms(Problem):
    """Two Bernoulli arms with uniform priors: small enough for the exact solution.

    Args:
        discount: discount factor, in [0, 1).

    Example:
        >>> TwoArms().world(seed=0).num_actions
        2
    """

    def __init__(self, *, discount: float = 0.6) -> None:
        super().__init__(Bandit([0.5, 0.5], discount), steps=20)
