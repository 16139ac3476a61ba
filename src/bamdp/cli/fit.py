"""The command `bamdp fit`: models fitted to a table of choices and compared, and recovery of simulated people."""

from __future__ import annotations

from pathlib import Path
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
ARMS = (
    "bernoulli-arms:arms=2,horizon=10  arms that pay 1 at an unknown rate; sure=0.5: the last pays that for sure",
    "normal-arms:arms=2,mean=0,deviation=1,noise=1,horizon=10  arms with normal rewards; sure=0: the last mean is known",
)
COLUMNS = ("subject", "game", "step", "state", "action", "reward", "next_state", "forced", "timeout")
PARAMETERS = [
    Parameter("task", str | None, None, "the task: bernoulli-arms:horizon=10, normal-arms:noise=3, or one of bamdp list"),
    Parameter("actions", str | None, None, "labels of the actions in the table, with commas: left,right"),
    *(Parameter(name, str | None, None, f"name of the column {name} in the table") for name in COLUMNS),
    Parameter("group", bool, False, "fit the group instead of each person alone; for one model"),
    Parameter("between", str | None, None, "columns that differ between people, with commas, for --group"),
    Parameter("folds", int, 5, "parts of the games, each held out once; 0 for none"),
    Parameter("people", int, 200, "of recover: number of simulated people; of models, of each model"),
    Parameter("games", int, 20, "of recover: games of each person"),
    Parameter("simulations", int | None, None, "of recover: simulations of each search; 300 in the mdp if not given"),
    Parameter("seed", int, 0, "of recover: seed of the people; the same seed gives the same results"),
    Parameter("rows", str | None, None, "of recover: a file to store rows in; people that it has are not simulated again"),
    Parameter("json", bool, False, "print one JSON object and nothing else"),
    Parameter("picture", str | None, None, "a file for the picture, .svg or .png"),
]


def run(arguments: list[str]) -> int:
    """Fit, compare or recover, and print the table."""
    names, flags = split(arguments)
    arms = "\n".join(["tasks:", *(f"  {example}" for example in ARMS)])
    tasks = "\n".join(["tasks of recover:", *(f"  {name:8}{line}" for name, line in NAMES.items())])
    parts = [COMMAND.about, _models(), arms, tasks, f"examples:\n  {COMMAND.example}\n  {RECOVER}"]
    values = parse({"fit": PARAMETERS}, flags, f"bamdp fit {COMMAND.arguments.removesuffix(' [flags]')}", "\n\n".join(parts))
    from bamdp.runs.table import picture_path

    recovers = bool(names) and (names[0] == "recover" or (not names[0].endswith(".csv") and not values["task"]))
    _check(names, values, recovers)
    with user_errors():
        path = None if values["picture"] is None else picture_path(values["picture"])
        found = _recovered(names[1], values) if recovers else _fitted(names[0], names[1:], values)
        if path is not None:
            found.save(path)
    print_json(_data(found)) if values["json"] else print(_text(found))
    return 0


def _check(names: list[str], values: dict[str, Any], recovers: bool) -> None:
    if not names or (not recovers and (len(names) < 2 or values["task"] is None)):
        missing = "a table and models" if len(names) < 2 else "--task"
        raise UsageError(f"fit needs {missing}: {COMMAND.example}; or recover and a task: {RECOVER}. See bamdp fit --help")
    if recovers and (len(names) != 2 or names[0] != "recover"):
        hint = suggestion(names[0], ["recover"]) if names[0] != "recover" else ""
        raise UsageError(f"fit needs a CSV file and models, or 'recover' and a task, got '{' '.join(names)}'{hint or '.'}")
    given = [p for p in PARAMETERS if values[p.name] != p.default and p.name not in ("json", "picture")]
    if other := [p.name for p in given if p.help.startswith("of recover") != recovers]:
        where = "a table of choices, not for recover" if recovers else "recover, not for a table of choices"
        raise UsageError(f"--{other[0].replace('_', '-')} is for {where}")
    if recovers and names[1] not in NAMES:
        raise UsageError(f"unknown task '{names[1]}'{suggestion(names[1], NAMES) or '.'} Known: {', '.join(NAMES)}")
    if values["group"] and len(names) != 2:
        raise UsageError(f"--group is for one model, got {', '.join(names[1:])}")
    if values["between"] and not values["group"]:
        raise UsageError("--between is for --group: people who are fitted alone have nothing in common")


