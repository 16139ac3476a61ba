"""What `bamdp watch` shows, from its arguments or a link, and the film that it writes."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from bamdp import validation
from bamdp.agent import Agent
from bamdp.cli.command import Parsed, parse_setup
from bamdp.cli.parser import UsageError, parse, split, user_errors
from bamdp.config.choice import Choice, choose
from bamdp.config.names import Kind, UnknownNameError, find
from bamdp.config.parameters import Parameter, of_constructor
from bamdp.domain import Domain
from bamdp.prior import Prior
from bamdp.problems import Problem
from bamdp.progress import progress
from bamdp.runs.loop import checked_steps
from bamdp.validation import require
from bamdp.viewer.film import FORMATS, film
from bamdp.viewer.pictures import with_pictures
from bamdp.viewer.show import MOST_AGENTS, Contender, PriorChoice, WatchSetup, prior_choices
from bamdp.viewer.stage import Stage
from bamdp.viewer.watched import LARGEST_SEED

NAME, DEFAULT, NEUTRAL = "watch", "bayes-adaptive", "random"  # the agent if none is named; one without settings
PASSING = ("seed", "port", "host", "open", "film")  # flags that aren't part of a link


def read(arguments: Sequence[str], own: Sequence[Parameter]) -> tuple[WatchSetup, dict[str, Any]]:
    """What to watch, and the values of the command's own flags, `own`."""
    names, flags = split(arguments)
    domain, *agents = names
    if len(agents) > MOST_AGENTS:
        raise UsageError(f"watch shows at most {MOST_AGENTS} agents side by side, got {len(agents)}: {', '.join(agents)}")
    agents = agents or [DEFAULT]
    with user_errors():
        choices = [choose("agent", agent) for agent in agents]
        problem: Problem | None = choose("problem", domain).make() if is_problem(domain) else None
    if problem is not None:
        return _problem_show(domain, problem, agents, choices, flags, own)
    if len(choices) == 1:
        parsed = parse_setup(NAME, own, [domain, choices[0].found.name, *flags])
        given = {**choices[0].settings, **parsed.setup.given["agent"]}
        setup = replace(parsed.setup, given={**parsed.setup.given, "agent": given})
        contenders = [Contender(agents[0], lambda world, seed, prior: setup.make_agent(seed, world, prior))]
    else:
        _reject_agent_flags(domain, choices, flags, own)
        parsed = parse_setup(NAME, own, [domain, NEUTRAL, *flags])
        contenders = _contenders(agents, choices)
    return _show(parsed, contenders), parsed.run


def is_problem(name: str) -> bool:
    """Whether it is the name of a problem, perhaps with settings, and not of a domain; nothing of the user's is imported."""
    bare = name.partition(":")[0] if "=" in name else name
    kinds: tuple[Kind, ...] = () if ":" in bare else ("domain", "problem")
    for kind in kinds:
        with suppress(UnknownNameError):
            find(kind, bare)
            return kind == "problem"
    return False


def _problem_show(
    name: str, problem: Problem, agents: list[str], choices: list[Choice], flags: list[str], own: Sequence[Parameter]
) -> tuple[WatchSetup, dict[str, Any]]:
    """The show of a problem, which draws a world for each seed; it has no flags of its own."""
    options = [replace(p, default=problem.steps) if p.name == "steps" else p for p in own if p.name != "prior"]
    _reject_agent_flags("", choices, flags, own)
    run = parse({"run": options}, flags, f"bamdp {NAME} {name} {' '.join(agents)}", "Settings of agents follow their names.")
    with user_errors():
        steps = checked_steps(run["steps"], problem.domain)
        seed = validation.integer("seed", run["seed"], 0, LARGEST_SEED)
        prior = problem.problem.prior
        priors = (PriorChoice("asked", repr(prior), prior),)
        settings, contenders = shlex.join(_lasting(flags)), tuple(_contenders(agents, choices))
        show = WatchSetup(name, problem.domain, contenders, priors, steps, seed, settings, problem)
        Stage(show)
    return show, run


def _contenders(agents: Sequence[str], choices: Sequence[Choice]) -> list[Contender]:
    return [Contender(name, _maker(choice)) for name, choice in zip(agents, choices, strict=True)]


def _maker(choice: Choice) -> Callable[[Domain, int, Prior], Agent]:
    return lambda world, seed, prior: choice.make_agent(world, prior, seed)


def _show(parsed: Parsed, contenders: list[Contender]) -> WatchSetup:
    """The show; its runs are made once, so that mistakes show before anything is served."""
    setup = parsed.setup
    with user_errors():
        steps = checked_steps(parsed.run["steps"], setup.domain)
        seed = validation.integer("seed", parsed.run["seed"], 0, LARGEST_SEED)
        priors = prior_choices(setup.domain, setup.prior)
        domain = with_pictures(setup.domain)
        show = WatchSetup(setup.domain_name, domain, tuple(contenders), priors, steps, seed, shlex.join(_lasting(parsed.flags)))
        Stage(show)
    return show


def _reject_agent_flags(domain: str, choices: Sequence[Choice], flags: Sequence[str], own: Sequence[Parameter]) -> None:
    """Flags that are settings of agents: it isn't clear of which. `domain` is "" where flags set nothing of it."""
    with user_errors():
        target = find("domain", domain).target if domain else None
        others = {p.name for p in own} | {p.name for p in (of_constructor(target) if callable(target) else [])}
    for flag in flags:
        name = _flag_name(flag)
        having = [choice.found.name for choice in choices if name not in others and choice.takes(name)]
        if flag.startswith("--") and having:
            example = f"{having[0]}:{name}={flag.partition('=')[2] or '...'}"
            raise UsageError(f"{flag} is a setting of an agent; here it follows the name: {example}")


def _flag_name(flag: str) -> str:
    return flag.removeprefix("--").removeprefix("no-").partition("=")[0].replace("-", "_")


def _lasting(flags: Sequence[str]) -> list[str]:
    """The flags that a link keeps: all but those of this page and the seed, which the page has."""
    kept, skip = [], False
    for flag in flags:
        if flag.startswith("--"):
            name = _flag_name(flag)
            skip = name in PASSING and name != "open" and "=" not in flag  # its value follows
            if name in PASSING:
                continue
        elif skip:
            skip = False
            continue
        kept.append(flag)
    return kept


def write_film(show: WatchSetup, path: str) -> int:
    """Play all steps and write a film of them; Ctrl-C ends the run, and the film is of the steps until then."""
    with user_errors():
        file = validation.path("film", path)
        format = validation.one_of("film's suffix", file.suffix[1:], FORMATS)
        if not file.absolute().parent.is_dir():
            raise ValueError(f"film must be a file in a folder that exists, got {path}")
        require("PIL", "a film needs Pillow", "viewer")
    stage = Stage(show)
    with suppress(KeyboardInterrupt), progress("steps") as tell:
        while not stage.done:
            stage.step()
            tell("", stage.steps, show.steps, None)
    file.write_bytes(film(stage, format))
    totals = ", ".join(f"{run.contender.name} {run.total:g}" for run in stage.runs)
    print(f"{file}: {stage.steps} steps, total reward: {totals}")
    return 0
