"""The command line: `bamdp play DOMAIN AGENT`, also `watch`, `tune` and `regret`; `bamdp list`, `bamdp reproduce NAME`,
`bamdp report`, `bamdp export FILE`.

Names are found by looking (`bamdp.config.names`) and flags are read off the constructors (`bamdp.config.parameters`): a new
domain, prior or agent needs nothing here. What is slow to import is imported where it is used, so that help comes at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from bamdp.config import names as naming
from bamdp.config.names import Found, UsageError
from bamdp.saving.archive import SavedFileError

HELP = """\
usage: bamdp COMMAND ...

Planning in a world you do not know yet: Bayes-adaptive reinforcement learning by sample-based search.

commands:
  play DOMAIN AGENT [flags]     let an agent act in a domain and see what it earns
  watch DOMAIN AGENT [flags]    watch an agent in the browser: its world, its belief, its search
  tune DOMAIN AGENT [flags]     try an agent's whole grid of settings in a domain and see which is best
  regret DOMAIN AGENT [flags]   how far an agent is from Bayes-optimal, on a small problem
  list                          the domains, priors and agents there are
  reproduce NAME... [flags]     a table or figure of the paper, as far as it isn't stored yet
  report [flags]                one page: what is stored, beside what is published
  export FILE [flags]           all stored results as CSV or Parquet

  --help                        this text; also after a command, a domain and an agent
  --version                     the version

example:
  bamdp play grid5 bamcp --simulations 1000 --runs 4
"""

ABOUT = {
    "play": "Let an agent act in a domain and see what it earns.",
    "watch": "Watch an agent act in a domain, in the browser: the world, its belief and the search behind each decision.",
    "tune": "Try every setting of an agent's grid in a domain and see which is best; a setting given as a flag stays fixed.",
    "regret": "How far an agent is from Bayes-optimal, in worlds drawn from the prior; rewards and start are the domain's.",
}
EXAMPLE = {
    "play": "bamdp play grid5 bamcp --simulations 1000 --runs 4 --seed 0",
    "watch": "bamdp watch infinite-grid bamcp --simulations 2000 --seed 0",
    "tune": "bamdp tune grid5 beb --runs 10 --seed 0",
    "regret": "bamdp regret random-mdp2 bamcp --discount 0.6 --simulations 1000",
}

GYM = """\
gym:<ID>: an id of gymnasium.make, as in gym:FrozenLake-v1, with the module before it if it is of another package, as in
gym:package.module:Name-v0. Settings of the environment: --make "map_name=8x8". Rewards that are learned: --rewards learned."""

STUDIES = {"reproduce": "reproduce:reproduce", "report": "report:run", "export": "reproduce:export_results"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code is 0 (done), 1 (a task failed), 2 (not understood or possible), 130 (Ctrl-C)."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _command(words)
        sys.stdout.flush()  # here, where a closed pipe is understood
        return code
    except (UsageError, SavedFileError) as error:
        print(f"bamdp: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader (head, less) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _command(words: list[str]) -> int:
    command, rest = (words[0], words[1:]) if words else ("--help", [])
    if command in ("-h", "--help"):
        print(HELP, end="")
    elif command == "--version":
        from bamdp._version import __version__

        print(f"bamdp {__version__}")
    elif command == "list":
        _list(rest)
    elif command in ABOUT:
        return _with_names(command, rest)
    elif command in STUDIES:
        module, _, function = STUDIES[command].partition(":")
        study: Callable[[list[str]], int] = getattr(import_module(f"bamdp.cli.{module}"), function)
        return study(rest)
    else:
        raise UsageError(f"unknown command '{command}'. Known: {', '.join([*ABOUT, 'list', *STUDIES])}. See bamdp --help")
    return 0


def _list(words: list[str]) -> None:
    if _asks_help(words):
        print("usage: bamdp list\n\nThe domains, priors and agents there are, each with what it is in one line.")
    elif words:
        raise UsageError(f"list takes no arguments, got '{words[0]}'")
    else:
        print("\n\n".join(_names(kind) for kind in naming.KINDS))


def _names(kind: naming.Kind) -> str:
    lines = naming.listing(kind)
    width = max(map(len, lines), default=0)
    return "\n".join([f"{kind}s:", *(f"  {name:{width}}  {line}" for name, line in lines.items())])


def _asks_help(words: Sequence[str]) -> bool:
    return "-h" in words or "--help" in words


def _with_names(command: str, words: list[str]) -> int:
    names = words[: next((i for i, word in enumerate(words) if word.startswith("-")), len(words))][:2]
    if len(names) == 2:
        return {"play": _play, "watch": _watch, "tune": _tune, "regret": _regret}[command](names[0], names[1], words[2:])
    domain = naming.find("domain", names[0]) if names else None
    if _asks_help(words):
        print(_names_help(command, domain))
        return 0
    after = f" after the domain '{names[0]}'" if names else " and a domain before it"
    raise UsageError(f"{command} needs an agent{after}, flags come last: {EXAMPLE[command]}. See bamdp {command} --help")


def _names_help(command: str, domain: Found | None) -> str:
    if domain is None:
        usage, about = f"bamdp {command} DOMAIN AGENT [flags]", ABOUT[command]
        lists = [_names(kind) for kind in naming.KINDS]
        example, notes = EXAMPLE[command], ["[N] after a name: a number may follow, as in grid10.", GYM]
    else:
        usage, about = f"bamdp {command} {domain.name} AGENT [flags]", domain.description
        lists = [_names("agent")]
        typical = EXAMPLE[command].split()
        example, notes = " ".join([*typical[:2], domain.name, *typical[3:]]), []
    notes += [
        "Of your own: package.module:Name, a class or a function without arguments.",
        f"Flags: {usage.replace('AGENT [flags]', 'bamcp --help').replace('DOMAIN', 'grid5')}",
    ]
    return "\n\n".join([f"usage: {usage}", about, *lists, "\n".join(notes), f"example:\n  {example}"])


def _regret(domain_name: str, agent_name: str, words: list[str]) -> int:
    from bamdp.cli import regret

    return regret.run(domain_name, agent_name, words)


def _tune(domain_name: str, agent_name: str, words: list[str]) -> int:
    from bamdp.cli.tune import TuneRequest, tune

    return tune(TuneRequest(domain_name, agent_name, words))


def _watch(domain_name: str, agent_name: str, words: list[str]) -> int:
    from bamdp.cli import watch

    return watch.run(domain_name, agent_name, words)


def _play(domain_name: str, agent_name: str, words: list[str]) -> int:
    from bamdp import runner as play
    from bamdp.cli.output import Summary
    from bamdp.config.setup import Request

    request = Request(domain_name, agent_name, words)
    job, first = request.job()
    outcome = play.play(job, first)
    summary = Summary(
        title=f"{agent_name} in {domain_name}",
        results=outcome.results,
        runs=job.runs,
        steps=job.steps,
        settings=request.settings(first),
        published=request.published(),
    )
    (summary.print_json if request.values["run"]["json"] else summary.print_table)()
    return 130 if outcome.interrupted else 0
