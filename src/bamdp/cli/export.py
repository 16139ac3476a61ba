"""The command `bamdp export FILE`: all stored results in one file."""

from bamdp.cli.command import Command
from bamdp.cli.parser import UsageError, parse, split, user_errors
from bamdp.cli.reproduce import STORE


def run(arguments: list[str]) -> int:
    """Write the file."""
    from bamdp.runs.store import export

    files, flags = split(arguments)
    values = parse({"export": [STORE]}, flags, "bamdp export FILE", COMMAND.help)
    if len(files) != 1:
        raise UsageError(f"export needs one file, as in: {COMMAND.example}")
    with user_errors():
        rows = export(values["store"], files[0])
    print(f"{rows} rows in {files[0]}")
    return 0


COMMAND = Command(
    arguments="FILE [flags]",
    summary="all stored results as CSV or Parquet",
    about="All stored results in one file: .csv, .parquet (extra parquet), or .jsonl.gz, a store by itself.",
    example="bamdp export rows.csv",
    run=run,
)
