"""The command `bamdp compare PROBLEM AGENT...`: agents in the same worlds."""

from typing import Any

from bamdp.cli.parser import JSON, PICTURE, SEED, WORKERS, command, user_errors
from bamdp.config.parameters import Parameter

FLAGS = [
    Parameter("worlds", int, 100, "number of worlds; with --width, at most"),
    SEED,
    Parameter("steps", int | None, None, "steps of each run; the problem's if not given"),
    Parameter("against", str | None, None, "the agent that others are compared with; the best if not given"),
    Parameter("width", float | None, None, "stop as soon as the 95 % interval of each difference is at most ± this"),
    Parameter("store", str | None, None, "folder of the results: the same command continues where it was stopped"),
    WORKERS,
    JSON,
    PICTURE,
]


def run(words: list[str], values: dict[str, Any]) -> int:
    """Compare and print the table; the exit code is 130 after Ctrl-C."""
    from bamdp.runs.table import picture_path
    from bamdp.studies.compare import compare

    as_json, picture = values.pop("json"), values.pop("picture")
    with user_errors():
        path = None if picture is None else picture_path(picture)
        result = compare(words[0], words[1:], **values)
        if path is not None:
            result.save(path)
    print(result.to_json() if as_json else result)
    return 130 if result.interrupted else 0


COMMAND = command(
    run,
    FLAGS,
    arguments="PROBLEM AGENT...",
    summary="agents in the same worlds with the same random numbers, in one table",
    about="Compare agents in the same worlds with the same random numbers. Worlds are drawn from the prior unless the problem "
    "says otherwise, ties are broken at random, and differences are paired. A domain is a problem, too: its worlds are drawn "
    "from its prior.",
    example="bamdp compare bbrl-gc posterior-mean bamcp:simulations=300,exploration=10 --worlds 200",
)
