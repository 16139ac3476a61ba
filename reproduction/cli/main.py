"""Finds the command and runs it."""

import sys
from collections.abc import Sequence

from bamdp.cli.main import guarded
from reproduction.cli import export, report, rerun

COMMANDS = {"report": report.write_report, "export": export.export_rows}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; exit codes are those of `bamdp`."""
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if words[0] in COMMANDS:
        return guarded(lambda: COMMANDS[words[0]].run(words[1:]))
    return guarded(lambda: rerun.run_experiments.run(words))
