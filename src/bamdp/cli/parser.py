"""Reading the command line: flags from parameters, by tyro, and errors that the user can act on."""

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Annotated, Any, Literal, Union

from bamdp.config import parameters
from bamdp.config.parameters import NONE, PAIR, Parameter
from bamdp.validation import suggestion

# Settings that few need to change, in a section of their own at the end of the help where a group has more than FEW.
FEW = 6
EXPERT = {
    "episode_length",
    "epsilon",
    "final_move",
    "horizon",
    "learning_rate",
    "limit",
    "memory",
    "nodes",
    "on",
    "resume",
    "reuse_tree",
    "sampling",
    "save",
    "terminal",
    "threads",
    "ties",
    "time_limit",
    "timeout",
    "trees",
    "variant",
    "workers",
}
METAVARS = {int: "INT", float: "NUMBER", str: "TEXT"}

_ANNOTATED: Any = Annotated  # by this name type checkers allow it on types that are only known when it runs


class UsageError(ValueError):
    """Invalid command-line input; the message is shown to the user."""


@contextmanager
def user_errors(renamed: Mapping[str, str] | None = None) -> Iterator[None]:
    """Show errors to the user without a traceback; `renamed` has the flags of arguments that have another name."""
    from bamdp.executors import ClusterError
    from bamdp.runs.store import StoreError

    try:
        yield
    except (TypeError, ValueError, MemoryError, ImportError, StoreError, ClusterError) as error:
        argument, space, rest = str(error).partition(" ")
        raise UsageError((renamed or {}).get(argument, argument) + space + rest) from error


def split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The arguments before the first flag, and the others."""
    first = next((i for i, argument in enumerate(arguments) if argument.startswith("-")), len(arguments))
    return list(arguments[:first]), list(arguments[first:])


def parse(groups: Mapping[str, Sequence[Parameter]], arguments: Sequence[str], prog: str, description: str) -> dict[str, Any]:
    """The values of the flags in `arguments`, by name (see `bamdp.config.parameters.names`).

    `prog` is what comes before the flags, `description` the text above them in `--help`. With `--help` or a mistake, tyro
    prints and exits instead.
    """
    import tyro

    names = parameters.names(groups)
    _reject_values(arguments, {names[group, p.name] for group, some in groups.items() for p in some if p.type is bool})
    sections = _sections(groups)
    fields = [(section, _group(group, some, names)) for section, (group, some) in sections.items()]
    command = dataclasses.make_dataclass("Command", fields, kw_only=True)
    config = (tyro.conf.OmitArgPrefixes, tyro.conf.HelptextFromCommentsOff)
    result: Any = tyro.cli(command, args=list(arguments), prog=prog, description=description, config=config)
    values = {
        names[group, p.name]: getattr(getattr(result, section), p.name)
        for section, (group, some) in sections.items()
        for p in some
    }
    return {name: values[name] for name in names.values()}


def _sections(groups: Mapping[str, Sequence[Parameter]]) -> dict[str, tuple[str, list[Parameter]]]:
    """The sections of the help: what is basic of each group, then what is for experts; each with its group and parameters."""
    found: dict[str, tuple[str, list[Parameter]]] = {}
    for prefix in ("", "expert_"):
        for group, every in groups.items():
            some = [p for p in every if (len(every) > FEW and p.name in EXPERT) == bool(prefix)]
            if some:
                found[prefix + group] = group, some
    return found


def _reject_values(arguments: Sequence[str], switches: set[str]) -> None:
    """Of `--json=5` tyro's message would name the 5 alone."""
    for argument in arguments:
        flag, equals, value = argument.partition("=")
        if equals and flag.removeprefix("--").removeprefix("no-").replace("-", "_") in switches:
            raise UsageError(f"{flag} takes no value, got {value!r}: --name is yes, --no-name is no")


def _group(group: str, some: Sequence[Parameter], names: Mapping[tuple[str, str], str]) -> Any:
    import tyro

    fields: list[Any] = []
    for parameter in some:
        hint = "" if parameter.default in (None, ()) else None  # the help says what happens without the flag
        flag = names[group, parameter.name].replace("_", "-")
        config = tyro.conf.arg(name=flag, help=parameter.help, help_behavior_hint=hint)
        kind = _kind(parameter)
        missing = parameter.default is dataclasses.MISSING
        field = dataclasses.field() if missing else dataclasses.field(default=parameter.default)
        fields.append((parameter.name, _ANNOTATED[kind, config], field))
    made = dataclasses.make_dataclass(group.capitalize(), fields, kw_only=True)
    made.__doc__ = None  # or the generated signature would be shown as help
    return made


def _kind(parameter: Parameter) -> Any:
    """The type of a flag, with how its value is read."""
    if parameter.type == PAIR:
        return _ANNOTATED[PAIR, _pair()]
    if all(kind in (*METAVARS, NONE) or typing.get_origin(kind) is Literal for kind in parameter.types):
        return _ANNOTATED[Any, _plain(parameter)]
    return _old_union(parameter.type)


def _plain(parameter: Parameter) -> Any:
    """How a number, a text or one of some words is read: 1e4 is an integer too, and None is what it is without the flag."""
    from tyro.constructors import PrimitiveConstructorSpec

    words = [word for kind in parameter.types if typing.get_origin(kind) is Literal for word in typing.get_args(kind)]
    shown = [f"{{{','.join(map(str, words))}}}"] if words else []
    shown += [METAVARS[kind] for kind in parameter.types if kind in METAVARS]
    return PrimitiveConstructorSpec(
        nargs=1,
        metavar="|".join(shown),
        instance_from_str=lambda texts: _value(parameter, words, texts[0]),
        is_instance=lambda value: True,
        str_from_instance=lambda value: [str(value)],
    )


def _value(parameter: Parameter, words: Sequence[Any], text: str) -> Any:
    for word in words:
        if text == str(word):
            return word
    if NONE in parameter.types and text == "None":
        return None
    for kind in parameter.types:
        with suppress(ValueError, OverflowError):
            if kind is int:
                return _integer(text)
            if kind in (float, str):
                return kind(text)
    raise ValueError(f"must be {parameter.accepts}, got {text!r}{suggestion(text, map(str, words))}")


def _integer(text: str) -> int:
    """An integer, also as 1e4 or 10_000."""
    try:
        return int(text)
    except ValueError:
        number = float(text)
        if not number.is_integer():
            raise
        return int(number)


def _pair() -> Any:
    """How two numbers are read, with an error that says so: tyro's own is about tuple types."""
    from tyro.constructors import PrimitiveConstructorSpec

    def read(texts: Sequence[str]) -> tuple[float, float]:
        try:
            a, b = map(float, texts)
        except ValueError:
            raise ValueError(f"must be two numbers, got {' '.join(texts)}") from None
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
