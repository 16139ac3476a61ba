"""The command `bamdp watch DOMAIN AGENT`: a run in the browser, served to this machine alone unless
--host says otherwise.
"""

from __future__ import annotations

import os
import shlex
import sys
import threading
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from bamdp import validation
from bamdp.cli import COMMANDS
from bamdp.cli.link import is_link, kept_flags, of_link
from bamdp.cli.parser import (
    KINDS,
    PRIOR,
    SEED,
    STEPS,
    Command,
    UsageError,
    command,
    split_words,
    user_errors,
)
from bamdp.config import as_benchmark
from bamdp.config.names import AGENTS, PRIORS
from bamdp.config.parameters import Parameter
from bamdp.config.spec import Spec, parse_spec
from bamdp.domain import Domain
from bamdp.domains.gymnasium import Gymnasium
from bamdp.progress import progress
from bamdp.runs.loop import checked_steps
from bamdp.validation import require

if TYPE_CHECKING:
    from bamdp.viewer.stage import WatchSetup

DEFAULT = "bayes-adaptive"  # the agent if none is named
FLAGS = [
    STEPS,
    SEED,
    PRIOR,
    Parameter("port", int, 0, "port to serve the page at; 0 picks a free one"),
    Parameter(
        "host",
        str,
        "127.0.0.1",
        "address to serve the page at; at the default, only this machine can open it",
    ),
    Parameter("open", bool, True, "open the page in your browser"),
    Parameter(
        "film",
        str | None,
        None,
        "play all steps and write a film to this file, .webp or .gif, without a page",
    ),
]


def watch_runs(words: list[str], values: dict[str, Any], query: str = "") -> int:
    """Serve the page until Ctrl-C, or write a film."""
    show, host = show_of(words, values), values["host"]
    if values["film"] is not None:
        return _write_film(show, values["film"])
    with user_errors():
        for module in ("starlette", "uvicorn", "websockets"):
            require(module, f"watch needs {module}", "viewer")
        port = validation.integer("port", values["port"], 0, 65535)
    from bamdp.viewer.player import Player
    from bamdp.viewer.server import is_local, listen, make_server

    try:
        listener, url = listen(host, port)
    except OSError as error:
        raise UsageError(
            f"can't serve at {host}, port {port}: {error.strerror or error}; see --host and --port"
        ) from error
    with listener:
        server = make_server(partial(Player, show), host)
        if not is_local(host):
            print(
                "bamdp: warning: anyone who reaches this address can watch and steer; there is no "
                "password",
                file=sys.stderr,
            )
        print(f"{url}{query}  (Ctrl-C ends it)", flush=True)
        if values["open"]:
            # The listener takes connections already; a slow browser must not hold the server up.
            threading.Thread(target=webbrowser.open, args=(url + query,), daemon=True).start()
        with suppress(KeyboardInterrupt):  # the way to end it
            server.run(sockets=[listener])
    return 0


def show_of(words: Sequence[str], values: dict[str, Any]) -> WatchSetup:
    """What to watch: a domain or benchmark and agents by name; its runs are made once, before
    anything is served.
    """
    from bamdp.suite import Benchmark
    from bamdp.viewer.messages import LARGEST_SEED
    from bamdp.viewer.stage import AgentEntry, Stage, WatchSetup

    with user_errors():
        posed, agents = (
            parse_spec(KINDS["DOMAIN"], words[0]),
            [parse_spec(AGENTS, name) for name in words[1:] or [DEFAULT]],
        )
        made = as_benchmark(posed.make())
        problem = made if isinstance(made, Benchmark) else None
        if problem is not None and values["prior"] is not None:
            raise ValueError(
                f"prior must not be given for a benchmark, which has its own, got {values['prior']}"
            )
        domain: Domain = _drawing_itself(made) if problem is None else problem.domain
        own = domain.problem().prior if problem is None else problem.problem.prior
        prior = own if values["prior"] is None else parse_spec(PRIORS, values["prior"]).make()

        def entry(agent: Spec) -> AgentEntry:
            return AgentEntry(str(agent), lambda world, seed: agent.make_agent(world, prior, seed))

        show = WatchSetup(
            str(posed),
            domain,
            tuple(map(entry, agents)),
            prior,
            checked_steps(made.steps if values["steps"] is None else values["steps"], domain),
            validation.integer("seed", values["seed"], 0, LARGEST_SEED),
            shlex.join(kept_flags(values)),
            problem,
        )
        Stage(show)
    return show


def _drawing_itself(domain: Domain) -> Domain:
    """The domain, with environments that draw themselves if it is Gymnasium's and they can."""
    if not isinstance(domain, Gymnasium) or find_spec("PIL") is None:
        return domain
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    os.environ.setdefault(
        "SDL_VIDEODRIVER", "dummy"
    )  # no window: it is drawn in a thread, for the page alone
    return domain.rendered()


def _write_film(show: WatchSetup, path: str) -> int:
    """Play all steps and write a film of them; Ctrl-C ends the run, and the film is of the steps
    until then.
    """
    from bamdp.viewer.film import FORMATS, film
    from bamdp.viewer.stage import Stage

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
    totals = ", ".join(f"{run.name} {run.total:g}" for run in stage.runs)
    print(f"{file}: {stage.steps} steps, total reward: {totals}")
    return 0


def _command(query: str = "") -> Command:
    """The command; `query` follows the address of its page."""
    return command(
        FLAGS,
        usage=COMMANDS["watch"],
        about="Open a page in the browser that shows a run step by step: the domain, the agent's "
        "belief, and the search behind each decision. The agent is bayes-adaptive unless you name "
        "another. Two agents are side by side in the same world with the same random numbers. "
        "Instead of a domain you may give a benchmark, or a quoted link from such a page. Ctrl-C "
        "ends it.",
        example="bamdp watch grid5 bayes-adaptive:simulations=300 posterior-mean",
    )(partial(watch_runs, query=query))


def _watch(arguments: list[str]) -> int:
    """Run the command, with a link in place of the names or without one."""
    (words, flags), query = split_words(arguments), ""
    if words and is_link(words[0]):
        if len(words) > 1:
            raise UsageError(f"a link must come alone, got {' '.join(words)}")
        words, query = of_link(words[0])
    return _command(query).run([*words, *flags])


COMMAND = replace(_command(), run=_watch)
