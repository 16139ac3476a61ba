"""Reading the command line: names first, then flags, by argparse; errors that the user can act on."""

import argparse
import typing
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import fill
from typing import Any, NoReturn

from bamdp.config.choice import choose
from bamdp.config.names import Kind
from bamdp.config.parameters import Parameter
from bamdp.validation import nearest

Names = Sequence[tuple[tuple[Kind, ...], str]]  # words before the flags, each with what it may be

METAVARS = {int: "INT", float: "NUMBER", str: "TEXT"}
WIDTH = 110


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


def parse(
    groups: Mapping[str, Sequence[Parameter]], arguments: Sequence[str], prog: str, description: str, names: Names = ()
) -> dict[str, Any]:
    """The values of the flags in `arguments`, by name; with `--help` it prints and exits instead.

    `prog` is what comes before the flags, and `description` the text above them in the help. A setting of one of the `names`
    that is given as a flag is answered with how to write it.
    """
    parameters = [parameter for some in groups.values() for parameter in some]
    text = "\n\n".join(fill(part, WIDTH) if "\n" not in part else part for part in description.split("\n\n"))
    parser = _Parser(
        prog, f"{prog} [flags]" if parameters else prog, text, formatter_class=_formatter, allow_abbrev=False, add_help=False
    )
    flags = parser.add_argument_group("flags")
    for parameter in parameters:
        _add(flags, parameter)
    flags.add_argument("-h", "--help", action="help", help="this text")
    parsed, left = parser.parse_known_args(list(arguments))
    found = vars(parsed)
    if left and not left[0].startswith("-"):
        parser.error(f"names come before flags, got '{left[0]}' after them")
    with user_errors():
        if left:
            flag, _, value = left[0].partition("=")
            said = _unknown(flag, value or " ".join(left[1:2]), list(found), names)
            raise UsageError(f"unknown flag '{flag}'{said} See {' '.join(prog.split()[:2])} --help")
        return {parameter.name: _value(parameter, found[parameter.name]) for parameter in parameters}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message.removeprefix('argument ')}; see {' '.join(self.prog.split()[:2])} --help")


def _formatter(prog: str) -> argparse.HelpFormatter:
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=24, width=WIDTH)


def _add(flags: Any, parameter: Parameter) -> None:
    default, several = parameter.default, typing.get_origin(parameter.type) is tuple
    shown = "" if default is None or default is False else " ".join(map(str, default if several else [default]))
    text = parameter.help.replace("%", "%%") + (f" (default: {shown})" if shown else "")
    flag = "--" + parameter.name.replace("_", "-")
    if parameter.type is bool:
        action: Any = argparse.BooleanOptionalAction if default else "store_true"
        flags.add_argument(flag, action=action, default=default, help=parameter.help)
        return
    kinds = typing.get_args(parameter.type) if several else parameter.types
    metavar = "|".join(METAVARS[kind] for kind in kinds if kind in METAVARS)
    flags.add_argument(flag, nargs="+" if several else None, metavar=metavar, default=default, help=text)


def _value(parameter: Parameter, given: Any) -> Any:
    if isinstance(given, list):
        one = Parameter(parameter.name, typing.get_args(parameter.type)[0], None, "")
        return tuple(map(one.read, given))
    return parameter.read(given) if isinstance(given, str) else given


def _unknown(flag: str, value: str, flags: Sequence[str], names: Names) -> str:
    """What to write instead of a flag that there isn't: a near one, or `bamcp:simulations=300` for `--simulations 300`."""
    spelt = flag.lstrip("-").replace("-", "_")
    near = nearest(spelt, [name.replace("_", "-") for name in flags])
    for kinds, text in reversed(names):  # agents come last: their settings count
        choice, name = choose(kinds, text), spelt.removeprefix("no_")
        setting = nearest(name, [parameter.name for parameter in choice.parameters])
        if setting is not None and (near is None or setting == name):
            typed = "no" if name != spelt else value if value and not value.startswith("-") else "yes"
            joined = "," if "=" in text else ":"
            return f": {setting} is a setting of {choice.found.name}, {text}{joined}{setting}={typed}."
    return f"; did you mean '--{near}'?" if near else ". Settings follow names, NAME:SETTING=VALUE." if names else "."
