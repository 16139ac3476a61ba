"""The command `bamdp list [NAME]`: all names, or the settings of one."""

import re
from dataclasses import MISSING
from inspect import signature
from textwrap import fill
from typing import Any

from bamdp.cli.parser import WIDTH, command, user_errors
from bamdp.config.choice import Choice, choose
from bamdp.config.names import KINDS, Found, Kind, UnknownNameError, listing, python_only
from bamdp.config.parameters import documentation


def run(words: list[str], values: dict[str, Any]) -> int:
    """Print the names of all domains, priors, agents and problems, or the settings of one of them."""
    with user_errors():
        parts = _of_name(words[0]) if words else [*map(_of_kind, KINDS), "The settings of one: bamdp list bamcp"]
    print("\n\n".join(parts))
    return 0


def _of_kind(kind: Kind) -> str:
    """The names of a kind, each with a line about it."""
    lines, more = listing(kind), python_only(kind)
    width = max(map(len, lines))
    rest = [fill(f"in Python also: {', '.join(more)}", WIDTH, initial_indent="  ", subsequent_indent="    ")] if more else []
    return "\n".join([f"{kind}s:", *(f"  {name:{width}}  {line}" for name, line in lines.items()), *rest])


def _of_name(text: str) -> list[str]:
    """What a name stands for and its settings, of each kind that has the name, and how to write them."""
    name = re.sub(r"[<[]N[]>]$", "", text)  # as `bamdp list` shows it
    in_python = [_arguments(kind, python_only(kind)[name]) for kind in KINDS if name in python_only(kind)]
    choices: list[Choice] = []
    for kind in KINDS:
        try:
            choices.append(choose(kind, name))
        except UnknownNameError:
            continue
    if not choices and not in_python:
        choose(KINDS, name)  # raises, with the nearest name
    usable = [(choice, setting) for choice in choices for setting in choice.parameters]
    hint = [f"They follow the name: {usable[0][0].found.name}:{usable[0][1].name}=VALUE,..."] if usable else []
    return [*map(_settings, choices), *hint, *in_python]


def _arguments(kind: Kind, found: Found) -> str:
    """What a class that needs more than plain settings is, and its arguments."""
    texts, called = documentation(found.target), found.target.__name__
    lines = [f"{kind} {found.name}: {found.description}", f"It is made in Python, bamdp.{kind}s.{called}. Its arguments:"]
    for name in signature(found.target).parameters:
        lines.append(fill(f"{name}: {texts.get(name, '')}", WIDTH, initial_indent="  ", subsequent_indent="    "))
    made = "On the command line, name your own function that makes it, without arguments: package.module:function"
    return "\n".join([*lines, made])


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
