"""Returns of searches of one simulation under a uniform roll-out policy: a sample of the histories that a scheme simulates."""

from collections.abc import Mapping
from typing import Any

from bamdp.config.names import find


def perform(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """The return of each of `draws` searches, and their mean.

    Example:
        >>> settings = {"domain": "double-loop", "agent": "bamcp", "sampling": "lazy", "agent_seed": 0, "draws": 3}
        >>> len(perform(settings, seed=0, run=0)["returns"])
        3
    """
    domain = find("domain", settings["domain"]).factory()
    agent = find("agent", settings["agent"]).target(
        domain.problem(), simulations=1, rollouts="uniform", sampling=settings["sampling"], seed=seed + settings["agent_seed"]
    )
    returns = [round(float(agent.plan(0).value), 9) for _ in range(settings["draws"])]
    return {"mean_return": sum(returns) / len(returns), "returns": returns}
