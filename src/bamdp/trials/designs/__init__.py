"""Allocation designs, found by looking: a file with a design that has a `key` needs no entry in any list."""

import inspect

from bamdp.studies import modules
from bamdp.trials.design import Design
from bamdp.trials.designs.agent import AgentDesign, BayesAdaptiveDesign
from bamdp.trials.designs.fixed import EqualDesign, RandomisedDesign
from bamdp.trials.designs.forward_gittins import ForwardGittinsDesign
from bamdp.trials.designs.index import FiniteGittinsDesign, GittinsDesign, PosteriorMeanDesign
from bamdp.trials.designs.optimal import BayesOptimalDesign
from bamdp.trials.designs.patient_horizon import PatientHorizonDesign
from bamdp.trials.designs.thompson import TemperedThompsonDesign, ThompsonDesign

__all__ = [
    "AgentDesign",
    "BayesAdaptiveDesign",
    "BayesOptimalDesign",
    "EqualDesign",
    "FiniteGittinsDesign",
    "ForwardGittinsDesign",
    "GittinsDesign",
    "PatientHorizonDesign",
    "PosteriorMeanDesign",
    "RandomisedDesign",
    "TemperedThompsonDesign",
    "ThompsonDesign",
    "known",
]


def known() -> dict[str, type[Design]]:
    """All designs by key, those that do not adapt first.

    Example:
        >>> list(known())[:3]
        ['equal', 'randomised', 'bayes-adaptive']
    """
    found = [
        cls
        for module in modules(__name__)
        for cls in vars(module).values()
        if inspect.isclass(cls) and issubclass(cls, Design) and cls.__module__ == module.__name__ and cls.key
    ]
    return {cls.key: cls for cls in sorted(found, key=lambda cls: cls.adaptive)}
