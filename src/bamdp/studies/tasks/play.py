"""One run of an agent in a domain: the run of this number of `bamdp play` with these settings."""

import shlex
from collections.abc import Mapping
from functools import lru_cache
from time import process_time
from typing import Any

from bamdp.config.setup import Setup, setup
from bamdp.runs.loop import run as run_episode
from bamdp.runs.loop import seeds
from bamdp.studies.tasks import kind


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
        "cpu_seconds": round(process_time() - started, 6),  # of the domain too, but not of other programs
        "simulations": getattr(agent, "simulations_done", None),
    }


def make(settings: Mapping[str, Any]) -> Setup:
    """The domain, the prior and how agents are made; a setting that is None is not given."""
    given = {name: tuple(v) if isinstance(v, list) else v for name, v in _checked(settings).items() if v is not None}
    domain, agent, prior, _ = (given.pop(name, None) for name in ("domain", "agent", "prior", "steps"))
    return _setup(domain, agent, prior, tuple(given.items()))


def command(settings: Mapping[str, Any], seed: int, runs: int) -> str:
    """A line for the shell that does the first `runs` runs.

    Example:
        >>> print(command({"domain": "grid5", "agent": "bamcp", "exploration": "auto"}, seed=1, runs=10))
        bamdp play grid5 bamcp --exploration auto --runs 10 --seed 1
    """
    rest = {name: value for name, value in _checked(settings).items() if name not in ("domain", "agent")}
    return shlex.join(["bamdp", "play", settings["domain"], settings["agent"], *flags({**rest, "runs": runs, "seed": seed})])


def flags(settings: Mapping[str, Any]) -> list[str]:
    """Settings as flags of the command line; a setting that is None is not given.

    Example:
        >>> flags({"beta": 0.5, "reuse_tree": True, "vmax": None, "prior_rows": (1, 2)})
        ['--beta', '0.5', '--reuse-tree', '--prior-rows', '1', '2']
    """
    arguments: list[str] = []
    for name, value in settings.items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            arguments.append(f"--{flag}" if value else f"--no-{flag}")
        elif value is not None:
            arguments += [f"--{flag}", *map(str, value if isinstance(value, list | tuple) else [value])]
    return arguments


def _checked(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    if missing := {"domain", "agent"} - settings.keys():
        raise ValueError(f"settings must have {' and '.join(sorted(missing))}, got {dict(settings)}")
    return settings


@lru_cache(maxsize=64)
def _setup(domain: str, agent: str, prior: str | None, settings: tuple[tuple[str, Any], ...]) -> Setup:
    """A setup is the same for all runs of these settings, and some domains take seconds to make."""
    return setup(domain, agent, dict(settings), prior=prior)
