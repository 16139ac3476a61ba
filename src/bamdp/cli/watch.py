"""The command `bamdp watch DOMAIN AGENT`: a run in the browser, served to this machine alone unless --host says otherwise."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser
from contextlib import suppress
from dataclasses import replace
from ipaddress import ip_address
from typing import TYPE_CHECKING

from bamdp import validation
from bamdp.cli.command import STEPS, agent_command, common
from bamdp.cli.parser import UsageError, split, user_errors
from bamdp.config.parameters import Parameter
from bamdp.validation import require

if TYPE_CHECKING:
    import uvicorn

    from bamdp.viewer.show import WatchSetup

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})

PARAMETERS = [
    STEPS,
    *(parameter for parameter in common(runs=1) if parameter.name in ("seed", "prior")),
    Parameter("port", int, 0, "port to serve the page at; 0 picks a free one"),
    Parameter("host", str, "127.0.0.1", "address to serve the page at; at the default, only this machine can open it"),
    Parameter("open", bool, True, "open the page in your browser"),
    Parameter("film", str | None, None, "play all steps and write a film to this file, .webp or .gif, without a page"),
]


def call(arguments: list[str]) -> int:
    """Serve the page until Ctrl-C, or write a film."""
    names, flags = split(arguments)
    if not names and not flags:
        raise UsageError(f"watch needs a domain: {EXAMPLE}. See bamdp watch --help")
    if not names:
        return BASE.run(flags)
    from bamdp.cli import link, watching

    query = ""
    if link.is_link(names[0]):
        if len(names) > 1:
            raise UsageError(f"a link must come alone, got {' '.join(names)}")
        arguments, query = link.of_link(names[0], PARAMETERS)
        names, arguments = split(arguments)[0], [*arguments, *flags]
    if ("-h" in flags or "--help" in flags) and not watching.is_problem(names[0]):
        bare = [name.partition(":")[0] if "=" in name else name for name in names[1:2]]
        return BASE.run([names[0], *bare, *flags])
    show, run = watching.read(arguments, PARAMETERS)
    if run["film"] is not None:
        return watching.write_film(show, run["film"])
    host = run["host"]
    with _listen(host, run["port"]) as listener:
        server = make_server(show, host)
        url = _url(host, listener.getsockname()[1]) + query
        _announce(url, run["open"], loopback=host_names(host) == (LOOPBACK, False))
        with suppress(KeyboardInterrupt):  # the way to end it
            server.run(sockets=[listener])
    return 0


def make_server(show: WatchSetup, host: str) -> uvicorn.Server:
    """The server that plays a show to pages at `host`; a `UsageError` if the extra `viewer` isn't installed."""
    with user_errors():
        for module in ("starlette", "uvicorn", "websockets"):
            require(module, f"watch needs {module}", "viewer")
    import uvicorn

    from bamdp.viewer.messages import MOST_BYTES
    from bamdp.viewer.server import application

    names, any_address = host_names(host)
    config = uvicorn.Config(
        application(show, names, any_address=any_address),
        lifespan="off",
        log_level="warning",
        ws_max_size=MOST_BYTES,
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    return uvicorn.Server(config)


def host_names(host: str) -> tuple[frozenset[str], bool]:
    """The names by which a server at `host` may be called, and whether any numerical address will do.

    Example:
        >>> host_names("127.0.0.1") == host_names("localhost") == (LOOPBACK, False)
        True
        >>> sorted(host_names("192.168.1.7")[0] - LOOPBACK)
        ['192.168.1.7']
    """
    if _bracketed(host) in LOOPBACK:
        return LOOPBACK, False
    if host in ("0.0.0.0", "::"):
        return LOOPBACK | {socket.gethostname().lower()}, True
    return LOOPBACK | {_bracketed(host).lower()}, False


def _listen(host: str, port: int) -> socket.socket:
    with user_errors():
        port = validation.integer("port", port, 0, 65535)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise UsageError(f"can't serve at {host}, port {port}: {error.strerror or error}; see --host and --port") from error


def _bracketed(host: str) -> str:
    return f"[{ip_address(host)}]" if ":" in host else host


def _url(host: str, port: int) -> str:
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{_bracketed(shown)}:{port}/"


def _announce(url: str, opens: bool, loopback: bool) -> None:
    if not loopback:
        print("bamdp: warning: anyone who reaches this address can watch and steer; there is no password", file=sys.stderr)
    print(f"{url}  (Ctrl-C ends it)", flush=True)
    if opens:
        # The listener takes connections already; a slow browser must not hold the server up.
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


EXAMPLE = "bamdp watch infinite-grid bayes-adaptive --seed 0"

BASE = agent_command(
    lambda parsed: 0,  # parsing it with --help has printed the help
    PARAMETERS,
    summary="watch an agent in the browser, or two side by side: what they see, believe and plan",
    about="Open a page in the browser that shows a run step by step: the domain, the agent's belief, and the search behind "
    "each decision; without an agent, that of bayes-adaptive. Two agents are side by side in the same world with the same "
    "random numbers; their settings follow their names: grid5 bayes-adaptive:simulations=300 posterior-mean. A link of such a "
    "page, in quotes, takes the place of the names. Ctrl-C ends it.",
    example=EXAMPLE,
    usage="DOMAIN [AGENT [AGENT]] [flags]",
)
COMMAND = replace(BASE, run=call)
