"""The command `bamdp list`: all names."""

from __future__ import annotations

from bamdp.cli.command import Command, listing
from bamdp.cli.parser import UsageError
from bamdp.config.names import KINDS


def run(arguments: list[str]) -> int:
    """Print the names of all domains, priors and agents."""
    if "-h" in arguments or "--help" in arguments:
        print(f"usage: bamdp list\n\n{COMMAND.help}")
    elif arguments:
        raise UsageError(f"list takes no arguments, got '{arguments[0]}'")
    else:
        print("\n\n".join(map(listing, KINDS)))
    return 0


COMMAND = Command("", "all domains, priors and agents", "All domains, priors and agents, one line each.", "bamdp list", run)
