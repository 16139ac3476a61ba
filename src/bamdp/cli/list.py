"""The command `bamdp list [NAME]`: all names, or the settings of one."""

import re
from dataclasses import MISSING
from inspect import signature
from textwrap import fill
from typing import Any

from bamdp.cli import COMMANDS
from bamdp.cli.parser import WIDTH, command, user_errors
from bamdp.config.names import REGISTRIES, find_among
from bamdp.config.parameters import documentation
from bamdp.config.registry import Entry, Registry, UnknownNameError
from bamdp.config.spec import Spec, parse_spec


@command(
    [],
    usage=COMMANDS["list"],
    about=(
        "All domains, priors, agents and benchmarks, a line each. With a name, its settings with "
        "their meaning and defaults."
    ),
    example="bamdp list bamcp",
)
def list_names(words: list[str], values: dict[str, Any]) -> int:
    """Print the names of all domains, priors, agents and benchmarks, or the settings of one."""
    with user_errors():
        if words:
            parts = _of_name(words[0])
        else:
            parts = [*map(_of_kind, REGISTRIES), "The settings of one: bamdp list bamcp"]
    print("\n\n".join(parts))
    return 0


def _of_kind(registry: Registry) -> str:
    """The names of a kind, each with a line about it."""
    lines, more = registry.listing(), registry.python_only()
    width = max(map(len, lines))
    text = [f"{registry.kind}s:", *(f"  {name:{width}}  {line}" for name, line in lines.items())]
    if more:
        text.append(_indented(f"in Python also: {', '.join(more)}", 2, 4))
    return "\n".join(text)


def _of_name(text: str) -> list[str]:
    """What a name stands for and its settings, of each kind that has the name, and how to write
    them.
    """
    name = re.sub(r"[<[]N[]>]$", "", text)  # as `bamdp list` shows it
    in_python = [
        _arguments(registry, registry.python_only()[name])
        for registry in REGISTRIES
        if name in registry.python_only()
    ]
    specs: list[Spec] = []
    for registry in REGISTRIES:
        try:
            specs.append(parse_spec(registry, name))
        except UnknownNameError:
            continue
    if not specs and not in_python:
        find_among(REGISTRIES, name)  # raises, with the nearest name
    usable = [(spec.name, setting.name) for spec in specs for setting in spec.parameters]
    hint = [f"They follow the name: {':'.join(usable[0])}=VALUE,..."] if usable else []
    return [*map(_settings, specs), *hint, *in_python]


def _arguments(registry: Registry, entry: Entry) -> str:
    """What a class that needs more than plain settings is, and its arguments."""
    texts, path = documentation(entry.target), f"{registry.package}.{entry.target.__name__}"
    return "\n".join(
        [
            f"{registry.kind} {entry.name}: {entry.description}",
            f"It is made in Python, {path}. Its arguments:",
            *(
                _indented(f"{name}: {texts.get(name, '')}", 2, 4)
                for name in signature(entry.target).parameters
            ),
            "On the command line, name your own function that makes it, without arguments: "
            "package.module:function",
        ]
    )


def _settings(spec: Spec) -> str:
    """What a name stands for, and its settings with their meaning and defaults."""
    settings = spec.parameters
    lines = [
        f"{spec.registry.kind} {spec.name}: {spec.entry.description}",
        "settings:" if settings else "no settings",
    ]
    for setting in settings:
        default = "required" if setting.default is MISSING else f"default {setting.default}"
        lines.append(f"  {setting.name}: {setting.accepts}; {default}")
        if setting.help:
            lines.append(_indented(setting.help, 4, 4))
    return "\n".join(lines)


def _indented(text: str, first: int, rest: int) -> str:
    return fill(text, WIDTH, initial_indent=" " * first, subsequent_indent=" " * rest)
