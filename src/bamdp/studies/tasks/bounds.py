"""BFS3's bounds at the start of a domain whose dynamics it knows, and the true value."""

from collections.abc import Mapping
from typing import Any

from bamdp.agents import BFS3
from bamdp.config.names import find
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
    plan = BFS3(domain.problem(Dirichlet(KNOWN * domain.transitions)), seed=seed + run, **search).plan(0)
    return {
        "least_upper": float(plan.q_upper.min()),
        "greatest_upper": float(plan.q_upper.max()),
        "greatest_lower": float(plan.q_lower.max()),
        "value": float(domain.mdp.solve(domain.discount).values[0]),
    }
