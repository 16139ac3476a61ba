"""Allocation designs: a class with a `key` in a module of this package is one of them."""

from bamdp.trials.catalogue import DESIGNS, available, get_design
from bamdp.trials.designs.fixed import EqualDesign, RandomisedDesign
from bamdp.trials.designs.forward_gittins import ForwardGittinsDesign
from bamdp.trials.designs.index import FiniteGittinsDesign, GittinsDesign, PosteriorMeanDesign
from bamdp.trials.designs.optimal import BayesOptimalDesign, PatientHorizonDesign
from bamdp.trials.designs.permuted_blocks import PermutedBlocksDesign
from bamdp.trials.designs.thompson import TemperedThompsonDesign, ThompsonDesign

__all__ = [
    "DESIGNS",
    "BayesOptimalDesign",
    "EqualDesign",
    "FiniteGittinsDesign",
    "ForwardGittinsDesign",
    "GittinsDesign",
    "PatientHorizonDesign",
    "PermutedBlocksDesign",
    "PosteriorMeanDesign",
    "RandomisedDesign",
    "TemperedThompsonDesign",
    "ThompsonDesign",
    "available",
    "get_design",
]
