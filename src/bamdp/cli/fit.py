"""The command `bamdp fit`: models fitted to a table of choices and compared, and recovery of
simulated people.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bamdp.cli import COMMANDS
from bamdp.cli.output import interval, print_json
from bamdp.cli.parser import (
    JSON,
    PICTURE,
    Command,
    UsageError,
    parse_flags,
    split_words,
    user_errors,
)
from bamdp.config.parameters import Parameter
from bamdp.validation import suggestion

NAMES = {
    "bandit": "an arm or a sure payment, ten steps, exact values; with --simulations by BAMCP",
    "mdp": "a path of three states, eight steps, planned by BAMCP",
    "models": "model recovery: posterior mean, Thompson, short and long horizon",
}
ARMS = (
    "bernoulli-arms:arms=2,horizon=10  arms that pay 1 at an unknown rate; sure=0.5: the last pays "
    "that for sure",
    "normal-arms:arms=2,mean=0,deviation=1,noise=1,horizon=10  arms with normal rewards; sure=0: "
    "the last mean is known",
)
COLUMNS = (
    "subject",
    "game",
    "step",
    "state",
    "action",
    "reward",
    "next_state",
    "forced",
    "timeout",
)
OF_TABLE = [
    Parameter(
        "task",
        str | None,
        None,
        "the task: bernoulli-arms:horizon=10, normal-arms:noise=3, or a name of bamdp list",
    ),
    Parameter(
        "actions",
        str | None,
        None,
        "labels of the actions in the table, separated by commas: left,right",
    ),
    *(
        Parameter(name, str | None, None, f"name of the column {name} in the table")
        for name in COLUMNS
    ),
    Parameter("group", bool, False, "fit the group instead of each person alone; for one model"),
    Parameter(
        "between",
        str | None,
        None,
        "columns that differ between people, separated by commas; with --group",
    ),
    Parameter("folds", int, 5, "parts of the games, each held out once; 0 for none"),
]
OF_RECOVER = [
    Parameter(
        "people", int, 200, "recover: number of simulated people; of each model for recover models"
    ),
    Parameter("games", int, 20, "recover: games of each person"),
    Parameter(
        "simulations",
        int | None,
        None,
        "recover: simulations of each search; 300 for mdp if not given",
    ),
    Parameter("seed", int, 0, "recover: seed of the people; the same seed gives the same results"),
    Parameter(
        "rows",
        str | None,
        None,
        "recover: file to store rows in; people with a row in it are not simulated again",
    ),
]
PARAMETERS = [*OF_TABLE, *OF_RECOVER, JSON, PICTURE]


def fit_choices(arguments: list[str]) -> int:
    """Fit, compare or recover, and print the table."""
    names, flags = split_words(arguments)
    arms = "\n".join(["tasks:", *(f"  {example}" for example in ARMS)])
    tasks = "\n".join(["tasks of recover:", *(f"  {name:8}{line}" for name, line in NAMES.items())])
    examples = f"examples:\n  {COMMAND.example}\n  {RECOVER}"
    about = "\n\n".join([COMMAND.about, _model_lines(), arms, tasks, examples])
    usage = f"bamdp fit {COMMAND.usage.arguments}"
    values = parse_flags(PARAMETERS, flags, usage, about)
    from bamdp.result import picture_path

    recovers = bool(names) and (
        names[0] == "recover" or (not names[0].endswith(".csv") and not values["task"])
    )
    _check(names, values, recovers)
    with user_errors():
        path = None if values["picture"] is None else picture_path(values["picture"])
        result = _recover(names[1], values) if recovers else _fit_table(names, values)
        if path is not None:
            result.save(path)
    if values["json"]:
        print_json(_json_data(result))
    else:
        print(_with_sentence(result))
    return 0


def _check(names: list[str], values: dict[str, Any], recovers: bool) -> None:
    if not names or (not recovers and (len(names) < 2 or values["task"] is None)):
        missing = "a table and models" if len(names) < 2 else "--task"
        raise UsageError(
            f"fit needs {missing}: {COMMAND.example}; or recover and a task: {RECOVER}. See bamdp "
            "fit --help"
        )
    if recovers and (len(names) != 2 or names[0] != "recover"):
        hint = suggestion(names[0], ["recover"]) if names[0] != "recover" else ""
        raise UsageError(
            "fit needs a CSV file and models, or 'recover' and a task, got "
            f"'{' '.join(names)}'{hint or '.'}"
        )
    others, where = OF_RECOVER, "recover, not for a table of choices"
    if recovers:
        others, where = OF_TABLE, "a table of choices, not for recover"
    for parameter in others:
        if values[parameter.name] != parameter.default:
            raise UsageError(f"--{parameter.name.replace('_', '-')} is for {where}")
    if recovers and names[1] not in NAMES:
        raise UsageError(
            f"unknown task '{names[1]}'{suggestion(names[1], NAMES) or '.'} Known: "
            f"{', '.join(NAMES)}"
        )
    if values["group"] and len(names) != 2:
        raise UsageError(f"--group is for one model, got {', '.join(names[1:])}")
    if values["between"] and not values["group"]:
        raise UsageError(
            "--between is for --group: people who are fitted alone have nothing in common"
        )


def _model_lines() -> str:
    from bamdp.fit.model import MODELS

    lines = (f"  {name:22}{line}" for name, line in MODELS.listing().items())
    return "\n".join(["models:", *lines])


def _fit_table(names: list[str], values: dict[str, Any]) -> Any:
    from bamdp.config.spec import parse_spec
    from bamdp.fit import Model, compare, fit, group, read_csv
    from bamdp.fit.model import MODELS

    table, *specifications = names
    if not Path(table).is_file():
        raise UsageError(f"there is no file {table}; the table comes first, then models")
    labels = None
    if values["actions"] is not None:
        labels = [label.strip() for label in values["actions"].split(",")]
    columns = {name: values[name] for name in COLUMNS if values[name] is not None}
    data, problem = read_csv(table, actions=labels, **columns), _task_problem(values["task"])
    models = {}
    for text in specifications:
        spec = parse_spec(MODELS, text)
        models[text] = Model.of(spec.entry.target, problem, name=text, **spec.settings)
    if len(models) > 1:
        return compare(data, models, folds=values["folds"])
    (model,) = models.values()
    if values["group"]:
        return group(data, model, between=values["between"].split(",") if values["between"] else ())
    return fit(data, model)


def _task_problem(text: str) -> Any:
    """The problem of a task by name, NAME[:setting=value,...]: arms, or a benchmark or domain."""
    from bamdp.config.names import BENCHMARKS, DOMAINS
    from bamdp.config.spec import parse_spec
    from bamdp.domain import Domain
    from bamdp.fit.tasks import ARMS
    from bamdp.suite import Benchmark

    task = parse_spec((ARMS, BENCHMARKS, DOMAINS), text).make()
    if isinstance(task, Domain):
        return task.problem()
    return task.problem if isinstance(task, Benchmark) else task


def _recover(name: str, values: dict[str, Any]) -> Any:
    from bamdp.fit import recover, recover_models
    from bamdp.fit.tasks import TASKS, models

    flags = ("games", "simulations", "seed")
    settings = {flag: values[flag] for flag in flags if values[flag] is not None}
    words = [f"--{flag} {value}" for flag, value in settings.items()]
    command = " ".join([f"bamdp fit recover {name}", *words])
    stored: dict[str, Any] = {
        "seed": settings.pop("seed"),
        "rows": values["rows"],
        "command": command,
    }
    if name == "models":
        if "simulations" in settings:
            raise UsageError("simulations must not be given for models: none of them searches")
        return recover_models(models(**settings), values["people"], **stored)
    return recover(TASKS[name](**settings), values["people"], **stored)


def _with_sentence(result: Any) -> str:
    """The table and, of people who were fitted, a sentence for a paper."""
    from bamdp.fit.results import FitResult

    return f"{result}\n\n{result.sentence()}" if isinstance(result, FitResult) else str(result)


def _json_data(result: Any) -> dict[str, Any]:
    from bamdp.fit import Confusion
    from bamdp.fit.results import FitResult

    if isinstance(result, FitResult):
        return {"rows": result.columns, "sentence": result.sentence(), "notes": result.notes()}
    if isinstance(result, Confusion):
        models = list(result.models)
        return {"people": len(result.rows), "models": models, "matrix": result.matrix}
    summary = {}
    for name in result.parameters:
        bias, coverage = result.bias(name), result.coverage(name)
        summary[name] = {
            "bias": bias.value,
            "bias_ci95": interval(bias),
            "correlation": result.correlation(name),
            "coverage": coverage.value,
            "coverage_ci95": interval(coverage),
        }
    return {"people": len(result.rows), "parameters": summary}


RECOVER = "bamdp fit recover bandit --people 200 --picture recovery.png"
COMMAND = Command(
    usage=COMMANDS["fit"],
    about="Fit models to a table of people's choices: one model with intervals, or several "
    "compared. With 'recover' and a task, simulate people from a model, fit it, and report bias, "
    "correlation and coverage of the 95 % intervals.",
    example="bamdp fit choices.csv exact rescorla-wagner --task bernoulli-arms:horizon=10,sure=0.5",
    run=fit_choices,
)
