"""The one mechanism of discovery: a class is found by being in its package.

    DESIGNS = Registry("design", "bamdp.trials.designs", "bamdp.trials.design:Design")

A new domain, prior, agent, benchmark, model of choices or trial design is one new file. Its name is
that of the module, with `-` for `_`: `double-loop`, `ba-uct`; where modules hold several classes,
each has its name in an attribute, `named_by`. Your own class goes by `package.module:Name`; so does
a function that needs no arguments, or an object.
"""

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from bamdp.config import parameters
from bamdp.config.parameters import Parameter
from bamdp.validation import suggestion


class UnknownNameError(ValueError):
    """There is nothing of this name; the message suggests a near one and lists all."""


@dataclass(frozen=True)
class Entry:
    """What a name stands for.

    Attributes:
        name: the name as it was written.
        target: the class, function or object.
        arguments: first arguments of the constructor, if the name has them: `grid5` has (5,).
    """

    name: str
    target: Any
    arguments: tuple[int | str, ...] = ()

    @property
    def description(self) -> str:
        """The first paragraph of its documentation, on one line."""
        return " ".join((inspect.getdoc(self.target) or "").partition("\n\n")[0].split())

    @property
    def factory(self) -> Callable[..., Any]:
        """Makes it from the remaining arguments."""
        if not callable(self.target):
            return lambda: self.target
        return partial(self.target, *self.arguments)

    @property
    def parameters(self) -> list[Parameter]:
        """What can be set on it and is not set by the name."""
        if not callable(self.target):
            return []
        named = [p.name for p in plain_arguments(self.target)[: len(self.arguments)]]
        return [p for p in parameters.of_constructor(self.target) if p.name not in named]


def modules(package: str) -> list[ModuleType]:
    """The modules of a package by name, imported, without those that begin with an underscore.

    Example:
        >>> [module.__name__.rpartition(".")[2] for module in modules("bamdp.trials.designs")]
        ['fixed', 'forward_gittins', 'index', 'optimal', 'permuted_blocks', 'thompson']
    """
    names = sorted(module.name for module in iter_modules(import_module(package).__path__))
    return [import_module(f"{package}.{name}") for name in names if not name.startswith("_")]


