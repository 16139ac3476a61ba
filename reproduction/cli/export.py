"""The command `python -m reproduction export FILE`: all stored results in one file."""

from typing import Any

from bamdp.cli import Usage
from bamdp.cli.parser import command, user_errors
from reproduction.cli import PROGRAM, STORE


@command(
    [STORE],
    usage=Usage(f"{PROGRAM} export", "FILE", "all stored results as CSV"),
    about="All stored results in one file: .csv or .jsonl.gz, a store by itself.",
    example=f"{PROGRAM} export rows.csv",
)
def export_rows(words: list[str], values: dict[str, Any]) -> int:
    """Write all stored results to one file."""
    from reproduction.export import export

    with user_errors():
        rows = export(values["store"], words[0])
    print(f"{rows} rows in {words[0]}")
    return 0
