"""The command `bamdp compare BENCHMARK AGENT...`: agents in the same worlds."""

from typing import Any

from bamdp.cli import COMMANDS
from bamdp.cli.parser import JSON, PICTURE, SEED, WORKERS, command, user_errors
from bamdp.config.parameters import Parameter
from bamdp.validation import require

FLAGS = [
    Parameter("worlds", int, 100, "number of worlds"),
    SEED,
    Parameter("steps", int | None, None, "steps of each run; the benchmark's if not given"),
    Parameter(
        "against",
        str | None,
        None,
        "the agent that others are compared with; the best if not given",
    ),
    Parameter(
        "curves", str | None, None, "file for a picture of the learning curves, .svg or .png"
    ),
    Parameter(
        "store",
        str | None,
        None,
        "folder of the results: the same command continues where it was stopped",
    ),
    WORKERS,
    JSON,
    PICTURE,
]


@command(
    FLAGS,
    usage=COMMANDS["compare"],
    about="Compare agents in the same worlds with the same random numbers. Worlds are drawn from "
    "the prior unless the benchmark says otherwise, ties are broken at random, and differences are "
    "paired. A domain is a benchmark, too: its worlds are drawn from its prior.",
    example="bamdp compare bbrl-gc posterior-mean bamcp:simulations=300,exploration=10 --worlds "
    "200",
)
def compare_agents(words: list[str], values: dict[str, Any]) -> int:
    """Compare and print the table; the exit code is 130 after Ctrl-C."""
    from bamdp.comparing.compare import compare
    from bamdp.result import picture_path

    as_json, files = values.pop("json"), [values.pop(name) for name in ("picture", "curves")]
    with user_errors():
        picture, curves = (None if file is None else picture_path(file) for file in files)
        if curves is not None:
            require("matplotlib", "--curves needs Matplotlib", "report")
        result = compare(words[0], words[1:], curves=curves is not None, **values)
        print(result.to_json() if as_json else result)
        if picture is not None:
            result.save(picture)
        if curves is not None:
            curves.parent.mkdir(parents=True, exist_ok=True)
            result.plot_curves().savefig(curves)
    return 130 if result.interrupted else 0
