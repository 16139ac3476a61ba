"""Designs by name: a class with a `key` in a module of `bamdp.trials.designs` is one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bamdp.config.registry import Registry
from bamdp.config.spec import parse_spec
from bamdp.trials.design import Design

DESIGNS = Registry(
    "design",
    "bamdp.trials.designs",
    "bamdp.trials.design:Design",
    named_by="key",
    order=lambda design: design.adaptive,
)


def available() -> Mapping[str, type[Design]]:
    """All designs by key, those that do not adapt first.

    Example:
        >>> list(available())[:3]
        ['equal', 'randomised', 'permuted-blocks']
    """
    return DESIGNS.classes


def get_design(design: Any) -> Design:
    """A design, from its name with settings if it is not one already.

    Example:
        >>> get_design("forward-gittins:block=4,discount=0.9").block
        4
    """
    if isinstance(design, Design):
        return design
    if not isinstance(design, str):
        raise TypeError(f"design must be a name or a Design, got {design!r}")
    made: Design = parse_spec(DESIGNS, design).make()
    return made
