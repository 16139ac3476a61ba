"""Flags of the command line, read off constructors: their parameters, type hints, defaults and documentation."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, Union

SIMPLE = (bool, int, float, str)
PAIR = tuple[float, float]  # two words

_ANNOTATED: Any = Annotated  # by this name type checkers allow it on types that are only known when it runs


@dataclasses.dataclass(frozen=True)
class Flag:
    """One flag.

    Attributes:
        parameter: the constructor's parameter that it sets.
        type: what values it takes.
        default: the value if it isn't given; `dataclasses.MISSING` if it must be.
        help: what it means.
    """

    parameter: str
    type: Any
    default: Any
    help: str


def of_constructor(target: Callable[..., Any], *, keyword_only: bool = False) -> list[Flag]:
    """A flag for each parameter of a class or function that a command line can give.

    Args:
        target: the class or function; a class that passes `**settings` on has the flags of its base too.
        keyword_only: leave out the parameters that may be given by position.
    """
    flags: dict[str, Flag] = {}
    texts = _documentation(target)
    for function in _functions(target):
        for parameter in list(inspect.signature(function).parameters.values()):
            if parameter.name == "self" or (keyword_only and parameter.kind is not parameter.KEYWORD_ONLY):
                continue
            hint = _resolve(parameter.annotation, getattr(function, "__globals__", {}))
            flag = _flag(parameter.name, hint, _given(parameter.default), texts)
            if flag is not None:
                flags.setdefault(parameter.name, flag)
    return list(flags.values())


def of_object(value: Any) -> list[Flag]:
    """A flag for each field of a dataclass object, with the object's own values as defaults."""
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return []
    texts = _documentation(type(value))
    names: dict[str, Any] = {}
    for cls in reversed(type(value).__mro__):  # a field may be inherited from another module
        names |= vars(sys.modules[cls.__module__])
    hints = {f.name: _resolve(f.type, names) for f in dataclasses.fields(value) if f.init}
    found = [_flag(name, hint, getattr(value, name), texts) for name, hint in hints.items()]
    return [flag for flag in found if flag is not None]


def parse(groups: Mapping[str, Sequence[Flag]], arguments: Sequence[str], prog: str, description: str) -> dict[str, Any]:
    """Read the command line.

    Args:
        groups: the flags by group.
        arguments: the words after `prog`.
        prog: what was typed so far.
        description: the text above the flags in `--help`.

    Returns:
        The values, `{group: {parameter: value}}`; with `--help` or a mistake, tyro writes and exits instead.
    """
    import tyro

    name = names(groups)
    _refuse_values(arguments, {name[group, flag.parameter] for group in groups for flag in groups[group] if flag.type is bool})
    fields = [(group, _group(group, flags, name)) for group, flags in groups.items() if flags]
    command = dataclasses.make_dataclass("Command", fields, kw_only=True)
    config = (tyro.conf.OmitArgPrefixes, tyro.conf.HelptextFromCommentsOff)
    result: Any = tyro.cli(command, args=list(arguments), prog=prog, description=description, config=config)
    values = dataclasses.asdict(result)
    return {group: values.get(group, {}) for group in groups}


def _refuse_values(arguments: Sequence[str], switches: set[str]) -> None:
    """Of `--json=5` tyro would name the 5 alone."""
    from bamdp.config.names import UsageError

    for word in arguments:
        flag, equals, value = word.partition("=")
        if equals and flag.removeprefix("--").removeprefix("no-").replace("-", "_") in switches:
            raise UsageError(f"{flag} takes no value, got {value!r}: --name is yes, --no-name is no")


def names(groups: Mapping[str, Sequence[Flag]]) -> dict[tuple[str, str], str]:
    """What each flag is called, by group and parameter.

    It is the parameter's name unless a flag of an earlier group has taken it; then the group's name comes before it.

    Example:
        >>> seed = Flag("seed", int, 0, "")
        >>> names({"run": [seed], "domain": [seed]})
        {('run', 'seed'): 'seed', ('domain', 'seed'): 'domain_seed'}
    """
    result: dict[tuple[str, str], str] = {}
    for group, flags in groups.items():
        for flag in flags:
            taken = flag.parameter in result.values()
            result[group, flag.parameter] = f"{group}_{flag.parameter}" if taken else flag.parameter
    return result


def words(settings: Mapping[str, Any]) -> list[str]:
    """Settings as they are typed; one that is None is not given.

    Example:
        >>> words({"beta": 0.5, "reuse_tree": True, "vmax": None, "prior_rows": (1, 2)})
        ['--beta', '0.5', '--reuse-tree', '--prior-rows', '1', '2']
    """
    typed: list[str] = []
    for name, value in settings.items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            typed.append(f"--{flag}" if value else f"--no-{flag}")
        elif value is not None:
            typed += [f"--{flag}", *map(str, value if isinstance(value, list | tuple) else [value])]
    return typed


