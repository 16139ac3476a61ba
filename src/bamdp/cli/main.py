"""The command line, `bamdp COMMAND ...`. A command is a module of this package that declares one; there is no list of them.

Domains, priors and agents are found by name (`bamdp.config.names`), and flags are the parameters of their constructors
(`bamdp.config.parameters`). What is slow to import is imported where it is used, so that help comes at once.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules

from bamdp import __version__, cli
from bamdp.cli.command import Command
from bamdp.cli.parser import UsageError
from bamdp.saving.archive import SavedFileError
from bamdp.validation import suggestion

HELP = """\
usage: bamdp COMMAND ...

Planning in a world you do not know yet: Bayes-adaptive reinforcement learning by sample-based search.

commands:
{commands}

  --help                            this text; also after a command, a domain and an agent
  --version                         the version

example:
  bamdp play grid5 bamcp --simulations 1000 --runs 4
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


def commands() -> dict[str, Command]:
    """The commands by name, those that begin with a domain and an agent first."""
    modules = (import_module(f"bamdp.cli.{module.name}") for module in iter_modules(cli.__path__))
    found = [module.COMMAND for module in modules if hasattr(module, "COMMAND")]
    return {c.name: c for c in sorted(found, key=lambda c: (not c.arguments.startswith("DOMAIN"), c.name))}


def _run(arguments: list[str]) -> int:
    name, rest = (arguments[0], arguments[1:]) if arguments else ("--help", [])
    known = commands()
    if name in ("-h", "--help"):
        print(HELP.format(commands="\n".join(f"  {f'{n} {c.arguments}':32}  {c.summary}" for n, c in known.items())), end="")
        return 0
    if name == "--version":
        print(f"bamdp {__version__}")
        return 0
    if name not in known:
        hint = suggestion(name, known) or "."
        raise UsageError(f"unknown command '{name}'{hint} Known: {', '.join(known)}. See bamdp --help")
    return known[name].run(rest)
