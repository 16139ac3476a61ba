"""The environments that Gymnasium knows after `import bamdp`: `gymnasium.make("bamdp/Grid-v0", size=5)`.

    id = "bamdp/" + class of the domain + "-v0"

A domain is found by being in `bamdp.domains`. An episode has as many steps as a run on the command line.
"""

from __future__ import annotations

import gymnasium

from bamdp.config import names

BAYES_ADAPTIVE = "bamdp/BayesAdaptive-v0"  # of any domain


def ids() -> dict[str, str]:
    """The ids of the domains that can be made by name alone, each with that name.

    Example:
        >>> ids()["bamdp/Grid-v0"]
        'grid'
    """
    return {f"bamdp/{found.target.__name__}-v0": found.name for found in names.find_all("domain")}


def register() -> None:
    """Register the environments, if they aren't."""
    if BAYES_ADAPTIVE in gymnasium.registry:
        return
    gymnasium.register(BAYES_ADAPTIVE, "bamdp.environments:BayesAdaptiveEnv")
    for id, domain in ids().items():
        steps = names.find("domain", domain).target.steps
        gymnasium.register(id, "bamdp.environments:DomainEnv", max_episode_steps=steps, kwargs={"domain": domain})
