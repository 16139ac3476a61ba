"""Eight Bernoulli arms with uniform priors, drawn from them; discount 0.99, 300 steps.

The size of Figure S2 of Guez, Silver, Dayan 2012, whose arms are fixed: seven at 0.6 and one at 0.9. The Gittins index
(`bamdp.agents.Gittins`) is optimal, but for the cut after 300 steps.
"""

from __future__ import annotations

from bamdp.domains.bandit import Bandit
from bamdp.problems.problem import Problem


class EightArms(Problem):
    """Eight Bernoulli arms drawn from uniform priors.

    Args:
        discount: discount factor, in [0, 1).

    Example:
        >>> EightArms().steps
        300
    """

    def __init__(self, *, discount: float = 0.99) -> None:
        super().__init__(Bandit(discount=discount))
