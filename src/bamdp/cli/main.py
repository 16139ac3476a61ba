"""`bamdp` itself: finds the command and runs it."""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from bamdp import __version__
from bamdp.cli import COMMANDS
from bamdp.cli.parser import Command, UsageError
from bamdp.saving.archive import SavedFileError
from bamdp.validation import suggestion

HELP = """\
usage: bamdp COMMAND ...

Planning in a world you do not know yet: Bayes-adaptive reinforcement learning by
sample-based search.

commands:
{commands}

  --help     this text; after a command, its help
  --version  the version

Domains, agents, priors and benchmarks are NAME or NAME:SETTING=VALUE,SETTING=VALUE.
bamdp list shows the names, and bamdp list NAME the settings of one.

example:
  bamdp play grid5 bamcp:simulations=1000 --runs 5
"""

MOVED = {  # commands of `reproduction/`, beside the package
    "reproduce": "python -m reproduction NAME...",
    "report": "python -m reproduction report",
    "export": "python -m reproduction export FILE",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code is 0 (done), 1 (a task failed), 2 (invalid input), 130
    (Ctrl-C).
    """
    return guarded(lambda: _run(list(sys.argv[1:] if arguments is None else arguments)))


def guarded(run: Callable[[], int]) -> int:
    """The exit code of `run`, with errors that the user can act on as one line."""
    try:
        code = run()
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


def load_command(name: str) -> Command:
    """The command that the module of its name declares."""
    module = import_module(f"bamdp.cli.{name}")
    (command,) = (value for value in vars(module).values() if isinstance(value, Command))
    return command


def _run(arguments: list[str]) -> int:
    name, rest = (arguments[0], arguments[1:]) if arguments else ("--help", [])
    if name in ("-h", "--help", "help"):
        lines = {f"{name} {usage.arguments}": usage.summary for name, usage in COMMANDS.items()}
        width = max(map(len, lines))
        commands = "\n".join(f"  {line:{width}}  {summary}" for line, summary in lines.items())
        print(HELP.format(commands=commands), end="")
        return 0
    if name == "--version":
        print(f"bamdp {__version__}")
        return 0
    if name in MOVED:
        raise UsageError(
            f"'{name}' is a command of the rerun of the paper, which is not installed: in a "
            f"checkout of the repository, {MOVED[name]}"
        )
    if name not in COMMANDS:
        hint = suggestion(name, COMMANDS) or "."
        raise UsageError(
            f"unknown command '{name}'{hint} Known: {', '.join(COMMANDS)}. See bamdp --help"
        )
    return load_command(name).run(rest)
