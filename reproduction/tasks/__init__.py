"""Kinds of tasks: functions of settings, seed and run, found in the modules of this package.

    @kind
    def play(settings, seed, run) -> result: ...

Settings and results are plain JSON values. A function of a file that is dropped into the package
needs no entry in any list.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from bamdp.config.registry import modules

Perform = Callable[[Mapping[str, Any], int, int], dict[str, Any]]
AKind = TypeVar("AKind", bound=Perform)

KINDS: dict[str, Perform] = {}  # of the modules that are imported


def kind(perform: AKind) -> AKind:
    """Make a function the kind of task of its name."""
    KINDS[perform.__name__] = perform
    return perform


def find(name: str) -> Perform:
    """The function of a kind of task.

    Example:
        >>> find("play").__name__
        'play'
    """
    if name not in KINDS:
        modules(__name__)  # importing them registers their kinds
    if name not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(sorted(KINDS))}, got {name!r}")
    return KINDS[name]
