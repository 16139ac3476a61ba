"""The command `bamdp tune DOMAIN AGENT`: every setting of an agent's grid, and the best of them."""

from dataclasses import replace
from typing import Any

from bamdp.cli import COMMANDS
from bamdp.cli.output import TIME, TOTAL, TOTALS, data, print_json, published_text
from bamdp.cli.parser import JSON, PRIOR, SEED, STEPS, WORKERS, command, runs_flag, user_errors
from bamdp.cli.play import line, plan_of, published
from bamdp.comparing.tune import Setting, TriedSetting, Tunable, Tuning, points, tune
from bamdp.config import Setup, setup
from bamdp.config.names import AGENTS
from bamdp.config.spec import parse_grid
from bamdp.result import align

FLAGS = [STEPS, runs_flag(10), SEED, WORKERS, PRIOR, JSON]


@command(
    FLAGS,
    usage=COMMANDS["tune"],
    about="Try settings of an agent in a domain and see which is best. Values to try are separated "
    "by a slash: bamcp:exploration=0.3/1/3,rollouts=learned/uniform tries all six combinations. A "
    "setting with one value stays fixed. Without values to try, the grid is the agent's own, that "
    "of the literature.",
    example="bamdp tune grid5 bamcp:exploration=0.3/1/3,simulations=100 --runs 5",
)
def tune_settings(words: list[str], values: dict[str, Any]) -> int:
    """Search the grid, run the best setting again, and print both."""
    with user_errors():
        made, settings = tried(words, values["prior"])
        plan = plan_of(made, values)
        for setting in settings:  # first: fail fast
            made.make_agent(0, **setting)
    tuning = tune(made.domain, made.make_agent, settings, **plan)
    known = published(made, plan["steps"])
    if values["json"]:
        print_json(
            {
                "domain": str(made.domain_spec),
                "agent": str(made.agent_spec),
                "trials": [_trial_data(trial) for trial in tuning.trials],
                "best": _trial_data(tuning.best),
                "best_again": _trial_data(tuning.again),
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
    """The setup, and the settings to try: those with several values or, if there are none, the
    agent's own grid.
    """
    agent, grid = parse_grid(AGENTS, words[1])
    made = setup(words[0], agent, prior)
    target = agent.entry.target
    own = target.grid if isinstance(target, Tunable) else ()
    settings = points([grid] if grid else own, fixed=agent.settings)
    if not settings:
        name, first = (
            agent.name,
            next((p.name for p in agent.parameters if p.name not in agent.settings), "SETTING"),
        )
        raise ValueError(
            f"agent '{agent}' has no grid to search: give the values of a setting, as "
            f"{name}:{first}=1/2/3"
        )
    return made, settings


def _trial_data(trial: TriedSetting | None) -> dict[str, Any] | None:
    return (
        {"setting": trial.setting, **data((TOTAL, TOTALS, TIME), trial.done.rows)}
        if trial
        else None
    )


def _print_table(made: Setup, tuning: Tuning, values: dict[str, Any]) -> None:
    names = list(dict.fromkeys(name for trial in tuning.trials for name in trial.setting))
    cells = [[*names, TOTAL.heading, TIME.heading, ""]]
    for trial in tuning.trials:
        shown = (column.show(trial.done.rows) for column in (TOTAL, TIME))
        cells.append(
            [
                *(str(trial.setting.get(name, "")) for name in names),
                *shown,
                "← best" if trial is tuning.best else "",
            ]
        )
    print(f"{made.agent_spec} in {made.domain_spec}", *align(cells), sep="\n")
    if tuning.again is not None:
        best = replace(made, agent_spec=made.agent_spec.with_settings(tuning.again.setting))
        again = line(best, {**values, "seed": values["seed"] + 1})
        print(f"\nbest, with other seeds: {TOTAL.show(tuning.again.done.rows)}\n  {again}")
