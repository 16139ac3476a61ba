"""Reading the command line: names first, then flags, by argparse; errors that the user
can act on.
"""

import argparse
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from textwrap import fill
from typing import Any, NoReturn

from bamdp.cli import Usage
from bamdp.config.names import AGENTS, BENCHMARKS, DOMAINS, PRIORS
from bamdp.config.parameters import Parameter
from bamdp.config.registry import Registry
from bamdp.config.spec import parse_spec
from bamdp.validation import nearest

Names = Sequence[tuple[tuple[Registry, ...], str]]  # words before the flags, and where to look

METAVARS = {int: "INT", float: "NUMBER", str: "TEXT"}
WIDTH = 110
KINDS: dict[str, tuple[Registry, ...]] = {  # what a word in the usage of a command stands for
    "DOMAIN": (DOMAINS, BENCHMARKS),
    "BENCHMARK": (BENCHMARKS, DOMAINS),
    "PROBLEM": (BENCHMARKS, DOMAINS),
    "AGENT": (AGENTS,),
}
NAMES = """\
Settings follow a name, NAME:SETTING=VALUE,SETTING=VALUE, as in grid5:slip=0.1 or
bamcp:simulations=300,exploration=auto. bamdp list has a line about each name, and bamdp list NAME
its settings. [N]: a number may follow, as in grid10. Your own code is package.module:Name, a class,
or a function that needs no arguments.

gym:<ID> is an id of gymnasium.make, with its settings: gym:FrozenLake-v1:map_name=8x8; for an
environment of another package, put its module first: gym:package.module:Name-v0. The setting
rewards=learned lets the agent learn the rewards."""

# Flags that commands share.
STEPS = Parameter(
    "steps", int | None, None, "number of steps of each run; the domain's if not given"
)
SEED = Parameter(
    "seed", int, 0, "seed of all random generators: the same seed gives the same results"
)
WORKERS = Parameter(
    "workers",
    int | None,
    None,
    "runs at a time, one per core if not given; the results don't depend on it",
)
PRIOR = Parameter(
    "prior",
    str | None,
    None,
    "the prior, as dirichlet or dirichlet:alpha=0.5, instead of the domain's own",
)
JSON = Parameter("json", bool, False, "print one JSON object and nothing else")
PICTURE = Parameter("picture", str | None, None, "a file for the picture, .svg or .png")


def runs_flag(number: int) -> Parameter:
    """The flag of the number of runs, with this default."""
    return Parameter("runs", int, number, "number of runs, each with its own seeds")


class UsageError(ValueError):
    """Invalid command-line input; the message is shown to the user."""


@contextmanager
def user_errors(renamed: Mapping[str, str] | None = None) -> Iterator[None]:
    """Show errors to the user without a traceback; `renamed` has the flags of arguments that have
    another name.
    """
    from bamdp.comparing.store import StoreError
    from bamdp.executors import ClusterError

    try:
        yield
    except (
        TypeError,
        ValueError,
        MemoryError,
        ImportError,
        OSError,
        StoreError,
        ClusterError,
    ) as error:
        argument, space, rest = str(error).partition(" ")
        raise UsageError((renamed or {}).get(argument, argument) + space + rest) from error


@dataclass(frozen=True)
class Command:
    """A command of the command line; `command` makes it from a function."""

    usage: Usage
    about: str  # what it does, in its own help
    example: str  # how to use it
    run: Callable[[list[str]], int]  # runs it with its arguments, and returns the exit code


def command(
    flags: Sequence[Parameter],
    *,
    usage: Usage,
    about: str,
    example: str,
    notes: Callable[[], str] = lambda: "",
) -> Callable[[Callable[[list[str], dict[str, Any]], int]], Command]:
    """Make a command of a function of the words before the flags and of the values of the flags,
    which returns the exit code.

    Words of the usage that are in `KINDS` are names that may have settings. `notes` are further
    paragraphs of the help.
    """
    arguments, typed = usage.arguments, usage.program
    usual = arguments.replace("[", "").replace("]", "").split()
    least = sum("[" not in word for word in arguments.split())
    most = 10**9 if "..." in arguments else len(usual)

    def description() -> str:
        shown = [kinds[0] for word, kinds in KINDS.items() if word in arguments]
        parts = [about]
        if shown:
            shown.append(DOMAINS if BENCHMARKS in shown else PRIORS)
            parts += ["\n".join(map(_names, dict.fromkeys(shown))), NAMES]
        return "\n\n".join(filter(None, [*parts, notes(), f"example:\n  {example}"]))

    def check(words: list[str]) -> None:
        if not least <= len(words) <= most:
            needs = f"{'needs' if len(words) < least else 'takes'} {arguments or 'flags only'}"
            got = f"'{' '.join(words)}'" if words else "nothing"
            raise UsageError(
                f"{usage.name} {needs}, got {got}; for example: {example}. See {typed} --help"
            )

    def decorate(run: Callable[[list[str], dict[str, Any]], int]) -> Command:
        def call(typed_words: list[str]) -> int:
            words, rest = split_words(typed_words)
            kinds = [KINDS.get(word.rstrip("."), ()) for word in usual + usual[-1:] * len(words)]
            named: Names = [(some, word) for some, word in zip(kinds, words, strict=False) if some]
            text = description() if {"-h", "--help"} & set(rest) else ""
            values = parse_flags(flags, rest, f"{typed} {arguments}".rstrip(), text, named)
            check(words)
            return run(words, values)

        return Command(usage, about, example, call)

    return decorate


