"""The command `bamdp list`: all names."""

from bamdp.cli.command import Command, listing
from bamdp.cli.parser import UsageError
from bamdp.config.names import KINDS


def run(arguments: list[str]) -> int:
    """Print the names of all domains, priors, agents and problems."""
    if "-h" in arguments or "--help" in arguments:
        print(f"usage: bamdp list\n\n{COMMAND.help}")
    elif arguments:
        raise UsageError(f"list takes no arguments, got '{arguments[0]}'")
    else:
        print("\n\n".join(map(listing, (*KINDS, "problem"))))
    return 0


COMMAND = Command(
    "",
    "all domains, priors, agents and problems",
    "All domains, priors, agents and problems, one line each.",
    "bamdp list",
    run,
)
