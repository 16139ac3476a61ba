"""What can be set on a class or an object: the parameters of its constructor, with types, defaults
and documentation.

A parameter is one whose value is plain: a bool, a number, a string, numbers, one of some strings,
or None.
"""

import ast
import contextlib
import dataclasses
import functools
import inspect
import operator
import sys
import types
import typing
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, Literal, Union

from bamdp.validation import suggestion

WORDS = {"yes": True, "true": True, "no": False, "false": False, "none": None}
SIMPLE = (bool, int, float, str)
PAIR = tuple[float, float]
NUMBERS = tuple[float, ...]
NONE = type(None)
TYPE_NAMES = {
    bool: "True or False",
    int: "an integer",
    float: "a number",
    str: "a string",
    NONE: "None",
    PAIR: "two numbers",
    NUMBERS: "numbers with commas",
}


@dataclasses.dataclass(frozen=True)
class Parameter:
    """Something that can be set."""

    name: str  # of the constructor's argument
    type: Any  # of its values
    default: Any  # the value if it isn't given; `dataclasses.MISSING` if it must be
    help: str

    @property
    def types(self) -> tuple[Any, ...]:
        """Each of the types that a value may have."""
        return (
            typing.get_args(self.type)
            if typing.get_origin(self.type) in (Union, types.UnionType)
            else (self.type,)
        )

    def convert(self, value: Any) -> Any:
        """`value` as this parameter takes it: an integer for a float becomes one, and so does a
        list for two numbers.

        Example:
            >>> Parameter("columns", tuple[float, float], (1.0, 2.0), "").convert([3, 4])
            (3.0, 4.0)
        """
        for kind in self.types:
            with contextlib.suppress(TypeError, ValueError, OverflowError):
                return _converted(kind, value)
        raise ValueError(f"{self.name} must be {self.accepts}, got {value!r}")

    @property
    def accepts(self) -> str:
        """What it takes, in words."""
        return " or ".join(map(_type_name, self.types))

    def read(self, text: str) -> Any:
        """The value that `text` stands for: itself if the parameter takes it as a string, else as
        Python or people write it.

        Raises:
            ValueError: it isn't of the parameter's type.

        Example:
            >>> Parameter("columns", tuple[float, float], (1.0, 2.0), "").read("3,4")
            (3.0, 4.0)
            >>> Parameter("runs", int, 1, "").read("1e4"), Parameter("json", bool, True,
            ...     "").read("no")
            (10000, False)
        """
        if text == "None" and NONE in self.types:
            return None
        for value in (text, plain(text), WORDS.get(text.lower(), text)):
            with contextlib.suppress(ValueError):
                return self.convert(value)
        words = [
            str(word)
            for kind in self.types
            for word in typing.get_args(kind)
            if isinstance(word, str)
        ]
        raise ValueError(
            f"{self.name} must be {self.accepts}, got {text!r}{suggestion(text, words)}"
        )


def plain(text: str) -> Any:
    """The number, bool, None or tuple that `text` stands for in Python; else itself.

    Example:
        >>> plain("8x8"), plain("False"), plain("1e4")
        ('8x8', False, 10000.0)
    """
    with contextlib.suppress(
        ValueError, SyntaxError, RecursionError, MemoryError
    ):  # the last two for nested brackets
        return ast.literal_eval(text)
    with contextlib.suppress(ValueError):
        return float(text)  # inf
    return text


def _converted(kind: Any, value: Any) -> Any:
    """`value` as a plain type; a TypeError or a ValueError if it is of another."""
    if kind in (PAIR, NUMBERS):
        several = value if isinstance(value, list | tuple) else [value]
        if not several or (kind == PAIR and len(several) != 2):
            raise TypeError
        return tuple(_converted(float, one) for one in several)
    number = isinstance(value, Real) and not isinstance(value, bool)
    if number and (kind is float or (kind is int and value == int(value))):
        return kind(value)
    if not (
        value in typing.get_args(kind) or (kind in (bool, str, NONE) and isinstance(value, kind))
    ):
        raise TypeError
    return value


def _type_name(kind: Any) -> str:
    if typing.get_origin(kind) is Literal:
        return " or ".join(map(repr, typing.get_args(kind)))
    return TYPE_NAMES[kind]


