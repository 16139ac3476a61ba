"""Reading the command line: names first, then flags, by argparse; errors that the user can act on."""

import argparse
import shlex
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

PRIOR: tuple[Kind, ...] = ("prior",)
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
    if left and not left[0].startswith("-"):
        parser.error(f"names come before flags, got '{left[0]}' after them")
    found = vars(parsed)
    with user_errors():
        if left:
            raise UsageError(_respelled(prog.split()[1], parameters, found, names, left))
        return {parameter.name: _value(parameter, found[parameter.name]) for parameter in parameters}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message.removeprefix('argument ')}; see {' '.join(self.prog.split()[:2])} --help")


def _formatter(prog: str) -> argparse.HelpFormatter:
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=24, width=WIDTH)


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _add(flags: Any, parameter: Parameter) -> None:
    default, several = parameter.default, typing.get_origin(parameter.type) is tuple
    shown = "" if default is None or default is False else " ".join(map(str, default if several else [default]))
    text = parameter.help.replace("%", "%%") + (f" (default: {shown})" if shown else "")
    if parameter.type is bool:
        action: Any = argparse.BooleanOptionalAction if default else "store_true"
        flags.add_argument(_flag(parameter.name), action=action, default=default, help=parameter.help)
        return
    kinds = typing.get_args(parameter.type) if several else parameter.types
    metavar = "|".join(METAVARS[kind] for kind in kinds if kind in METAVARS)
    flags.add_argument(_flag(parameter.name), nargs="+" if several else None, metavar=metavar, default=default, help=text)


def _value(parameter: Parameter, given: Any) -> Any:
    if isinstance(given, list):
        one = Parameter(parameter.name, typing.get_args(parameter.type)[0], None, "")
        return tuple(map(one.read, given))
    return parameter.read(given) if isinstance(given, str) else given


def _respelled(
    command: str, parameters: Sequence[Parameter], found: Mapping[str, Any], names: Names, left: Sequence[str]
) -> str:
    """What to write instead of the flags that are `left` over: `bamcp:simulations=300` for `--simulations 300`."""
    named = [*names, *((PRIOR, prior) for prior in [found.get("prior")] if prior)]
    words, choices = [text for _, text in named], [choose(kinds, text) for kinds, text in named]
    settings = {
        spelt: (index, setting.name)
        for index, choice in sorted(enumerate(choices), key=lambda pair: pair[1].kind == "agent")  # agents last: theirs count
        for setting in choice.parameters
        for spelt in (f"{choice.kind}_{setting.name}", f"no_{setting.name}", setting.name)
    }
    for flag, values in _flags(left).items():
        name = flag.removeprefix("--").replace("-", "_")
        of_prior = name.startswith("prior_")
        meant = name if name in settings or of_prior else nearest(name, [*found, *settings])
        if meant not in settings:
            own = f"--prior NAME:{name[6:]}" if of_prior else "NAME:SETTING"
            hint = f"; did you mean '{_flag(meant)}'?" if meant and meant in found else "."
            also = f" Settings follow names, {own}=VALUE." if names and hint == "." else ""
            return f"unknown flag '{flag}'{hint}{also} See bamdp {command} --help"
        index, setting = settings[meant]
        value = ",".join(values) or ("no" if meant.startswith("no_") else "yes")
        words[index] += f"{',' if '=' in words[index] else ':'}{setting}={value}"
    given = {p.name: found[p.name] for p in parameters if found[p.name] != p.default}
    given |= {"prior": words[-1]} if "prior" in given else {}
    typed = [word for name, value in given.items() for word in _typed(name, value)]
    line = shlex.join(["bamdp", command, *words[: len(names)], *typed])
    return f"settings follow the name they belong to: {line}"


def _flags(words: Sequence[str]) -> dict[str, list[str]]:
    """The flags among `words`, each with its values."""
    found: dict[str, list[str]] = {}
    for word in words:
        flag, equals, value = word.partition("=")
        if word.startswith("--") or not found:
            found[flag] = [value] if equals else []
        else:
            found[list(found)[-1]].append(word)
    return found


def _typed(name: str, value: Any) -> list[str]:
    """A flag as it is typed."""
    if isinstance(value, bool):
        return [_flag(name if value else f"no_{name}")]
    return [_flag(name), *map(str, value if isinstance(value, list) else [value])]
