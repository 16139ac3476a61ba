"""The command `bamdp list [NAME]`: all names, or the settings of one."""

from typing import Any

from bamdp.cli.command import command, listing, settings_text
from bamdp.cli.parser import user_errors
from bamdp.config.choice import Choice, choose
from bamdp.config.names import KINDS, UnknownNameError


def run(words: list[str], values: dict[str, Any]) -> int:
    """Print the names of all domains, priors, agents and problems, or the settings of one of them."""
    if not words:
        print("\n\n".join([*map(listing, KINDS), "The settings of one: bamdp list bamcp"]))
        return 0
    with user_errors():
        found = described(words[0])
    print("\n\n".join(found))
    return 0


def described(name: str) -> list[str]:
    """What a name stands for and its settings, of each kind that has the name, and how to write them."""
    choices: list[Choice] = []
    for kind in KINDS:
        try:
            choices.append(choose(kind, name))
        except UnknownNameError:
            continue
    first = choices[0] if choices else choose(KINDS, name)  # raises, with the nearest name
    texts = [settings_text(choice) for choice in choices]
    usable = [setting for choice in choices for setting in choice.parameters]
    return [*texts, *([f"They follow the name: {first.found.name}:{usable[0].name}=VALUE,..."] if usable else [])]


COMMAND = command(
    run,
    [],
    arguments="[NAME]",
    summary="all domains, priors, agents and problems; or the settings of one",
    about="All domains, priors, agents and problems, a line each. With a name, its settings with their meaning and defaults.",
    example="bamdp list bamcp",
)
