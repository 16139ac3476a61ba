"""Finding domains, priors, agents and problems by name: there is no registry, a new file is found by being there.

A name is that of the module that holds the class, with `-` for `_`: `double-loop`, `ba-uct`, `sparse-dirichlet`; a problem has
a name of its own, `called`, so that a module can hold more than one. Digits at the end of a domain's or problem's name are the
first argument of its constructor: `grid5` is `Grid(5)`. `gym:ID` is the Gymnasium environment of that id, as a domain:
`gym:FrozenLake-v1`. Your own class goes by `package.module:Name`; so does a function that needs no arguments, and, except for
agents, an object.
"""

import inspect
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Literal, cast

from bamdp.validation import nearest, suggestion

Kind = Literal["domain", "prior", "agent", "problem"]

KINDS: tuple[Kind, ...] = ("domain", "prior", "agent", "problem")
NUMBERED = ("domain", "problem")  # kinds whose names may end in a number

GYMNASIUM = "gym:"  # before the id of a Gymnasium environment


class UnknownNameError(ValueError):
    """There is nothing of this name; the message suggests a near one and lists all."""


@dataclass(frozen=True)
class Found:
    """What a name stands for."""

    name: str  # as it was given
    target: Any  # the class, function or object that was found
    arguments: tuple[int | str, ...] = ()  # the constructor's first arguments, if the name has them: `grid5` gives (5,)

    @property
    def description(self) -> str:
        """The first line of its documentation."""
        return (inspect.getdoc(self.target) or "").partition("\n")[0]

    @property
    def given(self) -> set[str]:
        """The constructor's parameters that the name sets."""
        return {parameter.name for parameter in _parameters(self.target)[: len(self.arguments)]} if self.arguments else set()

    @property
    def factory(self) -> Callable[..., Any]:
        """Makes the domain, prior or agent from the remaining arguments."""
        return partial(self.target, *self.arguments) if callable(self.target) else lambda: self.target


def listing(kind: Kind) -> dict[str, str]:
    """Every name of this kind with its one-line description; `grid[N]` where a number may follow, `<N>` where it must.

    `gym:<ID>` stands for the environments of Gymnasium.

    Example:
        >>> "random" in listing("agent")
        True
    """
    lines: dict[str, str] = {}
    for stem, cls in _classes(kind).items():
        required, number = _required(kind, cls), kind in NUMBERED and _takes_number(cls)
        if not required or (number and len(required) == 1):
            lines[stem + ("<N>" if required else "[N]" if number else "")] = Found(stem, cls).description
        elif kind == "domain" and stem == "gymnasium":
            lines[f"{GYMNASIUM}<ID>"] = Found(stem, cls).description
    return lines


def python_only(kind: Kind) -> dict[str, Found]:
    """What needs more than a name and plain settings, such as tables.

    Example:
        >>> list(python_only("domain"))
        ['tabular']
    """
    known = {re.sub(r"[<[]N[]>]$", "", name) for name in listing(kind)} | {"gymnasium"}
    return {stem: Found(stem, cls) for stem, cls in _classes(kind).items() if stem not in known}


def find(kind: Kind, name: str) -> Found:
    """What a name of `listing`, or `package.module:Name`, stands for; an `UnknownNameError` if there is nothing of this name.

    Example:
        >>> find("domain", "grid5").factory().num_states
        25
    """
    if kind == "domain" and name.startswith(GYMNASIUM):
        if ":" in name.removeprefix(GYMNASIUM):
            _look_here()  # gymnasium.make imports the module
        return Found(name, _classes(kind)["gymnasium"], (name.removeprefix(GYMNASIUM),))
    if kind == "domain" and (spelt := re.match("gym(nasium)?(:|$)", name, re.IGNORECASE)):
        raise UnknownNameError(f"unknown domain '{name}'; did you mean '{GYMNASIUM}{name[spelt.end() :] or 'FrozenLake-v1'}'?")
    classes, (stem, digits) = _classes(kind), _split(name)
    if ":" in name:
        first, _, rest = name.partition(":")
        if first in classes or _split(first)[0] in classes:
            raise UnknownNameError(f"'{name}' needs a value, {first}:{rest or 'SETTING'}=VALUE; see bamdp list {first}")
        return _import(kind, name)
    if "=" in name:
        raise UnknownNameError(f"unknown {kind} '{name}': settings follow a name and a colon, as in bamcp:simulations=300")
    if name in classes and not (required := _required(kind, classes[name])):
        return Found(name, classes[name])
    if kind in NUMBERED and stem in classes and _takes_number(classes[stem]):
        if digits:
            return Found(name, classes[stem], (int(digits),))
    elif name in classes:
        raise UnknownNameError(_needs(kind, name, required))
    raise UnknownNameError(_unknown(kind, name))


def find_among(kinds: Kind | Sequence[Kind], name: str) -> tuple[Kind, Found]:
    """What `name` stands for, of the first kind that has it; the error is that of the kind with the nearest name.

    Example:
        >>> kind, found = find_among(("domain", "problem"), "bbrl-gc")
        >>> kind, found.description
        ('problem', "BBRL's generalised chain: 5 states, 3 actions; each leads on or back to the start.")
    """
    several: Sequence[Kind] = (kinds,) if isinstance(kinds, str) else kinds
    errors = []
    for kind in several:
        try:
            return kind, find(kind, name)
        except UnknownNameError as error:
            errors.append(error)
    stems = {stem: i for i, kind in reversed([*enumerate(several)]) for stem in _classes(kind)}
    near = nearest(name.partition(":")[0], stems)
    raise errors[0 if near is None else stems[near]]


