"""The command `bamdp list [NAME]`: all names, or the settings of one."""

from dataclasses import MISSING
from textwrap import fill
from typing import Any

from bamdp.cli.parser import WIDTH, command, user_errors
from bamdp.config.choice import Choice, choose
from bamdp.config.names import KINDS, Kind, UnknownNameError, listing


def run(words: list[str], values: dict[str, Any]) -> int:
    """Print the names of all domains, priors, agents and problems, or the settings of one of them."""
    with user_errors():
        parts = _of_name(words[0]) if words else [*map(_of_kind, KINDS), "The settings of one: bamdp list bamcp"]
    print("\n\n".join(parts))
    return 0


def _of_kind(kind: Kind) -> str:
    """The names of a kind, each with a line about it."""
    lines = listing(kind)
    width = max(map(len, lines))
    return "\n".join([f"{kind}s:", *(f"  {name:{width}}  {line}" for name, line in lines.items())])


def _of_name(name: str) -> list[str]:
    """What a name stands for and its settings, of each kind that has the name, and how to write them."""
    choices: list[Choice] = []
    for kind in KINDS:
        try:
            choices.append(choose(kind, name))
        except UnknownNameError:
            continue
    first = choices[0] if choices else choose(KINDS, name)  # raises, with the nearest name
    usable = [setting for choice in choices for setting in choice.parameters]
    hint = [f"They follow the name: {first.found.name}:{usable[0].name}=VALUE,..."] if usable else []
    return [*map(_settings, choices), *hint]


def _settings(choice: Choice) -> str:
    """What a name stands for, and its settings with their meaning and defaults."""
    settings = choice.parameters
    lines = [f"{choice.kind} {choice.found.name}: {choice.found.description}", "settings:" if settings else "no settings"]
    for setting in settings:
        default = "required" if setting.default is MISSING else f"default {setting.default}"
        lines.append(f"  {setting.name}: {setting.accepts}; {default}")
        if setting.help:
            lines.append(fill(setting.help, WIDTH, initial_indent="    ", subsequent_indent="    "))
    return "\n".join(lines)


COMMAND = command(
    run,
    [],
    arguments="[NAME]",
    summary="all domains, priors, agents and problems; or the settings of one",
    about="All domains, priors, agents and problems, a line each. With a name, its settings with their meaning and defaults.",
    example="bamdp list bamcp",
)
