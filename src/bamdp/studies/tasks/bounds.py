"""BFS3's bounds at the start of a domain whose dynamics it knows, and the true value."""

from collections.abc import Mapping
from typing import Any

from bamdp.agents import BFS3
from bamdp.config.names import find
from bamdp.exact.known_mdp import q_values
from bamdp.priors import Dirichlet

KNOWN = 1e9  # pseudo-counts that leave no doubt


def perform(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """Least and greatest upper bound and greatest lower bound over the actions, and the true value of the best.

    Example:
        >>> found = perform({"domain": "grid2", "branching": 5, "depth": 3, "trajectories": 10}, seed=0, run=0)
        >>> found["least_upper"] >= found["value"] >= found["greatest_lower"]
        True
    """
    domain = find("domain", settings["domain"]).factory()
    search = {name: settings[name] for name in ("branching", "depth", "trajectories")}
    agent = BFS3(Dirichlet(KNOWN * domain.transitions), domain.rewards, domain.discount, seed=seed + run, **search)
    lower, upper = agent.bounds(0)
    values = q_values(domain.successors, domain.probabilities, domain.rewards, domain.discount)[0]
    return {
        "least_upper": float(upper.min()),
        "greatest_upper": float(upper.max()),
        "greatest_lower": float(lower.max()),
        "value": float(values.max()),
    }
