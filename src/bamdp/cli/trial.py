"""The command `bamdp trial`: designs of a clinical trial compared, and one of them in use."""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc
from textwrap import fill
from typing import Any

from bamdp.cli import COMMANDS
from bamdp.cli.parser import Command, UsageError, parse_flags, split_words, user_errors
from bamdp.config.parameters import Parameter
from bamdp.validation import one_of, suggestion

NUMBERS = tuple[float, ...]
COUNTS = tuple[int, ...]

TRIAL = [
    Parameter("patients", int, 148, "number of patients"),
    Parameter(
        "prior_successes",
        NUMBERS,
        (1.0,),
        "the prior, Beta(successes, failures): one number or one per arm",
    ),
    Parameter("prior_failures", NUMBERS, (1.0,), "the prior's failures, one number or one per arm"),
    Parameter("block", int, 1, "patients allocated together, before any of them has responded"),
    Parameter("delay", int, 0, "later patients who are allocated before a response is known"),
    Parameter("floor", float, 0.0, "smallest probability of an arm for an adaptive design"),
]
LOOKS = Parameter(
    "looks", COUNTS, (), "numbers of patients after which the trial ends if the exact test rejects"
)
NAMES = Parameter("names", tuple[str, ...], (), "names of the arms, the control first; else A B …")
ARMS = Parameter(
    "arms", NUMBERS, (0.3, 0.5), "success probability of each arm; the first one is the control"
)
TEST = [
    Parameter(
        "test", str, "conditional", "conditional, the exact test that knows the design, or fisher"
    ),
    Parameter("alpha", float, 0.05, "level of significance of the test"),
    Parameter(
        "alternative",
        str,
        "two-sided",
        "two-sided, or greater: only an arm better than the control is a finding",
    ),
    Parameter(
        "statistic",
        str,
        "wald",
        "of the exact test: wald, difference, score, likelihood-ratio or fisher",
    ),
]
DESIGN = Parameter("design", str, "bayes-optimal", "the design, NAME or NAME:setting=value,…")
SEED = Parameter("seed", int, 0, "seed of what is random: the same seed gives the same results")
SECRET = Parameter(
    "seed",
    int,
    0,
    "seed of the draw: keep it secret in a trial, as whoever knows it can predict the arm",
)
JSON = Parameter("json", bool, False, "print one JSON object and nothing else")
OBSERVED = [
    Parameter("successes", COUNTS, (), "successes so far on each arm, in the order of the arms"),
    Parameter("failures", COUNTS, (), "failures so far on each arm, in the same order"),
]
LOG = Parameter(
    "log",
    str | None,
    None,
    "CSV file with the columns patient, arm, response: all patients in the order of allocation, "
    "arms by --names; instead of --successes, --failures, --waiting",
)
COMPARED = [
    ARMS,
    NAMES,
    *TRIAL,
    LOOKS,
    Parameter(
        "designs",
        tuple[str, ...],
        (),
        "the designs, NAME or NAME:setting=value,…; all that need no setting if not given",
    ),
    Parameter(
        "null",
        NUMBERS,
        (),
        "success probabilities under the null hypothesis; all the control's if not given",
    ),
    *TEST,
    Parameter(
        "runs",
        int | None,
        None,
        "simulate so many trials; if not given, only what has no exact value is simulated",
    ),
    SEED,
    JSON,
    Parameter("picture", str | None, None, "a file for the picture, .svg or .png"),
]
WAITING = Parameter("waiting", int, 0, "allocated patients whose responses are not used yet")
MISSING = Parameter("missing", int, 0, "allocated patients whose responses will never be known")
PLANNED = Parameter(
    "patients",
    int | None,
    None,
    "planned number of patients; if not given, those who have responded",
)
TABLE = Parameter("output", str, "table.csv", "the file, .csv or .parquet")
PAGE = Parameter("output", str, "protocol.html", "the file, .html")


def run_trial(arguments: list[str]) -> int:
    """Compare designs, or do one of `ACTIONS`."""
    names, flags = split_words(arguments)
    action = names[0] if names else ""
    if len(names) > 1 or action not in ACTIONS:
        hint = suggestion(action, [name for name in ACTIONS if name]) if action else ""
        raise UsageError(
            "trial takes flags, or one of next, table, test, protocol before them, got "
            f"'{' '.join(names)}'{hint or '.'}"
        )
    parameters, act, about = ACTIONS[action]
    described = [about or COMMAND.about, _designs(), f"example:\n  {EXAMPLES[action]}"]
    usage = f"bamdp trial {action}".strip()
    values = parse_flags(parameters, flags, usage, "\n\n".join(described))
    with user_errors(
        {"path": "--output", "log": "--log", "output": "--output", "picture": "--picture"}
    ):
        return act(values)


