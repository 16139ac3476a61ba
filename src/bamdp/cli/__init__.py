"""The command line, `bamdp COMMAND NAME[:SETTING=VALUE,...]... [--flags]`: one file a command.

Names and their settings are read by `bamdp.config`; flags are those of the command itself. What is slow to import is imported
where it is used, so that help comes at once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules


@dataclass(frozen=True)
class Command:
    """A command; each one that a module of `bamdp.cli` declares is found."""

    arguments: str  # what follows its name: "FILE [flags]"
    summary: str  # what it does, in the list of all commands
    about: str  # what it does, in its own help
    example: str  # how to use it
    run: Callable[[list[str]], int]  # runs it with its arguments, and returns the exit code

    @property
    def name(self) -> str:
        """Its name, as in the example."""
        return self.example.split()[1]


def commands() -> dict[str, Command]:
    """The commands by name, those that begin with a domain and an agent first; there is no list of them."""
    modules = (import_module(f"bamdp.cli.{module.name}") for module in iter_modules(__path__))
    found = [value for module in modules for value in vars(module).values() if isinstance(value, Command)]
    return {c.name: c for c in sorted(found, key=lambda c: (not c.arguments.startswith("DOMAIN"), c.name))}
