"""Priors over transition probabilities."""

from bamdp.priors._normal import Normal
from bamdp.priors.beta_arms import BetaArms
from bamdp.priors.compiled import Compiled
from bamdp.priors.dirichlet import Dirichlet
from bamdp.priors.finite import Finite
from bamdp.priors.grid_rewards import GridRewards
from bamdp.priors.lazy import Lazy
from bamdp.priors.normal_arms import NormalArms
from bamdp.priors.parametric import Parametric
from bamdp.priors.sampled import Sampled
from bamdp.priors.sparse_dirichlet import SparseDirichlet
from bamdp.priors.unknown_rewards import UnknownRewards
from bamdp.priors.worlds import Worlds

__all__ = [
    "BetaArms",
    "Compiled",
    "Dirichlet",
    "Finite",
    "GridRewards",
    "Lazy",
    "Normal",
    "NormalArms",
    "Parametric",
    "Sampled",
    "SparseDirichlet",
    "UnknownRewards",
    "Worlds",
]
