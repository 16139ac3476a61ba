"""What a command is, and what those that begin with a domain and an agent share."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, field, replace
from typing import Any

from bamdp.agent import Agent
from bamdp.cli.parser import UsageError, parse, split, user_errors
from bamdp.config import names as naming
from bamdp.config.names import Found, Kind, find, find_among
from bamdp.config.parameters import Parameter
from bamdp.config.setup import Setup, setup

GYM = """\
gym:<ID>: an id of gymnasium.make, as in gym:FrozenLake-v1; for an environment of another package, put its module first:
gym:package.module:Name-v0. Set its options with --make "map_name=8x8"; --rewards learned lets the agent learn the rewards."""

STEPS = Parameter("steps", int, MISSING, "number of steps of each run")


@dataclass(frozen=True)
class Command:
    """A command. Each module of `bamdp.cli` that declares one, as `COMMAND`, is a command of its own name."""

    arguments: str  # what follows its name: "FILE [flags]"
    summary: str  # what it does, in the list of all commands
    about: str  # what it does, in its own help
    example: str  # how to use it
    run: Callable[[list[str]], int]  # runs it with its arguments, and returns the exit code

    @property
    def name(self) -> str:
        """Its name, as in the example."""
        return self.example.split()[1]

    @property
    def help(self) -> str:
        """The text above its flags."""
        return f"{self.about}\n\nexample:\n  {self.example}"


@dataclass(frozen=True)
class Parsed:
    """The arguments of a command that begins with a domain and an agent."""

    setup: Setup  # the domain, the prior, and how agents are made
    run: dict[str, Any]  # the values of the command's own flags
    flags: list[str]  # as they were given
    usual: dict[str, Any] = field(default_factory=dict)  # the defaults of the command's own flags

    def settings(self, agent: Agent) -> dict[str, Any]:
        """The domain, the agent and the prior as texts, and the value of every setting."""
        run = {name: value for name, value in self.run.items() if name not in ("prior", "json", "save", "resume")}
        return {**self.setup.texts(agent), **run, **self.setup.values}

    @property
    def defaults(self) -> dict[str, Any]:
        """The default of every setting."""
        groups, names = self.setup.groups, self.setup.names
        return {**self.usual, **{names[group, p.name]: p.default for group, some in groups.items() for p in some}}

    @property
    def published(self) -> tuple[float, float] | None:
        """The published mean total reward and its ±, if these are its domain and its steps."""
        from bamdp.studies.paper.published import TABLE_1

        same = not self.setup.given["domain"] and self.run["steps"] == self.setup.domain.steps
        return TABLE_1.get(self.setup.domain_name, {}).get(self.setup.agent_name) if same else None


def common(runs: int) -> list[Parameter]:
    """The flags of every command that runs an agent several times."""
    return [
        Parameter("runs", int, runs, "number of runs, each with its own seeds"),
        Parameter("seed", int, 0, "seed of all random generators: the same seed gives the same results"),
        Parameter("workers", int, MISSING, "runs at a time; the results don't depend on it"),
        Parameter("prior", str | None, None, "the prior, a name of bamdp list, instead of the domain's own"),
        Parameter("json", bool, False, "print one JSON object and nothing else"),
    ]


def agent_command(
    run: Callable[[Parsed], int],
    own: Sequence[Parameter],
    *,
    summary: str,
    about: str,
    example: str,
    usage: str = "DOMAIN AGENT [flags]",
    kinds: Sequence[Kind] = ("domain",),
) -> Command:
    """A command that begins with a domain and an agent; `own` are its flags besides the settings of agent, domain and prior.

    In place of a domain there may be something else of `kinds`.
    """

    def call(arguments: list[str]) -> int:
        names = split(arguments)[0][:2]
        if len(names) == 2:
            return run(parse_setup(command.name, own, arguments, kinds))
        with user_errors():
            domain = find_among(kinds, names[0]) if names else None
        if "-h" in arguments or "--help" in arguments:
            print(_help(command, domain, kinds))
            return 0
        after = f" after the domain '{names[0]}'" if names else " and a domain before it"
        hint = f"flags come last: {example}. See bamdp {command.name} --help"
        raise UsageError(f"{command.name} needs an agent{after}, {hint}")

    command = Command(usage, summary, about, example, call)
    return command


def parse_setup(
    command: str, own: Sequence[Parameter], arguments: Sequence[str], kinds: Sequence[Kind] = ("domain",)
) -> Parsed:
    """Read the arguments of a command: domain, agent, flags."""
    (domain, agent), flags = arguments[:2], list(arguments[2:])
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--prior", nargs="?")  # before the other flags: those of a prior depend on which prior it is
    prior, taken = first.parse_known_args(flags)[0].prior, [parameter.name for parameter in own]
    with user_errors():
        made = setup(domain, agent, prior=prior, taken=taken, kinds=kinds)
        values = _read(command, own, made, flags, kinds)
        if changed := _changed(made, values, "domain"):
            made = setup(domain, agent, changed, prior=prior, taken=taken, kinds=kinds)
            values = _read(command, own, made, flags, kinds)  # again: the domain's own prior and steps are the defaults
        made = made.with_settings({**_changed(made, values, "agent"), **_changed(made, values, "prior")})
    usual = {parameter.name: parameter.default for parameter in _own(own, made)}
    return Parsed(made, {name: values[name] for name in taken}, flags, usual)


def _own(own: Sequence[Parameter], made: Setup) -> list[Parameter]:
    """The command's own flags, with the defaults that depend on the domain and the machine."""
    from bamdp.executors import cores

    defaults = {"steps": made.domain.steps, "workers": cores()}
    return [replace(p, default=defaults[p.name]) if p.default is MISSING else p for p in own]


