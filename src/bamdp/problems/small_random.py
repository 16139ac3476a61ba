"""A problem small enough to be solved exactly: two states, two actions, any transitions.

Each row is Dirichlet(1/2, 1/2); every step in state 1 pays 1. Discount 0.6, so that `bamdp regret random-mdp2 AGENT --discount
0.6` solves it; what comes after 20 steps is worth less than 1e-4.
"""

from __future__ import annotations

from bamdp.domains.random_mdp import RandomMDP
from bamdp.problems.problem import Problem


class SmallRandom(Problem):
    """Two states, two actions, Dirichlet rows: small enough for the exact solution.

    Args:
        discount: discount factor, in [0, 1).

    Example:
        >>> SmallRandom().problem.prior
        Dirichlet(1/S)
    """

    def __init__(self, *, discount: float = 0.6) -> None:
        super().__init__(RandomMDP(2, 2, discount=discount), steps=20)