class Registry:
    """All classes of a package that follow a contract, by name.

    Args:
        kind: what one of them is, in messages: "design".
        package: the package that has them.
        contract: their base class, as "module:Class".
        named_by: attribute with the name of a class; that of its module by default.
        order: sort key of a class; by name if not given.

    Example:
        >>> designs = Registry("design", "bamdp.trials.designs", "bamdp.trials.design:Design",
        ...     named_by="key")
        >>> designs.find("thompson").target.__name__
        'ThompsonDesign'
    """

    def __init__(
        self,
        kind: str,
        package: str,
        contract: str,
        *,
        named_by: str = "",
        order: Callable[[Any], Any] | None = None,
    ) -> None:
        self.kind, self.package, self._contract = kind, package, contract
        self._named_by, self._order = named_by, order

    @cached_property
    def contract(self) -> type:
        """The base class of all entries."""
        module, _, name = self._contract.partition(":")
        base: type = getattr(import_module(module), name)
        return base

    @cached_property
    def classes(self) -> Mapping[str, Any]:
        """The classes by name.

        Without `named_by` a module is about the class of its name or, if there is none, the only
        one.
        """
        classes: dict[str, Any] = {}
        for module in modules(self.package):
            here = [value for value in vars(module).values() if self._belongs(value, module)]
            if self._named_by:
                classes |= {getattr(cls, self._named_by): cls for cls in here}
                continue
            stem = module.__name__.rpartition(".")[2]
            here = [cls for cls in here if cls.__name__.lower() == stem.replace("_", "")] or here
            if len(here) == 1:
                classes[stem.replace("_", "-")] = here[0]
        order = self._order
        if order is None:
            return dict(sorted(classes.items()))
        return dict(sorted(classes.items(), key=lambda item: order(item[1])))

    def _belongs(self, value: Any, module: ModuleType) -> bool:
        return (
            inspect.isclass(value)
            and issubclass(value, self.contract)
            and value.__module__ == module.__name__ != self.contract.__module__
            and not inspect.isabstract(value)
            and not value.__name__.startswith("_")
            and bool(not self._named_by or getattr(value, self._named_by))
        )

    def written(self, name: str) -> str | None:
        """How a class is named in a list; None if it needs more than a name and plain settings."""
        return None if self.required(self.classes[name]) else name

    def required(self, target: Callable[..., Any]) -> list[str]:
        """Arguments of a class that have no default."""
        return _required(target)

    def listing(self) -> dict[str, str]:
        """Every name with its one-line description."""
        names = {name: self.written(name) for name in self.classes}
        return {
            shown: Entry(name, self.classes[name]).description
            for name, shown in names.items()
            if shown
        }

    def python_only(self) -> dict[str, Entry]:
        """What needs more than a name and plain settings, such as tables."""
        return {
            name: Entry(name, cls) for name, cls in self.classes.items() if not self.written(name)
        }

    def find(self, name: str) -> Entry:
        """What a name, or `package.module:Name`, stands for.

        Raises:
            UnknownNameError: there is nothing of this name.
        """
        first, colon, rest = name.partition(":")
        if colon:
            if self.knows(first):
                raise UnknownNameError(
                    f"'{name}' needs a value, {first}:{rest or 'SETTING'}=VALUE{self.see(first)}"
                )
            return self._import(name)
        if "=" in name:
            raise UnknownNameError(
                f"unknown {self.kind} '{name}': settings follow a name and a colon, as in "
                "bamcp:simulations=300"
            )
        if name not in self.classes:
            raise UnknownNameError(self.unknown(name))
        if required := self.required(self.classes[name]):
            raise UnknownNameError(self._needs(name, required))
        return Entry(name, self.classes[name])

    def find_all(self) -> list[Entry]:
        """An entry for each that can be made by name alone."""
        return [self.find(name) for name in self.classes if self.written(name) == name]

    def knows(self, name: str) -> bool:
        """Whether this is the name of a class of the package."""
        return name in self.classes

    def parameters(self, entry: Entry) -> list[Parameter]:
        """The settings that may follow its name."""
        return entry.parameters

    def accepts_any(self, entry: Entry) -> bool:
        """Whether it takes settings of any name."""
        return False

    def make(self, entry: Entry, settings: Mapping[str, Any]) -> Any:
        """One of these, with settings."""
        return entry.factory(**settings)

    def hint(self, name: str) -> str:
        """What an unknown name may mean, as the end of a sentence; empty if nothing is near."""
        return suggestion(name, self.classes)

    def see(self, name: str) -> str:
        """Where to read about a name, as the end of a message."""
        return ""

    def unknown(self, name: str) -> str:
        """The message for a name that there isn't."""
        known = ", ".join(self.listing())
        return f"unknown {self.kind} '{name}'{self.hint(name) or '.'} Known: {known}"

    def _import(self, name: str) -> Entry:
        module_name, _, attribute = name.partition(":")
        search_current_folder()
        try:
            module = import_module(module_name)
        except (ImportError, AttributeError, ValueError) as error:
            raise UnknownNameError(f"unknown {self.kind} '{name}': {error}") from None
        if not hasattr(module, attribute):
            hint = suggestion(attribute, vars(module))
            raise UnknownNameError(
                f"unknown {self.kind} '{name}': module '{module_name}' has no attribute "
                f"'{attribute}'{hint}"
            )
        target, contract = getattr(module, attribute), self.contract
        if isinstance(target, contract):
            return self.entry_of_object(name, target)
        if inspect.isclass(target) and not issubclass(target, contract):
            raise UnknownNameError(
                f"{self.kind} '{name}' is a class that is not a bamdp.{contract.__name__}"
            )
        if not callable(target):
            raise UnknownNameError(
                f"{self.kind} '{name}' is neither a bamdp.{contract.__name__} nor a function that "
                "makes one"
            )
        required = self.required(target) if inspect.isclass(target) else _required(target)
        if required:
            raise UnknownNameError(self._needs(name, required))
        return Entry(name, target)

    def entry_of_object(self, name: str, target: Any) -> Entry:
        """The entry of an object of the user."""
        return Entry(name, target)

    def _needs(self, name: str, required: list[str]) -> str:
        return (
            f"{self.kind} '{name}' needs {', '.join(required)}: write a function that makes one "
            f"and name it as package.module:function{'' if ':' in name else self.see(name)}"
        )

    def __repr__(self) -> str:
        return f"<registry of {self.package}>"


class FunctionRegistry(Registry):
    """Functions by name, for what is too small for a package.

    Args:
        kind: what one of them makes, in messages.
        contract: the class of what they make, as "module:Class".
        functions: the functions by name.
        more: what else is accepted, for the message about an unknown name.
    """

    def __init__(
        self, kind: str, contract: str, functions: Mapping[str, Callable[..., Any]], more: str = ""
    ) -> None:
        super().__init__(kind, "", contract)
        self._functions, self._more = functions, more

    @cached_property
    def classes(self) -> Mapping[str, Any]:
        """The functions by name."""
        return self._functions

    def unknown(self, name: str) -> str:
        return super().unknown(name) + (f", and {self._more}" if self._more else "")


def plain_arguments(target: Callable[..., Any]) -> list[inspect.Parameter]:
    """The arguments of a function or constructor without `*args` and `**kwargs`."""
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p for p in inspect.signature(target).parameters.values() if p.kind not in variadic]


def _required(target: Callable[..., Any]) -> list[str]:
    return [p.name for p in plain_arguments(target) if p.default is p.empty]


def search_current_folder() -> None:
    """Look for modules in the current folder, too, which the console script doesn't by itself."""
    if "" not in sys.path:
        sys.path.insert(0, "")
