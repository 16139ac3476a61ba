"""Optional dependencies: what needs one that isn't installed says which extra of the package brings it."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def require(module: str, need: str, extra: str) -> Any:
    """The module of an optional dependency.

    Args:
        module: its name.
        need: who needs what, the beginning of the error's sentence.
        extra: the extra of this package that it is in.

    Raises:
        ImportError: it isn't installed.

    Example:
        >>> require("no_such_module", "this example needs it", "grid")
        Traceback (most recent call last):
        ImportError: this example needs it, which is not installed: pip install 'bamdp[grid]'
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"{need}, which is not installed: pip install 'bamdp[{extra}]'") from error