def _models() -> str:
    from bamdp.config.names import Found
    from bamdp.fit.models import names

    return "\n".join(["models:", *(f"  {name:22}{Found(name, kind).description}" for name, kind in names().items())])


def _fitted(table: str, specifications: list[str], values: dict[str, Any]) -> Any:
    from bamdp.fit import Model, compare, fit, group, read_csv

    if not Path(table).is_file():
        raise UsageError(f"there is no file {table}; the table comes first, then models")
    labels = None if values["actions"] is None else [label.strip() for label in values["actions"].split(",")]
    columns = {name: values[name] for name in COLUMNS if values[name] is not None}
    data, problem = read_csv(table, actions=labels, **columns), _problem(values["task"])
    models = {text: Model.of(_split(text)[0], problem, name=text, **_split(text)[1]) for text in specifications}
    if len(models) > 1:
        return compare(data, models, folds=values["folds"])
    (model,) = models.values()
    if values["group"]:
        return group(data, model, between=values["between"].split(",") if values["between"] else ())
    return fit(data, model)


def _problem(text: str) -> Any:
    """The problem of a task by name, NAME[:setting=value,...]: arms, or a problem or domain of `bamdp list`."""
    from bamdp.config.choice import choose
    from bamdp.config.names import UnknownNameError
    from bamdp.domain import Domain
    from bamdp.fit.tasks import ARMS

    name = text.partition(":")[0]
    if name in ARMS:
        settings = _split(text)[1]
        known = ARMS[name].__annotations__
        if unknown := [key for key in settings if key not in known]:
            raise UsageError(f"unknown setting '{unknown[0]}' of {name}{suggestion(unknown[0], known) or '.'}")
        return ARMS[name](**settings)
    try:
        made = choose("problem", text).make()
    except UnknownNameError:
        try:
            made = choose("domain", text).make()
        except UnknownNameError:
            known = f"Known: {', '.join(ARMS)}, and the problems and domains of bamdp list"
            raise UsageError(f"unknown task '{name}'{suggestion(name, ARMS) or '.'} {known}") from None
    return made.problem() if isinstance(made, Domain) else made.problem


def _split(text: str) -> tuple[str, dict[str, Any]]:
    """A name and its settings, numbers."""
    name, _, rest = text.partition(":")
    settings: dict[str, Any] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        try:
            settings[key.replace("-", "_")] = int(value) if value.lstrip("-").isdigit() else float(value)
        except ValueError:
            given = f"got '{part}'" if equals else f"got '{part}' without ="
            raise UsageError(f"settings of {name} must be setting=number, {given}") from None
    return name, settings


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


def _text(found: Any) -> str:
    """The table, and a sentence for a paper."""
    return f"{found}\n\n{found.sentence()}" if hasattr(found, "sentence") else str(found)


def _data(found: Any) -> dict[str, Any]:
    if hasattr(found, "sentence"):
        return {"rows": found.columns, "sentence": found.sentence(), "notes": found.notes()}
    if hasattr(found, "matrix"):
        return {"people": len(found.rows), "models": list(found.models), "matrix": found.matrix}
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
    return {"people": len(found.rows), "parameters": summary}


RECOVER = "bamdp fit recover bandit --people 200 --picture recovery.png"
COMMAND = Command(
    arguments="DATA.csv MODEL... --task TASK [flags]",
    summary="fit models to a table of choices and compare them; recover simulated people",
    about="Fit models to a table of people's choices: one model with intervals, or several compared. With 'recover' and "
    "a task, simulate people from a model, fit it, and report bias, correlation and coverage of the 95 % intervals.",
    example="bamdp fit choices.csv exact rescorla-wagner --task bernoulli-arms:horizon=10,sure=0.5",
    run=run,
)
