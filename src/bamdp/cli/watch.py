"""The command `bamdp watch DOMAIN AGENT`: a run in the browser, served to this machine alone unless asked otherwise."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser
from contextlib import suppress
from ipaddress import ip_address
from typing import TYPE_CHECKING, ClassVar

from bamdp import _validation
from bamdp._optional import require
from bamdp.agent import Agent
from bamdp.config.names import UsageError
from bamdp.config.parameters import Flag
from bamdp.config.setup import Request, readable
from bamdp.prior import Prior
from bamdp.viewer.messages import MOST_BYTES
from bamdp.viewer.show import Show, prior_choices
from bamdp.viewer.watched import LARGEST_SEED, WatchedRun

if TYPE_CHECKING:
    import uvicorn

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})


class WatchRequest(Request):
    """What `bamdp watch` was asked to do."""

    command: ClassVar[str] = "watch"

    def _run_flags(self) -> list[Flag]:
        kept = [flag for flag in super()._run_flags() if flag.parameter in ("steps", "seed", "prior")]
        return [
            *kept,
            Flag("port", int, 0, "of the page; 0 takes any that is free"),
            Flag("host", str, "127.0.0.1", "address to serve at; any but the default can be reached from other machines"),
            Flag("open", bool, True, "open the page in the browser"),
        ]

    def _about(self, prog: str) -> str:
        return super()._about(prog).replace("--runs 4 --seed 0", "--seed 0")

    def show(self) -> Show:
        """What is watched; a run is made already, so that every mistake shows before anything is served."""
        with readable():
            show = Show(
                self.domain_name,
                self.agent_name,
                self.domain,
                self._agent_with,
                prior_choices(self.domain, self.prior),
                _validation.positive_integer("steps", self.changed["run"].get("steps", self.domain.steps)),
                _validation.integer("seed", self.values["run"]["seed"], 0, LARGEST_SEED),
            )
            WatchedRun(show)
        return show

    def _agent_with(self, seed: int, prior: Prior) -> Agent:
        return self.make_agent(seed, prior=prior)


def run(domain_name: str, agent_name: str, words: list[str]) -> int:
    """Serve the page until Ctrl-C."""
    request = WatchRequest(domain_name, agent_name, words)
    show, asked = request.show(), request.values["run"]
    with _listen(asked["host"], asked["port"]) as listener:
        server = make_server(show, asked["host"])
        url = _url(asked["host"], listener.getsockname()[1])
        _announce(url, asked["open"], loopback=host_names(asked["host"]) == (LOOPBACK, False))
        with suppress(KeyboardInterrupt):  # the way to end it
            server.run(sockets=[listener])
    return 0


def make_server(show: Show, host: str) -> uvicorn.Server:
    """The server that plays a show to pages at `host`.

    Raises:
        UsageError: the extra `viewer` isn't installed.
    """
    try:
        for module in ("starlette", "uvicorn", "websockets"):
            require(module, f"watch needs {module}", "viewer")
    except ImportError as error:
        raise UsageError(str(error)) from error
    import uvicorn

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
    with readable():
        port = _validation.integer("port", port, 0, 65535)
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
        print("bamdp: warning: whoever reaches this address can watch and steer; there is no password", file=sys.stderr)
    print(f"{url}  (Ctrl-C ends it)", flush=True)
    if opens:
        # The listener takes connections already; a slow browser must not hold the server up.
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
