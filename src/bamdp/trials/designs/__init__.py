"""Allocation designs."""

from bamdp.trials.designs.agent import AgentDesign, BayesAdaptive
from bamdp.trials.designs.fixed import Equal, Randomised
from bamdp.trials.designs.forward_gittins import ForwardGittins
from bamdp.trials.designs.index import FiniteGittins, Gittins, PosteriorMean
from bamdp.trials.designs.optimal import BayesOptimal
from bamdp.trials.designs.thompson import TemperedThompson, Thompson

__all__ = [
    "AgentDesign",
    "BayesAdaptive",
    "BayesOptimal",
    "Equal",
    "FiniteGittins",
    "ForwardGittins",
    "Gittins",
    "PosteriorMean",
    "Randomised",
    "TemperedThompson",
    "Thompson",
]
