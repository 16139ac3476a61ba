"""The command `bamdp play DOMAIN AGENT`: some runs and their rewards."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bamdp import _validation
from bamdp.agent import Agent
from bamdp.cli.command import STEPS, Parsed, agent_command, common
from bamdp.cli.output import Summary
from bamdp.cli.parser import user_errors
from bamdp.config.parameters import Parameter
from bamdp.episode import checked_steps
from bamdp.saving import state

if TYPE_CHECKING:
    from bamdp.runner import Job

PARAMETERS = [
    STEPS,
    *common(runs=1),
    Parameter("save", str | None, None, "a file for the run, agent, domain and record, when it is done or Ctrl-C ends it"),
    Parameter("resume", str | None, None, "a file that --save wrote: the same command continues the run up to --steps"),
]


def run(parsed: Parsed) -> int:
    """Do the runs and print the results."""
    from bamdp.runner import play, seeds

    job = job_of(parsed)
    with user_errors():
        first = parsed.setup.make_agent(seeds(job.seed, 0)[0])
        job = _with_files(job, parsed, first)
    done = play(job, first)
    summary = Summary(
        title=f"{parsed.setup.agent_name} in {parsed.setup.domain_name}",
        results=done.results,
        runs=job.runs,
        steps=job.steps,
        settings=parsed.settings(first),
        published=parsed.published,
    )
    (summary.print_json if parsed.run["json"] else summary.print_table)()
    return 130 if done.interrupted else 0


def job_of(parsed: Parsed) -> Job:
    """The runs that were asked for."""
    from bamdp.runner import MOST_RUNS, Job, threads

    run = parsed.run
    with user_errors():
        return Job(
            parsed.setup.domain,
            parsed.setup.make_agent,
            checked_steps(run["steps"]),
            _validation.positive_integer("runs", run["runs"], MOST_RUNS),
            _validation.seed(run["seed"]),
            threads(run["workers"]),
        )


def _with_files(job: Job, parsed: Parsed, agent: Agent) -> Job:
    """`job` with its files."""
    save, resume = parsed.run["save"], parsed.run["resume"]
    if save is None and resume is None:
        return job
    if job.runs != 1:
        raise ValueError(f"save and resume are for one run alone, got --runs {job.runs}")
    if save is not None and not Path(save).absolute().parent.is_dir():
        raise ValueError(f"save must be a file in a folder that exists, got {save}")
    free = ("steps", "workers", "runs")
    command = {name: value for name, value in parsed.settings(agent).items() if name not in free}
    if save is not None:
        for thing in (agent, job.domain):
            state.names(thing)  # rejected now rather than at the end
    return replace(job, save=save, resume=resume, command=command)


COMMAND = agent_command(
    run,
    PARAMETERS,
    summary="let an agent act in a domain and see what it earns",
    about="Let an agent act in a domain and see what it earns.",
    example="bamdp play grid5 bamcp --simulations 1000 --runs 4 --seed 0",
)
