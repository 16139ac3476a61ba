"""The command `bamdp list [NAME]`: all names, or the settings of one."""

from dataclasses import MISSING
from textwrap import fill

from bamdp.cli.command import Command, listing
from bamdp.cli.parser import UsageError, user_errors
from bamdp.config import parameters
from bamdp.config.choice import settable
from bamdp.config.names import KINDS, Kind, UnknownNameError, find, find_among

EVERY: tuple[Kind, ...] = (*KINDS, "problem")
WIDTH = 100


def run(arguments: list[str]) -> int:
    """Print the names of all domains, priors, agents and problems, or the settings of one of them."""
    if "-h" in arguments or "--help" in arguments:
        print(f"usage: bamdp list [NAME]\n\n{COMMAND.help}")
    elif len(arguments) > 1 or any(word.startswith("-") for word in arguments):
        raise UsageError(f"list takes one name, or none for all names; got {' '.join(arguments)!r}")
    elif arguments:
        with user_errors():
            print(described(arguments[0]))
    else:
        print("\n\n".join([*map(listing, EVERY), "The settings of one: bamdp list bamcp"]))
    return 0


def described(name: str) -> str:
    """What a name stands for and its settings, of each kind that has the name."""
    texts = []
    for kind in EVERY:
        try:
            found = find(kind, name)
        except UnknownNameError:
            continue
        settings = parameters.of_object(found.factory()) if kind == "prior" else settable(kind, found)
        lines = [f"{kind} {name}: {found.description}", "", "settings:" if settings else "no settings"]
        for setting in settings:
            default = "required" if setting.default is MISSING else f"default {setting.default}"
            lines.append(f"  {setting.name}: {setting.accepts}; {default}")
            if setting.help:
                lines.append(fill(setting.help, WIDTH, initial_indent="    ", subsequent_indent="    "))
        texts.append("\n".join(lines))
    if not texts:
        find_among(EVERY, name)  # raises, with the nearest name
    how = f"In bamdp compare settings follow the name, {name}:SETTING=VALUE; in bamdp play they are flags, --SETTING VALUE."
    return "\n\n".join([*texts, how])


COMMAND = Command(
    "[NAME]",
    "all domains, priors, agents and problems; or the settings of one",
    "All domains, priors, agents and problems, one line each. With a name, its settings, what they mean and their defaults.",
    "bamdp list bamcp",
    run,
)
