"""Priors over transition probabilities."""

from bamdp.priors.beta_arms import BetaArms
from bamdp.priors.dirichlet import Dirichlet
from bamdp.priors.finite import Finite
from bamdp.priors.grid_rewards import GridRewards
from bamdp.priors.sparse_dirichlet import SparseDirichlet

__all__ = ["BetaArms", "Dirichlet", "Finite", "GridRewards", "SparseDirichlet"]