def _trial(values: dict[str, Any], arms: Any) -> Any:
    from bamdp.priors import BetaArms
    from bamdp.trials import Trial
    from bamdp.trials.stopping import ExactStopping

    counts = [
        values[name][0] if len(values[name]) == 1 else values[name]
        for name in ("prior_successes", "prior_failures")
    ]
    settings = {name: values[name] for name in ("block", "delay", "floor", "names")}
    stopping = None
    if looks := values.get("looks"):
        stopping = ExactStopping(looks, _exact_test({**values, "test": "conditional"}))
    return Trial(arms, values["patients"], BetaArms(*counts), stopping=stopping, **settings)


def _exact_test(values: dict[str, Any]) -> Any:
    from bamdp.trials import ConditionalTest, FisherTest

    if one_of("test", values.get("test", "conditional"), ("conditional", "fisher")) == "fisher":
        return FisherTest(values["alpha"], values["alternative"])
    return ConditionalTest(values["alpha"], values["alternative"], values["statistic"])


def _compare(values: dict[str, Any]) -> int:
    from bamdp.result import picture_path
    from bamdp.trials import compare

    path = None if values["picture"] is None else picture_path(values["picture"])
    result = compare(
        _trial(values, values["arms"]),
        values["designs"] or None,
        null=values["null"] or None,
        test=_exact_test(values),
        runs=values["runs"],
        seed=values["seed"],
    )
    if path is not None:
        result.save(path)
    print(result.to_json() if values["json"] else result)
    return 130 if result.interrupted else 0


def _read_log(values: dict[str, Any]) -> Any:
    """The log of the trial; None if there is none."""
    from bamdp.trials import TrialLog

    if values["log"] is None:
        return None
    counts = [flag for flag in ("successes", "failures", "waiting", "missing") if values.get(flag)]
    if counts:
        raise ValueError(f"log has all patients: leave out --{' --'.join(counts)}")
    if not values["names"]:
        raise ValueError(
            "names of the arms are needed with --log, the control first: --names placebo drug"
        )
    return TrialLog.read(values["log"], values["names"])


def _next(values: dict[str, Any]) -> int:
    from dataclasses import asdict
    from json import dumps

    from bamdp.trials import AllocationPolicy, TrialEnded
    from bamdp.trials.commands import typed_command

    log = _read_log(values)
    none = (0,) * max(2, len(values["names"]))
    observed = {name: values[name] or none for name in ("successes", "failures")}
    trial = _trial(values, [0.5] * max(2, len(observed["successes"])))
    policy = AllocationPolicy(values["design"], trial)
    try:
        if log is None:
            more = {"waiting": values["waiting"], "missing": values["missing"]}
            allocation = policy.next(*observed.values(), **more, seed=values["seed"])
        else:
            allocation = policy.next_after(log, seed=values["seed"])
        data, text = {"ends": False, **asdict(allocation)}, str(allocation)
        if log is not None and (overdue := [n + 1 for n in policy.overdue(log)]):
            data["missing"] = overdue
            text += (
                "\nresponse due and missing, left out: patients number "
                f"{', '.join(map(str, overdue))} in the log"
            )
    except TrialEnded as end:
        known = observed if log is None and not end.waiting else {}
        command = typed_command(
            "test", policy.design, trial, _exact_test(values), values["log"] or "", **known
        )
        data = {"ends": True, "test": command, "waiting": end.waiting}
        text = f"{end}: the exact test rejects. Its analysis:\n  {command}"
        if end.waiting:
            of_all = "" if log else ", with the successes and failures of all patients"
            text = (
                f"{end}. The exact test rejects by the others. Allocate nobody else; the analysis, "
                f"when all responses are known{of_all}:\n  {command}"
            )
    print(dumps(data) if values["json"] else text)
    return 0


