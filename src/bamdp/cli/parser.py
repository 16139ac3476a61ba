"""Reading the command line: flags from parameters, by tyro, and errors that the user can act on."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Union

from bamdp.config import parameters
from bamdp.config.parameters import PAIR, Parameter

_ANNOTATED: Any = Annotated  # by this name type checkers allow it on types that are only known when it runs


class UsageError(ValueError):
    """Invalid command-line input; the message is shown to the user."""


@contextmanager
def user_errors(renamed: Mapping[str, str] | None = None) -> Iterator[None]:
    """Show errors to the user without a traceback: they name the argument, what it got and accepts, or what to install.

    Args:
        renamed: the flags of arguments that have another name.
    """
    from bamdp.executors.ray import ClusterError
    from bamdp.studies.store import StoreError

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
    """Read flags.

    Args:
        groups: the parameters, by group.
        arguments: the flags and their values.
        prog: what comes before them.
        description: the text above the flags in `--help`.

    Returns:
        The values by name (see `bamdp.config.parameters.names`). With `--help` or a mistake, tyro prints and exits instead.
    """
    import tyro

    names = parameters.names(groups)
    _reject_values(arguments, {names[group, p.name] for group, some in groups.items() for p in some if p.type is bool})
    fields = [(group, _group(group, some, names)) for group, some in groups.items() if some]
    command = dataclasses.make_dataclass("Command", fields, kw_only=True)
    config = (tyro.conf.OmitArgPrefixes, tyro.conf.HelptextFromCommentsOff)
    result: Any = tyro.cli(command, args=list(arguments), prog=prog, description=description, config=config)
    return {name: getattr(getattr(result, group), own) for (group, own), name in names.items()}


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
        config = tyro.conf.arg(name=names[group, parameter.name].replace("_", "-"), help=parameter.help)
        kind = _ANNOTATED[PAIR, _pair()] if parameter.type == PAIR else _old_union(parameter.type)
        missing = parameter.default is dataclasses.MISSING
        field = dataclasses.field() if missing else dataclasses.field(default=parameter.default)
        fields.append((parameter.name, _ANNOTATED[kind, config], field))
    made = dataclasses.make_dataclass(group.capitalize(), fields, kw_only=True)
    made.__doc__ = None  # or the generated signature would be shown as help
    return made


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
