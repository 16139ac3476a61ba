"""Optional dependencies: the error for a missing one names the extra to install."""

from importlib import import_module
from typing import Any


def require(module: str, need: str, extra: str) -> Any:
    """Import an optional dependency; if it isn't installed, the error begins with `need` and names the `extra` to install.

    Example:
        >>> require("no_such_module", "this example needs it", "grid")
        Traceback (most recent call last):
        ImportError: this example needs it, which is not installed: pip install 'bamdp[grid]'
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"{need}, which is not installed: pip install 'bamdp[{extra}]'") from error
