"""Domains and Bayes-adaptive MDPs as Gymnasium environments, for agents of other libraries.

`import bamdp` registers all domains of `bamdp.domains`, with episodes as long as runs on the
command line. An id is "bamdp/", the class and "-v0": `gymnasium.make("bamdp/Grid-v0", size=5)`. The
classes accept your own domains, too.
"""

import gymnasium

from bamdp.config import names
from bamdp.environments.bayes_adaptive_env import BayesAdaptiveEnv
from bamdp.environments.domain_env import DomainEnv

__all__ = ["BayesAdaptiveEnv", "DomainEnv"]

BAYES_ADAPTIVE = "bamdp/BayesAdaptive-v0"  # for any domain


def ids() -> dict[str, str]:
    """The ids of the domains that can be made by name, and those names.

    Example:
        >>> ids()["bamdp/Grid-v0"]
        'grid'
    """
    return {f"bamdp/{found.target.__name__}-v0": found.name for found in names.DOMAINS.find_all()}


def register() -> None:
    """Register the environments, once."""
    if BAYES_ADAPTIVE in gymnasium.registry:
        return
    gymnasium.register(BAYES_ADAPTIVE, "bamdp.environments:BayesAdaptiveEnv")
    for id, domain in ids().items():
        steps = names.DOMAINS.find(domain).target.steps
        gymnasium.register(
            id, "bamdp.environments:DomainEnv", max_episode_steps=steps, kwargs={"domain": domain}
        )


register()
