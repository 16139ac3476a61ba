"""The command `bamdp play DOMAIN AGENT`: some runs and their rewards."""

from pathlib import Path
from typing import Any

from bamdp import validation
from bamdp.agent import Agent
from bamdp.cli.command import STEPS, Parsed, agent_command, common
from bamdp.cli.output import EPISODES, SPEED, TIME, TOTAL, interval, print_json, print_rows, published_text, setting_rows
from bamdp.cli.parser import user_errors
from bamdp.config.parameters import Parameter
from bamdp.runs.engine import complete, shown, threads
from bamdp.runs.loop import Record, Run, checked_steps, proceed, seeds
from bamdp.runs.table import Table, per_episode
from bamdp.runs.task import MOST_RUNS, OnStep, measures, plays
from bamdp.saving import state
from bamdp.saving.archive import SavedFileError
from bamdp.saving.run_file import resume_run, save_run
from bamdp.statistics import digits

PARAMETERS = [
    STEPS,
    *common(runs=1),
    Parameter("save", str | None, None, "a file for the run, agent, domain and record, when it is done or Ctrl-C ends it"),
    Parameter("resume", str | None, None, "a file that --save wrote: the same command continues the run up to --steps"),
]


def run(parsed: Parsed) -> int:
    """Do the runs and print the results."""
    plan, domain = plan_of(parsed), parsed.setup.domain
    workers = plan.pop("workers")
    with user_errors():
        first = parsed.setup.make_agent(seeds(plan["seed"], 0)[0])  # before the others, so that mistakes show at once
        files = _files(parsed, first)
    made = {seeds(plan["seed"], 0)[0]: first}
    make = parsed.setup.make_agent
    tasks = plays(domain, lambda seed: made.pop(seed, None) or make(seed), **plan, measures=measured, **files)
    with shown("steps") as show:
        done = complete(tasks, workers=workers, show=show).table(tasks)
    settings = parsed.settings(first)
    title = f"{parsed.setup.agent_name} in {parsed.setup.domain_name}"
    if parsed.run["json"]:
        print_json(data(done, settings, domain.has_episodes))
    else:
        about = parsed.published, parsed.defaults
        print_rows(title, rows(done, settings, plan["steps"], plan["runs"], domain.has_episodes, *about))
    return 130 if done.interrupted else 0


def measured(record: Record, agent: Agent) -> dict[str, Any]:
    """What is kept of a run."""
    full = getattr(agent, "full_searches", 0)  # decisions for which the search used up its memory
    return {**measures(record, agent), "episode_rewards": record.episode_rewards.tolist(), "full_searches": full}


def data(done: Table, settings: dict[str, Any], has_episodes: bool = False) -> dict[str, Any]:
    """The results for JSON."""
    full = _full(done)
    mean = done.mean("total_reward")
    return {
        **(_episode_data(done) if has_episodes else {}),
        "total_rewards": done.values("total_reward").tolist(),
        "mean": mean.value if mean else None,
        "ci95": interval(mean),
        **({"unfinished": [run._asdict() for run in done.unfinished]} if done.unfinished else {}),
        **TIME.data(done.rows),
        **SPEED.data(done.rows),
        **({"full_searches": full} if full else {}),
        "settings": settings,
    }


def _episode_data(done: Table) -> dict[str, Any]:
    per = per_episode(done.rows)
    return {
        **{name: value for column in EPISODES for name, value in column.data(done.rows).items()},
        "return_per_episode": per.value if per else None,
        "return_per_episode_ci95": interval(per),
        "episode_rewards": [row["episode_rewards"] for row in done.rows],
    }


def rows(
    done: Table,
    settings: dict[str, Any],
    steps: int,
    runs: int,
    has_episodes: bool = False,
    published: tuple[float, float] | None = None,
    defaults: dict[str, Any] | None = None,
) -> list[tuple[str, str]]:
    """The results for a table; where episodes end, they come first. Settings are shown where they differ from `defaults`."""
    count = len(done.rows)
    found = [(column.heading, column.show(done.rows)) for column in (*(EPISODES if has_episodes else ()), TOTAL)]
    found = [(heading, text) for heading, text in found if heading != "success rate" or text != "—"]
    if published is not None:
        found.append(("published", published_text(published)))
    found.append(("runs", f"{f'{count} done of ' if count < runs else ''}{runs}, each of {steps} steps"))
    found.append(("total rewards", ", ".join(map(digits, done.values("total_reward").tolist())) or "—"))
    for run, at, total in done.unfinished:
        found.append(("unfinished", f"run {run}: {digits(total)} in {at} of {steps} steps"))
    speed = [(column.heading, column.show(done.rows)) for column in (TIME, SPEED)]
    found += [(heading, text) for heading, text in speed if text != "—"]
    if full := _full(done):
        found.append(("memory", f"full in {full} of {steps * count} decisions; --memory sets the bound"))
    return found + setting_rows(settings, defaults)


def _full(done: Table) -> int:
    return sum(row["full_searches"] for row in done.rows)


def plan_of(parsed: Parsed) -> dict[str, Any]:
    """The runs that were asked for: steps, runs, seed and workers."""
    run = parsed.run
    with user_errors():
        return {
            "steps": checked_steps(run["steps"], parsed.setup.domain),
            "runs": validation.positive_integer("runs", run["runs"], MOST_RUNS),
            "seed": validation.seed(run["seed"]),
            "workers": threads(run["workers"]),
        }


def _files(parsed: Parsed, agent: Agent) -> dict[str, Any]:
    """How a run is taken from a file and to a file, if that was asked for; Ctrl-C then waits for the decision under way."""
    save, resume = parsed.run["save"], parsed.run["resume"]
    if save is None and resume is None:
        return {}
    if parsed.run["runs"] != 1:
        raise ValueError(f"save and resume are for one run alone, got --runs {parsed.run['runs']}")
    if save is not None and not Path(save).absolute().parent.is_dir():
        raise ValueError(f"save must be a file in a folder that exists, got {save}")
    free = ("steps", "workers", "runs")
    command = {name: value for name, value in parsed.settings(agent).items() if name not in free}
    if save is not None:
        for thing in (agent, parsed.setup.domain):
            state.names(thing)  # rejected now rather than at the end

    def proceed_by_files(run: Run, steps: int, on_step: OnStep) -> Record:
        before = None if resume is None else Record.of(resume_run(resume, command, run), run)
        if before is not None and len(before.rewards) > steps:
            raise SavedFileError(f"steps must be at least the {len(before.rewards)} that {resume} has, got {steps}")
        record = proceed(run, steps, on_step, before)
        if save is not None:
            save_run(save, command, run, record)
        return record

    return {"proceed": proceed_by_files, "patient": save is not None}


COMMAND = agent_command(
    run,
    PARAMETERS,
    summary="let an agent act in a domain and see what it earns",
    about="Let an agent act in a domain and see what it earns.",
    example="bamdp play grid5 bamcp --simulations 1000 --runs 4 --seed 0",
)
