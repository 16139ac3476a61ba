"""How often BAMCP decides as the Gittins index does, between an arm of Beta(alpha, beta) and a sure reward."""

from collections.abc import Mapping
from typing import Any

from bamdp.agents import BAMCP
from bamdp.domains import Bandit
from bamdp.exact import gittins_index
from bamdp.priors import BetaArms


def perform(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """The share of right decisions among `runs` of them.

    Example:
        >>> cell = {"alpha": 9, "beta": 1, "sure_reward": 0.5, "discount": 0.95}
        >>> perform({**cell, "runs": 5, "simulations": 100}, seed=0, run=0)
        {'correct': 1.0}
    """
    search = dict(settings)
    alpha, beta, discount, sure, runs = (search.pop(name) for name in ("alpha", "beta", "discount", "sure_reward", "runs"))
    problem = Bandit([0.5, 1.0], discount, payoffs=[1, sure]).problem(BetaArms([alpha, 1], [beta, 0]))
    first = seed + runs * run
    agents = (BAMCP(problem, seed=first + i, **search) for i in range(runs))
    right = best(alpha, beta, discount, sure)
    return {"correct": sum(agent.act(0) == right for agent in agents) / runs}


def best(alpha: float, beta: float, discount: float, sure_reward: float) -> int:
    """The Bayes-optimal arm: 0, the unknown one, or 1, the sure one."""
    return 0 if gittins_index(alpha, beta, discount, 1e-8) > sure_reward else 1
