"""The command `bamdp tune DOMAIN AGENT`: every setting of an agent's grid, and the best of them."""

import sys
from typing import Any

from bamdp.cli.command import STEPS, Parsed, agent_command, common
from bamdp.cli.output import TIME, TOTAL, interval, print_json, published_text
from bamdp.cli.parser import UsageError, user_errors
from bamdp.cli.play import plan_of
from bamdp.config.parameters import Parameter
from bamdp.runs.table import per_step
from bamdp.studies.tasks.play import command
from bamdp.studies.tune import Setting, TriedSetting, Tuning, points, tune
from bamdp.validation import suggestion

PARAMETERS = [
    STEPS,
    *common(runs=10),
    Parameter("grid", str | None, None, 'what to try instead of the agent\'s own grid, as "beta=0.5,1,2 ties=first,random"'),
]


def run(parsed: Parsed) -> int:
    """Search the grid, run the best setting again, and print both."""
    plan, settings = plan_of(parsed), grid(parsed)
    with user_errors():
        for setting in settings:  # first, so that mistakes show at once
            parsed.setup.make_agent(0, **setting)
    tuning = tune(parsed.setup.domain, parsed.setup.make_agent, settings, **plan)
    (_print_json if parsed.run["json"] else _print_table)(parsed, tuning)
    return 130 if tuning.interrupted else 0


def grid(parsed: Parsed) -> list[Setting]:
    """All settings to try; one that was given as a flag is fixed."""
    text = parsed.run["grid"]
    grids = getattr(parsed.setup.agent_class, "grid", ()) if text is None else (_typed_grid(parsed, text),)
    settings = points(grids, fixed(parsed))
    if not settings:
        raise UsageError(f"agent '{parsed.setup.agent_name}' has no grid to search: give one, as --grid \"name=1,2,3\"")
    return settings


def fixed(parsed: Parsed) -> Setting:
    """The settings of the agent that were given as flags."""
    flags = [flag.partition("=")[0].removeprefix("--").replace("-", "_") for flag in parsed.flags if flag.startswith("--")]
    setup = parsed.setup
    names = {p.name: setup.names["agent", p.name] for p in setup.groups["agent"]}
    return {own: setup.values[name] for own, name in names.items() if name in flags or f"no_{name}" in flags}


def _typed_grid(parsed: Parsed, text: str) -> dict[str, tuple[Any, ...]]:
    known = {parameter.name: parameter for parameter in parsed.setup.groups["agent"]}
    found: dict[str, tuple[Any, ...]] = {}
    for word in text.split():
        name, _, values = word.partition("=")
        name = name.replace("-", "_")
        if name not in known or not values:
            hint = suggestion(name, known) if name not in known else ""
            raise UsageError(f'grid must be like "name=1,2,3", with names of: {", ".join(known)}; got {word!r}{hint}')
        with user_errors():
            found[name] = tuple(known[name].read(value) for value in values.split(","))
    return found


def _print_json(parsed: Parsed, tuning: Tuning) -> None:
    print_json(
        {
            "domain": parsed.setup.domain_name,
            "agent": parsed.setup.agent_name,
            "trials": [_data(trial) for trial in tuning.trials],
            "best": _data(tuning.best) if tuning.best else None,
            "best_again": _data(tuning.again) if tuning.again else None,
            "published": parsed.published,
            "fixed": fixed(parsed),
            **{name: parsed.run[name] for name in ("runs", "seed", "steps")},
        }
    )


def _data(trial: TriedSetting) -> dict[str, Any]:
    mean = trial.done.mean("total_reward")
    return {
        "setting": trial.setting,
        "total_rewards": trial.done.values("total_reward").tolist(),
        "mean": mean.value if mean else None,
        "ci95": interval(mean),
        "seconds_per_step": per_step(trial.done.rows),
    }


def _print_table(parsed: Parsed, tuning: Tuning) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Column, Table

    names = list(dict.fromkeys(name for trial in tuning.trials for name in trial.setting))
    heads = [Column(head, no_wrap=True) for head in (*names, TOTAL.heading, TIME.heading, "")]
    title = f"{parsed.setup.agent_name} in {parsed.setup.domain_name}"
    table = Table(*heads, title=title, title_justify="left", box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for trial in tuning.trials:
        values = [str(trial.setting[name]) if name in trial.setting else "" for name in names]
        cells = (column.show(trial.done.rows) for column in (TOTAL, TIME))
        table.add_row(*values, *cells, "← best" if trial is tuning.best else "")
    console = Console(markup=False, highlight=False, file=sys.stdout)
    needed = console.measure(table, options=console.options.update(max_width=10_000)).maximum
    console.width = max(console.width, needed)  # a cut number would be worse than a long line
    console.print(table)
    if tuning.again is not None:
        named = {"domain": parsed.setup.domain_name, "agent": parsed.setup.agent_name}
        setting = {parsed.setup.names["agent", own]: v for own, v in {**fixed(parsed), **tuning.again.setting}.items()}
        line = command({**named, **setting}, parsed.run["seed"] + 1, parsed.run["runs"])
        console.print(f"\nbest, with other seeds: {TOTAL.show(tuning.again.done.rows)}\n  {line}", soft_wrap=True)
    if parsed.published is not None:
        console.print(f"published: {published_text(parsed.published)}", soft_wrap=True)


COMMAND = agent_command(
    run,
    PARAMETERS,
    summary="try an agent's whole grid of settings in a domain and see which is best",
    about="Try every setting of an agent's grid in a domain and see which is best; a setting given as a flag stays fixed.",
    example="bamdp tune grid5 beb --runs 10 --seed 0",
)