def changed(values: Mapping[str, Any], flags: Sequence[Flag]) -> dict[str, Any]:
    """The values that aren't the flags' defaults."""
    return {f.parameter: values[f.parameter] for f in flags if values[f.parameter] != f.default}


def _group(group: str, flags: Sequence[Flag], name: Mapping[tuple[str, str], str]) -> Any:
    import tyro

    fields: list[Any] = []
    for flag in flags:
        config = tyro.conf.arg(name=name[group, flag.parameter].replace("_", "-"), help=flag.help)
        kind = _ANNOTATED[PAIR, _pair()] if flag.type == PAIR else _old_union(flag.type)
        hint = _ANNOTATED[kind, config]
        spec = dataclasses.field() if flag.default is dataclasses.MISSING else dataclasses.field(default=flag.default)
        fields.append((flag.parameter, hint, spec))
    kind = dataclasses.make_dataclass(group.capitalize(), fields, kw_only=True)
    kind.__doc__ = None  # or the generated signature would be shown as help
    return kind


def _pair() -> Any:
    """How two numbers are read, with an error that says so: tyro's own speaks of tuple types."""
    from tyro.constructors import PrimitiveConstructorSpec

    def read(words: Sequence[str]) -> tuple[float, float]:
        try:
            a, b = map(float, words)
        except ValueError:
            raise ValueError(f"must be two numbers, got {' '.join(words)}") from None
        return a, b

    return PrimitiveConstructorSpec(
        nargs=2,
        metavar="FLOAT FLOAT",
        instance_from_str=read,
        is_instance=lambda value: isinstance(value, tuple),
        str_from_instance=lambda pair: [f"{number:g}" for number in pair],
    )


def _old_union(hint: Any) -> Any:
    """`X | Y` as `Union[X, Y]`: tyro imports typeguard (0.08 s) to understand the former."""
    return Union[typing.get_args(hint)] if typing.get_origin(hint) is types.UnionType else hint  # noqa: UP007 (see above)


def _flag(name: str, hint: Any, default: Any, texts: Mapping[str, str]) -> Flag | None:
    kind = _simple(hint)
    fits = default is dataclasses.MISSING or default is None or isinstance(default, SIMPLE) or kind == PAIR
    if kind is None or not fits:
        return None
    if default is None and type(None) not in typing.get_args(kind):
        kind = kind | None
    return Flag(name, kind, default, texts.get(name, ""))


def _simple(hint: Any) -> Any:
    """The part of a type that can be written as one word, or as two numbers, on a command line; None if there is none."""
    if hint in SIMPLE or hint == PAIR or typing.get_origin(hint) is Literal:
        return hint
    if typing.get_origin(hint) not in (Union, types.UnionType):
        return None
    members = [m for m in typing.get_args(hint) if m in SIMPLE or typing.get_origin(m) is Literal]
    if float in members:  # `float | ArrayLike` has bool, int and str in it, but means a number
        members = [m for m in members if m is float or m not in SIMPLE]
    if not members:
        return None
    return functools.reduce(operator.or_, members + [m for m in typing.get_args(hint) if m is type(None)])


def _functions(target: Callable[..., Any]) -> list[Callable[..., Any]]:
    """The constructors whose parameters `target` takes: its own and, behind `**settings`, those of its bases."""
    if not isinstance(target, type):
        return [target]
    functions: list[Callable[..., Any]] = []
    for cls in target.__mro__[:-1]:
        if "__init__" in vars(cls):
            functions.append(vars(cls)["__init__"])
            kinds = {p.kind for p in inspect.signature(functions[-1]).parameters.values()}
            if inspect.Parameter.VAR_KEYWORD not in kinds:
                break
    return functions


def _resolve(annotation: Any, names: dict[str, Any]) -> Any:
    """The type that an annotation stands for where `names` are known; None if it can't be known at run time."""
    if not isinstance(annotation, str):
        return annotation
    holder = types.SimpleNamespace(__annotations__={"value": annotation})
    try:
        return typing.get_type_hints(holder, names)["value"]
    except NameError:  # imported for type checkers alone
        return None


def _given(default: Any) -> Any:
    return dataclasses.MISSING if default is inspect.Parameter.empty else default


def _documentation(target: Any) -> dict[str, str]:
    import docstring_parser

    texts: dict[str, str] = {}
    for cls in getattr(target, "__mro__", (target,)):
        for entry in docstring_parser.parse(inspect.getdoc(cls) or "").params:
            texts.setdefault(entry.arg_name, " ".join((entry.description or "").split()))
    return texts