def _read(command: str, own: Sequence[Parameter], made: Setup, flags: list[str], kinds: Sequence[Kind]) -> dict[str, Any]:
    run = _own(own, made)
    prog = f"bamdp {command} {made.domain_name} {made.agent_name}"
    example = f"{prog} {'--runs 4 ' if any(p.name == 'runs' for p in own) else ''}--seed 0"
    agent, domain = find("agent", made.agent_name), find_among(kinds, made.domain_name)
    about = f"{agent.name}: {agent.description}\n\n{domain.name}: {domain.description}\n\nexample:\n  {example}"
    return parse({"run": run, **made.groups}, flags, prog, about)


def _changed(made: Setup, values: dict[str, Any], group: str) -> dict[str, Any]:
    """The values of a group that differ from the setup's."""
    names = [name for (of, _), name in made.names.items() if of == group]
    return {name: values[name] for name in names if values[name] != made.values[name]}


def _help(command: Command, domain: Found | None, kinds: Sequence[Kind]) -> str:
    if domain is None:
        usage, about = f"bamdp {command.name} {command.arguments}", command.about
        lists = [listing(kind) for kind in dict.fromkeys((*kinds, *naming.KINDS))]
        example, notes = command.example, ["[N] after a name: a number may follow, as in grid10.", GYM]
    else:
        usage, about = f"bamdp {command.name} {domain.name} AGENT [flags]", domain.description
        lists, notes = [listing("agent")], []
        words = command.example.split()
        example = " ".join([*words[:2], domain.name, *words[3:]])
    notes += [
        "Your own code: package.module:Name, a class, or a function that takes no arguments.",
        f"To list all flags: bamdp {command.name} {'grid5' if domain is None else domain.name} bamcp --help",
    ]
    return "\n\n".join([f"usage: {usage}", about, *lists, "\n".join(notes), f"example:\n  {example}"])


def listing(kind: naming.Kind) -> str:
    """The names of a kind, each with a line about it."""
    lines = naming.listing(kind)
    width = max(map(len, lines), default=0)
    return "\n".join([f"{kind}s:", *(f"  {name:{width}}  {line}" for name, line in lines.items())])
