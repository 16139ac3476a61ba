"""The command `bamdp fit recover`: simulate people from a model, fit them, and compare with the truth."""

from __future__ import annotations

from typing import Any

from bamdp.cli import Command
from bamdp.cli.output import interval, print_json
from bamdp.cli.parser import UsageError, parse, split, user_errors
from bamdp.config.parameters import Parameter
from bamdp.validation import suggestion

NAMES = {
    "bandit": "an arm or a sure payment, ten steps, exact values; with --simulations fitted by BAMCP instead",
    "mdp": "a path of three states, eight steps, planned by BAMCP",
    "models": "which of four models people of each are taken for: posterior mean, Thompson, short and long horizon",
}
PARAMETERS = [
    Parameter("people", int, 200, "number of simulated people; of models, of each model"),
    Parameter("games", int, 20, "games of each person"),
    Parameter("simulations", int | None, None, "simulations of each search; 300 in the mdp if not given"),
    Parameter("seed", int, 0, "seed of the people: the same seed gives the same results"),
    Parameter("rows", str | None, None, "a file to store rows in; people that it has already are not simulated again"),
    Parameter("json", bool, False, "print one JSON object and nothing else"),
    Parameter("picture", str | None, None, "a file for the picture, .svg or .png"),
]


def run(arguments: list[str]) -> int:
    """Recover parameters or models, and print the table."""
    names, flags = split(arguments)
    tasks = "\n".join(["tasks:", *(f"  {name:8}{line}" for name, line in NAMES.items())])
    prog = " ".join(["bamdp fit", *names])
    values = parse({"fit": PARAMETERS}, flags, prog, "\n\n".join([COMMAND.about, tasks, f"example:\n  {COMMAND.example}"]))
    if len(names) != 2 or names[0] != "recover":
        hint = suggestion(names[0], ["recover"]) if names and names[0] != "recover" else ""
        got = f"got '{' '.join(names)}'{hint or '.'}" if names else "got neither."
        raise UsageError(f"fit needs 'recover' and a task, {got} For example: {COMMAND.example}. See bamdp fit --help")
    if names[1] not in NAMES:
        hint = suggestion(names[1], NAMES) or "."
        raise UsageError(f"unknown task '{names[1]}'{hint} Known: {', '.join(NAMES)}")
    from bamdp.runs.table import picture_path

    with user_errors():
        path = None if values["picture"] is None else picture_path(values["picture"])
        found = _recovered(names[1], values)
        if path is not None:
            found.save(path)
    print_json(_data(found)) if values["json"] else print(found)
    return 130 if found.interrupted else 0


def _recovered(name: str, values: dict[str, Any]) -> Any:
    from bamdp.fit import recover, recover_models
    from bamdp.fit.tasks import TASKS, models

    settings = {flag: values[flag] for flag in ("games", "simulations", "seed") if values[flag] is not None}
    command = " ".join([f"bamdp fit recover {name}", *(f"--{flag} {value}" for flag, value in settings.items())])
    stored: dict[str, Any] = {"seed": settings.pop("seed"), "rows": values["rows"], "command": command}
    if name == "models":
        if "simulations" in settings:
            raise UsageError("simulations must not be given for models: none of them searches")
        return recover_models(models(**settings), values["people"], **stored)
    return recover(TASKS[name](**settings), values["people"], **stored)


def _data(found: Any) -> dict[str, Any]:
    from bamdp.fit import Confusion

    done = {"people": len(found.rows), "interrupted": found.interrupted}
    if isinstance(found, Confusion):
        return {**done, "models": list(found.models), "matrix": found.matrix}
    summary = {}
    for name in found.parameters:
        bias, coverage = found.bias(name), found.coverage(name)
        summary[name] = {
            "bias": bias.value,
            "bias_ci95": interval(bias),
            "correlation": found.correlation(name),
            "coverage": coverage.value,
            "coverage_ci95": interval(coverage),
        }
    return {**done, "parameters": summary}


COMMAND = Command(
    arguments="recover TASK [flags]",
    summary="whether a fit of choices gives back what simulated people had",
    about="Simulate people from a model, fit the model to their choices, and compare: bias, correlation and coverage of the "
    "95 % intervals; or for several models which one each person is taken for.",
    example="bamdp fit recover bandit --people 200 --picture recovery.png",
    run=run,
)
