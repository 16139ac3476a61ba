"""The command `bamdp play DOMAIN AGENT`: some runs and their rewards."""

from typing import Any

from bamdp import validation
from bamdp.agent import Agent
from bamdp.cli import COMMANDS
from bamdp.cli.output import (
    EPISODES,
    SPEED,
    TIME,
    TOTAL,
    TOTALS,
    data,
    print_json,
    print_rows,
    published_text,
    texts,
)
from bamdp.cli.parser import JSON, PRIOR, SEED, STEPS, WORKERS, command, runs_flag, user_errors
from bamdp.comparing.engine import complete, progress_bar, threads
from bamdp.comparing.planned import measures, plays
from bamdp.comparing.rows import MOST_RUNS
from bamdp.comparing.table import Column, Table
from bamdp.config import Setup, setup
from bamdp.config.spec import command_line
from bamdp.runs.loop import Record, checked_steps, has_episodes, seeds
from bamdp.search.planning_agent import searches
from bamdp.statistics import digits

FLAGS = [
    STEPS,
    runs_flag(1),
    SEED,
    WORKERS,
    PRIOR,
    JSON,
]
FULL = Column(
    "full_searches",
    "memory",
    lambda rows, reference: sum(row["full_searches"] for row in rows),
    lambda full: (
        f"full in {full} decisions; the agent's setting memory=MIB sets the bound" if full else "—"
    ),
)
COLUMNS = (TOTAL, TOTALS, TIME, SPEED, FULL)


@command(
    FLAGS,
    usage=COMMANDS["play"],
    about="Let an agent act in a domain and see what it earns.",
    example="bamdp play grid5 bamcp:simulations=1000 --runs 5 --seed 0",
)
def play_runs(words: list[str], values: dict[str, Any]) -> int:
    """Do the runs and print the results."""
    with user_errors():
        made = setup(words[0], words[1], values["prior"])
        plan = plan_of(made, values)
        first = made.make_agent(seeds(plan["seed"], 0)[0])  # before the others: fail fast
    workers, ready = plan.pop("workers"), {seeds(plan["seed"], 0)[0]: first}
    tasks = plays(
        made.domain,
        lambda seed: ready.pop(seed, None) or made.make_agent(seed),
        **plan,
        measures=play_measures,
    )
    with progress_bar("steps") as show:
        done = complete(tasks, workers=workers, show=show).table(tasks)
    columns = [*(EPISODES if has_episodes(made.domain) else ()), *COLUMNS]
    about = {**made.texts(first), "command": line(made, values)}
    if values["json"]:
        unfinished = (
            {"unfinished": [run._asdict() for run in done.unfinished]} if done.unfinished else {}
        )
        print_json({**data(columns, done.rows), **unfinished, "settings": {**about, **plan}})
    else:
        rows = texts(columns, done.rows) | _course(done, plan["steps"], plan["runs"])
        if (known := published(made, plan["steps"])) is not None:
            rows["published"] = published_text(known)
        print_rows(f"{made.agent_spec} in {made.domain_spec}", {**rows, **about})
    return 130 if done.interrupted else 0


def plan_of(made: Setup, values: dict[str, Any]) -> dict[str, Any]:
    """The runs that were asked for: steps, runs, seed and workers."""
    from bamdp.executors import cores

    return {
        "steps": checked_steps(
            made.domain.steps if values["steps"] is None else values["steps"], made.domain
        ),
        "runs": validation.positive_integer("runs", values["runs"], MOST_RUNS),
        "seed": validation.seed(values["seed"]),
        "workers": cores() if values["workers"] is None else threads(values["workers"]),
    }


def line(made: Setup, values: dict[str, Any]) -> str:
    """The command again, without what doesn't change the results."""
    names = ("steps", "runs", "seed", "prior")
    flags = {
        flag.name: values[flag.name]
        for flag in FLAGS
        if flag.name in names and values[flag.name] != flag.default
    }
    return command_line("play", made.domain_spec, made.agent_spec, **flags)


def published(made: Setup, steps: int) -> tuple[float, float] | None:
    """The published mean total reward and its ±, if these are its domain, its prior
    and its steps.
    """
    from bamdp.suite.published import TABLE_1

    same = not made.domain_spec.settings and made.prior_spec is None and steps == made.domain.steps
    return TABLE_1.get(made.domain_spec.name, {}).get(made.agent_spec.name) if same else None


def play_measures(record: Record, agent: Agent) -> dict[str, Any]:
    """What is kept of a run."""
    return {
        **measures(record, agent),
        "episode_rewards": record.episode_rewards.tolist(),
        "full_searches": searches(agent).full,
    }


def _course(done: Table, steps: int, runs: int) -> dict[str, str]:
    """How far the runs came."""
    count = len(done.rows)
    rows = {"runs": f"{f'{count} done of ' if count < runs else ''}{runs}, each of {steps} steps"}
    parts = [
        f"run {run}: {digits(total)} in {at} of {steps} steps" for run, at, total in done.unfinished
    ]
    return rows | ({"unfinished": "; ".join(parts)} if parts else {})
