"""What `bamdp play` was asked to do, made from the words that were typed; other commands build on it."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, cast

from bamdp import _validation
from bamdp.agent import Agent
from bamdp.config import parameters
from bamdp.config.names import Found, UsageError, find
from bamdp.config.parameters import Flag
from bamdp.domain import Domain
from bamdp.episode import checked_steps
from bamdp.executors.ray import ClusterError
from bamdp.prior import Prior
from bamdp.priors.unknown_rewards import transition_prior, with_transitions
from bamdp.runner import MOST_RUNS, Job, seeds, threads
from bamdp.saving import state as learned
from bamdp.studies.paper.published import TABLE_1
from bamdp.studies.store import StoreError


class Request:
    """What `bamdp play` was asked to do: the parts are made here, so that every mistake shows before anything runs."""

    command: ClassVar[str] = "play"
    prior: Prior
    groups: dict[str, list[Flag]]
    values: dict[str, Any]
    changed: dict[str, dict[str, Any]]

    def __init__(self, domain_name: str, agent_name: str, words: list[str]) -> None:
        self.domain_name, self.agent_name = domain_name, agent_name
        self.found_domain = find("domain", domain_name)
        self.found_agent = find("agent", agent_name)
        prior_name = _value_of("--prior", words)
        self.found_prior = find("prior", prior_name) if prior_name else None
        self.domain: Domain = _make(self.found_domain)
        self._read(words)
        if self.changed["domain"]:
            with readable(self._renamed("domain")):
                self.domain = self.found_domain.factory(**self.changed["domain"])
            self._read(words)  # again: its own prior and number of steps are the defaults now
        if self.changed["prior"]:
            with readable(self._renamed("prior")):
                transitions = dataclasses.replace(cast(Any, transition_prior(self.prior)), **self.changed["prior"])
            self.prior = with_transitions(self.prior, transitions)

    def _read(self, words: list[str]) -> None:
        self.prior = self._base_prior()
        self.groups = self._groups()
        prog = f"bamdp {self.command} {self.domain_name} {self.agent_name}"
        self.values = parameters.parse(self.groups, words, prog, self._about(prog))
        self.changed = {group: parameters.changed(self.values[group], fs) for group, fs in self.groups.items()}

    def _base_prior(self) -> Prior:
        prior: Prior = _make(self.found_prior) if self.found_prior else self.domain.prior()
        return prior

    def _groups(self) -> dict[str, list[Flag]]:
        domain = parameters.of_constructor(self.found_domain.target) if callable(self.found_domain.target) else []
        return {
            "run": self._run_flags(),
            "agent": [flag for flag in self._agent_flags() if flag.parameter != "seed"],  # each run has its own
            "domain": [flag for flag in domain if flag.parameter not in self.found_domain.given],
            "prior": parameters.of_object(transition_prior(self.prior)),
        }

    def _run_flags(self) -> list[Flag]:
        return [
            Flag("steps", int, self.domain.steps, "steps of each run"),
            *common_flags(runs=1),
            Flag("save", str | None, None, "a file for the run, agent, world and record, when it is done or Ctrl-C ends it"),
            Flag(
                "resume", str | None, None, "a file that --save has made: the run goes on, by the same command, up to --steps"
            ),
        ]

    def _agent_flags(self) -> list[Flag]:
        return parameters.of_constructor(self.found_agent.target, keyword_only=True)

    def _about(self, prog: str) -> str:
        agent, domain = self.found_agent.description, self.found_domain.description
        return f"{self.agent_name}: {agent}\n\n{self.domain_name}: {domain}\n\nexample:\n  {prog} --runs 4 --seed 0"

    def _renamed(self, group: str) -> dict[str, str]:
        """The flags of a group that are called something else than their parameters."""
        names = parameters.names(self.groups)
        return {f.parameter: names[group, f.parameter] for f in self.groups[group] if names[group, f.parameter] != f.parameter}

    def make_agent(self, seed: int, domain: Domain | None = None, prior: Prior | None = None, **more: Any) -> Agent:
        """An agent for one run; for another world or prior than was asked for, with more settings than were typed, if given."""
        settings = {**self.changed["agent"], **more}
        takes_seed = any(flag.parameter == "seed" for flag in self._agent_flags())
        if takes_seed:
            settings["seed"] = seed
        target: Any = self.found_agent.target
        make = (
            partial(target.for_domain, domain or self.domain, prior or self.prior) if hasattr(target, "for_domain") else target
        )
        agent: Agent = make(**settings)
        if not takes_seed:
            agent.reset(seed)
        return agent

    def job(self) -> tuple[Job, Agent]:
        """What to run, and the agent of its first run."""
        run = self.values["run"]
        with readable():
            job = Job(
                self.domain,
                self.make_agent,
                checked_steps(self.changed["run"].get("steps", self.domain.steps)),
                _validation.positive_integer("runs", run["runs"], MOST_RUNS),
                _validation.seed(run["seed"]),
                threads(run["workers"]),
            )
            agent = self.make_agent(seeds(job.seed, 0)[0])
            return self._with_files(job, agent), agent

    def _with_files(self, job: Job, agent: Agent) -> Job:
        """`job`, saved and resumed as was asked for."""
        save, resume = (self.values["run"].get(name) for name in ("save", "resume"))
        if save is None and resume is None:
            return job
        if job.runs != 1:
            raise ValueError(f"save and resume are for one run alone, got --runs {job.runs}")
        if save is not None and not Path(save).absolute().parent.is_dir():
            raise ValueError(f"save must be a file in a folder that there is, got {save}")
        free = ("steps", "workers", "runs")
        command = {name: value for name, value in self.settings(agent).items() if name not in free}
        if save is not None:
            for thing in (agent, job.domain):
                learned.names(thing)  # refused now rather than at the end
        return replace(job, save=save, resume=resume, command=command)

    def settings(self, agent: Agent) -> dict[str, Any]:
        """Everything that was set, by name."""
        names = parameters.names(self.groups)
        values = {names[group, key]: value for group in self.groups for key, value in self.values[group].items()}
        made = {"domain": self.domain, "agent": agent, "prior": self.domain.complete(self.prior)}
        texts = {kind: described(thing) for kind, thing in made.items()}
        return {**texts, **{k: v for k, v in values.items() if k not in (*made, "json", "save", "resume")}}

    def published(self) -> tuple[float, float] | None:
        """The number in the literature, if these are its domain and its steps."""
        same = not self.changed["domain"] and "steps" not in self.changed["run"]
        return TABLE_1.get(self.domain_name, {}).get(self.agent_name) if same else None


def common_flags(runs: int) -> list[Flag]:
    """The flags of every command that runs an agent several times."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return [
        Flag("runs", int, runs, "how many runs, each with seeds of its own"),
        Flag("seed", int, 0, "of everything: the same seed gives the same results"),
        Flag("workers", int, cores, "runs at a time; the results don't depend on it"),
        Flag("prior", str | None, None, "what is believed at first, one of bamdp list, instead of the domain's own"),
        Flag("json", bool, False, "print one JSON object and nothing else"),
    ]


def _value_of(flag: str, words: Sequence[str]) -> str | None:
    """What a flag is set to, before the flags are known: those of a prior depend on which prior it is."""
    for i, word in enumerate(words):
        if word == flag and i + 1 < len(words):
            return words[i + 1]
        if word.startswith(f"{flag}="):
            return word.removeprefix(f"{flag}=")
    return None


def _make(found: Found) -> Any:
    with readable():
        return found.factory()


@contextmanager
def readable(renamed: Mapping[str, str] | None = None) -> Iterator[None]:
    """Errors of constructors name the argument, what it got and what it accepts, or what to install: no need for a traceback.

    Args:
        renamed: what arguments are called on the command line, where it is another name.
    """
    try:
        yield
    except (TypeError, ValueError, MemoryError, ImportError, StoreError, ClusterError) as error:
        argument, space, rest = str(error).partition(" ")
        raise UsageError((renamed or {}).get(argument, argument) + space + rest) from error


def described(thing: Any) -> str:
    """Its repr, unless it has none of its own: the default one has an address in it."""
    own = "__repr__" in {name for cls in type(thing).__mro__[:-1] for name in vars(cls)}
    return repr(thing) if own else f"{type(thing).__name__}()"
