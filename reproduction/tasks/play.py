"""One run of an agent in a domain: the run of this number of `bamdp play` with these settings.

Settings are flat: the names of domain, agent and prior, and plain values by name. A setting is the
agent's, the domain's or the prior's, the first that has it; `domain_` or `prior_` before its name
says whose it is.
"""

from collections.abc import Mapping
from functools import lru_cache
from time import process_time
from typing import Any

from bamdp.config import Setup, setup
from bamdp.config.names import AGENTS, DOMAINS, PRIORS
from bamdp.config.spec import Spec, command_line, parse_spec
from bamdp.runs.loop import run as run_episode
from bamdp.runs.loop import seeds
from bamdp.search.planning_agent import searches
from bamdp.validation import suggestion
from reproduction.tasks import kind


@kind
def play(settings: Mapping[str, Any], seed: int, run: int) -> dict[str, Any]:
    """The rewards and how long the run took.

    Example:
        >>> play({"domain": "chain", "agent": "random", "steps": 50}, seed=0, run=0)["steps"]
        50
    """
    made = make(settings)
    agent_seed, world_seed = seeds(seed, run)
    agent = made.make_agent(agent_seed)
    started = process_time()
    record = run_episode(agent, made.domain, settings.get("steps"), world_seed)
    return {
        "steps": len(record.rewards),
        "total_reward": record.total_reward,
        "discounted_return": round(record.discounted_return, 6),
        "agent_seconds": round(record.seconds, 6),
        "cpu_seconds": round(
            process_time() - started, 6
        ),  # of the domain too, but not of other programs
        "simulations": searches(agent).simulations,
    }


def make(settings: Mapping[str, Any]) -> Setup:
    """The domain, the prior and how agents are made; a setting that is None is not given."""
    given = {
        name: tuple(v) if isinstance(v, list) else v
        for name, v in settings.items()
        if v is not None and name != "steps"
    }
    return _setup(tuple(sorted(given.items())))


def command(settings: Mapping[str, Any], seed: int, runs: int) -> str:
    """A line for the shell that does the first `runs` runs.

    Example:
        >>> print(command({"domain": "grid5", "agent": "bamcp", "exploration": "auto"}, seed=1,
        ...     runs=10))
        bamdp play grid5 bamcp:exploration=auto --runs 10 --seed 1
    """
    domain, agent, prior = _choices(settings)
    return command_line(
        "play", domain, agent, prior=prior, steps=settings.get("steps"), runs=runs, seed=seed
    )


@lru_cache(maxsize=64)
def _setup(settings: tuple[tuple[str, Any], ...]) -> Setup:
    """A setup is the same for all runs of these settings, and some domains take seconds to make."""
    return setup(*_choices(dict(settings)))


def _choices(settings: Mapping[str, Any]) -> tuple[Spec, Spec, Spec | None]:
    """The domain, the agent and the prior, each with its settings; no prior is the domain's own."""
    if missing := {"domain", "agent"} - settings.keys():
        raise ValueError(
            f"settings must have {' and '.join(sorted(missing))}, got {dict(settings)}"
        )
    agent, domain = parse_spec(AGENTS, settings["agent"]), parse_spec(DOMAINS, settings["domain"])
    named = settings.get("prior")
    rest = {
        name: v
        for name, v in settings.items()
        if v is not None and name not in ("domain", "agent", "prior", "steps")
    }
    for name in list(rest):
        if agent.takes(name):
            agent = agent.with_settings({name: rest.pop(name)})
        elif domain.takes(own := name.removeprefix("domain_")):
            domain = domain.with_settings({own: rest.pop(name)})
    if not rest:
        return domain, agent, None if named is None else parse_spec(PRIORS, named)
    prior = _own_prior(domain) if named is None else parse_spec(PRIORS, named)
    for name in rest:
        if not prior.takes(name.removeprefix("prior_")):
            known = [p.name for choice in (agent, domain, prior) for p in choice.parameters]
            raise ValueError(
                f"unknown setting '{name}'{suggestion(name, known) or '.'} Known: "
                f"{', '.join(known)}"
            )
    return (
        domain,
        agent,
        prior.with_settings({name.removeprefix("prior_"): value for name, value in rest.items()}),
    )


def _own_prior(domain: Spec) -> Spec:
    """The prior of a domain by its name, with its settings."""
    own = domain.make().problem().prior
    entry = next(entry for entry in PRIORS.find_all() if entry.target is type(own))
    choice = Spec(PRIORS, entry)
    changed = {
        p.name: getattr(own, p.name) for p in choice.parameters if getattr(own, p.name) != p.default
    }
    return choice.with_settings(changed)
