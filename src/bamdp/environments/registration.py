"""The environments registered by `import bamdp`: `gymnasium.make("bamdp/Grid-v0", size=5)`.

    id = "bamdp/" + class of the domain + "-v0"

All domains in `bamdp.domains` are registered. Episodes are as long as runs on the command line.
"""

from __future__ import annotations

import gymnasium

from bamdp.config import names

BAYES_ADAPTIVE = "bamdp/BayesAdaptive-v0"  # for any domain


def ids() -> dict[str, str]:
    """The ids of the domains that can be made by name, and those names.

    Example:
        >>> ids()["bamdp/Grid-v0"]
        'grid'
    """
    return {f"bamdp/{found.target.__name__}-v0": found.name for found in names.find_all("domain")}


def register() -> None:
    """Register the environments, once."""
    if BAYES_ADAPTIVE in gymnasium.registry:
        return
    gymnasium.register(
        BAYES_ADAPTIVE,
        "bamdp.environments:BayesAdaptiveEnv",
        vector_entry_point="bamdp.environments:BayesAdaptiveVectorEnv",
    )
    for id, domain in ids().items():
        steps = names.find("domain", domain).target.steps
        gymnasium.register(id, "bamdp.environments:DomainEnv", max_episode_steps=steps, kwargs={"domain": domain})