def of_constructor(target: Callable[..., Any], *, keyword_only: bool = False) -> list[Parameter]:
    """The parameters of a class or function; a class that passes `**settings` on has those of its
    base too.
    """
    by_name: dict[str, Parameter] = {}
    texts, bases = documentation(target), getattr(target, "__mro__", ())
    modules = [
        vars(sys.modules.get(cls.__module__, object)) for cls in reversed(bases)
    ]  # a field may be inherited from another module
    for function in functions(target):
        names = {
            name: value
            for some in (*modules, getattr(function, "__globals__", {}))
            for name, value in some.items()
        }
        for argument in inspect.signature(function).parameters.values():
            if argument.name == "self" or (
                keyword_only and argument.kind is not argument.KEYWORD_ONLY
            ):
                continue
            default = (
                dataclasses.MISSING if argument.default is argument.empty else argument.default
            )
            parameter = _parameter(
                argument.name, resolve(argument.annotation, names), default, texts
            )
            if parameter is not None:
                by_name.setdefault(argument.name, parameter)
    return list(by_name.values())


def of_object(value: Any) -> list[Parameter]:
    """The fields of a dataclass object, with the object's own values as defaults."""
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return []
    return [
        dataclasses.replace(field, default=getattr(value, field.name))
        for field in of_constructor(type(value))
    ]


def _parameter(name: str, hint: Any, default: Any, texts: Mapping[str, str]) -> Parameter | None:
    several = (
        isinstance(default, tuple)
        and bool(default)
        and all(isinstance(number, float) for number in default)
    )
    kind = NUMBERS if several and hint != PAIR else _simple(hint)
    fits = (
        default is dataclasses.MISSING
        or default is None
        or isinstance(default, SIMPLE)
        or kind in (PAIR, NUMBERS)
    )
    if kind is None or not fits:
        return None
    if default is None and NONE not in typing.get_args(kind):
        kind = kind | None
    return Parameter(name, kind, default, texts.get(name, ""))


def _simple(hint: Any) -> Any:
    """The plain part of a type; None if there is none."""
    if hint in SIMPLE or hint == PAIR or typing.get_origin(hint) is Literal:
        return hint
    if typing.get_origin(hint) not in (Union, types.UnionType):
        return None
    members = [m for m in typing.get_args(hint) if m in SIMPLE or typing.get_origin(m) is Literal]
    if float in members:  # `float | ArrayLike` has bool, int and str in it, but means a number
        members = [m for m in members if m is float or m not in SIMPLE]
    if not members:
        return None
    return functools.reduce(operator.or_, members + [m for m in typing.get_args(hint) if m is NONE])


def functions(target: Callable[..., Any]) -> list[Callable[..., Any]]:
    """The constructors whose parameters `target` takes: its own and, behind `**settings`, those of
    its bases.
    """
    if not isinstance(target, type):
        return [target]
    constructors: list[Callable[..., Any]] = []
    for cls in target.__mro__[:-1]:
        if "__init__" in vars(cls):
            constructors.append(vars(cls)["__init__"])
            if not _has_keywords(constructors[-1]):
                break
    return constructors


def takes_any(target: Callable[..., Any]) -> bool:
    """Whether it takes settings of any name, as `Gymnasium` does, which passes them to
    `gymnasium.make`.
    """
    return any(map(_has_keywords, functions(target)[-1:]))


def _has_keywords(function: Callable[..., Any]) -> bool:
    return any(
        parameter.kind is parameter.VAR_KEYWORD
        for parameter in inspect.signature(function).parameters.values()
    )


def resolve(annotation: Any, names: dict[str, Any]) -> Any:
    """The type that an annotation stands for where `names` are known; None if it can't be known at
    run time.
    """
    if not isinstance(annotation, str):
        return annotation
    holder = types.SimpleNamespace(__annotations__={"value": annotation})
    try:
        return typing.get_type_hints(holder, names)["value"]
    except NameError:  # imported for type checkers alone
        return None


def documentation(target: Any) -> dict[str, str]:
    """What its docstring says of each argument; those of base classes too."""
    import docstring_parser

    texts: dict[str, str] = {}
    for cls in getattr(target, "__mro__", (target,)):
        for entry in docstring_parser.parse(inspect.getdoc(cls) or "").params:
            texts.setdefault(entry.arg_name, " ".join((entry.description or "").split()))
    return texts
