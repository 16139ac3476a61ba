"""Worlds and beliefs of bamdp as Gymnasium environments, for who brings an agent from elsewhere.

`gymnasium.make` makes them by their ids (see `bamdp.environments.registration`); the classes take domains of your own, too.
"""

from bamdp.environments.bayes_adaptive_env import BayesAdaptiveEnv
from bamdp.environments.domain_env import DomainEnv
from bamdp.environments.registration import register

register()

__all__ = ["BayesAdaptiveEnv", "DomainEnv"]
