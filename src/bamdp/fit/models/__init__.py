"""Models of how people value actions, one file each: planning ahead, and its alternatives."""

from bamdp.fit.models.exact import Exact
from bamdp.fit.models.hybrid import Hybrid
from bamdp.fit.models.posterior_means import PosteriorMeans
from bamdp.fit.models.rescorla_wagner import RescorlaWagner
from bamdp.fit.models.thompson import Thompson
from bamdp.fit.models.ucb import UCB
from bamdp.fit.models.win_stay_lose_shift import WinStayLoseShift

__all__ = [
    "UCB",
    "Exact",
    "Hybrid",
    "PosteriorMeans",
    "RescorlaWagner",
    "Thompson",
    "WinStayLoseShift",
]
