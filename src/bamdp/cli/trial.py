"""The command `bamdp trial`: operating characteristics of allocation designs in a clinical trial."""

from __future__ import annotations

from bamdp.cli import Command
from bamdp.cli.parser import UsageError, parse, split, user_errors
from bamdp.config.parameters import Parameter

PARAMETERS = [
    Parameter("arms", tuple[float, ...], (0.3, 0.5), "success probability of each arm; the first one is the control"),
    Parameter("patients", int, 148, "number of patients"),
    Parameter("designs", tuple[str, ...], (), "the designs to compare; all but bayes-adaptive if not given"),
    Parameter(
        "successes", tuple[float, ...], (1.0,), "the prior's successes, Beta(successes, failures), one number or one per arm"
    ),
    Parameter("failures", tuple[float, ...], (1.0,), "the prior's failures, one number or one per arm"),
    Parameter("block", int, 1, "patients allocated together, before any of them has responded"),
    Parameter("delay", int, 0, "later patients who are allocated before a response is known"),
    Parameter("floor", float, 0.0, "smallest probability of an arm for an adaptive design"),
    Parameter("null", tuple[float, ...], (), "success probabilities under the null hypothesis; all the control's if not given"),
    Parameter("alpha", float, 0.05, "level of significance of Fisher's exact test"),
    Parameter("alternative", str, "two-sided", "two-sided, or greater: only an arm better than the control is a finding"),
    Parameter("runs", int | None, None, "simulate so many trials; if not given, only what has no exact value is simulated"),
    Parameter("seed", int, 0, "seed of the simulations: the same seed gives the same results"),
    Parameter("json", bool, False, "print one JSON object and nothing else"),
    Parameter("picture", str | None, None, "a file for the picture, .svg or .png"),
]


def run(arguments: list[str]) -> int:
    """Compare the designs and print the table."""
    names, flags = split(arguments)
    about = [COMMAND.about, _designs(), f"example:\n  {COMMAND.example}"]
    values = parse({"trial": PARAMETERS}, flags, "bamdp trial", "\n\n".join(about))
    if names:
        raise UsageError(f"trial takes flags only, got '{names[0]}': {COMMAND.example}. See bamdp trial --help")
    from bamdp.priors import BetaArms
    from bamdp.runs.table import picture_path
    from bamdp.trials import Trial, compare

    with user_errors():
        counts = {name: values[name][0] if len(values[name]) == 1 else values[name] for name in ("successes", "failures")}
        settings = {name: values[name] for name in ("block", "delay", "floor")}
        trial = Trial(values["arms"], values["patients"], BetaArms(**counts), **settings)
        path = None if values["picture"] is None else picture_path(values["picture"])
        asked = {name: values[name] for name in ("alpha", "alternative", "runs", "seed")}
        result = compare(trial, values["designs"] or None, null=values["null"] or None, **asked)
        if path is not None:
            result.save(path)
    print(result.to_json() if values["json"] else result)
    return 130 if result.interrupted else 0


def _designs() -> str:
    """The designs, each with a line about it; listed here, as importing them takes a while."""
    lines = {
        "equal": "each arm in turn",
        "randomised": "each patient at random, with equal probabilities",
        "thompson": "each arm with the probability that it is the best",
        "tempered-thompson": "a power of it, n/(2N) after n of N patients (Thall and Wathen)",
        "posterior-mean": "the arm with the highest posterior mean: the current belief",
        "gittins": "the arm with the highest Gittins index, discount 0.99",
        "finite-gittins": "the arm with the highest index for the patients left (Whittle index)",
        "bayes-optimal": "the most expected successes, given the prior",
        "forward-gittins": "blocks, at random with the shares of the Gittins index (FLGI); blocks of 9 unless --block",
        "bayes-adaptive": "the planner BayesAdaptive; simulated, takes minutes",
    }
    return "\n".join(["designs:", *(f"  {name:17}  {line}" for name, line in lines.items())])


COMMAND = Command(
    arguments="[flags]",
    summary="operating characteristics of allocation designs in a clinical trial",
    about="Compare allocation designs in a clinical trial with binary responses: expected successes, share of the patients on "
    "the best arm, type I error and power of Fisher's exact test. Exact wherever the design is a function of the responses so "
    "far and the trial not too large (300 patients on two arms), else simulated, with 95 % intervals.",
    example="bamdp trial --arms 0.3 0.5 --patients 148",
    run=run,
)
