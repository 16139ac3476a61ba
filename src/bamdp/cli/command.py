"""What commands share that take names of domains, agents, priors and problems."""

from collections.abc import Callable, Sequence
from dataclasses import MISSING
from textwrap import fill
from typing import Any

from bamdp.cli import Command
from bamdp.cli.parser import WIDTH, Names, UsageError, parse, split, user_errors
from bamdp.config import names as naming
from bamdp.config.choice import Choice, choose
from bamdp.config.names import Kind
from bamdp.config.parameters import Parameter

KINDS: dict[str, tuple[Kind, ...]] = {  # what a word in the usage of a command stands for
    "DOMAIN": ("domain", "problem"),
    "PROBLEM": ("problem", "domain"),
    "AGENT": ("agent",),
}
NAMES = """\
Settings follow a name, NAME:SETTING=VALUE,SETTING=VALUE, as in grid5:slip=0.1 or bamcp:simulations=300,exploration=auto.
bamdp list has a line about each name, and bamdp list NAME its settings. [N]: a number may follow, as in grid10.
Your own code is package.module:Name, a class, or a function that needs no arguments."""
GYM = """\
gym:<ID> is an id of gymnasium.make, with its settings: gym:FrozenLake-v1:map_name=8x8; for an environment of another package,
put its module first: gym:package.module:Name-v0. The setting rewards=learned lets the agent learn the rewards."""

STEPS = Parameter("steps", int | None, None, "number of steps of each run; the domain's if not given")
SEED = Parameter("seed", int, 0, "seed of all random generators: the same seed gives the same results")
WORKERS = Parameter("workers", int | None, None, "runs at a time, one per core if not given; the results don't depend on it")
PRIOR = Parameter("prior", str | None, None, "the prior, as dirichlet or dirichlet:alpha=0.5, instead of the domain's own")
JSON = Parameter("json", bool, False, "print one JSON object and nothing else")
PICTURE = Parameter("picture", str | None, None, "a file for the picture, .svg or .png")


def runs(number: int) -> Parameter:
    """The flag of the number of runs, with this default."""
    return Parameter("runs", int, number, "number of runs, each with its own seeds")


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
    usual = arguments.replace("[", "").replace("]", "").split()
    least, most = sum("[" not in word for word in arguments.split()), 10**9 if "..." in arguments else len(usual)

    def call(given: list[str]) -> int:
        words, rest = split(given)
        kinds = [KINDS.get(word.rstrip("."), ()) for word in usual + usual[-1:] * len(words)]
        named: Names = [(some, word) for some, word in zip(kinds, words, strict=False) if some]
        asked = "-h" in rest or "--help" in rest
        with user_errors():
            about = _help(made, named, notes()) if asked else ""
        values = parse({made.name: flags}, rest, f"bamdp {made.name} {arguments}".rstrip(), about, named)
        if not least <= len(words) <= most:
            needs = f"{'needs' if len(words) < least else 'takes'} {arguments or 'flags only'}"
            got = f"'{' '.join(words)}'" if words else "nothing"
            raise UsageError(f"{made.name} {needs}, got {got}; for example: {example}. See bamdp {made.name} --help")
        return run(words, values)

    made = Command(f"{arguments} [flags]".lstrip() if flags else arguments, summary, about, example, call)
    return made


def _help(made: Command, named: Names, notes: str) -> str:
    """The text above the flags: names to choose from, or the settings of those that were given."""
    kinds = list(dict.fromkeys(kind for word, some in KINDS.items() if word in made.arguments for kind in some[:1]))
    parts = [made.about]
    if named:
        parts += [settings_text(choose(some, word)) for some, word in named]
    elif kinds:
        asked: list[Kind] = [*kinds, "domain" if "problem" in kinds else "prior"]
        lists = [_names(kind) for kind in asked]
        parts += ["\n".join(lists), NAMES, GYM]
    return "\n\n".join([*parts, *([notes] if notes else []), f"example:\n  {made.example}"])


def _names(kind: Kind) -> str:
    return fill(f"{kind}s: {', '.join(naming.listing(kind))}", WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def settings_text(choice: Choice) -> str:
    """What a name stands for, and its settings with their meaning and defaults."""
    settings = choice.parameters
    lines = [f"{choice.kind} {choice.found.name}: {choice.found.description}", "settings:" if settings else "no settings"]
    for setting in settings:
        default = "required" if setting.default is MISSING else f"default {setting.default}"
        lines.append(f"  {setting.name}: {setting.accepts}; {default}")
        if setting.help:
            lines.append(fill(setting.help, WIDTH, initial_indent="    ", subsequent_indent="    "))
    return "\n".join(lines)


def listing(kind: Kind) -> str:
    """The names of a kind, each with a line about it."""
    lines = naming.listing(kind)
    width = max(map(len, lines), default=0)
    return "\n".join([f"{kind}s:", *(f"  {name:{width}}  {line}" for name, line in lines.items())])
