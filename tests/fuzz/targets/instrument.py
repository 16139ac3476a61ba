"""Coverage of the package's own functions: import hooks don't see the modules of an editable install."""

import inspect
import sys
from collections.abc import Callable
from types import FunctionType

import atheris


def fuzz(one: Callable[[bytes], None], *packages: str) -> None:
    """Call `one` with bytes that reach more and more of these modules and packages."""
    for name, module in list(sys.modules.items()):
        if not name.startswith(packages):
            continue
        for owner in (module, *(c for _, c in inspect.getmembers(module, inspect.isclass) if c.__module__ == name)):
            for function in vars(owner).values():
                if isinstance(function, FunctionType) and function.__module__ == name:
                    atheris.instrument_func(function)
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