def _write_table(values: dict[str, Any]) -> int:
    from bamdp.trials import AllocationPolicy

    output = values["output"]
    if not output.endswith((".csv", ".parquet")):
        raise ValueError(f"output must end in .csv or .parquet, got '{output}'")
    policy = AllocationPolicy(values["design"], _trial(values, values["arms"]))
    (policy.to_csv if output.endswith(".csv") else policy.to_parquet)(output)
    print(output)
    return 0


def _test(values: dict[str, Any]) -> int:
    from bamdp import trials
    from bamdp.trials.counts import observed as checked

    log = _read_log(values)
    if log is None:
        if not any((*values["successes"], *values["failures"])):
            raise ValueError(
                "successes and failures of each arm are needed, not all 0: --successes 3 9 "
                "--failures 7 1; or the log of the trial, --log trial.csv"
            )
        successes, failures = checked(values["successes"], values["failures"])
        observed: dict[str, Any] = {"successes": successes, "failures": failures}
        patients, arms = sum(successes) + sum(failures), len(successes)
    else:
        observed, patients, arms = {"log": log}, len(log), len(values["names"])
    values["patients"] = max(1, patients) if values["patients"] is None else values["patients"]
    trial, test = _trial(values, [0.5] * arms), _exact_test(values)
    print(trials.test(values["design"], **observed, trial=trial, test=test))
    return 0


def _protocol(values: dict[str, Any]) -> int:
    from bamdp.trials import protocol

    protocol(
        values["design"], _trial(values, values["arms"]), values["output"], test=_exact_test(values)
    )
    print(values["output"])
    return 0


def _designs() -> str:
    """The designs, each with a line about it and its settings."""
    from bamdp.config.parameters import of_constructor
    from bamdp.trials.catalogue import available

    lines = ["designs, with their settings:"]
    for name, design in available().items():
        settings = ", ".join(f"{p.name}={p.default}" for p in of_constructor(design))
        about = cleandoc(design.__doc__ or "").split("\n\n")[0]
        line = f"  {name:17}  {about} {settings}".rstrip()
        lines.append(fill(line, 110, subsequent_indent=" " * 21))
    return "\n".join(lines)


ACTIONS: dict[str, tuple[list[Parameter], Callable[[dict[str, Any]], int], str]] = {
    "": (COMPARED, _compare, ""),
    "next": (
        [DESIGN, LOG, *OBSERVED, NAMES, *TRIAL, WAITING, MISSING, LOOKS, *TEST[1:], SECRET, JSON],
        _next,
        "The next patient's arm, with its probability; at a look, whether the trial ends, and how "
        "to analyse it. From the log of the trial, or from numbers of successes and failures.",
    ),
    "table": (
        [DESIGN, ARMS, NAMES, *TRIAL, LOOKS, *TEST[1:], TABLE],
        _write_table,
        "The probability of each arm after all responses, as a file; 0 for all arms where the "
        "trial ends at a look.",
    ),
    "test": (
        [DESIGN, LOG, *OBSERVED, NAMES, PLANNED, *TRIAL[1:], LOOKS, *TEST[1:]],
        _test,
        "p-value and interval of an observed trial, by the exact test. Give the settings with "
        "which it was planned.",
    ),
    "protocol": (
        [DESIGN, ARMS, NAMES, *TRIAL, LOOKS, *TEST, PAGE],
        _protocol,
        "A page to print: allocation, analysis, characteristics.",
    ),
}
EXAMPLES = {
    "": "bamdp trial --arms 0.3 0.5 --patients 148",
    "next": "bamdp trial next --design bayes-optimal --patients 60 --successes 1 3 --failures 0 1",
    "table": "bamdp trial table --design thompson --patients 40 --output table.csv",
    "test": "bamdp trial test --design bayes-optimal --patients 30 --successes 1 19 --failures 4 6",
    "protocol": "bamdp trial protocol --design tempered-thompson --patients 100 --output "
    "protocol.html",
}
COMMAND = Command(
    usage=COMMANDS["trial"],
    about="Compare allocation designs in a clinical trial with binary responses: expected "
    "successes, share of the patients on the best arm, type I error and power of an exact test "
    "that knows the design. Exact where the design is a function of the responses so far and the "
    "trial is not too large (1000 patients on two arms), else simulated, with 95 % intervals.\n\n"
    "For one design: bamdp trial next allocates the next patient, bamdp trial table writes the "
    "allocation table, bamdp trial test analyses an observed trial, bamdp trial protocol writes a "
    "page to print. Each has its own --help.",
    example=EXAMPLES[""],
    run=run_trial,
)
