"""Allocation designs."""

from bamdp.trials.designs.agent import AgentDesign, BayesAdaptiveDesign
from bamdp.trials.designs.fixed import EqualDesign, RandomisedDesign
from bamdp.trials.designs.forward_gittins import ForwardGittinsDesign
from bamdp.trials.designs.index import FiniteGittinsDesign, GittinsDesign, PosteriorMeanDesign
from bamdp.trials.designs.optimal import BayesOptimalDesign
from bamdp.trials.designs.thompson import TemperedThompsonDesign, ThompsonDesign

__all__ = [
    "AgentDesign",
    "BayesAdaptiveDesign",
    "BayesOptimalDesign",
    "EqualDesign",
    "FiniteGittinsDesign",
    "ForwardGittinsDesign",
    "GittinsDesign",
    "PosteriorMeanDesign",
    "RandomisedDesign",
    "TemperedThompsonDesign",
    "ThompsonDesign",
]
