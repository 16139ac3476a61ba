"""The command `bamdp compare PROBLEM AGENT...`: agents in the same worlds."""

from __future__ import annotations

from bamdp.cli.command import Command, listing
from bamdp.cli.parser import UsageError, parse, split, user_errors
from bamdp.config.parameters import Parameter

PARAMETERS = [
    Parameter("worlds", int, 100, "number of worlds; with --width, at most"),
    Parameter("seed", int, 0, "seed of all random generators: the same seed gives the same results"),
    Parameter("steps", int | None, None, "steps of each run; the problem's if not given"),
    Parameter("against", str | None, None, "the agent that others are compared with; the best if not given"),
    Parameter("width", float | None, None, "stop as soon as the 95 % interval of each difference is at most ± this"),
    Parameter("store", str | None, None, "folder of the results: the same command continues where it was stopped"),
    Parameter("workers", int | None, None, "runs at a time, one for each core if not given; the results don't depend on it"),
    Parameter("json", bool, False, "print one JSON object and nothing else"),
    Parameter("picture", str | None, None, "a file for the picture, .svg or .png"),
]


def run(arguments: list[str]) -> int:
    """Compare and print the table; the exit code is 130 after Ctrl-C."""
    names, flags = split(arguments)
    about = [
        COMMAND.about,
        listing("problem"),
        listing("agent"),
        "A domain (bamdp list) is a problem too: its worlds are drawn from its prior.\n"
        "Settings follow a name: bamcp:simulations=300,exploration=10 or bbrl-gc:discount=0.9",
        f"example:\n  {COMMAND.example}",
    ]
    values = parse({"compare": PARAMETERS}, flags, "bamdp compare PROBLEM AGENT...", "\n\n".join(about))
    if len(names) < 2:
        after = f" after the problem '{names[0]}'" if names else " and a problem before them"
        raise UsageError(f"compare needs agents{after}, flags come last: {COMMAND.example}. See bamdp compare --help")
    from bamdp.runs.table import picture_path
    from bamdp.studies.compare import compare

    as_json, picture = values.pop("json"), values.pop("picture")
    with user_errors():
        path = None if picture is None else picture_path(picture)
        result = compare(names[0], names[1:], **values)
        if path is not None:
            result.save(path)
    print(result.to_json() if as_json else result)
    return 130 if result.interrupted else 0


COMMAND = Command(
    arguments="PROBLEM AGENT... [flags]",
    summary="agents in the same worlds with the same random numbers, in one table",
    about="Compare agents in the same worlds with the same random numbers. Worlds are drawn from the prior unless the problem "
    "says otherwise, ties are broken at random, and differences are paired.",
    example="bamdp compare bbrl-gc posterior-mean bamcp:simulations=300,exploration=10 --worlds 200",
    run=run,
)
