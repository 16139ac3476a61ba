"""The command `bamdp export FILE`: all stored results in one file."""

from typing import Any

from bamdp.cli.command import command
from bamdp.cli.parser import user_errors
from bamdp.cli.reproduce import STORE


def run(words: list[str], values: dict[str, Any]) -> int:
    """Write the file."""
    from bamdp.runs.store import export

    with user_errors():
        rows = export(values["store"], words[0])
    print(f"{rows} rows in {words[0]}")
    return 0


COMMAND = command(
    run,
    [STORE],
    arguments="FILE",
    summary="all stored results as CSV or Parquet",
    about="All stored results in one file: .csv, .parquet (extra parquet), or .jsonl.gz, a store by itself.",
    example="bamdp export rows.csv",
)