def find_all(kind: Kind) -> list[Found]:
    """One of each that can be made by name alone; where the name must end in a number it is 5."""
    names = [name for name in listing(kind) if not name.startswith(GYMNASIUM)]
    return [find(kind, name.removesuffix("[N]").replace("<N>", "5")) for name in names]


@cache
def _classes(kind: Kind) -> dict[str, Any]:
    """The classes of a kind by name. A module is about the class of its name or, if there is none, the only one."""
    package, contract = import_module(f"bamdp.{kind}s"), _contract(kind)
    found: dict[str, Any] = {}
    for stem in sorted(module.name for module in iter_modules(package.__path__) if not module.name.startswith("_")):
        module = import_module(f"{package.__name__}.{stem}")
        own: list[Any] = [c for c in vars(module).values() if inspect.isclass(c) and c.__module__ == module.__name__]
        some = [c for c in own if issubclass(c, contract) and not inspect.isabstract(c) and not c.__name__.startswith("_")]
        named = [c for c in some if c.__name__.lower() == stem.replace("_", "")] or some
        if kind == "problem" and module.__name__ != contract.__module__:
            found |= {c.called: c for c in some}
        elif kind != "problem" and len(named) == 1:
            found[stem.replace("_", "-")] = named[0]
    return dict(sorted(found.items()))


def _contract(kind: Kind) -> type:
    module = "problems.problem" if kind == "problem" else kind
    return cast(type, getattr(import_module(f"bamdp.{module}"), kind.capitalize()))


def _parameters(cls: Callable[..., Any]) -> list[inspect.Parameter]:
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p for p in inspect.signature(cls).parameters.values() if p.kind not in variadic]


def _required(kind: Kind, cls: Callable[..., Any]) -> list[str]:
    """Arguments without defaults; those of an agent come from the domain and the prior."""
    return [] if kind == "agent" else [p.name for p in _parameters(cls) if p.default is inspect.Parameter.empty]


def _takes_number(cls: Callable[..., Any]) -> bool:
    """Whether its first argument is a number that needs no name, and no other is needed."""
    first = next((p for p in _parameters(cls) if p.kind is not p.KEYWORD_ONLY), None)
    return first is not None and first.annotation in (int, "int") and set(_required("domain", cls)) <= {first.name}


def _split(name: str) -> tuple[str, str]:
    stem = name.rstrip("0123456789")
    return stem, name[len(stem) :]


def _unknown(kind: Kind, name: str) -> str:
    known, (stem, digits) = list(listing(kind)), _split(name)
    number = {"[N]": digits, "<N>": digits or "5"}
    examples = [re.sub(r"[<[]N[]>]$", lambda match: number[match[0]], text) for text in (*known, *python_only(kind))]
    hint = suggestion(stem + digits, examples) or suggestion(stem, examples)
    if not hint and kind == "domain" and (id := nearest(name.rpartition(":")[2], import_module("gymnasium").registry)):
        hint = f"; did you mean '{GYMNASIUM}{id}'?"
    others = [other for other in KINDS if other != kind and {stem, name} & _classes(other).keys()]
    if not hint and others:
        use = ", for bamdp compare" if others[0] == "problem" else ""
        hint = f": it is {'an' if others[0] == 'agent' else 'a'} {others[0]}{use}."
    return f"unknown {kind} '{name}'{hint or '.'} Known: {', '.join(known)}. See bamdp list"


def _import(kind: Kind, name: str) -> Found:
    module_name, _, attribute = name.partition(":")
    _look_here()
    try:
        module = import_module(module_name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UnknownNameError(f"unknown {kind} '{name}': {error}") from None
    if not hasattr(module, attribute):
        hint = suggestion(attribute, vars(module))
        raise UnknownNameError(f"unknown {kind} '{name}': module '{module_name}' has no attribute '{attribute}'{hint}")
    target, contract = getattr(module, attribute), _contract(kind)
    if isinstance(target, contract):
        if kind == "agent":
            raise UnknownNameError(f"agent '{name}' is one object, but each run needs its own: name its class instead")
        return Found(name, target)
    if inspect.isclass(target) and not issubclass(target, contract):
        raise UnknownNameError(f"{kind} '{name}' is a class that is not a bamdp.{contract.__name__}")
    if not callable(target):
        raise UnknownNameError(f"{kind} '{name}' is neither a bamdp.{contract.__name__} nor a function that makes one")
    if required := _required(kind if inspect.isclass(target) else "domain", target):
        raise UnknownNameError(_needs(kind, name, required))
    return Found(name, target)


def _look_here() -> None:
    """Look for modules in the current folder, too, which the console script doesn't do by itself."""
    if "" not in sys.path:
        sys.path.insert(0, "")


def _needs(kind: Kind, name: str, required: list[str]) -> str:
    needs = ", ".join(required)
    listed = "" if ":" in name else f"; see bamdp list {name}"
    return f"{kind} '{name}' needs {needs}: write a function that makes one and name it as package.module:function{listed}"
