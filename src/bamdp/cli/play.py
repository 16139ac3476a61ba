"""The command `bamdp play DOMAIN AGENT`: some runs and their rewards."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from bamdp import _validation
from bamdp.agent import Agent
from bamdp.cli.command import STEPS, Parsed, agent_command, common
from bamdp.cli.output import interval, mean_text, print_json, print_rows, published_text, setting_rows
from bamdp.cli.parser import user_errors
from bamdp.config.parameters import Parameter
from bamdp.runs.loop import checked_steps, seeds
from bamdp.runs.runner import MOST_RUNS, Job, Results, play, threads
from bamdp.saving import state
from bamdp.statistics import digits, duration

PARAMETERS = [
    STEPS,
    *common(runs=1),
    Parameter("save", str | None, None, "a file for the run, agent, domain and record, when it is done or Ctrl-C ends it"),
    Parameter("resume", str | None, None, "a file that --save wrote: the same command continues the run up to --steps"),
]


def run(parsed: Parsed) -> int:
    """Do the runs and print the results."""
    job = job_of(parsed)
    with user_errors():
        first = parsed.setup.make_agent(seeds(job.seed, 0)[0])
        job = _with_files(job, parsed, first)
    done = play(job, first)
    settings = parsed.settings(first)
    title = f"{parsed.setup.agent_name} in {parsed.setup.domain_name}"
    if parsed.run["json"]:
        print_json(data(done, settings))
    else:
        print_rows(title, rows(done, settings, parsed.published, parsed.defaults))
    return 130 if done.interrupted else 0


def data(done: Results, settings: dict[str, Any]) -> dict[str, Any]:
    """The results for JSON."""
    full = sum(r.full_searches for r in done.results)
    return {
        **(_episode_data(done) if done.job.domain.has_episodes else {}),
        "total_rewards": done.total_rewards,
        "mean": done.mean.value if done.mean else None,
        "ci95": interval(done.mean),
        **({"unfinished": [run._asdict() for run in done.unfinished]} if done.unfinished else {}),
        "seconds_per_step": done.seconds_per_step,
        "simulations_per_second": done.simulations_per_second,
        **({"full_searches": full} if full else {}),
        "settings": settings,
    }


def _episode_data(done: Results) -> dict[str, Any]:
    per = done.return_per_episode
    return {
        "episodes": done.episodes,
        "return_per_episode": per.value if per else None,
        "return_per_episode_ci95": interval(per),
        "success_rate": done.success_rate,
        "episode_rewards": [list(result.episode_rewards) for result in done.results],
    }


def rows(
    done: Results,
    settings: dict[str, Any],
    published: tuple[float, float] | None = None,
    defaults: dict[str, Any] | None = None,
) -> list[tuple[str, str]]:
    """The results for a table; where episodes end, they come first. Settings are shown where they differ from `defaults`."""
    job, count = done.job, len(done.results)
    found = _episode_rows(done) if job.domain.has_episodes else []
    found.append(("mean total reward", mean_text(done.mean)))
    if published is not None:
        found.append(("published", published_text(published)))
    found.append(("runs", f"{f'{count} done of ' if count < job.runs else ''}{job.runs}, each of {job.steps} steps"))
    found.append(("total rewards", ", ".join(map(digits, done.total_rewards)) or "—"))
    for run, steps, total in done.unfinished:
        found.append(("unfinished", f"run {run}: {digits(total)} in {steps} of {job.steps} steps"))
    if done.seconds_per_step is not None:
        found.append(("time per step", duration(done.seconds_per_step)))
    if done.simulations_per_second is not None:
        found.append(("simulations per second", f"{done.simulations_per_second:,.0f}"))
    if full := sum(result.full_searches for result in done.results):
        found.append(("memory", f"full in {full} of {job.steps * count} decisions; --memory sets the bound"))
    return found + setting_rows(settings, defaults)


def _episode_rows(done: Results) -> list[tuple[str, str]]:
    rate = done.success_rate
    success = [] if rate is None else [("success rate", f"{100 * rate:.3g} %")]
    return [("return per episode", mean_text(done.return_per_episode)), *success, ("episodes", str(done.episodes))]


def job_of(parsed: Parsed) -> Job:
    """The runs that were asked for."""
    run = parsed.run
    with user_errors():
        return Job(
            parsed.setup.domain,
            parsed.setup.make_agent,
            checked_steps(run["steps"], parsed.setup.domain),
            _validation.positive_integer("runs", run["runs"], MOST_RUNS),
            _validation.seed(run["seed"]),
            threads(run["workers"]),
        )


def _with_files(job: Job, parsed: Parsed, agent: Agent) -> Job:
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
