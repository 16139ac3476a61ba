"""The command `bamdp tune DOMAIN AGENT`: every setting of an agent's grid, and the best of them."""

import sys
from dataclasses import replace
from typing import Any

from bamdp.cli.command import JSON, PRIOR, SEED, STEPS, WORKERS, command, runs
from bamdp.cli.output import TIME, TOTAL, interval, print_json, published_text
from bamdp.cli.parser import user_errors
from bamdp.cli.play import line, plan_of, published
from bamdp.config import Setup, setup
from bamdp.config.choice import choose_grid
from bamdp.runs.table import per_step
from bamdp.studies.tune import Setting, TriedSetting, Tuning, points, tune

FLAGS = [STEPS, runs(10), SEED, WORKERS, PRIOR, JSON]


def run(words: list[str], values: dict[str, Any]) -> int:
    """Search the grid, run the best setting again, and print both."""
    with user_errors():
        made, settings = tried(words, values["prior"])
        plan = plan_of(made, values)
        for setting in settings:  # first: mistakes show at once
            made.make_agent(0, **setting)
    tuning = tune(made.domain, made.make_agent, settings, **plan)
    known = published(made, plan["steps"])
    if values["json"]:
        print_json(
            {
                "domain": str(made.domain_choice),
                "agent": str(made.agent_choice),
                "trials": [_data(trial) for trial in tuning.trials],
                "best": _data(tuning.best) if tuning.best else None,
                "best_again": _data(tuning.again) if tuning.again else None,
                "published": known,
                **{name: plan[name] for name in ("runs", "seed", "steps")},
            }
        )
    else:
        _print_table(made, tuning, values)
        if known is not None:
            print(f"published: {published_text(known)}")
    return 130 if tuning.interrupted else 0


def tried(words: list[str], prior: str | None = None) -> tuple[Setup, list[Setting]]:
    """The setup, and the settings to try: those with several values or, if there are none, the agent's own grid."""
    agent, grid = choose_grid("agent", words[1])
    made = setup(words[0], agent, prior)
    settings = points([grid] if grid else getattr(agent.found.target, "grid", ()), fixed=agent.settings)
    if not settings:
        name, first = agent.found.name, next((p.name for p in agent.parameters if p.name not in agent.settings), "SETTING")
        raise ValueError(f"agent '{agent}' has no grid to search: give the values of a setting, as {name}:{first}=1/2/3")
    return made, settings


def _data(trial: TriedSetting) -> dict[str, Any]:
    mean = trial.done.mean("total_reward")
    return {
        "setting": trial.setting,
        "total_rewards": trial.done.values("total_reward").tolist(),
        "mean": mean.value if mean else None,
        "ci95": interval(mean),
        "seconds_per_step": per_step(trial.done.rows),
    }


def _print_table(made: Setup, tuning: Tuning, values: dict[str, Any]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Column, Table

    names = list(dict.fromkeys(name for trial in tuning.trials for name in trial.setting))
    heads = [Column(head, no_wrap=True) for head in (*names, TOTAL.heading, TIME.heading, "")]
    title = f"{made.agent_choice} in {made.domain_choice}"
    table = Table(*heads, title=title, title_justify="left", box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for trial in tuning.trials:
        cells = (column.show(trial.done.rows) for column in (TOTAL, TIME))
        table.add_row(*(str(trial.setting.get(name, "")) for name in names), *cells, "← best" if trial is tuning.best else "")
    console = Console(markup=False, highlight=False, file=sys.stdout)
    needed = console.measure(table, options=console.options.update(max_width=10_000)).maximum
    console.width = max(console.width, needed)  # a cut number would be worse than a long line
    console.print(table)
    if tuning.again is not None:
        best = replace(made, agent_choice=made.agent_choice.with_settings(tuning.again.setting))
        again = line(best, {**values, "seed": values["seed"] + 1})
        console.print(f"\nbest, with other seeds: {TOTAL.show(tuning.again.done.rows)}\n  {again}", soft_wrap=True)


COMMAND = command(
    run,
    FLAGS,
    arguments="DOMAIN AGENT",
    summary="try several settings of an agent in a domain and see which is best",
    about="Try settings of an agent in a domain and see which is best. Values to try are separated by a slash: "
    "bamcp:exploration=0.3/1/3,rollouts=learned/uniform tries all six combinations. A setting with one value stays fixed. "
    "Without values to try, it is the agent's own grid, that of the literature.",
    example="bamdp tune grid5 bamcp:exploration=0.3/1/3,simulations=100 --runs 5",
)
