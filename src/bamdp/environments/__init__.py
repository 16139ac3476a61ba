"""Domains and Bayes-adaptive MDPs as Gymnasium environments, for agents of other libraries.

`gymnasium.make` makes them by id (see `bamdp.environments.registration`); the classes accept your own domains, too.
"""

from bamdp.environments.bayes_adaptive_env import BayesAdaptiveEnv
from bamdp.environments.bayes_adaptive_vector_env import BayesAdaptiveVectorEnv
from bamdp.environments.domain_env import DomainEnv
from bamdp.environments.registration import register

register()

__all__ = ["BayesAdaptiveEnv", "BayesAdaptiveVectorEnv", "DomainEnv"]
