"""Allocation designs, found by looking: a file with a design that has a `key` needs no entry in any list."""

import inspect
from typing import Any

from bamdp.config.parameters import of_constructor
from bamdp.studies import modules
from bamdp.trials.design import Design
from bamdp.trials.designs.fixed import EqualDesign, RandomisedDesign
from bamdp.trials.designs.forward_gittins import ForwardGittinsDesign
from bamdp.trials.designs.index import FiniteGittinsDesign, GittinsDesign, PosteriorMeanDesign
from bamdp.trials.designs.optimal import BayesOptimalDesign, PatientHorizonDesign
from bamdp.trials.designs.thompson import TemperedThompsonDesign, ThompsonDesign
from bamdp.validation import suggestion

__all__ = [
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
    "designed",
    "known",
]


def known() -> dict[str, type[Design]]:
    """All designs by key, those that do not adapt first.

    Example:
        >>> list(known())[:3]
        ['equal', 'randomised', 'forward-gittins']
    """
    found = [
        cls
        for module in modules(__name__)
        for cls in vars(module).values()
        if inspect.isclass(cls) and issubclass(cls, Design) and cls.__module__ == module.__name__ and cls.key
    ]
    return {cls.key: cls for cls in sorted(found, key=lambda cls: cls.adaptive)}


def designed(design: Any) -> Design:
    """A design, or the one of a name, with settings if it has any.

    Example:
        >>> designed("forward-gittins:block=4,discount=0.9").block
        4
    """
    if isinstance(design, Design):
        return design
    if not isinstance(design, str):
        raise TypeError(f"design must be a name or a Design, got {design!r}")
    (name, _, settings), designs = design.partition(":"), known()
    if name not in designs:
        raise ValueError(f"unknown design {name!r}{suggestion(name, designs) or '.'} Known: {', '.join(designs)}")
    settable = {parameter.name: parameter for parameter in of_constructor(designs[name])}
    given: dict[str, Any] = {}
    for part in filter(None, settings.split(",")):
        setting, _, value = part.partition("=")
        if setting not in settable:
            listed = ", ".join(settable) or "none"
            raise ValueError(f"unknown setting {setting!r} of {name}{suggestion(setting, settable) or '.'} Settings: {listed}")
        given[setting] = settable[setting].read(value)
    return designs[name](**given)
