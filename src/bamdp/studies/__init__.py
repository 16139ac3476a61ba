"""Experiments as data, and what runs and stores them."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


def modules(package: str) -> list[ModuleType]:
    """All modules of a package by name, imported; those whose name begins with an underscore are left out.

    Example:
        >>> [module.__name__.rpartition(".")[2] for module in modules("bamdp.studies.tasks")]
        ['compare', 'grid_convergence', 'paper', 'play']
    """
    names = sorted(found.name for found in iter_modules(import_module(package).__path__))
    return [import_module(f"{package}.{name}") for name in names if not name.startswith("_")]
