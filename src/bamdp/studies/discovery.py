"""The modules of a package, found by looking: a file that is dropped into it needs no entry in any list."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


def modules(package: str) -> list[ModuleType]:
    """All modules of a package by name, imported; those whose name begins with an underscore are left out.

    Example:
        >>> [module.__name__.rpartition(".")[2] for module in modules("bamdp.executors")]
        ['local', 'ray']
    """
    names = sorted(found.name for found in iter_modules(import_module(package).__path__))
    return [import_module(f"{package}.{name}") for name in names if not name.startswith("_")]
