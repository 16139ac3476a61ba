"""Reading the command line: names first, then flags, by argparse; errors that the user can act on."""

import argparse
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import fill
from typing import Any, NoReturn

from bamdp.cli import Command
from bamdp.config.choice import choose
from bamdp.config.names import Kind, listing
from bamdp.config.parameters import Parameter
from bamdp.validation import nearest

Names = Sequence[tuple[tuple[Kind, ...], str]]  # words before the flags, each with what it may be

METAVARS = {int: "INT", float: "NUMBER", str: "TEXT"}
WIDTH = 110
KINDS: dict[str, tuple[Kind, ...]] = {  # what a word in the usage of a command stands for
    "DOMAIN": ("domain", "problem"),
    "PROBLEM": ("problem", "domain"),
    "AGENT": ("agent",),
}
NAMES = """\
Settings follow a name, NAME:SETTING=VALUE,SETTING=VALUE, as in grid5:slip=0.1 or bamcp:simulations=300,exploration=auto.
bamdp list has a line about each name, and bamdp list NAME its settings. [N]: a number may follow, as in grid10.
Your own code is package.module:Name, a class, or a function that needs no arguments.

gym:<ID> is an id of gymnasium.make, with its settings: gym:FrozenLake-v1:map_name=8x8; for an environment of another package,
put its module first: gym:package.module:Name-v0. The setting rewards=learned lets the agent learn the rewards."""

# Flags that commands share.
STEPS = Parameter("steps", int | None, None, "number of steps of each run; the domain's if not given")
SEED = Parameter("seed", int, 0, "seed of all random generators: the same seed gives the same results")
WORKERS = Parameter("workers", int | None, None, "runs at a time, one per core if not given; the results don't depend on it")
PRIOR = Parameter("prior", str | None, None, "the prior, as dirichlet or dirichlet:alpha=0.5, instead of the domain's own")
JSON = Parameter("json", bool, False, "print one JSON object and nothing else")
PICTURE = Parameter("picture", str | None, None, "a file for the picture, .svg or .png")


def runs(number: int) -> Parameter:
    """The flag of the number of runs, with this default."""
    return Parameter("runs", int, number, "number of runs, each with its own seeds")


class UsageError(ValueError):
    """Invalid command-line input; the message is shown to the user."""


@contextmanager
def user_errors(renamed: Mapping[str, str] | None = None) -> Iterator[None]:
    """Show errors to the user without a traceback; `renamed` has the flags of arguments that have another name."""
    from bamdp.executors import ClusterError
    from bamdp.runs.store import StoreError

    try:
        yield
    except (TypeError, ValueError, MemoryError, ImportError, OSError, StoreError, ClusterError) as error:
        argument, space, rest = str(error).partition(" ")
        raise UsageError((renamed or {}).get(argument, argument) + space + rest) from error


def command(
    run: Callable[[list[str], dict[str, Any]], int],
    flags: Sequence[Parameter],
    *,
    arguments: str,
    summary: str,
    about: str,
    example: str,
    notes: Callable[[], str] = lambda: "",
) -> Command:
    """A command; `run` has the words before the flags and the values of the flags, and gives the exit code.

    `arguments` has the words: "DOMAIN AGENT", "FILE", "NAME..." for any number, "[AGENT]" for one that may be left out; those
    in `KINDS` are names that may have settings. `notes` are further paragraphs of the help.
    """
    name, usual = example.split()[1], arguments.replace("[", "").replace("]", "").split()
    least, most = sum("[" not in word for word in arguments.split()), 10**9 if "..." in arguments else len(usual)

    def description() -> str:
        kinds = dict.fromkeys(kind for word, some in KINDS.items() if word in arguments for kind in some[:1])
        lists = [*map(_names, kinds), _names("domain" if "problem" in kinds else "prior")] if kinds else []
        parts = [about, *(["\n".join(lists), NAMES] if lists else []), notes(), f"example:\n  {example}"]
        return "\n\n".join(filter(None, parts))

    def call(given: list[str]) -> int:
        words, rest = split(given)
        kinds = [KINDS.get(word.rstrip("."), ()) for word in usual + usual[-1:] * len(words)]
        named: Names = [(some, word) for some, word in zip(kinds, words, strict=False) if some]
        text = description() if {"-h", "--help"} & set(rest) else ""
        values = parse({name: flags}, rest, f"bamdp {name} {arguments}".rstrip(), text, named)
        if not least <= len(words) <= most:
            needs = f"{'needs' if len(words) < least else 'takes'} {arguments or 'flags only'}"
            got = f"'{' '.join(words)}'" if words else "nothing"
            raise UsageError(f"{name} {needs}, got {got}; for example: {example}. See bamdp {name} --help")
        return run(words, values)

    return Command(f"{arguments} [flags]".lstrip() if flags else arguments, summary, about, example, call)


def _names(kind: Kind) -> str:
    return fill(f"{kind}s: {', '.join(listing(kind))}", WIDTH, subsequent_indent="  ", break_on_hyphens=False)


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
        if one.type is not str and "," in "".join(given):
            raise ValueError(f"{parameter.name} must be numbers separated by spaces, not commas, got '{' '.join(given)}'")
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