def _names(registry: Registry) -> str:
    return fill(
        f"{registry.kind}s: {', '.join(registry.listing())}",
        WIDTH,
        subsequent_indent="  ",
        break_on_hyphens=False,
    )


def split_words(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The arguments before the first flag, and the others."""
    first = next(
        (i for i, argument in enumerate(arguments) if argument.startswith("-")), len(arguments)
    )
    return list(arguments[:first]), list(arguments[first:])


def parse_flags(
    parameters: Sequence[Parameter],
    arguments: Sequence[str],
    prog: str,
    description: str,
    names: Names = (),
) -> dict[str, Any]:
    """The values of the flags in `arguments`, by name; with `--help` it prints and exits instead.

    `prog` is what comes before the flags, and `description` the text above them in the help. A
    setting of one of the `names` that is given as a flag is answered with how to write it.
    """
    text = "\n\n".join(
        fill(part, WIDTH) if "\n" not in part else part for part in description.split("\n\n")
    )
    parser = _Parser(
        prog,
        f"{prog} [flags]" if parameters else prog,
        text,
        formatter_class=_formatter,
        allow_abbrev=False,
        add_help=False,
    )
    flags = parser.add_argument_group("flags")
    for parameter in parameters:
        _add(flags, parameter)
    flags.add_argument("-h", "--help", action="help", help="this text")
    parsed, left = parser.parse_known_args(list(arguments))
    typed = vars(parsed)
    if left and not left[0].startswith("-"):
        parser.error(f"names come before flags, got '{left[0]}' after them")
    with user_errors():
        if left:
            flag, _, value = left[0].partition("=")
            said = _unknown(flag, value or " ".join(left[1:2]), list(typed), names)
            raise UsageError(f"unknown flag '{flag}'{said} See {_typed(prog)} --help")
        return {
            parameter.name: _value(parameter, typed[parameter.name]) for parameter in parameters
        }


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message.removeprefix('argument ')}; see {_typed(self.prog)} --help")


def _typed(prog: str) -> str:
    """The program without its arguments, whose names are in capitals."""
    return " ".join(takewhile(str.islower, prog.split()))


def _formatter(prog: str) -> argparse.HelpFormatter:
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=24, width=WIDTH)


def _add(flags: Any, parameter: Parameter) -> None:
    default, several = parameter.default, typing.get_origin(parameter.type) is tuple
    shown = (
        ""
        if default is None or default is False
        else " ".join(map(str, default if several else [default]))
    )
    text = parameter.help.replace("%", "%%") + (f" (default: {shown})" if shown else "")
    flag = "--" + parameter.name.replace("_", "-")
    if parameter.type is bool:
        action: Any = argparse.BooleanOptionalAction if default else "store_true"
        flags.add_argument(flag, action=action, default=default, help=parameter.help)
        return
    kinds = typing.get_args(parameter.type) if several else parameter.types
    metavar = "|".join(METAVARS[kind] for kind in kinds if kind in METAVARS)
    flags.add_argument(
        flag, nargs="+" if several else None, metavar=metavar, default=default, help=text
    )


def _value(parameter: Parameter, typed: Any) -> Any:
    if isinstance(typed, list):
        one = Parameter(parameter.name, typing.get_args(parameter.type)[0], None, "")
        if one.type is not str and "," in "".join(typed):
            raise ValueError(
                f"{parameter.name} must be numbers separated by spaces, not commas, got "
                f"'{' '.join(typed)}'"
            )
        return tuple(map(one.read, typed))
    return parameter.read(typed) if isinstance(typed, str) else typed


def _unknown(flag: str, value: str, flags: Sequence[str], names: Names) -> str:
    """What to write instead of a flag that there isn't: a near one, or `bamcp:simulations=300` for
    `--simulations 300`.
    """
    spelt = flag.lstrip("-").replace("-", "_")
    near = nearest(spelt, [name.replace("_", "-") for name in flags])
    for registries, text in reversed(names):  # agents come last: their settings count
        spec, name = parse_spec(registries, text), spelt.removeprefix("no_")
        setting = nearest(name, [parameter.name for parameter in spec.parameters])
        if setting is not None and (near is None or setting == name):
            typed = (
                "no" if name != spelt else value if value and not value.startswith("-") else "yes"
            )
            joined = "," if "=" in text else ":"
            return f": {setting} is a setting of {spec.name}, {text}{joined}{setting}={typed}."
    return (
        f"; did you mean '--{near}'?"
        if near
        else ". Settings follow names, NAME:SETTING=VALUE."
        if names
        else "."
    )
