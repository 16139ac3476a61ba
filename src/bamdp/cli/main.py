"""`bamdp` itself: finds the command and runs it."""

import os
import sys
from collections.abc import Sequence

from bamdp import __version__
from bamdp.cli import commands
from bamdp.cli.parser import UsageError
from bamdp.saving.archive import SavedFileError
from bamdp.validation import suggestion

HELP = """\
usage: bamdp COMMAND ...

Planning in a world you do not know yet: Bayes-adaptive reinforcement learning by sample-based search.

commands:
{commands}

  --help     this text; after a command, its help
  --version  the version

Domains, agents, priors and problems are NAME or NAME:SETTING=VALUE,SETTING=VALUE. bamdp list shows the names, and
bamdp list NAME the settings of one.

example:
  bamdp play grid5 bamcp:simulations=1000 --runs 5
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code is 0 (done), 1 (a task failed), 2 (invalid input), 130 (Ctrl-C)."""
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()  # here, where a closed pipe is handled
        return code
    except (UsageError, SavedFileError) as error:
        print(f"bamdp: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader (head, less) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(arguments: list[str]) -> int:
    name, rest = (arguments[0], arguments[1:]) if arguments else ("--help", [])
    known = commands()
    if name in ("-h", "--help", "help"):
        lines = {f"{name} {command.arguments}": command.summary for name, command in known.items()}
        width = max(map(len, lines))
        print(HELP.format(commands="\n".join(f"  {line:{width}}  {about}" for line, about in lines.items())), end="")
        return 0
    if name == "--version":
        print(f"bamdp {__version__}")
        return 0
    if name not in known:
        hint = suggestion(name, known) or "."
        raise UsageError(f"unknown command '{name}'{hint} Known: {', '.join(known)}. See bamdp --help")
    return known[name].run(rest)
